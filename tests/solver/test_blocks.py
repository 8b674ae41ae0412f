"""Blocks and their codes: what the solver sees of a position."""

from random import Random

import pytest

from qttt.game.moves import Move
from qttt.game.roots import read_roots
from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.solver.blocks import (
    BLOCKS,
    SYMMETRIES,
    blocks_of,
    canonical,
    code_of,
    filled_squares,
    number_of,
    root_of,
    turned,
)
from tests.support.solver_brute import random_state


def _described(numbers: tuple[int, ...], image: tuple[int, ...], player: int) -> object:
    """A position as sets of sets, without any order: the same for positions that are alike, and no others."""
    shown = set()
    for number in numbers:
        block = BLOCKS[number]
        squares = [image[square] for square in block.squares]
        parts, place = [], 0
        for half in block.kind if len(block.kind) == 2 else [block.kind]:
            width = {"e": 2, "c": 2, "P": 2}.get(half, 1)
            covered = squares[place : place + width]
            parts.append((half, tuple(covered) if half == "c" else frozenset(covered)))
            place += width
        mine = block.symbol if block.symbol < 0 else int(block.symbol == player)
        shown.add((frozenset(parts), mine))
    return frozenset(shown)


@pytest.mark.slow
def test_keys_are_equal_for_positions_that_are_alike_and_for_no_others() -> None:
    rng = Random(2)
    by_key: dict[bytes, set[object]] = {}
    by_shape: dict[object, bytes] = {}
    for index in range(1500):
        state = random_state(Rules.of(2 + index % 4), 9, rng, phases=3)
        numbers, player = blocks_of(state.position), rng.randint(0, 1)
        key = canonical(code_of(numbers, player))
        shapes = {_described(numbers, image, player) for image in SYMMETRIES}
        shape = by_key.setdefault(key, shapes)
        assert shape == shapes
        for one in shapes:
            assert by_shape.setdefault(one, key) == key
    assert len(by_key) > 700


def test_the_symmetries_are_the_eight_of_the_board() -> None:
    assert len(set(SYMMETRIES)) == 8
    corners, edges = {1, 3, 7, 9}, {2, 4, 6, 8}
    for image in SYMMETRIES:
        assert image[5] == 5
        assert {image[square] for square in corners} == corners
        assert {image[square] for square in edges} == edges


def test_blocks_are_the_roots_and_say_how_many_squares_are_filled() -> None:
    rng = Random(4)
    for index in range(300):
        state = random_state(Rules.of(2 + index % 4), 9, rng, phases=2)
        numbers = blocks_of(state.position)
        assert filled_squares(canonical(code_of(numbers, 0))) == 9 - len(state.position.empty_squares)
        roots = {root_of(BLOCKS[number]).squares for number in numbers if BLOCKS[number].kind not in "DS"}
        assert {tuple(sorted(squares)) for squares in roots} == {
            tuple(sorted(root.squares)) for root in read_roots(state.position)
        }


def test_a_view_switch_turns_blocks_as_it_turns_dice() -> None:
    rng = Random(6)
    for _ in range(300):
        position = random_state(Rules.of(5), 9, rng, phases=2).position
        assert tuple(map(turned, blocks_of(position))) == blocks_of(position.switched())


def test_cancelled_and_observed_squares_are_no_roots() -> None:
    state = State(Rules.of(3)).child(Move.parse("1")).child(Move.parse("1-2"))
    kinds = {BLOCKS[number].kind for number in blocks_of(state.position)}
    assert kinds == {"D", "R"}
    with pytest.raises(ValueError, match="kind D"):
        root_of(next(BLOCKS[n] for n in blocks_of(state.position) if BLOCKS[n].kind == "D"))
    assert number_of(BLOCKS[0]) == 0
