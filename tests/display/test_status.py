"""How a game stands: the dice that are left of a real set, and the lines of its end."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qttt.display.pictures.boards import board_scene, centre
from qttt.display.pictures.scene import Curve
from qttt.display.status import ending, lines_report, supply
from qttt.display.text import draw_board
from qttt.game import Game
from qttt.game.dice import COLOURS
from qttt.game.outcomes import Measurement
from qttt.game.position import Position
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.records.record import Record
from qttt.teaching.lesson.building import make_lesson
from tests.support.cli_runs import run, run_json
from tests.support.oracle import random_game

X, O = Symbol  # noqa: E741 - the rules' own letter


def played(level: int, record: str, options: str = "") -> Game:
    game = Game(rules=Rules.of(level, options))
    game.play(record)
    return game


def left(game: Game, player: Symbol, colour: str, shape: Symbol) -> tuple[int, int]:
    """How many such dice are left in the player's hand and in the bank."""
    hands, banks = supply(game)
    return hands[player, colour, shape], banks[player, colour, shape]


@pytest.mark.parametrize(
    ("level", "record", "player", "own", "other"),
    [
        (2, "", X, (2, 2), (0, 0)),
        (4, "", O, (2, 2), (1, 0)),
        (5, "", O, (2, 2), (1, 1)),
        (0, "5", X, (1, 2), (0, 0)),
        (2, "5 5*6", X, (1, 1), (0, 0)),  # one placed, one that the board added
        (2, "5 5*6", O, (0, 2), (0, 0)),  # both placed
        (2, "1+3 1*2 9 3*4", X, (0, 0), (0, 0)),  # both halves halved
        (3, "5 5-6", X, (1, 1), (1, 0)),
        (3, "5 5-6", O, (1, 2), (0, 0)),
        (5, "5 5-6~", X, (1, 2), (1, 1)),  # the minus is a lone O: X's die there is back in the bank
        (5, "5~", X, (1, 2), (1, 0)),
        (5, "1+3~", X, (0, 2), (0, 0)),  # one die of the other shape from the bank, one from the hand
        (2, "1 2 3 4 5 6 9 7 8 =XOXOXOOXX", X, (2, 2), (0, 0)),
    ],
)
def test_the_dice_left_of_red(
    level: int, record: str, player: Symbol, own: tuple[int, int], other: tuple[int, int]
) -> None:
    game = played(level, record)
    assert left(game, player, "red", player) == own
    assert left(game, player, "red", player.opponent) == other


def test_two_found_pieces_of_one_colour_share_its_dice() -> None:
    game = played(5, "1 2 3 4 5 6 7 8+9 =r:OXXXOXXX.")
    assert [left(game, X, colour, X) for colour in COLOURS] == [(0, 2)] * 3 + [(2, 2)] * 2
    assert [left(game, O, colour, O) for colour in COLOURS] == [(1, 2)] * 2 + [(2, 2)] * 3


CASES = [(level, "") for level in range(6)] + [
    (1, "measure-turn"),
    (2, "measure-turn"),
    (5, "view-switches=2"),
    (5, "view=physical"),
    (5, "no-ties"),
    (5, "tally"),
]


@settings(max_examples=150, deadline=None)
@given(rules=st.sampled_from(CASES), rng=st.randoms(use_true_random=False))
def test_five_colours_and_a_real_set_always_suffice(rules: tuple[int, str], rng: Random) -> None:
    level, options = rules
    game = Game(rules=Rules.of(level, options))
    for token, _ in random_game(level, rng, options, phases=5, first="X"):
        game.play(token)
        for pool in supply(game):
            assert min(pool.values()) >= 0, (token, game.events)
        # A piece's dice share its number, and no two pieces do: those of one colour have two at the most.
        pieces = {die.piece for contents in game.state.position.dice for die in contents}
        assert {number for _, number in pieces} <= set(range(10))
        lone = Counter(
            contents[0].piece
            for contents in game.state.position.dice
            if len(contents) == 1 and contents[0].value == 4
        )
        assert set(lone.values()) <= {1}


@settings(max_examples=100, deadline=None)
@given(level=st.sampled_from([1, 2]), looker=st.sampled_from(Symbol), rng=st.randoms(use_true_random=False))
def test_they_suffice_where_one_player_only_looks_at_the_other_s_halves(
    level: int, looker: Symbol, rng: Random
) -> None:
    game = Game(rules=Rules.of(level, "measure-turn"))
    while game.state.phase is Phase.MOVE:
        halves = [
            square for square in game.state.measurable() if len(game.state.measurement_odds(square)) > 1
        ]
        if halves and (game.turn is looker or rng.random() < 0.1):
            square = rng.choice(halves)
            cells = list(game.state.measurement_odds(square))
            game.push(Measurement(square, "." if "." in cells else rng.choice(cells)))
        else:
            game.push(rng.choice(game.state.legal_moves()))
        for pool in supply(game):
            assert min(pool.values()) >= 0, game.events


def test_dice_on_the_board_and_dice_left_are_the_set() -> None:
    game = played(5, "1+3~ 5 5*2")
    hands, banks = supply(game)
    used = Counter(
        (die.owner, die.colour, die.shape) for contents in game.state.position.dice for die in contents
    )
    for key in hands:
        player, _, shape = key
        assert hands[key] + banks[key] + used[key] == (4 if shape is player else 2)


