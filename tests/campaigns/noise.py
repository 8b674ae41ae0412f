"""Honest and dishonest devices, judged: ``python -m tests.campaigns.noise [--seeds N] [--devices a,b]``.

Boards are compiled for simulated devices, and what would be read from them is drawn from exact distributions,
seed by seed, and judged as `qttt check --backend` judges it:

* *as reported*: the p-values must be uniform (Kolmogorov and Smirnov), and no more verdicts fail than stated;
* *honest*: every rate drawn anew between half and twice what is reported, once more in the middle of the job
  (drift), readings between equal and as unequal as calibrated, gates that turn too far or too short;
* *worst*: the same with everything at one of its ends;
* *biased*: square 5 of the board of the issue turned from 0.5; caught in 95 % of the seeds, less chance.

Ends with 1 if something is not as stated.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import asin, sqrt

import numpy as np
from qiskit.circuit import QuantumCircuit
from scipy.stats import binom, kstest

from circuits.backends.noise import (
    COHERENT,
    LEAST,
    MOST,
    NoisyPart,
    ReportedErrors,
    misread,
    noisy_parts,
)
from circuits.decoding import Shots
from circuits.measurement import Readout
from qttt.crosscheck.by_device import judge
from qttt.crosscheck.check import SIGNIFICANCE
from qttt.crosscheck.noise import POWER, Expectation, expectation
from qttt.crosscheck.report import DeviceVerdict
from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation.devices import open_device, read_shots

DEVICES = ("fake_torino", "fake_marrakesh", "fake_mumbai")
BIASED = "1+3 1*2 9 3*4 5+6 7+8"
RECORDS = ((2, BIASED), (4, "1+3 1-2 5 5*6 4+7 7*8 9"), (5, "5~ 1+3 1*2 4+6 7 8+9"))
BIASES = {
    ("fake_torino", 4096): 0.06,
    ("fake_marrakesh", 4096): 0.06,
    ("fake_mumbai", 4096): 0.10,
    ("fake_torino", 20_000): 0.04,
    ("fake_marrakesh", 20_000): 0.04,
    ("fake_mumbai", 20_000): 0.04,
}
"""By device and shots, what must be caught."""

RARE = 0.001

Draw = Callable[[], float]


@dataclass(frozen=True)
class Case:
    """One board, compiled for one device in one mode."""

    name: str
    game: Game
    mode: Mode
    circuit: QuantumCircuit
    readout: Readout
    errors: ReportedErrors
    expected: Expectation

    def judge(self, parts: Sequence[NoisyPart], shots: int, rng: np.random.Generator) -> DeviceVerdict:
        """Draw shots from the parts, and judge them; a device that drifts has one list after the other."""
        bits = drawn(parts, self.readout, shots, rng)
        reading = read_shots(self.game.state, self.mode, self.readout, bits)
        return judge(
            reading,
            bits,
            self.game.state.odds(self.mode).outcomes(),
            self.expected,
            rng,
            threshold=SIGNIFICANCE / 2,
        )


def case(level: int, record: str, device: str, mode: Mode) -> Case:
    """Compile a board for a device."""
    game = Game(level)
    game.play(record)
    observer = open_device(device)
    (item,) = observer.plan(game, [mode], 1).prepared.circuits
    errors = observer.backend.reported_errors(item.circuit)
    assert errors is not None and item.readout is not None
    expected = expectation(game.state.odds(mode), item.circuit, item.readout, errors)
    return Case(f"{record}, {mode}, {device}", game, mode, item.circuit, item.readout, errors, expected)


def drawn(parts: Sequence[NoisyPart], readout: Readout, shots: int, rng: np.random.Generator) -> Shots:
    """Shots from the exact distributions of independent parts."""
    widths = {
        name: 1 + max((index for part in parts for where, index in part.bits if where == name), default=-1)
        for name in ("pos", "mark")
    }
    registers = {name: np.zeros((shots, width), dtype=np.bool_) for name, width in widths.items()}
    for part in parts:
        p = part.reported.ravel()
        readings = rng.choice(p.size, size=shots, p=p / p.sum())
        for place, (name, index) in enumerate(reversed(part.bits)):
            registers[name][:, index] = readings >> place & 1
    return Shots.from_registers({name: bits for name, bits in registers.items() if bits.shape[1]}, shots)


def another(given: Case, rate: Draw, share: Draw, turn: Draw) -> list[NoisyPart]:
    """What an honest device gives that is not as it reports.

    Args:
        given: the board.
        rate: draws the logarithm to base 2 of a rate over the reported one.
        share: draws how unequal a reading is, 0 to 1.
        turn: draws how far a gate turns, −1 to 1.
    """
    errors = given.errors
    factor = {qubit: 2.0 ** rate() for qubit in errors.relaxation}
    pairs: dict[tuple[int, ...], float] = {}
    turns: dict[tuple[int, ...], float] = {}
    gates = {}
    for (name, qubits), (error, seconds) in errors.gates.items():
        one = factor[qubits[0]] if len(qubits) == 1 else pairs.setdefault(qubits, 2.0 ** rate())
        gates[name, qubits] = (min(1.0, error * one), seconds)
    reading = {}
    for qubit, equal in errors.reading.items():
        far, scale = share(), 2.0 ** rate()
        other = errors.unequal[qubit][0]
        first, second = ((1 - far) * one + far * two for one, two in zip(equal, other, strict=True))
        reading[qubit] = (min(1.0, scale * first), min(1.0, scale * second))
    circuit = given.circuit.copy_empty_like()
    for item in given.circuit.data:
        circuit.append(item)
        qubits = tuple(circuit.find_bit(qubit).index for qubit in item.qubits)
        error, _ = errors.gates.get((item.name, qubits), (0.0, 0.0))
        if item.name == "measure" or not error:
            continue
        sign = turns.setdefault(qubits, turn())
        extra, constant = ("rx", 1.5) if len(qubits) == 1 else ("rzz" if item.name == "cz" else "rzx", 1.25)
        getattr(circuit, extra)(sign * 2 * asin(sqrt(constant * COHERENT * error)), *item.qubits)
        gates[extra, qubits] = (0.0, 0.0)
    relaxation = {
        qubit: (first / factor[qubit], second / factor[qubit])
        for qubit, (first, second) in errors.relaxation.items()
    }
    return noisy_parts(circuit, ReportedErrors(relaxation, reading, errors.unequal, gates), ranges=False)


def mixed(first: Sequence[NoisyPart], second: Sequence[NoisyPart]) -> list[NoisyPart]:
    """A device that drifts from one to the other: half of the shots are of each."""
    return [
        NoisyPart(one.bits, one.ideal, (one.reported + two.reported) / 2, (), one.readings)
        for one, two in zip(first, second, strict=True)
    ]


def biased(given: Case, parts: Iterable[NoisyPart], bias: float) -> list[NoisyPart]:
    """The same with square 5, which is filled with probability 1/2, turned."""
    bit = ("pos", given.readout.to_json()["occupancy"][4])
    turned = []
    for part in parts:
        if bit in part.bits:
            filled = np.moveaxis(np.indices(part.ideal.shape)[part.bits.index(bit)], 0, 0) == 1
            change = np.where(filled, part.ideal, -part.ideal) * 2 * bias
            seen = part.reported + misread(change, part.readings)
            part = NoisyPart(part.bits, part.ideal, seen, (), part.readings)
        turned.append(part)
    return turned


def campaign(device: str, seeds: int, seed: int, show: Callable[[str], object] = print) -> bool:
    """Judge devices of one kind on every board, print what was found, and say whether it is as stated."""
    rng = np.random.default_rng([seed, len(device), DEVICES.index(device)])
    good = True
    for level, record in RECORDS:
        game = Game(level)
        for mode in game.state.modes:
            given = case(level, record, device, mode)
            good &= honest(given, seeds, rng, show)
            if record == BIASED:
                good &= caught(given, device, seeds, rng, show)
    return good


def honest(given: Case, seeds: int, rng: np.random.Generator, show: Callable[[str], object]) -> bool:
    """Judge devices that are as they report, and others that are honest."""
    true = noisy_parts(given.circuit, given.errors, ranges=False)
    values, alarms = [], {"as reported": 0, "honest": 0, "worst": 0}
    inside: tuple[Draw, ...] = (
        lambda: rng.uniform(np.log2(LEAST), np.log2(MOST)),
        lambda: rng.uniform(0, 1),
        lambda: rng.uniform(-1, 1),
    )
    ends: tuple[Draw, ...] = (
        lambda: float(rng.choice([np.log2(LEAST), np.log2(MOST)])),
        lambda: float(rng.choice([0.0, 1.0])),
        lambda: float(rng.choice([-1.0, 1.0])),
    )
    for _ in range(seeds):
        verdict = given.judge(true, 4096, rng)
        assert verdict.p_value is not None
        values.append(verdict.p_value)
        alarms["as reported"] += not verdict.ok
        drifting = mixed(another(given, *inside), another(given, *inside))
        alarms["honest"] += not given.judge(drifting, 4096, rng).ok
        alarms["worst"] += not given.judge(another(given, *ends), 4096, rng).ok
    uniform = float(kstest(values, "uniform").pvalue)
    allowed = int(binom.isf(RARE, seeds, SIGNIFICANCE))
    good = uniform > RARE and max(alarms.values()) <= allowed
    show(
        f"{given.name}: p-values uniform {uniform:.3f}; of {seeds} failed "
        + ", ".join(f"{name} {number}" for name, number in alarms.items())
        + f" (at most {allowed}){'' if good else '  FAILS'}"
    )
    return good


def caught(
    given: Case, device: str, seeds: int, rng: np.random.Generator, show: Callable[[str], object]
) -> bool:
    """Judge devices on which square 5 is turned, up or down in turn."""
    true = noisy_parts(given.circuit, given.errors, ranges=False)
    good = True
    for (name, shots), bias in BIASES.items():
        if name != device:
            continue
        turned = [biased(given, true, sign * bias) for sign in (1, -1)]
        found = sum(given.judge(turned[number % 2], shots, rng).ok is False for number in range(seeds))
        # Fewer than a device that is caught with the stated power would be by chance.
        enough = found >= int(binom.ppf(RARE, seeds, POWER))
        good &= enough
        show(
            f"{given.name}: {0.5 + bias:.2f} at {shots:,} shots caught in {found} of {seeds}"
            f"{'' if enough else '  FAILS'}"
        )
    return good


def main() -> int:
    """Make the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200, help="seeds for each board (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--devices", default=",".join(DEVICES))
    arguments = parser.parse_args()

    def show(line: str) -> None:
        print(line, flush=True)

    devices = arguments.devices.split(",")
    return int(not all([campaign(device, arguments.seeds, arguments.seed, show) for device in devices]))


if __name__ == "__main__":
    sys.exit(main())
