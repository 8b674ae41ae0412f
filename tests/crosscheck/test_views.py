"""The two readings of a view switch: where they differ, and by how much."""

from qttt.crosscheck.views import compare_views
from qttt.game.game import Game
from qttt.game.symbols import Mode


def test_views_differ_only_where_a_half_was_attacked_in_the_rotated_view() -> None:
    def views(tokens: str, mode: Mode) -> float:
        tabletop = Game(5).play(tokens).state.odds(mode)
        physical = Game(5, "view=physical").play(tokens).state.odds(mode)
        return compare_views(tabletop, physical).distance

    assert views("1+3 1*2~", Mode.STANDARD) == 0
    assert views("5~ 1+3 1*2", Mode.STANDARD) > 0.1
    assert views("5~ 6 6*7", Mode.ROTATED) == 0


def test_equal_views_differ_nowhere() -> None:
    odds = Game(5).play("1+3 1-2 5").state.odds(Mode.STANDARD)
    same = compare_views(odds, odds)
    assert (same.distance, same.boards, same.squares) == (0, {}, {})
