"""The two readings of a view switch: where they differ, and by how much."""

import pytest

from qttt.crosscheck.views import compare_views
from qttt.game.game import Game
from qttt.game.symbols import Mode, Symbol


def test_views_differ_only_where_a_half_was_attacked_in_the_rotated_view() -> None:
    def views(tokens: str, mode: Mode) -> float:
        tabletop = Game(5).play(tokens).state.odds(mode)
        physical = Game(5, "view=physical").play(tokens).state.odds(mode)
        return compare_views(tabletop, physical).distance

    assert views("1+3 1*2~", Mode.STANDARD) == 0
    assert views("5~ 1+3 1*2", Mode.STANDARD) > 0.1
    assert views("5~ 6 6*7", Mode.ROTATED) == 0


def test_the_views_of_a_half_attacked_in_the_rotated_view_differ_by_these_numbers() -> None:
    """The design's own: square 2 of `~1+3 1-2` holds O with 38.67 % read one way, 56.35 % the other."""
    tabletop = Game(5).play("~1+3 1-2").state.odds()
    physical = Game(5, "view=physical").play("~1+3 1-2").state.odds()
    found = compare_views(tabletop, physical)
    assert found.squares == {
        (2, symbol): pytest.approx(pair, abs=5e-5)
        for symbol, pair in ((Symbol.X, (0.1934, 0.0166)), (Symbol.O, (0.3867, 0.5635)))
    } | {key: pair for key, pair in found.squares.items() if key[0] != 2}
    one, other = tabletop.outcomes(), physical.outcomes()
    every = {board: (one.get(board, 0), other.get(board, 0)) for board in one | other}
    assert found.boards == {board: pair for board, pair in every.items() if pair[0] != pytest.approx(pair[1])}
    assert list(found.boards) == sorted(found.boards)
    turned = compare_views(physical, tabletop)
    assert turned.boards == {board: pair[::-1] for board, pair in found.boards.items()}
    # A board that only one reading can give, too.
    assert any(0 in pair for pair in every.values())


def test_equal_views_differ_nowhere() -> None:
    odds = Game(5).play("1+3 1-2 5").state.odds(Mode.STANDARD)
    same = compare_views(odds, odds)
    assert (same.distance, same.boards, same.squares) == (0, {}, {})