def test_the_supply_is_shown_on_request() -> None:
    report = run_json("dice", "5 5*6", "--supply")["supply"]
    assert report["X"]["hand"]["red"] == {"triangle": 1, "square": 0}
    assert report["X"]["bank"]["red"] == {"triangle": 1, "square": 0}
    assert report["O"]["hand"]["red"] == {"triangle": 0, "square": 0}
    assert report["O"]["bank"]["purple"] == {"triangle": 0, "square": 2}
    assert list(report["O"]["hand"]) == list(COLOURS)
    lines = run("dice", "5 5-6", "--level", "5", "--supply").out.split("\n")
    assert "X's red       1△ 1□  1△ 1□" in lines
    assert "O's red       1□ 0△  2□ 1△" in lines
    assert "supply" not in run_json("dice", "5 5*6")


ENDS = [
    ("XOO.X..OX", Result.X, "X wins: 1-5-9"),
    ("XXXXOOXOO", Result.X, "X wins: 1-2-3, 1-4-7"),
    ("XXX.OOXXX", Result.X, "X wins: 1-2-3, 7-8-9"),
    ("XXXOOOXO.", Result.TIE, "it is a tie: X 1-2-3, O 4-5-6"),
    ("XXXOOOX.O", Result.CONTINUE, "the game goes on: X 1-2-3, O 4-5-6"),
    ("OOOXX.OOO", Result.O, "O wins: 1-2-3, 7-8-9"),
    ("OOOXXXOXO", Result.TIE, "it is a tie: X 4-5-6, O 1-2-3"),
    ("XOXOXOOXO", Result.TIE, "it is a tie"),
    ("XXXOOOXXX", Result.X, "X wins: 1-2-3, 7-8-9 against 4-5-6"),
]


@pytest.mark.parametrize(("board", "result", "words"), ENDS)
def test_an_end_names_its_lines(board: str, result: Result, words: str) -> None:
    assert ending(result, board) == words
    found = lines_report(board)
    squares = {square for lines in found.values() for line in lines for square in line}
    for symbol, lines in found.items():
        assert all(board[square - 1] == symbol for line in lines for square in line)
    # The same lines are marked on the text board and in the picture, and are said of the picture.
    cells = draw_board(Position(observed=board)).plain
    assert cells.count("[") == len(squares)
    scene = board_scene(Position(observed=board))
    strokes = [s for s in scene.shapes if isinstance(s, Curve) and s.stroke == "mark"]
    assert len(strokes) == sum(map(len, found.values()))
    for symbol, lines in found.items():
        for line in lines:
            assert f"{symbol} has three in a row: {'-'.join(map(str, line))}." in scene.description
            middle = centre(line[1])
            assert any(
                tuple((a + b) / 2 for a, b in zip(*stroke.points, strict=True)) == pytest.approx(middle)
                for stroke in strokes
            )


def test_lines_as_data() -> None:
    ended = "1 5 2 6 3+4 7 8 9 =XXX.OOOXO"
    one = {"X": [[1, 2, 3]], "O": []}
    assert run_json("dice", ended, "--level", "1")["lines"] == one
    assert run_json("dice", "1 5", "--level", "1")["lines"] is None
    assert run_json("odds", ended, "--level", "1", "--lines")["lines"] == {"XXX.OOOXO": one}
    before = ended.rpartition(" ")[0]
    asked = run_json("odds", before, "--level", "1", "--lines")
    assert asked["lines"] == {"XXX.OOOXO": one, "XX.XOOOXO": {"X": [], "O": []}}
    assert asked["lines"].keys() == asked["outcomes"].keys()
    assert "lines" not in run_json("odds", before, "--level", "1")
    assert (
        "XXX.OOOXO      50.00 %  X wins            1-2-3"
        in run("odds", before, "--level", "1", "--lines").out
    )
    assert "The game is over: X wins: 1-2-3." in run("odds", ended, "--level", "1", "--at", "9").out


@pytest.mark.parametrize(
    "words",
    [
        ("odds", "5"),
        ("moves", "5"),
        ("dice", "5"),
        ("advise", "1 2 3 4 5+6 7"),
        ("circuit", "5"),
        ("observe", "1 2 3 4 5 6 7 8 9"),
        ("check", "5"),
        ("perft", "--depth", "1"),
        ("perft", "--depth", "0"),
    ],
)
def test_every_object_says_its_level(words: tuple[str, ...]) -> None:
    assert run_json(*words, "--level", "1")["level"] == 1


@pytest.mark.parametrize(
    ("tokens", "level", "options", "opens"),
    [
        ("1+3 1*2 5", 2, "no-double-entanglement", {5: "O"}),
        ("1+3 5", 2, "", {1: "O", 3: "O", 5: "X"}),
        ("1 2 3 4 5 6 7 8 9", 2, "", {}),
        ("1+3 5", 1, "", {}),
    ],
)
def test_every_display_says_the_same_squares_are_open(
    tokens: str, level: int, options: str, opens: dict[int, str], tmp_path: Path
) -> None:
    words = (tokens, "--level", str(level), *(("--options", options) if options else ()))
    assert {
        number: row["open_to"]
        for number, row in enumerate(run_json("dice", *words)["squares"], 1)
        if row["open_to"] is not None
    } == opens
    table = run("dice", *words).out.split("\nsquare ")[1].split("\n")[1:10]
    assert [row.split()[-1] in ("X", "O") for row in table] == [square in opens for square in range(1, 10)]
    picture = tmp_path / "board.svg"
    run("draw", *words, "--out", str(picture))
    said = picture.read_text()
    assert re.findall(r"open to ([XO])<", said) == [opens[square] for square in sorted(opens)]
    step = make_lesson(Record.parse(tokens).completed(str(level), options or None), shots=10).steps[
        len(tokens.split()) - 1
    ]
    assert (step.opens or {}) == opens
