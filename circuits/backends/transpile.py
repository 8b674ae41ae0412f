"""Compiling for a device: the preset pass manager several times over, then the best place on the chip.

Whatever is compared is compared by one number, the probability that no instruction fails, from the errors
that the device reports: two-qubit gates, one-qubit gates and, what weighs most, measurements. Where it
reports none of a kind, all of that kind are taken to be equal: then the fewest gates and measurements win.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import rustworkx as rx
from qiskit.circuit import CircuitInstruction, ControlFlowOp, QuantumCircuit
from qiskit.providers import BackendV2
from qiskit.transpiler import PassManager, Target, generate_preset_pass_manager
from qiskit.transpiler.passes import Optimize1qGatesDecomposition

from circuits.backends.parts import connected_qubits, used_qubits
from circuits.backends.plans import SEEDS, CircuitCost
from circuits.errors import BackendUsageError
from circuits.measurement import SYMBOLS

_PLACES: Final = 400
"""How many places of a part are kept, the best ones."""

_BEAM: Final = 24
"""How many layouts are kept while one part is placed after the other."""

_CALLS: Final = 200_000
"""Bound on the steps of one search for the next place."""

_SEARCHED: Final = 4_000
"""How many places of a part are looked at: on the chips whose qubits have few neighbours there are fewer, and
where every qubit reaches every other there would be billions."""

_EQUAL: Final = 0.01
"""The error of every two-qubit gate and measurement of a device that reports none of theirs."""


def success_log(circuit: QuantumCircuit, target: Target) -> float:
    """Return the logarithm of the probability that no instruction of a compiled circuit fails.

    Of two-qubit gates or measurements of which the device reports no error at all, each counts as if it had
    the same; any other instruction whose error is not reported counts as perfect. Of an `if`, the worse
    branch counts.

    Args:
        circuit: a circuit in the device's own gates and qubits.
        target: the device.
    """
    return _success_log(circuit, list(range(circuit.num_qubits)), target, _unreported(target))


def _success_log(
    circuit: QuantumCircuit, places: Sequence[int], target: Target, unreported: frozenset[str]
) -> float:
    total = 0.0
    where = dict(zip(circuit.qubits, places, strict=True))
    for item in circuit.data:
        qubits = tuple(where[qubit] for qubit in item.qubits)
        if isinstance(item.operation, ControlFlowOp):
            blocks = item.operation.blocks
            total += min(_success_log(block, qubits, target, unreported) for block in blocks)
        else:
            total += _instruction_log(item.name, qubits, target, unreported)
    return total


def _instruction_log(name: str, qubits: tuple[int, ...], target: Target, unreported: frozenset[str]) -> float:
    if name in unreported:
        return math.log1p(-_EQUAL)
    if name not in target.operation_names:
        return 0.0
    properties = target[name].get(qubits)
    error = properties.error if properties is not None and properties.error is not None else 0.0
    return -math.inf if error >= 1 else math.log1p(-error)


def _unreported(target: Target) -> frozenset[str]:
    """Return the two-qubit gates and measurements of which a device reports no error anywhere."""
    names = []
    for name in target.operation_names:
        operation = target.operation_from_name(name)
        if name == "measure" or (not isinstance(operation, type) and operation.num_qubits == 2):
            found = target[name].values()
            if all(properties is None or properties.error is None for properties in found):
                names.append(name)
    return frozenset(names)


def circuit_cost(circuit: QuantumCircuit, target: Target) -> CircuitCost:
    """Return what a compiled circuit is like on its device."""
    known = _unreported(target).isdisjoint(_names(circuit))
    return CircuitCost(
        qubits=len(used_qubits(circuit)),
        two_qubit_gates=two_qubit_gates(circuit),
        depth=circuit.depth(),
        faultless=math.exp(success_log(circuit, target)) if known else None,
    )


def _names(circuit: QuantumCircuit) -> set[str]:
    """Return the names of a circuit's instructions, those in the branches of an `if` included."""
    found = {item.name for item in circuit.data}
    for item in circuit.data:
        if isinstance(item.operation, ControlFlowOp):
            found.update(*map(_names, item.operation.blocks))
    return found


def two_qubit_gates(circuit: QuantumCircuit) -> int:
    """Return the number of gates on two qubits, those in the branches of an `if` included."""
    count = 0
    for item in circuit.data:
        if isinstance(item.operation, ControlFlowOp):
            count += sum(two_qubit_gates(block) for block in item.operation.blocks)
        elif len(item.qubits) == 2 and item.name != "barrier":
            count += 1
    return count


