"""The lean circuit that suits a target best, found by transpiling and counting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from qiskit.circuit import QuantumCircuit
from qiskit.providers import BackendV2
from qiskit.transpiler import Target, generate_preset_pass_manager

from circuits.lean.pieces import Piece, PieceError
from circuits.lean.synthesis import Encoding, Shape, lean_circuit
from circuits.measurement import Readout


@dataclass(frozen=True, slots=True)
class Fitted:
    """A lean circuit transpiled to a target.

    Attributes:
        circuit: the transpiled circuit.
        readout: how to read its bits; transpiling does not move classical bits.
        shape: the shape it was made from.
        seed: the transpiler's seed that gave it.
        two_qubit_gates: how many gates on two qubits it has.
        two_qubit_depth: how many of them are in the longest chain.
        error: minus the logarithm of the probability that no gate and no measurement errs, from the target's
            calibration, as if errors were independent; what the target does not know counts as 0.
    """

    circuit: QuantumCircuit
    readout: Readout
    shape: Shape
    seed: int
    two_qubit_gates: int
    two_qubit_depth: int
    error: float

    @property
    def cost(self) -> tuple[int, int, float]:
        """What is to be as small as possible: gates first, then depth, then error."""
        return self.two_qubit_gates, self.two_qubit_depth, self.error


def _on_two_qubits(instruction: Any) -> bool:
    return bool(instruction.operation.num_qubits == 2) and instruction.name != "barrier"


def two_qubit_gates(circuit: QuantumCircuit) -> int:
    """Return the number of gates on two qubits."""
    return sum(map(_on_two_qubits, circuit.data))


def two_qubit_depth(circuit: QuantumCircuit) -> int:
    """Return the depth of a circuit, counting only gates on two qubits."""
    return int(circuit.depth(_on_two_qubits))


def estimated_error(circuit: QuantumCircuit, target: Target) -> float:
    """Return minus the logarithm of the probability that nothing in a transpiled circuit errs.

    The error of every gate and measurement is the target's; what it does not know counts as 0.
    """
    total = 0.0
    for instruction in circuit.data:
        if instruction.name not in target.operation_names:
            continue
        qargs = tuple(circuit.find_bit(qubit).index for qubit in instruction.qubits)
        properties = (target[instruction.name] or {}).get(qargs)
        if properties is not None and properties.error:
            total -= log(max(1 - properties.error, 1e-12))
    return total


def lean_for_target(
    pieces: Sequence[Piece],
    mode: str,
    target: BackendV2 | Target,
    *,
    observed: Mapping[int, str] | None = None,
    encoding: Encoding = "masked",
    measure_all: bool = False,
    shapes: Iterable[Shape] = ("free", "line"),
    seeds: Iterable[int] = range(5),
) -> Fitted:
    """Transpile lean circuits of several shapes with several seeds, and return the cheapest.

    Which shape suits a target is found by counting after transpilation at optimisation level 3: fewest gates
    on two qubits, then least depth of them, then least error. Equals go to the earlier shape and seed, so the
    choice repeats.

    Args:
        pieces: as for `lean_circuit`, and so are `mode`, `observed`, `encoding` and `measure_all`.
        mode: 'standard' or 'rotated'.
        target: a backend, or its target.
        observed: squares that hold a symbol for good.
        encoding: 'masked' or 'strict'.
        measure_all: whether certain values are measured too.
        shapes: the shapes to try.
        seeds: the transpiler's seeds to try with each.

    Raises:
        PieceError: as `lean_circuit`, or there is no shape or no seed to try.
    """
    machine = target if isinstance(target, Target) else target.target
    drafts: list[tuple[Shape, QuantumCircuit, Readout]] = []
    for shape in shapes:
        circuit, readout = lean_circuit(
            pieces, mode, observed=observed, encoding=encoding, shape=shape, measure_all=measure_all
        )
        # Where no attacker is left alone with a certain symbol, both shapes are one circuit.
        if all(circuit != earlier for _, earlier, _ in drafts):
            drafts.append((shape, circuit, readout))
    fitted = []
    for seed in seeds:
        passes = generate_preset_pass_manager(optimization_level=3, target=machine, seed_transpiler=seed)
        for shape, draft, readout in drafts:
            circuit = passes.run(draft)
            gates, depth = two_qubit_gates(circuit), two_qubit_depth(circuit)
            error = estimated_error(circuit, machine)
            fitted.append(Fitted(circuit, readout, shape, seed, gates, depth, error))
    if not fitted:
        raise PieceError("there is no shape or no seed to try")
    return min(fitted, key=lambda each: each.cost)
