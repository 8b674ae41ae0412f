"""Boards as text."""

from fractions import Fraction

import pytest

from qttt.display.status import describe_game, final_board, shown_position
from qttt.display.text import (
    ASCII,
    FLAT,
    NARROW,
    UNICODE,
    draw_bar,
    draw_board,
    draw_dice,
    draw_die,
    draw_legend,
    glyphs_for,
    percent,
)
from qttt.game import Game
from qttt.game.configurations import Configuration
from qttt.game.dice import Die
from qttt.game.outcomes import Positions
from qttt.game.position import Position
from qttt.game.symbols import Symbol, View


def played(tokens: str, level: int = 5, options: str = "", first: Symbol = Symbol.X) -> Game:
    game = Game(level, options, first=first)
    game.play(tokens)
    return game


POSITION = played("1 2+3 4 4*7 6 6-5").state.position


def test_board() -> None:
    assert draw_board(POSITION).plain == "\n".join(
        [
            "┌───────────┬───────────┬───────────┐",
            "│ 1         │ 2         │ 3         │",
            "│   △ 4R    │   □ 2r    │   □ 2r    │",
            "│           │           │           │",
            "├───────────┼───────────┼───────────┤",
            "│ 4         │ 5         │ 6         │",
            "│   △ 2G    │   △ 2B    │   △ 2B    │",
            "│   □ 2g    │   □-2b    │   △-2b    │",
            "├───────────┼───────────┼───────────┤",
            "│ 7         │ 8         │ 9         │",
            "│   △ 2G    │           │           │",
            "│   □ 2g    │           │           │",
            "└───────────┴───────────┴───────────┘",
        ]
    )


def test_narrow_ascii_board() -> None:
    lines = draw_board(POSITION, ASCII, width=NARROW).plain.split("\n")
    assert lines[4:6] == ["+-----+-----+-----+", "|4    |5    |6    |"]
    assert lines[6:8] == ["|X 2G |X 2B |X 2B |", "|O 2g |O-2b |X-2b |"]
    assert {len(line) for line in lines} == {19}


def test_observed_symbols_and_known_positions() -> None:
    board = draw_board(Position(observed="XO.......")).plain.split("\n")
    assert board[2] == "│     △     │     □     │           │"
    game = played("1 5 2 6 3+4 7 8 9 =p:##.######", 4)
    lines = draw_board(game.state.position, positions=game.state.positions).plain.split("\n")
    assert lines[2] == "│   △ 4R    │   △ 4G    │   empty   │"
    assert lines[6].startswith("│   △ 2B    │")
    assert Positions("##.######") == game.state.positions


def test_marked_squares_stand_out() -> None:
    text = draw_board(POSITION, marked=[5])
    marked = [str(span.style) for span in text.spans if "5" in text.plain[span.start : span.end]]
    assert "bold reverse" in marked


def test_every_die_has_its_colour_in_letters_and_in_style() -> None:
    assert draw_die(Die(Symbol.O, Symbol.X, 1, -2)).plain == "□-2G"
    assert draw_die(Die(Symbol.O, Symbol.O, 1, -2)).plain == "□-2g"
    assert str(draw_die(Die(Symbol.X, Symbol.X, 4, 4)).style) == "bold magenta"
    assert str(draw_die(Die(Symbol.X, Symbol.O, 4, 4)).style) == "magenta"
    assert draw_dice(POSITION.at(5)).plain == "△2B □-2b"
    letters = [draw_die(Die(Symbol.X, Symbol.X, number, 4)).plain[-1] for number in range(10)]
    assert letters == list("RGBYPRGBYP")


def test_legend() -> None:
    assert draw_legend(POSITION).plain == (
        "△ is X's shape, □ is O's shape, R red, G green, B blue (X's in capitals)"
    )
    assert draw_legend(Position()).plain == ""
    assert draw_legend(POSITION, ASCII).plain.isascii()


def test_glyphs_by_encoding() -> None:
    assert glyphs_for("utf-8") is glyphs_for(None) is UNICODE
    for encoding in ("ascii", "latin-1", "cp1252", "nonsense"):
        assert glyphs_for(encoding) is ASCII


@pytest.mark.parametrize(
    ("probability", "bar"),
    [(0, ""), (1, "████████"), (0.5, "████"), (0.3125, "██▌"), (1e-9, "▏"), (1 / 64, "▏")],
)
def test_bars(probability: float, bar: str) -> None:
    assert draw_bar(probability, 8) == bar