def check_compiled(circuit: QuantumCircuit, device: BackendV2) -> None:
    """Refuse a circuit that is not in the device's own gates and qubits.

    Raises:
        BackendUsageError: an instruction does not exist there; the message names it.
    """
    if circuit.num_qubits != device.target.num_qubits:
        raise BackendUsageError(
            f"the circuit has {circuit.num_qubits} qubits and {device.name} has {device.target.num_qubits}"
        )
    for item in circuit.data:
        qubits = tuple(circuit.find_bit(qubit).index for qubit in item.qubits)
        known = isinstance(item.operation, ControlFlowOp) or item.name == "barrier"
        if not known and not device.target.instruction_supported(item.name, qubits):
            raise BackendUsageError(f"{device.name} has no {item.name} on its qubits {qubits}")


def compile_for(
    circuit: QuantumCircuit, device: BackendV2, seeds: int = SEEDS, first: int = 0
) -> QuantumCircuit:
    """Compile a circuit for a device, level 3, as the most likely to succeed of several tries.

    Args:
        circuit: a measured circuit.
        device: the device.
        seeds: with how many seeds to try; the result is the same every time.
        first: the first of them.

    Returns:
        A circuit in the device's own gates, on all of its qubits.

    Raises:
        BackendUsageError: the device has too few qubits, or not the gates that the circuit needs.
    """
    live = used_qubits(circuit)
    if len(live) > device.target.num_qubits:
        raise BackendUsageError(
            f"the circuit needs {len(live)} qubits and {device.name} has {device.target.num_qubits}: "
            "choose a larger device"
        )
    small = _only(circuit, live)
    if small.has_control_flow_op() and "if_else" not in device.target.operation_names:
        raise BackendUsageError(
            f"{device.name} cannot act on measurements within a circuit: choose one that can"
        )
    best: QuantumCircuit | None = None
    best_score = -math.inf
    for seed in range(first, first + max(1, seeds)):
        compiled = generate_preset_pass_manager(3, backend=device, seed_transpiler=seed).run(small)
        moved = best_place(compiled, device.target)
        score = success_log(moved, device.target)
        if best is None or score > best_score:
            best, best_score = moved, score
    assert best is not None
    return best


def in_bases(
    compiled: QuantumCircuit,
    device: BackendV2 | None,
    angles: Mapping[int, float],
    register: str = SYMBOLS,
) -> QuantumCircuit:
    """Measure bits of a compiled coherent circuit along other axes.

    Args:
        compiled: from `compile_for`, of a lean circuit in the encoding ``coherent`` and in standard mode.
        device: the device in whose gates to turn; None for plain ones.
        angles: for bits of the register the angle θ of the axis cos θ Z + sin θ X, in radians; π/2 is the
            rotated mode, π exchanges 0 and 1. Other bits are read as they are.
        register: the register of these bits.

    Returns:
        The same gates on the same qubits, and before each of these measurements one more rotation.
    """
    registers = [known for known in compiled.cregs if known.name == register]
    along = {known[bit]: angle for known in registers for bit, angle in angles.items()}

    def is_read(item: CircuitInstruction) -> bool:
        return bool(item.name == "measure" and item.clbits[0] in along)

    turns = compiled.copy_empty_like()
    for read in filter(is_read, compiled.data):
        turns.ry(-along[read.clbits[0]], read.qubits[0])
    if device is not None:
        turns = PassManager([Optimize1qGatesDecomposition(target=device.target)]).run(turns)
    turned: QuantumCircuit = compiled.copy_empty_like()
    # Gate by gate, as a round through a compiler would order independent gates anew.
    for item in compiled.data:
        if is_read(item):
            for turn in turns.data:
                if turn.qubits == item.qubits:
                    turned.append(turn)
        turned.append(item)
    return turned


def _only(circuit: QuantumCircuit, live: Sequence[int]) -> QuantumCircuit:
    """Return the circuit without its idle qubits: a small device may have fewer qubits than a board."""
    if len(live) == circuit.num_qubits:
        return circuit
    small = QuantumCircuit([circuit.qubits[qubit] for qubit in live], circuit.clbits, *circuit.cregs)
    small.global_phase = circuit.global_phase
    kept = set(small.qubits)
    for item in circuit.data:
        qubits = [qubit for qubit in item.qubits if qubit in kept]
        if len(qubits) == len(item.qubits):
            small.append(item)
        elif item.name == "barrier" and qubits:
            small.barrier(qubits)
    return small


