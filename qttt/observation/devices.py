"""Observing on quantum devices: lean circuits, errors detected and thrown away, one job for both modes.

A device errs. What it measures is decoded, and every board that the position cannot give is thrown away
(`qttt.observation.faults`); the outcome of the game is the first board left, in the order measured. It is
never the most frequent one: a vote would replace the device's randomness by the likeliest board.

At Levels 4 and 5 the positions come before the choice of the mode. Both modes' circuits go in one job: the
positions are those of the first possible shot of one circuit, and the symbols are drawn from the shots of the
chosen mode's circuit that have the same positions. Occupancies have the same statistics in both modes, so
this is the same joint distribution, with one wait in the queue. Where no shot has these positions, or the
job is gone, the state that they leave behind is prepared on its own: the *collapsed* state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import pi
from typing import TYPE_CHECKING

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Positions, filled_squares
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode
from qttt.observation.compiler import lean_pieces
from qttt.observation.faults import impossible_boards
from qttt.observation.noise_gate import NoiseError, noise_in, predicted_noise
from qttt.observation.samples import Sample, Stock, check_request, sample_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from qiskit.circuit import QuantumCircuit

    from circuits.backends.base import Device
    from circuits.backends.plans import JobOptions, Prepared
    from circuits.backends.progress import Notify
    from circuits.decoding import Decoded, Shots
    from circuits.lean import Encoding
    from circuits.measurement import Readout

    _Fit = tuple[QuantumCircuit, QuantumCircuit, Readout]

DEFAULT_SHOTS = 1024
ACCEPTING = "--accept-noise, or accept_noise=True from Python, takes it all the same"
SEEDS = 4
"""With how many seeds each circuit is compiled; the likeliest to succeed is kept."""


def is_device(name: str) -> bool:
    """Whether a backend of that name is there and is a device, real or simulated.

    Raises:
        CircuitsError: another distribution's backend cannot be opened.
    """
    from circuits.backends import Kind, kind_of
    from circuits.errors import UnknownBackendError

    try:
        return kind_of(name) is not Kind.IDEAL
    except UnknownBackendError:
        return False


def open_device(
    name: str,
    notify: "Notify | None" = None,
    *,
    encoding: "Encoding" = "masked",
    decoupling: bool = False,
    twirling: bool = False,
    accept_noise: bool = False,
) -> "DeviceObserver":
    """Find a device by name.

    Args:
        name: ``fake_<device>``, ``ibm_<device>``, ``ibm`` or another provider's.
        notify: told of retries and remarks while the service is asked.
        encoding: that of `DeviceObserver`.
        decoupling: fill idle times with pulses that cancel slow noise.
        twirling: randomise gates and measurements so that coherent errors average out.
        accept_noise: take results that say nothing of the board (`qttt.observation.noise_gate`).

    Raises:
        UnknownBackendError: there is no such device, or the extra ``ibm`` is not installed.
        BackendError: the account or the service failed.
    """
    from circuits.backends import get_device
    from circuits.backends.plans import JobOptions
    from circuits.backends.progress import ignore

    options = JobOptions(dynamical_decoupling=decoupling, twirling=twirling, seeds=SEEDS)
    device = get_device(name, notify or ignore)
    return DeviceObserver(device, encoding=encoding, options=options, accept_noise=accept_noise)


@dataclass(frozen=True, eq=False)
class DecodedShots:
    """What the shots of one circuit say of a board.

    Attributes:
        decoded: the shots, those of impossible boards marked as illegal.
        raw: how often each board was read before any was thrown away; shots that make no board at all are
            counted under the kind of their fault.
        readout: how the bits were read.
        odds: the exact odds of the boards.
    """

    decoded: "Decoded"
    raw: Mapping[str, int]
    readout: "Readout"
    odds: Mapping[str, float] = field(repr=False)

    def sample(self, positions: Positions | None = None) -> Sample:
        """The shots that count.

        Args:
            positions: positions that are known already; possible shots with others do not count, and are the
                sample's ``unused``.
        """
        whole = sample_of(self.decoded)
        if positions is None:
            return whole
        drawn = tuple(board for board in whole.drawn if positions.agree(board))
        return replace(whole, drawn=drawn, unused=whole.kept - len(drawn))

    @property
    def noise(self) -> str | None:
        """Why the shots say nothing of the board, in a clause; None if they do, or none is possible."""
        return noise_in(self.sample(), self.odds, self.readout)


def read_shots(state: State, mode: Mode, readout: "Readout", shots: "Shots") -> DecodedShots:
    """Decode the shots of a state's board, and find the impossible ones.

    Args:
        state: the moment at which the board is observed.
        mode: the mode that the circuit reads.
        readout: how to read its bits.
        shots: the bits.

    Raises:
        UsageError: a mode that does not exist.
    """
    from circuits.decoding import decode, reject

    decoded = decode(readout, shots)
    position = state.position.standard()
    faults = impossible_boards(decoded.boards, position, mode)
    return DecodedShots(
        reject(decoded, {board: str(fault) for board, fault in faults.items()}),
        {**decoded.counts(), **decoded.illegal_kinds},
        readout,
        state.odds(mode).outcomes(),
    )


def first_positions(readings: Mapping[Mode, DecodedShots]) -> tuple[Positions, Sample]:
    """The positions of the first possible shot, and the shots of the circuit that it was read from.

    Args:
        readings: the shots of one job by mode.

    Raises:
        ServiceError: no shot is possible.
    """
    mode = Mode.STANDARD if Mode.STANDARD in readings else next(iter(readings))
    sample = readings[mode].sample()
    return Positions(filled_squares(sample.first)), sample


@dataclass(frozen=True)
class Plan:
    """A job that is ready to be sent.

    Attributes:
        prepared: its compiled circuits and what they will cost.
        drafts: the same circuits before they were compiled.
        modes: the mode that each of them reads; none for a circuit that is not of one mode.
        collapsed: the positions from which they were prepared, or None for the whole observation.
    """

    prepared: "Prepared"
    drafts: "tuple[QuantumCircuit, ...]"
    modes: tuple[Mode, ...]
    collapsed: Positions | None = None

    @property
    def noise(self) -> str | None:
        """Why the job is not worth sending, in a clause; None if it is."""
        circuits = self.prepared.cost.circuits
        return predicted_noise(self.prepared.backend, (circuit.faultless for circuit in circuits))


class DeviceObserver:
    """Observes on a device, real or simulated.

    Attributes:
        backend: the device.
        encoding: ``masked`` for the fewest gates; ``strict``, where the symbol of an empty square has to read
            0 and every square is measured, values that are certain included; ``coherent`` for one preparation
            in both modes, on the same qubits by the same gates.
        options: how jobs are run.
        shots: how many shots a job takes if nobody says otherwise.
        unasked: ``sample`` and ``draw`` may send jobs to a real device. They ask nobody, so it is False
            unless the caller knows that quantum time is to be spent.
        accept_noise: ``draw`` gives a board even if the shots say nothing of it
            (`qttt.observation.noise_gate`).
    """

    def __init__(
        self,
        backend: "Device",
        *,
        encoding: "Encoding" = "masked",
        options: "JobOptions | None" = None,
        shots: int = DEFAULT_SHOTS,
        unasked: bool = False,
        accept_noise: bool = False,
    ) -> None:
        """Choose the device and how it is used."""
        self.backend = backend
        self.encoding: Encoding = encoding
        self.options = options
        self.shots = shots
        self.unasked = unasked
        self.accept_noise = accept_noise
        # By all that decides how the shots are distributed: one state of a game, and how it is looked at.
        self._stocks: dict[tuple[object, ...], Stock] = {}

    @property
    def name(self) -> str:
        """The device's full name."""
        return self.backend.name

    def keeps_job(self, file: "Path | None") -> bool:
        """Whether a job has a file: where it must outlive this program, or lies beside a record's file.

        Args:
            file: the record's file, or None.
        """
        from circuits.backends import names_code

        return not self.backend.local or (file is not None and not names_code(self.name))

    def plan(
        self,
        game: Game,
        modes: Sequence[Mode],
        shots: int | None = None,
        notify: "Notify | None" = None,
        *,
        first_seed: int = 0,
    ) -> Plan:
        """Compile the observation of a game's board, one circuit a mode, and say what it will cost.

        With positions observed already, the circuits prepare what they have left of the state.

        Args:
            game: a game at any moment.
            modes: the modes to prepare for.
            shots: shots of each circuit.
            notify: told of retries and remarks.
            first_seed: the first seed of the compiler.

        Raises:
            UsageError: a mode that the level does not have, or a circuit or number of shots that the device
                does not take.
            ServiceError: the account or the service failed.
        """
        return self.plan_games([(game, modes)], shots, notify, first_seed=first_seed)

    def plan_games(
        self,
        games: "Sequence[tuple[Game, Sequence[Mode]]]",
        shots: int | None = None,
        notify: "Notify | None" = None,
        *,
        first_seed: int = 0,
    ) -> Plan:
        """Compile the observations of several games' boards for one job, and say what it will cost.

        Args:
            games: each game, with the modes to prepare for.
            shots: shots of each circuit.
            notify: told of retries and remarks.
            first_seed: the first seed of the compiler.

        Raises:
            UsageError: as for `plan`.
            ServiceError: the account or the service failed.
        """
        from circuits.backends.progress import ignore

        shots = self.shots if shots is None else shots
        options = self._options_for(*(game for game, _ in games))
        looks = [(game, check_request(game.state, mode, shots)) for game, modes in games for mode in modes]
        modes = tuple(mode for _, mode in looks)
        fits: dict[State, _Fit] = {}
        seeds = range(first_seed, first_seed + options.seeds)
        fitted = [self._fitted(game, mode, seeds, fits) for game, mode in looks]
        prepared = self.backend.prepare(
            [compiled for _, compiled, _ in fitted],
            shots,
            labels=[str(mode) for mode in modes],
            readouts=[readout for _, _, readout in fitted],
            options=options,
            compiled=True,
            notify=notify or ignore,
        )
        positions = games[0][0].state.positions if len(games) == 1 else None
        return Plan(prepared, tuple(draft for draft, _, _ in fitted), modes, positions)

    def plan_same(
        self,
        game: Game,
        looks: "Callable[[QuantumCircuit, Readout], Mapping[str, QuantumCircuit]]",
        shots: int,
        notify: "Notify | None" = None,
    ) -> Plan:
        """Compile a game's board once, for several circuits with the same qubits and readout in one job.

        Args:
            game: a game at any moment.
            looks: from the compiled circuit of the standard mode and its readout all circuits, by name.
            shots: shots of each circuit.
            notify: told of retries and remarks.

        Raises:
            UsageError: a circuit or number of shots that the device does not take.
            ServiceError: the account or the service failed.
        """
        from circuits.backends.progress import ignore

        options = self._options_for(game)
        draft, compiled, readout = self._fitted(game, Mode.STANDARD, range(options.seeds), {})
        circuits = looks(compiled, readout)
        prepared = self.backend.prepare(
            list(circuits.values()),
            shots,
            labels=list(circuits),
            readouts=[readout] * len(circuits),
            options=options,
            compiled=True,
            notify=notify or ignore,
        )
        return Plan(prepared, (draft,) * len(circuits), ())

    def plan_circuit(
        self,
        circuit: "QuantumCircuit",
        readout: "Readout",
        label: str,
        shots: int,
        notify: "Notify | None" = None,
        game: Game | None = None,
    ) -> Plan:
        """Compile one circuit of another making, of a game where it is of one, and say what it will cost.

        Raises:
            UsageError: the device does not take it.
            ServiceError: the account or the service failed.
        """
        from circuits.backends.progress import ignore

        prepared = self.backend.prepare(
            [circuit],
            shots,
            labels=[label],
            readouts=[readout],
            options=self._options_for(*([] if game is None else [game])),
            notify=notify or ignore,
        )
        return Plan(prepared, (circuit,), ())

    def _options_for(self, *games: Game) -> "JobOptions":
        """How a job is run, with the tags by which it is found among others of the account."""
        from circuits.backends.plans import JobOptions

        levels = sorted({game.rules.level.number for game in games})
        tags = ("tiqtaqtoe", *(f"level-{level}" for level in levels))
        return replace(self.options or JobOptions(seeds=SEEDS), tags=tags)

    def _fitted(self, game: Game, mode: Mode, seeds: range, fits: "dict[State, _Fit]") -> "_Fit":
        """The circuit of a game's board in one mode, as it is drafted and compiled, and its readout.

        Coherent circuits are compiled once, in standard mode, and kept in ``fits``: so both modes have the
        same layout and the same two-qubit gates.
        """
        if self.encoding != "coherent" or game.state.positions is not None:
            return self._fit(_drafts(game, mode, self.encoding), seeds)
        drafts = _drafts(game, Mode.STANDARD, self.encoding)
        if game.state not in fits:
            fits[game.state] = self._fit(drafts, seeds)
        draft, compiled, readout = fits[game.state]
        if mode is Mode.ROTATED:
            place = [circuit for circuit, _ in drafts].index(draft)
            draft, readout = _drafts(game, mode, self.encoding)[place]
            symbols = next((register for register in draft.cregs if register.name == "mark"), ())
            compiled = self.backend.in_bases(compiled, dict.fromkeys(range(len(symbols)), pi / 2))
        return draft, compiled, readout

    def _fit(self, drafts: "list[tuple[QuantumCircuit, Readout]]", seeds: range) -> "_Fit":
        """The draft that is likeliest to succeed on the device, that draft compiled, and its readout."""
        fitted = [
            (draft, self.backend.compile(draft, len(seeds), seeds.start), readout)
            for draft, readout in drafts
        ]
        return max(fitted, key=lambda entry: self.backend.merit(entry[1]))

    def run(
        self, plan: Plan, rng: "np.random.Generator", notify: "Notify | None" = None
    ) -> "tuple[Shots, ...]":
        """Send a plan and wait, without a job file.

        Args:
            plan: what to run.
            rng: where the seed of a simulated device comes from.
            notify: told what happens.

        Returns:
            The shots of each circuit.

        Raises:
            ServiceError: the job failed.
        """
        from circuits.backends.progress import ignore

        job = self.backend.write_down(plan.prepared, draw_seed(rng))
        handle = self.backend.send(job, None, notify or ignore)
        return tuple(handle.wait(notify or ignore))

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        """Run one job of one circuit; with positions observed already, the collapsed state's.

        Raises:
            UsageError: as for any observer, or nobody has agreed to spend a real device's time.
        """
        self.agree()
        plan = self.plan(game, [mode], shots)
        return readings_of(game.state, plan, self.run(plan, rng))[mode].sample()

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        """Run a job and take the first possible shot.

        A full board whose mode is open runs in both modes; when the mode is drawn next, from the positions
        that this gave, the shots of the same job are used. Every shot is given once: when none is left that
        has the positions, the state that they leave is run in a job of its own.

        Raises:
            UsageError: as for any observer, or nobody has agreed to spend a real device's time.
            NoiseError: the device says nothing of the board, and ``accept_noise`` is False.
            ServiceError: no shot is possible, or the device failed.
        """
        self.agree()
        state, mode = game.state, check_request(game.state, mode, 1)
        found = Sample(())
        if state.positions is None:
            both = state.phase is Phase.OBSERVATION and mode in state.modes
            self._stocks = self._fill(game, state.modes if both else (mode,), rng)
        else:
            # Shots of the board before the positions were seen first, then those of what the positions left.
            moments = (game.states[-2], state)
            for moment in moments:
                if not found.drawn and (stock := self._stocks.get(self._key(moment, mode))) is not None:
                    found = stock.take(state.positions)
            if not found.drawn:
                kept = {key: stock for key, stock in self._stocks.items() if key[0] in moments}
                self._stocks = kept | self._fill(game, (mode,), rng)
        if not found.drawn:
            found = self._stocks[self._key(state, mode)].take(state.positions)
        # Where no shot is possible the sample itself says why.
        return replace(found, drawn=(found.first,))

    def _key(self, state: State, mode: Mode) -> tuple[object, ...]:
        return state, mode, self.backend, self.encoding, self.options

    def _fill(
        self, game: Game, modes: Sequence[Mode], rng: "np.random.Generator"
    ) -> dict[tuple[object, ...], Stock]:
        """The shots of one job of a circuit a mode, which say something of the board."""
        plan = self.plan(game, modes)
        if not self.accept_noise and (noise := plan.noise):
            raise NoiseError(f"{noise}: nothing was sent ({ACCEPTING})")
        readings = readings_of(game.state, plan, self.run(plan, rng))
        noises = (f"in {mode} mode {noise}" for mode, reading in readings.items() if (noise := reading.noise))
        if not self.accept_noise and (noise := next(noises, None)):
            raise NoiseError(f"{noise} ({ACCEPTING})")
        return {self._key(game.state, mode): Stock(reading.sample()) for mode, reading in readings.items()}

    def agree(self) -> None:
        """Refuse to spend a real device's time if nobody has agreed to it.

        Raises:
            UsageError: it is a real device, and ``unasked`` is False.
        """
        if not (self.backend.local or self.unasked):
            raise UsageError(
                f"a job on {self.name} uses quantum time, and nothing here asks for it first: "
                "qttt observe and qttt check do"
            )


