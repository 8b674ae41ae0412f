"""Full boards to measure lean circuits by, and the same boards compiled move by move."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import StatePreparation
from qiskit.transpiler import Target, generate_preset_pass_manager

from circuits.gates import (
    ClassicalGate,
    EntanglingGate,
    HalfCancellingGate,
    HalfEntanglingGate,
    ModeRotationGate,
    SuperpositionGate,
    ViewSwitchGate,
)
from circuits.lean import Encoding, Piece, Shape, Site, lean_circuit
from circuits.measurement import Readout, measure_board
from circuits.register import board_circuit, her, occ, sym
from tests.support import recipes
from tests.support.lean_reference import piece_state, turned


def entangled(square: int, target: int) -> Site:
    return Site(square, attack="entangled", target=target)


def cancelled(square: int, target: int) -> Site:
    return Site(square, attack="cancelled", target=target)


def superposition(symbol: str, first: int, second: int) -> Piece:
    return Piece(symbol, (Site(first), Site(second)))


STUDIED: Final[dict[str, tuple[Piece, ...]]] = {
    "1+3 1*2 9 3*4 5+6 7+8": (
        Piece("X", (entangled(1, 2), entangled(3, 4))),
        Piece("X", (Site(9),)),
        superposition("X", 5, 6),
        superposition("O", 7, 8),
    ),
    "both halves entangled, a half entangled, a pair": (
        Piece("X", (entangled(1, 2), entangled(3, 4))),
        Piece("O", (entangled(5, 6), Site(7))),
        Piece("X", (entangled(8, 9),)),
    ),
    "two of a half entangled, a superposition, a classical piece": (
        Piece("X", (entangled(1, 2), Site(3))),
        Piece("O", (entangled(4, 5), Site(6))),
        superposition("X", 7, 8),
        Piece("X", (Site(9),)),
    ),
    "two of both halves entangled, a classical piece": (
        Piece("X", (entangled(1, 2), entangled(3, 4))),
        Piece("O", (entangled(5, 6), entangled(7, 8))),
        Piece("X", (Site(9),)),
    ),
}
"""The four boards of the study that the lean circuits began with."""

INTERFERING: Final[dict[str, tuple[Piece, ...]]] = {
    "a half and both halves cancelled": (
        Piece("X", (cancelled(1, 2), cancelled(3, 4))),
        Piece("O", (cancelled(5, 6), Site(7))),
        superposition("X", 8, 9),
    ),
    "two of a half cancelled, a half entangled": (
        Piece("X", (entangled(1, 2), cancelled(3, 4))),
        Piece("O", (entangled(5, 6), cancelled(7, 8))),
        Piece("X", (Site(9),)),
    ),
    "three of a half cancelled": (
        Piece("X", (cancelled(1, 2), Site(3))),
        Piece("O", (cancelled(4, 5), Site(6))),
        Piece("X", (cancelled(7, 8), Site(9))),
    ),
    "cancelled, its other half rotated, and a plus": (
        Piece("O", (cancelled(1, 2), Site(3, rotated=True))),
        Piece("X", (entangled(4, 5), Site(6, rotated=True))),
        Piece("X", (Site(7, rotated=True), Site(8))),
        Piece("X", (Site(9, rotated=True),)),
    ),
}
"""Boards with what only Level 3 and above can make."""


def move_by_move(
    pieces: Sequence[Piece], mode: str, *, by_recipe: bool = False
) -> tuple[QuantumCircuit, Readout]:
    """The circuit of the moves that made these (untwisted) pieces, on 27 qubits, and its readout.

    By recipe: the moves as they were first written down (`tests.support.recipes`), before the gates of this
    program made them cheaper.
    """
    circuit = board_circuit()
    heralds: list[int] = []
    certain: list[int] = []
    halves: list[int] = []
    for piece in pieces:
        if any(site.twisted for site in piece.sites):
            raise ValueError("twisted sites are not made by these gates alone")
        if len(piece.sites) == 1:
            (site,) = piece.sites
            certain += site.squares
            circuit.append(ClassicalGate(piece.symbol), [occ(site.square), sym(site.square)])
        else:
            halves += piece.squares
            homes = [qubit for site in piece.sites for qubit in (occ(site.square), sym(site.square))]
            if by_recipe:
                recipes.append_superposition(circuit, piece.symbol, *(site.square for site in piece.sites))
            else:
                circuit.append(SuperpositionGate(piece.symbol), homes)
        for site in piece.sites:
            a = site.square
            if site.rotated and len(piece.sites) == 1:
                circuit.append(ViewSwitchGate(1, 0), [sym(a)])
            elif site.rotated:
                circuit.append(ViewSwitchGate(0, 1), [occ(a), sym(a)])
            if site.target is not None and by_recipe:
                attack = recipes.ATTACKS[len(piece.sites) == 2, site.attack or ""]
                attack(circuit, piece.attacker, a, site.target)
            elif site.target is not None:
                four = [occ(a), sym(a), occ(site.target), sym(site.target)]
                if len(piece.sites) == 1:
                    circuit.append(EntanglingGate(piece.attacker), four)
                elif site.attack == "entangled":
                    circuit.append(HalfEntanglingGate(piece.attacker), four)
                else:
                    circuit.append(HalfCancellingGate(piece.attacker), [*four, her(a)])
            if site.attack == "cancelled":
                heralds.append(a)
    if mode == "rotated":
        pairs = [qubit for square in halves for qubit in (occ(square), sym(square))]
        gate = ModeRotationGate(len(certain), len(halves))
        circuit.append(gate, [*(sym(square) for square in certain), *pairs])
    return circuit, measure_board(circuit, [*certain, *halves], heralds)


def generic(pieces: Sequence[Piece], mode: str) -> QuantumCircuit:
    """The same states (strict encoding) by Qiskit's generic state preparation, one piece at a time."""
    circuit = board_circuit()
    for piece in pieces:
        squares = piece.squares
        vector = np.zeros(4 ** len(squares))
        state = piece_state(piece)
        for configuration, amplitude in (
            turned(state, frozenset(squares)) if mode == "rotated" else state
        ).items():
            index = 0
            for square, symbol in configuration:
                index += (1 if symbol == "X" else 3) << (2 * squares.index(square))
            vector[index] = amplitude
        qubits = [qubit for square in squares for qubit in (occ(square), sym(square))]
        circuit.append(StatePreparation(vector / np.linalg.norm(vector)), qubits)
    return circuit


