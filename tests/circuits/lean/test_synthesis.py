"""Lean circuits: exact statistics, and no gate more than promised."""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from random import Random
from typing import get_args

import pytest
from qiskit import transpile
from qiskit.circuit import QuantumCircuit
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.quantum_info import Statevector
from qiskit.transpiler import CouplingMap

from circuits.exact import exact_distribution
from circuits.lean import Encoding, Piece, PieceError, Shape, Site, lean_circuit, wire
from circuits.lean.primitives import turn
from circuits.measurement import Bit, Known
from tests.support.lean_boards import (
    INTERFERING,
    STUDIED,
    cancelled,
    cost_on,
    entangled,
    lean_cost,
    move_by_move,
    superposition,
)
from tests.support.lean_reference import State, distribution, every_piece, piece_state

MODES = ("standard", "rotated")
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
SHAPES: tuple[Shape, ...] = get_args(Shape)
BOARDS = STUDIED | INTERFERING
CLOSE = 1e-9


def distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return max(abs(first.get(board, 0) - second.get(board, 0)) for board in {*first, *second})


def named(piece: Piece) -> str:
    sites = (
        f"{'rotated ' if site.rotated else ''}{'twisted ' if site.twisted else ''}{site.attack or 'alone'}"
        for site in piece.sites
    )
    return f"{piece.symbol}: {', '.join(sites)}"


# -- the yardstick itself ------------------------------------------------------------------------------


def test_the_reference_gives_the_numbers_of_the_rules() -> None:
    half_cancelled = [Piece("X", (cancelled(1, 2), Site(3)))]
    standard = {"..X": 0.3867, ".O.": 0.3867, ".X.": 0.1934, "X..": 0.0332}
    rotated = {".O.": 0.5635, "..X": 0.1934, "..O": 0.1934, ".X.": 0.0166, "X..": 0.0166, "O..": 0.0166}
    for mode, expected in zip(MODES, (standard, rotated), strict=True):
        found = distribution(half_cancelled, mode, {})
        assert {board[:3]: round(chance, 4) for board, chance in found.items()} == expected
    both = distribution([Piece("O", (cancelled(1, 2), cancelled(3, 4)))], "standard", {})
    assert round(both["O........"], 5) == round(both["..O......"], 5) == 0.02705


def test_a_pair_is_opposite_in_both_modes_and_twisting_it_changes_nothing() -> None:
    for mode, twisted in product(MODES, (False, True)):
        pair = Piece("O", (Site(1, attack="entangled", target=2, twisted=twisted),))
        found = distribution([pair], mode, {})
        assert distance(found, {"XO.......": 0.5, "OX.......": 0.5}) < CLOSE


def test_reference_states_are_normalised() -> None:
    def norm(state: State) -> float:
        return sum(amplitude**2 for amplitude in state.values())

    assert all(abs(norm(piece_state(piece)) - 1) < CLOSE for piece in every_piece())


# -- statistics ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", every_piece(), ids=named)
@pytest.mark.parametrize("mode", MODES)
def test_every_piece_has_exactly_its_statistics(piece: Piece, mode: str) -> None:
    expected = distribution([piece], mode, {})
    for encoding, shape, measure_all in product(ENCODINGS, SHAPES, (False, True)):
        circuit, readout = lean_circuit(
            [piece], mode, encoding=encoding, shape=shape, measure_all=measure_all
        )
        exact = exact_distribution(circuit, readout)
        assert exact.herald_failed == 0
        assert exact.illegal < CLOSE
        assert distance(exact.outcomes, expected) < CLOSE, (encoding, shape, measure_all)


@pytest.mark.parametrize("mode", MODES)
def test_every_piece_agrees_with_its_moves(mode: str) -> None:
    for piece in every_piece():
        if not any(site.twisted for site in piece.sites):
            lean = exact_distribution(*lean_circuit([piece], mode)).outcomes
            assert distance(lean, exact_distribution(*move_by_move([piece], mode)).outcomes) < CLOSE, piece


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("mode", MODES)
def test_full_boards_have_exactly_their_statistics(name: str, mode: str) -> None:
    pieces = BOARDS[name]
    expected = distribution(list(pieces), mode, {})
    for shape in SHAPES:
        exact = exact_distribution(*lean_circuit(pieces, mode, shape=shape))
        assert distance(exact.outcomes, expected) < CLOSE


