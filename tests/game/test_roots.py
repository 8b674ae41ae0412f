"""Roots: their sites in order, their shapes, and the amplitudes of what they leave."""

import pytest

from qttt.game.game import Game
from qttt.game.roots import Attack, Root, Site, kept_fraction, read_roots, rotated
from qttt.game.surds import ONE, SQRT_HALF, ZERO
from qttt.game.symbols import Symbol


def test_an_entangled_site_is_named_by_the_smaller_of_its_squares() -> None:
    """Physics does not care, but the order of squares in every table and drawing follows from it."""
    for moves in ("2 2*5", "5 5*2"):
        game = Game(2)
        game.play(moves)
        (root,) = read_roots(game.state.position)
        assert root == Root(Symbol.X, (Site(2, attack=Attack.ENTANGLED, target=5),))
        assert root.squares == (2, 5)

    for moves in ("1+3 1*2", "2+3 2*1"):
        game = Game(2)
        game.play(moves)
        (root,) = read_roots(game.state.position)
        assert root.sites == (Site(1, attack=Attack.ENTANGLED, target=2), Site(3))


def test_the_shape_of_a_root_has_squares_of_its_own() -> None:
    attacked, free = Site(4, attack=Attack.CANCELLED, target=2, twisted=True), Site(8, rotated=True)
    root = Root(Symbol.O, (attacked, free))
    assert root.squares == (4, 2, 8)
    assert root.shape() == Root(
        Symbol.O, (Site(1, attack=Attack.CANCELLED, target=2, twisted=True), Site(3, rotated=True))
    )
    assert Root(Symbol.O, (free, attacked)).shape().squares == (1, 2, 3)
    assert Root(Symbol.X, (Site(6),)).shape() == Root(Symbol.X, (Site(1),))


def test_roots_come_by_their_smallest_site() -> None:
    game = Game(3)
    game.play("2+9 5 1+8 3+7")
    assert [root.squares for root in read_roots(game.state.position)] == [(1, 8), (2, 9), (3, 7), (5,)]


def test_a_rotation_turns_symbols_and_leaves_what_is_empty() -> None:
    state = {"X.": ONE, ".O": SQRT_HALF}
    half = SQRT_HALF * SQRT_HALF
    turned = rotated(state, (0, 1))
    assert turned == {"X.": SQRT_HALF, "O.": SQRT_HALF, ".X": half, ".O": -half}
    assert rotated(turned, range(2)) == {**state, "O.": ZERO, ".X": ZERO}


def test_half_cancelling_keeps_the_fractions_of_the_physics() -> None:
    """One half-cancel keeps 81.5 % of the shots, two on one root 63.1 % (physics.md); else all are kept."""
    fractions = []
    for moves in ("1", "1 1*2", "1+3", "1+3 1*2", "1+3 1-2", "1+3 1-2 9 3-4"):
        game = Game(3)
        game.play(moves)
        fractions.append(float(kept_fraction(read_roots(game.state.position)[0])))
    assert fractions == pytest.approx([1, 1, 1, 1, 0.815, 0.631], abs=5e-4)