def readings_of(state: State, plan: Plan, shots: "Sequence[Shots]") -> dict[Mode, DecodedShots]:
    """What the shots of a plan's circuits say, by mode."""
    readings = {}
    for mode, circuit, run in zip(plan.modes, plan.prepared.circuits, shots, strict=True):
        assert circuit.readout is not None
        readings[mode] = read_shots(state, mode, circuit.readout, run)
    return readings


def draw_seed(rng: "np.random.Generator") -> int:
    """A seed for a job."""
    return int(rng.random() * 2**31)


def _drafts(game: Game, mode: Mode, encoding: "Encoding") -> "list[tuple[QuantumCircuit, Readout]]":
    """The circuits among which the device may choose."""
    from circuits.lean import collapsed_circuit, lean_circuit

    pieces, observed = lean_pieces(game)
    every = encoding == "strict"
    if game.state.positions is not None:
        filled = [mark == "#" for mark in game.state.positions.filled]
        return [collapsed_circuit(pieces, filled, mode, observed=observed, measure_all=every)]
    drafts: list[tuple[QuantumCircuit, Readout]] = []
    for shape in ("free", "line"):
        circuit, readout = lean_circuit(
            pieces, mode, observed=observed, encoding=encoding, shape=shape, measure_all=every
        )
        # Where no attacker is left alone with a certain symbol, both shapes are one circuit.
        if all(circuit != earlier for earlier, _ in drafts):
            drafts.append((circuit, readout))
    return drafts