def gates_of(circuit: QuantumCircuit) -> int:
    """How many gates on two qubits there are."""
    return sum(len(item.qubits) == 2 and item.name != "barrier" for item in circuit.data)


def depth_of(circuit: QuantumCircuit) -> int:
    """The depth, counting only gates on two qubits."""
    return int(circuit.depth(lambda item: len(item.qubits) == 2 and item.name != "barrier"))


def cost_on(circuit: QuantumCircuit, target: Target, seeds: Iterable[int]) -> tuple[int, int]:
    """Fewest gates on two qubits, then least depth of them, of several transpilations at level 3."""
    passes = (generate_preset_pass_manager(3, target=target, seed_transpiler=seed) for seed in seeds)
    return min((gates_of(fitted), depth_of(fitted)) for fitted in (each.run(circuit) for each in passes))


def lean_cost(
    pieces: Sequence[Piece], mode: str, target: Target, seeds: Iterable[int], encoding: Encoding = "masked"
) -> tuple[tuple[int, int], Shape]:
    """What a lean circuit costs on a target at best, and in which shape."""
    shapes: tuple[Shape, ...] = ("free", "line")
    return min(
        (cost_on(lean_circuit(pieces, mode, shape=shape, encoding=encoding)[0], target, seeds), shape)
        for shape in shapes
    )