def test_ascii_bars() -> None:
    assert draw_bar(0.5, 10, ASCII) == "#####"
    assert draw_bar(1e-9, 10, ASCII) == "#"


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0, "0.00 %"), (1, "100.00 %"), (0.125, "12.50 %"), (1e-5, "< 0.01 %"), (1 / 32, "3.13 %")],
)
def test_percent(probability: float, text: str) -> None:
    assert percent(probability) == text


@pytest.mark.parametrize("parts", [32, 64, 128, 3, 9])
def test_a_share_reads_the_same_by_whichever_road_it_was_computed(parts: int) -> None:
    for number in range(1, parts):
        share = number / parts
        near = {percent(share * (1 + error)) for error in (-3e-15, 0, 3e-15)}
        assert near == {percent(share)}
        # Rounded as at school: never further than half a hundredth away, and halves go up.
        shown = Fraction(percent(share).removesuffix(" %"))
        assert -Fraction(1, 200) < shown - 100 * Fraction(number, parts) <= Fraction(1, 200)


@pytest.mark.parametrize(
    ("game", "line"),
    [
        (played("5", 2), "Level 2 (Entanglement). O to move."),
        (played("5~", 5), "Level 5 (Fully quantum). Rotated view. O to move (1 view switch left)."),
        (
            played("1 5 2 6 3+4 7 8 9", 1),
            "Level 1 (Superposition). The board is full: O moved last and initiates the observation.",
        ),
        (
            played("1 5 2 6 3+4 7 8 9 =p:##.######", 4),
            "Level 4 (Complementarity). The positions are observed, and O chooses the mode.",
        ),
        (
            played("1 5 2 6 3+4 7 8 9 =XXX.OOOXO", 1),
            "Level 1 (Superposition). The game is over: X wins: 1-2-3.",
        ),
        (Game().agree_on_draw(), "Level 2 (Entanglement). The game is over: the players agreed on a draw."),
    ],
)
def test_standing(game: Game, line: str) -> None:
    assert describe_game(game) == line


def test_the_shown_position_at_the_end() -> None:
    over = played("1 5 2 6 3+4 7 8 9 =XXX.OOOXO", 5)
    assert final_board(over) == "XXX.OOOXO"
    assert shown_position(over) == Position(observed="XXX.OOOXO")
    going_on = played("1 5 2 6 3+4 7 8 9 =XX.XOOOXO", 5)
    assert final_board(going_on) is None
    assert shown_position(going_on) == going_on.state.position
    assert final_board(Game()) is None


def test_the_shown_position_once_positions_are_known_has_the_dice_that_are_left() -> None:
    game = played("5 5-6 9 2 1+7 1*3 ~4 4*8 =p:####.#.##", 5)
    # The seed's board after its second step: 7 was found empty, so 1 and 3 hold an entangled pair.
    left = ["△2B □2b", "□4g", "△2B □2b", "△2Y □2y", "", "△2r □-2r", "", "△2Y □2y", "△4G"]
    assert [draw_dice(shown_position(game).at(square)).plain for square in range(1, 10)] == left
    assert shown_position(game).view is View.STANDARD
    assert describe_game(game) == (
        "Level 5 (Fully quantum). Standard view. The positions are observed, and O chooses the mode."
    )
    target = shown_position(played("1+3 1-2 4 5 6 7 8 9 =p:.#.######", 4))
    assert target.configuration(2) is Configuration.TARGET


def test_a_flat_board_has_three_lines_less() -> None:
    lines = draw_board(POSITION, ASCII, width=FLAT, flat=True).plain.split("\n")
    assert lines[3:6] == [
        "+-------+-------+-------+",
        "|4 X 2G |5 X 2B |6 X 2B |",
        "|  O 2g |  O-2b |  X-2b |",
    ]
    assert (len(lines), {len(line) for line in lines}) == (10, {25})


def test_no_colour_of_the_board_is_the_background_of_a_palette() -> None:
    """Solarized and others have their background as bright black."""
    styles = {str(span.style) for span in draw_board(POSITION).spans}
    assert "dim" in styles and not any("black" in style for style in styles)


def test_a_legend_in_ascii_says_what_the_shapes_are() -> None:
    assert draw_legend(POSITION, ASCII).plain == (
        "a die is its shape (X triangle, O square), value and colour: "
        "R red, G green, B blue (X's in capitals)"
    )


def test_the_symbols_of_a_line_are_coloured() -> None:
    text = draw_board(Position(observed="XXXOO...."))
    coloured = [text.plain[span.start : span.end] for span in text.spans if "green" in str(span.style)]
    assert [part.strip() for part in coloured] == ["[△]"] * 3