def test_pieces_packed_at_random_beside_observed_squares() -> None:
    random = Random(20)
    stock = every_piece()
    for _ in range(60):
        free = random.sample(range(1, 10), 9)
        pieces: list[Piece] = []
        while True:
            piece = random.choice(stock)
            if len(piece.squares) > len(free):
                break
            place = {square: free.pop() for square in piece.squares}
            sites = tuple(
                Site(
                    place[site.square],
                    site.rotated,
                    site.attack,
                    None if site.target is None else place[site.target],
                    site.twisted,
                )
                for site in piece.sites
            )
            pieces.append(Piece(piece.symbol, sites))
        observed = {square: random.choice("XO") for square in free if random.random() < 0.7}
        mode, encoding, shape = random.choice(MODES), random.choice(ENCODINGS), random.choice(SHAPES)
        circuit, readout = lean_circuit(pieces, mode, observed=observed, encoding=encoding, shape=shape)
        exact = exact_distribution(circuit, readout)
        assert distance(exact.outcomes, distribution(pieces, mode, observed)) < CLOSE, (pieces, mode)


def test_an_empty_board_is_known() -> None:
    circuit, readout = lean_circuit([], "standard", observed={5: "O"})
    assert circuit.num_qubits == circuit.num_clbits == 0
    assert exact_distribution(circuit, readout).outcomes == {"....O....": 1.0}


# -- cost ----------------------------------------------------------------------------------------------

CERTAIN, COIN = "certain", "coin"
COSTS: dict[str, tuple[tuple[Site, ...], dict[str, tuple[int, int]]]] = {
    # Sites; then CX in the free and the line shape, where a lone attacker is certain, or a coin.
    "alone": ((Site(1),), {CERTAIN: (0, 0), COIN: (0, 0)}),
    "superposition": ((Site(1), Site(3)), {CERTAIN: (1, 1), COIN: (1, 1)}),
    "half rotated": ((Site(1), Site(3, rotated=True)), {CERTAIN: (1, 1), COIN: (1, 1)}),
    "pair": ((entangled(1, 2),), {CERTAIN: (1, 1), COIN: (1, 1)}),
    "half-entangled": ((entangled(1, 2), Site(3)), {CERTAIN: (5, 6), COIN: (4, 4)}),
    "half-entangled, half rotated": (
        (entangled(1, 2), Site(3, rotated=True)),
        {CERTAIN: (5, 6), COIN: (4, 4)},
    ),
    "doubly half-entangled": ((entangled(1, 2), entangled(3, 4)), {CERTAIN: (10, 11), COIN: (7, 7)}),
    "half-cancelled": ((cancelled(1, 2), Site(3)), {CERTAIN: (3, 3), COIN: (3, 3)}),
    "half-cancelled, half rotated": (
        (cancelled(1, 2), Site(3, rotated=True)),
        {CERTAIN: (3, 3), COIN: (3, 3)},
    ),
    "doubly half-cancelled": ((cancelled(1, 2), cancelled(3, 4)), {CERTAIN: (5, 5), COIN: (5, 5)}),
    "mixed": ((entangled(1, 2), cancelled(3, 4)), {CERTAIN: (7, 8), COIN: (6, 6)}),
}


def cx_after_optimisation(circuit: QuantumCircuit) -> tuple[int, int]:
    """CX gates and their depth at level 3 over one-qubit gates and CX."""
    optimised = transpile(circuit, basis_gates=["u", "cx"], optimization_level=3, seed_transpiler=0)
    return optimised.count_ops().get("cx", 0), optimised.depth(lambda step: step.operation.num_qubits == 2)


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("symbol", "XO")
def test_two_qubit_gates_of_every_shape(name: str, symbol: str) -> None:
    sites, costs = COSTS[name]
    for mode, kind in zip(MODES, (CERTAIN, COIN), strict=True):
        for shape, cost in zip(SHAPES, costs[kind], strict=True):
            circuit, _ = lean_circuit([Piece(symbol, sites)], mode, shape=shape)
            found, depth = cx_after_optimisation(circuit)
            assert found == cost
            assert depth <= (4 if shape == "line" else 6)


