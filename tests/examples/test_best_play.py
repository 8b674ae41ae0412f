"""The page on best play: its proofs, its measured matches, and what it says in words."""

from collections import Counter

import pytest

from examples.best_play.counting import can_force, forcing_size, play_out
from examples.best_play.figures import STEPS, ahead_colour, figures, games
from examples.best_play.level_one import LINE, after, endings, proof, winning_move
from examples.best_play.matches import GAMES, PLAYED, Measured, measured_matches, replayed
from examples.best_play.openings import (
    Worth,
    best_of,
    best_openings,
    game_worth,
    images,
    opening_worths,
    openings,
    solved_levels,
)
from examples.best_play.page import best_play_files, filled
from examples.best_play.poor_opener import answered
from qttt.display.pictures.palette import PALETTES, Theme
from qttt.display.pictures.scene import Text
from qttt.game.outcomes import Observation
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol
from tests.display.pictures.test_palette import contrast

REPLAYED = 6


def test_every_level_is_solved_and_on_the_page() -> None:
    assert solved_levels() == tuple(range(6))
    page = best_play_files()["best-play.md"]
    for level in solved_levels():
        assert f"\n| {level} |" in page
        assert f"**Level {level}**" in page


def test_paragraphs_are_filled_and_all_else_is_left_alone() -> None:
    words = "one two " * 30
    fence = "```console\n$ a  b\n\nc   d\n```"
    page = (
        f"# A   heading\n\n{words}\n\n- {words}\n- next  item\n\n| a  | b |\n\n{fence}\n\n    e   f\n\nend\n"
    )
    done = filled(page)
    assert max(map(len, done.splitlines())) <= 118
    assert done.split() == page.split()
    assert done.count("\n- ") == 2
    for kept in ("# A   heading", "| a  | b |", fence, "    e   f"):
        assert f"\n\n{kept}\n\n" in f"\n\n{done}"
    assert "- next item\n" in done


# Level 1


def test_x_wins_level_1_against_everything() -> None:
    found = proof()
    assert game_worth(1).value == 1
    assert found.games > 0
    assert found.moments > found.boards > 0


def test_the_proof_would_notice_a_game_that_x_does_not_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.best_play.level_one.OPENING", "2")
    with pytest.raises(ValueError, match="X has no winning move"):
        proof()
    monkeypatch.undo()
    monkeypatch.setattr("examples.best_play.level_one.winning_move", lambda state: state.legal_moves()[-1])
    with pytest.raises(ValueError, match="is not won by X"):
        proof()


def test_the_line_of_play_is_xs_choice_and_makes_o_fill_the_board() -> None:
    tokens = LINE.split()
    for number in range(2, len(tokens), 2):
        assert str(winning_move(after(" ".join(tokens[:number])))) == tokens[number]
    full = after(LINE)
    assert full.phase is Phase.OBSERVATION
    assert full.initiator is Symbol.O


def test_each_ending_is_won_or_answered() -> None:
    found = endings()
    assert sum(ending.chance for ending in found) == pytest.approx(1)
    assert len({ending.chance for ending in found}) == 1
    for ending in found:
        state = after(LINE).child(Observation(ending.board))
        assert (state.phase is Phase.OVER) is (ending.answer is None)


# Who goes last


def test_the_count_depends_on_the_remainder_by_three() -> None:
    for empty in range(1, 10):
        assert can_force(empty, moving=True, filling=True) is (empty % 3 != 0)
        assert can_force(empty, moving=True, filling=False) is (empty % 3 != 1)
        for filling in (True, False):
            size = forcing_size(empty, filling=filling)
            assert (size is not None) is can_force(empty, moving=True, filling=filling)
            # What one player can force the other cannot prevent.
            assert can_force(empty, moving=False, filling=filling) is not can_force(
                empty, moving=True, filling=filling
            )


def test_after_a_superposition_nobody_can_make_x_go_last_and_after_a_classical_move_o_can_choose() -> None:
    assert can_force(7, moving=True, filling=True)
    assert can_force(7, moving=False, filling=False)
    assert not can_force(7, moving=True, filling=False)
    assert not can_force(7, moving=False, filling=True)
    assert can_force(8, moving=True, filling=True)
    assert can_force(8, moving=True, filling=False)


RULES = [Rules.of(1), Rules.of(2, "quantum-only")]
# Level 4 has the moves of Level 3.
SLOW_RULES = [Rules.of(2), Rules.of(3), Rules.of(3, "quantum-only")]


@pytest.mark.parametrize(
    "rules",
    [*RULES, *(pytest.param(rules, marks=pytest.mark.slow) for rules in SLOW_RULES)],
    ids=lambda rules: f"{rules.level.number} {rules.options}",
)
def test_on_real_boards_o_can_go_last_and_x_can_make_them(rules: Rules) -> None:
    faced = Counter((empty, full.initiator) for empty, full in play_out(State(rules), Symbol.O, filling=True))
    # The short rule book's claim: O comes to move with one or two squares empty.
    assert set(faced) <= {(1, Symbol.O), (2, Symbol.O)}
    assert faced
    made = Counter(full.initiator for _, full in play_out(State(rules), Symbol.X, filling=False))
    assert set(made) == {Symbol.O}


