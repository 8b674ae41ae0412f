"""Circuits as plain JSON, for job files.

A job file may come from somebody else, so reading one must not be able to do more than build a circuit. QPY
is made for trusted input: its reader makes objects of whatever class of Qiskit's library the file names, with
the file's arguments, and had a hole that ran code (formats below 13 could hold a pickle: CVE-2025-2000).
OpenQASM 3 needs a parser package, has loops and includes, and Qiskit writes angles near fractions of π as
fractions, so that a circuit comes back almost, not exactly, the same. A compiled circuit is a short list over
a dozen names: here it is that list, every name is looked up in a fixed table, every number is checked, and
angles return to the last bit.

    {"qubits": 2, "registers": [["pos", 2]], "phase": 0.0,
     "instructions": [["h", [0], []], ["cx", [0, 1], []], ["measure", [0], [0]], ["measure", [1], [1]]]}

An instruction is its name, its qubits, and its angles; for a measurement the last list is the classical bit,
for a delay it is length and unit. An `if` is `["if", qubits, [bit or register name, value], [block, …]]`, and
a block is a list of instructions on the same qubits and bits.
"""

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from qiskit.circuit import ClassicalRegister, Clbit, IfElseOp, Instruction, QuantumCircuit, Qubit
from qiskit.circuit.library import get_standard_gate_name_mapping

from circuits.errors import BackendUsageError

MAX_QUBITS: Final = 2_000
MAX_INSTRUCTIONS: Final = 200_000
_DELAY_UNITS: Final = ("dt", "s", "ms", "us", "ns")
_MOST_DELAY: Final = 2**48
_REGISTER_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


@cache
def _gates() -> dict[str, Instruction]:
    """Return the gates that may be stored, by name: those of Qiskit's library with fixed angles."""
    special = {"measure", "delay", "global_phase"}
    return {name: gate for name, gate in get_standard_gate_name_mapping().items() if name not in special}


def _number(value: object, what: str) -> float:
    # Compared rather than converted: a whole number in JSON may be larger than any float.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise BackendUsageError(f"a stored circuit has {str(value)[:40]!r} where {what} belongs")
    return value


def to_json(circuit: QuantumCircuit) -> dict[str, Any]:
    """Return a compiled circuit as plain lists, numbers and strings.

    Raises:
        BackendUsageError: the circuit has an instruction, a free parameter or a condition that the format
            does not know.
    """
    if sum(len(register) for register in circuit.cregs) != circuit.num_clbits:
        raise BackendUsageError("a circuit with loose or shared classical bits cannot be stored")
    return {
        "qubits": circuit.num_qubits,
        "registers": [[register.name, len(register)] for register in circuit.cregs],
        "phase": float(circuit.global_phase),
        "instructions": _write(
            circuit,
            {qubit: index for index, qubit in enumerate(circuit.qubits)},
            {bit: index for index, bit in enumerate(circuit.clbits)},
        ),
    }


def _write(circuit: QuantumCircuit, qubits: Mapping[Qubit, int], bits: Mapping[Clbit, int]) -> list[Any]:
    rows: list[Any] = []
    for item in circuit.data:
        operation, places = item.operation, [qubits[qubit] for qubit in item.qubits]
        if isinstance(operation, IfElseOp):
            target, value = operation.condition if isinstance(operation.condition, tuple) else (None, 0)
            if target is None:
                raise BackendUsageError(
                    "an `if` on an expression cannot be stored: compare a bit or a register"
                )
            blocks = []
            for block in operation.blocks:
                inner = {qubit: place for qubit, place in zip(block.qubits, places, strict=True)}
                outer = [bits[bit] for bit in item.clbits]
                blocks.append(_write(block, inner, dict(zip(block.clbits, outer, strict=True))))
            subject = bits[target] if isinstance(target, Clbit) else target.name
            rows.append(["if", places, [subject, int(value)], blocks])
        elif operation.name == "measure":
            rows.append(["measure", places, [bits[item.clbits[0]]]])
        elif operation.name == "delay":
            rows.append(["delay", places, [operation.duration, operation.unit]])
        elif operation.name == "barrier":
            rows.append(["barrier", places, []])
        elif operation.name in _gates():
            rows.append(
                [operation.name, places, [_angle(operation.name, angle) for angle in operation.params]]
            )
        else:
            raise BackendUsageError(f"the instruction {operation.name!r} cannot be stored in a job file")
    return rows


def _angle(name: str, angle: object) -> float:
    try:
        return float(angle)  # type: ignore[arg-type]
    except TypeError as error:
        raise BackendUsageError(
            f"a {name} gate with a free parameter cannot be stored in a job file"
        ) from error