def test_strict_costs() -> None:
    def costs(sites: tuple[Site, ...]) -> list[int]:
        return [
            cx_after_optimisation(lean_circuit([Piece(symbol, sites)], mode, encoding="strict")[0])[0]
            for symbol in "XO"
            for mode in MODES
        ]

    # X standard, X rotated, O standard, O rotated.
    assert costs((Site(1), Site(3))) == [1, 3, 3, 3]
    assert costs((entangled(1, 2),)) == [1, 1, 1, 1]
    assert costs((entangled(1, 2), Site(3))) == [5, 8, 7, 8]
    assert costs((entangled(1, 2), entangled(3, 4))) == [10, 14, 11, 14]


# -- form ----------------------------------------------------------------------------------------------


def test_twisting_swaps_the_modes_of_an_attacker_left_alone() -> None:
    plain = Piece("O", (entangled(1, 2), Site(3)))
    twisted = Piece("O", (Site(1, attack="entangled", target=2, twisted=True), Site(3)))
    sizes = [
        len(lean_circuit([piece], mode)[0].get_instructions("cx"))
        for piece, mode in product((plain, twisted), MODES)
    ]
    assert sizes == [5, 4, 4, 5]


@pytest.mark.parametrize("mode", MODES)
def test_lines_are_lines(mode: str) -> None:
    for piece in every_piece():
        circuit, _ = lean_circuit([piece], mode, shape="line")
        edges = {
            frozenset(circuit.find_bit(qubit).index for qubit in step.qubits)
            for step in circuit.get_instructions("cx")
        }
        joined = {qubit for edge in edges for qubit in edge}
        degrees = Counter(qubit for edge in edges for qubit in edge)
        # No qubit with three neighbours, and as many edges as a forest of paths has.
        assert max(degrees.values(), default=0) <= 2
        ends = sum(degree == 1 for degree in degrees.values())
        assert len(edges) == len(joined) - ends // 2


def test_only_plain_gates_and_every_qubit_measured_once_at_the_end() -> None:
    for piece, mode, encoding in product(every_piece(), MODES, ENCODINGS):
        circuit, readout = lean_circuit([piece], mode, encoding=encoding)
        own = {"h", "z", "barrier"} if encoding == "coherent" else set()
        assert set(circuit.count_ops()) <= {"ry", "x", "cx", "measure"} | own
        measured: list[object] = []
        for step in circuit.data:
            if step.name == "measure":
                measured += step.qubits
            else:
                assert not set(step.qubits) & set(measured)
        assert Counter(measured) == Counter(circuit.qubits)
        assert sum(isinstance(source, Bit) for source in readout.occupancy) == sum(
            register.size for register in circuit.cregs if register.name == "pos"
        )
        assert readout.masked is (encoding != "strict")


def test_what_is_certain_is_not_measured() -> None:
    pieces = [Piece("O", (Site(1),)), Piece("O", (Site(2, rotated=True),)), Piece("X", (entangled(3, 4),))]
    circuit, readout = lean_circuit(pieces, "standard", observed={9: "O"})
    assert [wire(qubit, circuit) for qubit in circuit.qubits] == [("sym", 2), ("sym", 3), ("sym", 4)]
    assert [register.name for register in circuit.qregs] == ["sym2", "sym3", "sym4"]
    assert readout.occupancy == tuple(Known(square in (1, 2, 3, 4, 9)) for square in range(1, 10))
    assert readout.symbol[0] == readout.symbol[8] == Known(True)
    circuit, readout = lean_circuit(pieces, "rotated", observed={9: "O"})
    assert readout.symbol[:2] == (Bit(0), Known(True))
    circuit, readout = lean_circuit(pieces, "standard", observed={9: "O"}, measure_all=True)
    assert circuit.num_qubits == circuit.num_clbits == 8
    assert readout.occupancy[8] == readout.symbol[8] == Known(True)