def best_place(circuit: QuantumCircuit, target: Target) -> QuantumCircuit:
    """Move a compiled circuit to the place on the chip where it is most likely to succeed.

    The compiler places a circuit in one piece and weighs measurements little. Here each connected part of
    the circuit gets its own list of the places where all its gates exist, best first, and a beam search picks
    places that do not overlap. The gates stay as they are.

    No more than `_SEARCHED` places of a part are looked at.

    Returns:
        The moved circuit, or the one given if it is as good, has an `if`, or finds no other place.
    """
    if circuit.has_control_flow_op():
        return circuit
    parts = _parts(circuit)
    unreported = _unreported(target)
    choices = [_places(part, target, unreported) for part in parts]
    # The hardest first: those with the most qubits have the fewest places.
    order = sorted(range(len(parts)), key=lambda index: (-len(parts[index].qubits), len(choices[index])))
    beam: list[tuple[float, frozenset[int], dict[int, int]]] = [(0.0, frozenset(), {})]
    for index in order:
        grown = []
        for score, taken, layout in beam:
            found = 0
            for gain, place in choices[index]:
                if taken.isdisjoint(place.values()):
                    grown.append((score + gain, taken | set(place.values()), layout | place))
                    found += 1
                    if found == _BEAM:
                        break
        beam = sorted(grown, key=lambda entry: -entry[0])[:_BEAM]
        if not beam:
            return circuit
    score, _, layout = beam[0]
    if score <= success_log(circuit, target) + 1e-12:
        return circuit
    moved = QuantumCircuit(circuit.num_qubits, global_phase=circuit.global_phase)
    moved.add_bits(circuit.clbits)
    for register in circuit.cregs:
        moved.add_register(register)
    for item in circuit.data:
        qubits = [circuit.find_bit(qubit).index for qubit in item.qubits]
        kept = [layout[qubit] for qubit in qubits if qubit in layout]
        if item.name == "barrier":
            moved.barrier(kept)
        else:
            moved.append(item.operation, kept, item.clbits)
    return moved


class _Part:
    """A connected part of a circuit: its qubits, and how often each instruction acts on which of them."""

    def __init__(self, qubits: Sequence[int]) -> None:
        self.qubits = list(qubits)
        self.instructions: dict[tuple[str, tuple[int, ...]], int] = {}


def _parts(circuit: QuantumCircuit) -> list[_Part]:
    items = [
        (item.name, tuple(circuit.find_bit(qubit).index for qubit in item.qubits))
        for item in circuit.data
        if item.name != "barrier"
    ]
    parts = [_Part(qubits) for qubits in connected_qubits(circuit)]
    of = {qubit: part for part in parts for qubit in part.qubits}
    for name, qubits in items:
        instructions = of[qubits[0]].instructions
        instructions[name, qubits] = instructions.get((name, qubits), 0) + 1
    return parts


def _places(part: _Part, target: Target, unreported: frozenset[str]) -> list[tuple[float, dict[int, int]]]:
    """Return the best places of a part, best first, each as score and layout (old qubit to new)."""
    scored = []
    for layout in _embeddings(part, target):
        score = 0.0
        for (name, qubits), count in part.instructions.items():
            there = tuple(layout[qubit] for qubit in qubits)
            score += count * _instruction_log(name, there, target, unreported)
        if score > -math.inf:
            scored.append((score, layout))
    scored.sort(key=lambda entry: -entry[0])
    return scored[:_PLACES]


def _embeddings(part: _Part, target: Target) -> Iterator[dict[int, int]]:
    """Yield the layouts under which every instruction of a part exists on the device."""
    pattern: rx.PyDiGraph[int, frozenset[str]] = rx.PyDiGraph(multigraph=False)
    index = {qubit: pattern.add_node(qubit) for qubit in part.qubits}
    wanted: dict[tuple[int, int], set[str]] = {}
    for name, qubits in part.instructions:
        if len(qubits) == 2:
            wanted.setdefault((qubits[0], qubits[1]), set()).add(name)
    for (first, second), names in wanted.items():
        pattern.add_edge(index[first], index[second], frozenset(names))
    chip: rx.PyDiGraph[int, frozenset[str]] = rx.PyDiGraph(multigraph=False)
    chip.add_nodes_from(range(target.num_qubits))
    offered: dict[tuple[int, int], set[str]] = {}
    for name in target.operation_names:
        operation = target.operation_from_name(name)
        if isinstance(operation, type) or operation.num_qubits != 2:
            continue
        for qubits in target[name]:
            if qubits is not None:
                offered.setdefault((qubits[0], qubits[1]), set()).add(name)
    for (first, second), names in offered.items():
        chip.add_edge(first, second, frozenset(names))
    single = {(name, qubits[0]) for name, qubits in part.instructions if len(qubits) == 1}
    fits: Callable[[Any, Any], bool] = lambda has, needs: needs <= has  # noqa: E731
    # Each step of this search has a bound of its own, and their number is bounded too.
    mappings = rx.vf2_mapping(
        chip, pattern, edge_matcher=fits, subgraph=True, induced=False, id_order=False, call_limit=_CALLS
    )
    for mapping in islice(mappings, _SEARCHED):
        layout = {pattern[inner]: outer for outer, inner in mapping.items()}
        if all(target.instruction_supported(name, (layout[qubit],)) for name, qubit in single):
            yield layout