def from_json(data: object) -> QuantumCircuit:
    """Build the circuit that `to_json` described.

    Raises:
        BackendUsageError: something is missing, of the wrong type, out of range, unknown or too large.
    """
    if not isinstance(data, dict) or not {"qubits", "registers", "phase", "instructions"} <= data.keys():
        raise BackendUsageError("a stored circuit needs qubits, registers, phase and instructions")
    size = data["qubits"]
    if type(size) is not int or not 0 <= size <= MAX_QUBITS:
        raise BackendUsageError(
            f"a stored circuit has {str(size)[:40]!r} qubits: 0 to {MAX_QUBITS} are allowed"
        )
    circuit = QuantumCircuit(size, global_phase=_number(data["phase"], "a phase"))
    registers = data["registers"]
    if not isinstance(registers, list) or len(registers) > 64:
        raise BackendUsageError("a stored circuit needs a list of at most 64 registers")
    for entry in registers:
        match entry:
            case [str(name), int(width)] if _REGISTER_NAME.fullmatch(name) and 0 < width <= MAX_QUBITS:
                if any(name == register.name for register in circuit.cregs):
                    raise BackendUsageError(f"a stored circuit has two registers named {name!r}")
                circuit.add_register(ClassicalRegister(width, name))
            case _:
                raise BackendUsageError(f"a stored circuit has a bad register: {str(entry)[:60]!r}")
    _read(circuit, data["instructions"], depth=0, budget=[MAX_INSTRUCTIONS])
    return circuit


def _places(value: object, size: int, what: str) -> list[int]:
    if (
        not isinstance(value, list)
        or not all(type(place) is int and 0 <= place < size for place in value)
        or len(set(value)) != len(value)
    ):
        raise BackendUsageError(f"a stored circuit has bad {what}: {str(value)[:60]!r}")
    return value


def _read(circuit: QuantumCircuit, rows: object, depth: int, budget: list[int]) -> None:
    if not isinstance(rows, list):
        raise BackendUsageError("a stored circuit needs a list of instructions")
    budget[0] -= len(rows)
    if budget[0] < 0:
        raise BackendUsageError(f"a stored circuit has more than {MAX_INSTRUCTIONS} instructions")
    for row in rows:
        match row:
            case ["if", qubits, [subject, int(value)], [_, *_] as blocks] if len(blocks) <= 2 and depth < 8:
                _read_if(
                    circuit,
                    _places(qubits, circuit.num_qubits, "qubits"),
                    subject,
                    value,
                    blocks,
                    depth,
                    budget,
                )
            case [str(name), qubits, list(values)]:
                _append(circuit, name, _places(qubits, circuit.num_qubits, "qubits"), values)
            case _:
                raise BackendUsageError(f"a stored circuit has a bad instruction: {str(row)[:60]!r}")


def _append(circuit: QuantumCircuit, name: str, qubits: list[int], values: list[Any]) -> None:
    if name == "measure" and len(qubits) == 1 and len(values) == 1:
        circuit.measure(qubits[0], _places(values, circuit.num_clbits, "classical bits")[0])
    elif name == "barrier" and not values:
        circuit.barrier(qubits)
    elif name == "delay" and len(qubits) == 1 and len(values) == 2 and values[1] in _DELAY_UNITS:
        length, unit = _number(values[0], "a delay"), values[1]
        if not 0 <= length <= _MOST_DELAY or (unit == "dt" and type(length) is not int):
            raise BackendUsageError(f"a stored circuit has a delay of {str(length)[:40]!r} {unit}")
        circuit.delay(length, qubits[0], unit)
    elif (gate := _gates().get(name)) is not None and gate.num_qubits == len(qubits):
        if len(gate.params) != len(values):
            raise BackendUsageError(
                f"a stored {name} gate needs {len(gate.params)} angles, not {len(values)}"
            )
        angles = [_number(value, "an angle") for value in values]
        circuit.append(type(gate)(*angles) if angles else gate, qubits)
    else:
        raise BackendUsageError(
            f"a stored circuit has an unknown instruction: {name[:40]!r} on {len(qubits)} qubits"
        )


def _read_if(
    circuit: QuantumCircuit,
    qubits: list[int],
    subject: object,
    value: int,
    blocks: list[Any],
    depth: int,
    budget: list[int],
) -> None:
    target: Clbit | ClassicalRegister
    if type(subject) is int:
        target = circuit.clbits[_places([subject], circuit.num_clbits, "classical bits")[0]]
    else:
        named = [register for register in circuit.cregs if register.name == subject]
        if not named:
            raise BackendUsageError(f"a stored `if` asks for an unknown register: {str(subject)[:40]!r}")
        target = named[0]
    if not 0 <= value < 2 ** (1 if isinstance(target, Clbit) else len(target)):
        raise BackendUsageError("a stored `if` compares with a value that its bits cannot have")
    bodies = []
    for rows in blocks:
        body = QuantumCircuit(circuit.qubits, circuit.clbits, *circuit.cregs)
        _read(body, rows, depth + 1, budget)
        # The instruction must cover the qubits it was stored with, and no others.
        used = {body.find_bit(qubit).index for item in body.data for qubit in item.qubits}
        if not used <= set(qubits):
            raise BackendUsageError("a stored `if` acts on qubits that it does not list")
        narrow = QuantumCircuit([circuit.qubits[place] for place in qubits], circuit.clbits, *circuit.cregs)
        for item in body.data:
            narrow.append(item)
        bodies.append(narrow)
    operation = IfElseOp((target, value), bodies[0], bodies[1] if len(bodies) == 2 else None)
    circuit.append(operation, qubits, circuit.clbits)