def test_both_squares_of_a_superposition_are_measured() -> None:
    circuit, readout = lean_circuit([superposition("X", 2, 8)], "standard")
    assert {wire(qubit, circuit) for qubit in circuit.qubits} == {("occ", 2), ("occ", 8)}
    assert readout.occupancy[1] == Bit(0)
    assert readout.occupancy[7] == Bit(1)


def test_the_masked_encoding_leaves_symbols_on_empty_squares_and_the_strict_one_does_not() -> None:
    piece = Piece("X", (cancelled(1, 2), Site(3)))
    circuit, readout = lean_circuit([piece], "standard")
    strictly = type(readout)(readout.occupancy, readout.symbol)
    assert exact_distribution(circuit, strictly).illegal > 0.2
    circuit, readout = lean_circuit([piece], "standard", encoding="strict")
    assert not readout.masked
    assert exact_distribution(circuit, readout).illegal == 0


def test_the_same_request_gives_the_same_circuit() -> None:
    for pieces, mode in product(BOARDS.values(), MODES):
        assert lean_circuit(pieces, mode)[0] == lean_circuit(pieces, mode)[0]


# -- errors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"square": 0}, "not on the board"),
        ({"square": 1, "attack": "entangled", "target": 10}, "not on the board"),
        ({"square": 1, "attack": "stolen", "target": 2}, "unknown attack 'stolen'"),
        ({"square": 1, "attack": "entangled"}, "needs a target"),
        ({"square": 1, "target": 2}, "needs a target"),
        ({"square": 1, "attack": "entangled", "target": 1}, "needs a target"),
        ({"square": 1, "rotated": True, "attack": "entangled", "target": 2}, "only an unattacked"),
        ({"square": 1, "twisted": True}, "only an unattacked"),
    ],
)
def test_sites_that_contradict_themselves(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PieceError, match=message):
        Site(**arguments)  # type: ignore[arg-type]


def test_pieces_that_contradict_themselves() -> None:
    for symbol, sites, message in (
        ("Z", (Site(1),), "unknown symbol 'Z'"),
        ("X", (), "one or two sites, not 0"),
        ("X", (cancelled(1, 2),), "rotated piece of its attacker's symbol"),
        ("X", (Site(1), entangled(2, 1)), "uses a square twice"),
    ):
        with pytest.raises(PieceError, match=message):
            Piece(symbol, sites)


def test_requests_that_make_no_sense() -> None:
    piece = superposition("X", 1, 2)
    with pytest.raises(PieceError, match="unknown mode 'sideways'"):
        lean_circuit([piece], "sideways")
    with pytest.raises(PieceError, match="unknown encoding 'none'"):
        lean_circuit([piece], "standard", encoding="none")  # type: ignore[arg-type]
    with pytest.raises(PieceError, match="unknown shape 'ring'"):
        lean_circuit([piece], "standard", shape="ring")  # type: ignore[arg-type]
    with pytest.raises(PieceError, match="different squares"):
        lean_circuit([piece, Piece("O", (Site(2),))], "standard")
    with pytest.raises(PieceError, match="different squares"):
        lean_circuit([piece], "standard", observed={1: "X"})
    with pytest.raises(PieceError, match=r"observed symbols are 'X' or 'O', not \['Q'\]"):
        lean_circuit([piece], "standard", observed={3: "Q"})
    other = QuantumCircuit(1)
    with pytest.raises(PieceError, match="no wire of a lean circuit"):
        wire(other.qubits[0], other)


@pytest.mark.parametrize("chance", [0, 0.2, 0.5, 1])
def test_a_turned_qubit_reads_one_with_that_chance(chance: float) -> None:
    """Without a CX; a certain value without a rotation."""
    circuit = QuantumCircuit(1)
    turn(circuit, circuit.qubits[0], chance)
    assert Statevector(circuit).probabilities()[1] == pytest.approx(chance)
    gates = [step.name for step in circuit.data]
    assert gates == ([] if chance == 0 else ["x"] if chance == 1 else ["ry"])