def test_on_real_boards_o_can_make_x_go_last_after_a_classical_move() -> None:
    opened = State(Rules.of(2)).child(next(iter(State(Rules.of(2)).legal_moves())))
    assert len(opened.position.empty_squares) == 8
    found = {full.initiator for _, full in play_out(opened, Symbol.O, filling=False)}
    assert found == {Symbol.X}


def test_a_count_that_cannot_be_kept_is_noticed() -> None:
    with pytest.raises(ValueError, match="no legal move fills None of 9 squares"):
        list(play_out(State(Rules.of(2)), Symbol.X, filling=True))


# First moves


def test_openings_are_all_first_moves_once() -> None:
    assert sum(opening.count for opening in openings()) == 9 + 36
    assert len({image for opening in openings() for image in images(opening.squares)}) == 45
    for level in solved_levels():
        allowed = {opening for opening in openings() if level or not opening.superposition}
        assert set(opening_worths(level)) == allowed


@pytest.mark.parametrize("level", solved_levels())
def test_a_game_is_worth_its_best_first_move(level: int) -> None:
    for opening in best_openings(level):
        assert opening_worths(level)[opening].value == pytest.approx(game_worth(level).value, abs=1e-12)


def test_the_advantage_shrinks_from_level_1_on_and_o_is_ahead_at_level_5() -> None:
    values = [game_worth(level).value for level in solved_levels()]
    assert values[0] == 0
    assert values[1] == 1
    assert values[1:] == sorted(values[1:], reverse=True)
    assert values[4] > 0 > values[5]


def test_what_the_page_says_about_superpositions_as_openers() -> None:
    classical = best_of(2, superposition=False)[1].value
    assert len([opening for opening in best_openings(2) if not opening.superposition]) == 3
    for one in answered():
        assert 0 <= one.worth.value < classical
        assert one.middle == (0.25, 0.5)
    assert 0 < sum(one.text_worth.value == one.worth.value for one in answered()) < len(answered()) / 2
    worths = opening_worths(1)
    classical = best_of(1, superposition=False)[1].value
    below = [one for one in openings() if one.superposition and worths[one].value <= classical]
    assert [worths[one].value for one in below] == [classical]
    assert images((3, 7)) == images((1, 9))


# Measured matches


def test_every_match_was_played_to_its_end() -> None:
    assert [(one.level, one.x, one.o) for one in measured_matches()] == list(PLAYED)
    for one in measured_matches():
        assert len(one.results) == GAMES
        assert set(one.results) <= set("XO=")


@pytest.mark.slow
@pytest.mark.parametrize("measured", measured_matches(), ids=lambda one: f"{one.x}-{one.o}")
def test_games_of_a_match_can_be_played_again(measured: Measured) -> None:
    again = replayed(measured, range(REPLAYED))
    assert again == measured.results[:REPLAYED], "run: python -m examples.best_play.matches"


def test_perfect_players_reach_the_solvers_value() -> None:
    perfect = next(one for one in measured_matches() if one.x == one.o == "perfect")
    mean, low, high = perfect.mean()
    assert abs(mean - game_worth(2).value) < 3 * (high - low) / 2 / 1.96


def test_hard_is_the_skilled_player() -> None:
    match = next(one for one in measured_matches() if one.x == "hard")
    share, low, high = match.decided()
    assert 0.5 < low < share < high < 1
    assert low > game_worth(2).x, "the page says that skill is worth more than the first move"


# Figures


def test_values_are_shown_as_games_of_a_hundred() -> None:
    def shown(value: float) -> str:
        return games(Worth(value, 0, 0, 0, ""))

    assert [shown(value) for value in (0.0, 0.125, -0.0284, 1.0, -1e-7)] == [
        "0",
        "+12.5",
        "−2.84",
        "+100",
        "0",
    ]


def test_colours_say_who_is_ahead_and_can_be_read() -> None:
    used = set()
    for sign, owner in ((1, "x"), (-1, "o")):
        for strength, step in enumerate(STEPS, 1):
            colour = ahead_colour(Worth(sign * (step + 0.001) / 100, 0, 0, 0, ""))
            assert colour == f"{owner}-ahead-{strength}"
            used.add(colour)
    assert ahead_colour(Worth(0.0, 0, 0, 0, "")) == "paper"
    for theme in Theme:
        for colour in used:
            for text in ("ink", "muted"):
                least = 4.5 if text == "ink" else 3
                assert contrast(PALETTES[theme][text], PALETTES[theme][colour]) >= least, (
                    theme,
                    text,
                    colour,
                )


@pytest.mark.parametrize("name", figures())
def test_a_figure_holds_its_texts_and_is_described(name: str) -> None:
    scene = figures()[name]
    assert scene.title
    assert scene.description.endswith(".")
    for shape in scene.shapes:
        if isinstance(shape, Text):
            # A little more than the mean width of DejaVu Sans.
            wide = 0.62 * shape.size * len(shape.text)
            start = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
            left = shape.at[0] - start * wide
            assert left >= -1, shape
            assert left + wide <= scene.width + 1, shape
            assert 0 < shape.at[1] <= scene.height, shape