def test_symbols_of_both_players_may_have_been_observed() -> None:
    pieces, observed = [superposition("X", 1, 3)], {8: "X", 9: "O"}
    found = exact_distribution(*lean_circuit(pieces, "standard", observed=observed)).outcomes
    assert found == pytest.approx({"..X....XO": 0.5, "X......XO": 0.5})


@pytest.mark.parametrize("symbol", ["X", "O"])
def test_strict_circuits_too_have_no_qubit_for_what_is_certain(symbol: str) -> None:
    circuit, readout = lean_circuit([Piece(symbol, (Site(5),))], "standard", encoding="strict")
    assert circuit.num_qubits == 0
    assert (readout.occupancy[4], readout.symbol[4]) == (Known(True), Known(symbol == "O"))


def test_the_symbols_of_a_superposed_o_are_copies_of_its_occupancies_where_they_are_strict() -> None:
    piece = [superposition("O", 1, 2)]
    masked, _ = lean_circuit(piece, "standard")
    strict, _ = lean_circuit(piece, "standard", encoding="strict")
    assert Counter(strict.count_ops()) - Counter(masked.count_ops()) == {"cx": 2, "measure": 2}


# -- on devices ----------------------------------------------------------------------------------------


def test_a_line_gets_the_line_and_all_to_all_the_free_shape() -> None:
    piece = (Piece("X", (entangled(1, 2), Site(3))),)
    found = [
        lean_cost(piece, "standard", GenericBackendV2(6, coupling_map=coupling, seed=1).target, range(9))
        for coupling in (CouplingMap.from_line(6), CouplingMap.from_full(6), CouplingMap.from_grid(2, 3))
    ]
    # A grid has the ring that the free shape needs.
    assert [(gates, shape) for (gates, _), shape in found] == [(6, "line"), (5, "free"), (5, "free")]


# Two-qubit gates of the studied boards in standard and rotated mode, after transpilation.
GATES = dict(zip(STUDIED, ((13, 9), (18, 12), (13, 9), (22, 14)), strict=True))
SEEDS = 3  # of the moves; `tests.benchmarks.lean_table` takes 20


@pytest.mark.slow
@pytest.mark.ibm
@pytest.mark.parametrize("device", ["FakeMumbaiV2", "FakeTorino", "FakeMarrakesh"])
@pytest.mark.parametrize("name", STUDIED)
def test_studied_boards_on_heavy_hexagons(name: str, device: str) -> None:
    """At most half of the moves as first written down, and fewer than our own cheaper gates."""
    fake_provider = pytest.importorskip("qiskit_ibm_runtime.fake_provider")
    target = getattr(fake_provider, device)().target
    for mode, gates, depth in zip(("standard", "rotated"), GATES[name], (4, 3), strict=True):
        (fewest, shallowest), _ = lean_cost(STUDIED[name], mode, target, range(5))
        assert fewest <= gates
        assert shallowest <= depth
        (recipes, _), (moves, _) = (
            cost_on(move_by_move(STUDIED[name], mode, by_recipe=by_recipe)[0], target, range(SEEDS))
            for by_recipe in (True, False)
        )
        assert 2 * fewest <= recipes
        # Half of these is out of reach in standard mode: connecting the measured qubits takes more.
        assert (1 if mode == "standard" else 2) * fewest <= moves


@pytest.mark.parametrize("mode", ["standard", "rotated"])
@pytest.mark.parametrize("name", STUDIED | INTERFERING)
def test_recipes_do_what_the_gates_do(name: str, mode: str) -> None:
    pieces = (STUDIED | INTERFERING)[name]
    ours, first = (exact_distribution(*move_by_move(pieces, mode, by_recipe=way)) for way in (False, True))
    assert first.outcomes == pytest.approx(ours.outcomes, abs=1e-12)
    assert first.herald_failed == pytest.approx(ours.herald_failed, abs=1e-12)
