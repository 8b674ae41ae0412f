"""Turns, phases, deciding, legality and its words."""

from dataclasses import replace
from inspect import signature
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qttt.errors import IllegalMoveError, MoveSyntaxError, UsageError
from qttt.game.game import Game, parse_event
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Observation, Positions
from qttt.game.result import Loss, Result, decide, points
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.state import Phase
from qttt.game.symbols import Mode, Symbol
from tests.support.oracle import random_game


def played(level: int, record: str, options: str = "", first: str = "X") -> Game:
    game = Game(level, options, first=Symbol(first))
    game.play(record)
    return game


def refusal(level: int, record: str, token: str, options: str = "") -> str:
    """The message of the error that a token after a record gives; the game must be as it was."""
    game = played(level, record, options)
    before = game.state
    with pytest.raises(IllegalMoveError) as caught:
        game.push(parse_event(token))
    assert game.state is before
    assert caught.value.token == token
    return str(caught.value)


REFUSALS = [
    [field.strip() for field in line.split("|")]
    for line in (Path(__file__).parents[1] / "data" / "refusals.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("level", "record", "token", "message"), REFUSALS)
def test_refusals_name_the_rule(level: str, record: str, token: str, message: str) -> None:
    assert refusal(int(level), record, token) == message


def test_options_forbid_moves() -> None:
    assert "quantum-only" in refusal(2, "1+2", "3", "quantum-only")
    assert played(2, "1+2 3+4 5+6 7+8", "quantum-only").state.legal_here() != []
    assert "entangled only once" in refusal(2, "1+3 1*2 9", "3*4", "no-double-entanglement")
    played(3, "1+3 1*2 9 3-4", "no-double-entanglement")
    moves = [str(move) for move in played(3, "1+3 1*2 9", "no-double-entanglement").state.legal_moves()]
    assert [move for move in moves if "*" in move] == ["9*4", "9*5", "9*6", "9*7", "9*8"]
    assert [move for move in moves if "-" in move] == [f"{a}-{b}" for a in (3, 9) for b in (4, 5, 6, 7, 8)]
    assert [str(move) for move in played(1, "1+2 3+4 5+6 7+8", "quantum-only").state.legal_here()] == ["9"]


@pytest.mark.parametrize(
    ("record", "options", "classical"),
    [
        # Halves can be attacked in one of the two views, and the player may still choose it.
        ("3+5 3-1 2+6 2-8 4+7", "", []),
        ("1+2 3+4 5+6 7+8~", "", []),
        ("1+2 3+4 5+6 7+8", "", []),
        # Entangled squares are closed in both views.
        ("1+2 3+4 3*5 1*6 4*7 2*8", "", ["9", "9~", "~9"]),
        # X's halves in 4 and 7 are lone dice in the rotated view only, and O has switched once already.
        ("~4+7 ~3+8 3*6 2+5 2*9", "", ["1"]),
        ("~4+7 ~3+8 3*6 2+5 2*9", "view-switches=2", []),
    ],
)
def test_quantum_only_counts_every_view_that_the_player_may_still_choose(
    record: str, options: str, classical: list[str]
) -> None:
    options = f"quantum-only,{options}".rstrip(",")
    game = played(5, record, options)
    legal = [str(move) for move in game.state.legal_moves() if move.kind is Kind.CLASSICAL]
    shown = [move for there in (False, True) for move in game.state.legal_here(switched=there)]
    assert sorted(legal) == sorted(classical)
    assert {str(move) for move in shown if move.kind is Kind.CLASSICAL} == set(classical) - {"9~"}
    for token in classical:
        played(5, f"{record} {token}", options)
    (empty,) = game.state.position.empty_squares
    for token in () if classical else (f"{empty}", f"{empty}~", f"~{empty}"):
        assert "quantum-only" in refusal(5, record, token, options)


OPEN = [
    ("1+3 5", 1, "", {}),  # nobody can attack
    ("5", 0, "", {}),
    ("1+3 5", 2, "", {1: "O", 3: "O", 5: "X"}),
    ("1+3 1*2 5", 2, "no-double-entanglement", {5: "O"}),
    ("1+3 1*2 5", 2, "", {3: "O", 5: "O"}),
    ("1+3 1*2 5", 3, "no-double-entanglement", {3: "O", 5: "O"}),  # it may still be half-cancelled
    ("1 2 3 4 5 6 7 8 9", 2, "", {}),  # full: no square to spread into
    ("1+3 1-2 4 5 6 7 8 9 =p:..#######", 4, "", {}),  # the mode is to be chosen
    ("1+3 5", 5, "", {1: "O", 3: "O", 5: "X"}),
    ("1+3 5~", 5, "", {}),
    ("1 2 3 4 5 6 9 7 8 =XOXOXOOXX", 2, "", {}),  # the end
    ("1 2 3 4 6 5 8 7+9 =XOXOOXOX.", 2, "", {}),  # observed squares are closed
]


@pytest.mark.parametrize(("record", "level", "options", "expected"), OPEN)
def test_open_squares(record: str, level: int, options: str, expected: dict[int, str]) -> None:
    game = played(level, record, options)
    assert game.open_squares() == game.state.open_squares() == expected
    assert {s: game.state.open_to(s) for s in SQUARES} == {s: expected.get(s) for s in SQUARES}


def test_nothing_is_open_once_the_players_agreed_on_a_draw() -> None:
    game = played(2, "5")
    game.drawn = True
    assert game.open_squares() == {}


@settings(max_examples=60, deadline=None)
@given(
    rules=st.sampled_from(
        [(level, "") for level in range(6)]
        + [(2, "no-double-entanglement"), (5, "no-double-entanglement,view-switches=2"), (5, "view=physical")]
        + [(5, "quantum-only"), (2, "measure-turn")]
    ),
    rng=st.randoms(use_true_random=False),
)
def test_open_is_where_that_player_would_have_a_legal_attack(rules: tuple[int, str], rng: Random) -> None:
    level, options = rules
    game = Game(rules=Rules.of(level, options))
    for token, _ in random_game(level, rng, options, phases=2, first="X"):
        game.play(token)
        would = {
            player: {
                move.squares[0]
                for move in replace(game.state, turn=player).legal_moves()
                if move.kind.attacks and not move.switches
            }
            for player in Symbol
        }
        expected = {square: player for player in Symbol for square in would[player]}
        assert game.open_squares() == expected, token


@pytest.mark.parametrize(
    "token",
    ["0", "10", "5+5", "5**6", "", "x", "5/6", "\uff11", "5 6", "-5", "~", "5*", "=XO"],
)
def test_unreadable_tokens(token: str) -> None:
    with pytest.raises(MoveSyntaxError) as caught:
        parse_event(token)
    assert caught.value.token == token
    assert repr(token) in str(caught.value)


@pytest.mark.parametrize(
    "token", ["5", "1+3", "5*6", "6-5", "~5", "5~", "~5~", "=XO.XXO.OX", "=r:XO.XXO.OX", "=p:##.##.#.#"]
)
def test_tokens_round_trip(token: str) -> None:
    event = parse_event(token)
    assert str(event) == token
    words = {"Move": Move, "Kind": Kind, "Observation": Observation, "Mode": Mode, "Positions": Positions}
    assert eval(repr(event), words) == event


def test_superpositions_are_written_in_order() -> None:
    assert Move.parse("3+1") == Move(Kind.SUPERPOSITION, (1, 3))
    assert str(Move.parse("3+1")) == "1+3"
    assert parse_event("=s:XO.XXO.OX") == Observation("XO.XXO.OX", Mode.STANDARD)


def test_turns_alternate_over_observations() -> None:
    game = played(2, "4+9 3+7 3*6 5 7*1 2 2*8", first="O")
    assert game.state.phase is Phase.OBSERVATION
    assert game.state.initiator is Symbol.O
    game.play("=OX..XOXOO")
    assert (game.turn, game.result, game.state.phase) == (Symbol.X, Result.CONTINUE, Phase.MOVE)


def test_undo_stops_at_an_observation() -> None:
    game = played(2, "5 5*6")
    assert str(game.undo()) == "5*6"
    assert game.turn is Symbol.O
    game.undo()
    with pytest.raises(IllegalMoveError, match="no move has been made"):
        game.undo()
    game = played(4, "1 2 3 4 5 6 7 8+9 =p:########.")
    with pytest.raises(IllegalMoveError, match="cannot be taken back"):
        game.undo()


def test_an_agreed_draw_ends_the_game_until_undone() -> None:
    game = played(5, "5 1")
    game.drawn = True
    assert game.over
    assert game.result is Result.TIE
    with pytest.raises(IllegalMoveError, match="agreed on a draw"):
        game.play("2")
    game.undo()
    assert not game.over


DECISIONS = [
    (2, "", "XXXOO....", Result.X),
    (2, "", "XXXOOO...", Result.TIE),  # one line each: no further line is possible at Level 2
    (1, "", "XXXOOO...", Result.CONTINUE),
    (3, "", "XXXOOO...", Result.CONTINUE),
    (0, "", "XXXOOOXOX", Result.TIE),
    (3, "", "XXXXOXOOO", Result.TIE),
    (1, "", "XXXXX.OOO", Result.CONTINUE),
    (3, "", "XXXXXXOOO", Result.X),
    (2, "", "XO.......", Result.CONTINUE),
    (5, "", "XOXXOOOXX", Result.TIE),
    (5, "no-ties", "XOXXOOOXX", Result.CONTINUE),
    (2, "tally", "XXXOO....", Result.CONTINUE),
    (2, "tally", "XXXOOO...", Result.CONTINUE),
    (2, "tally", "XXXOOXXOO", Result.X),
]  # fmt: skip


@pytest.mark.parametrize(("level", "options", "board", "result"), DECISIONS)
def test_deciding(level: int, options: str, board: str, result: Result) -> None:
    assert decide(board, Rules.of(level, options)) is result


def test_points_are_lines() -> None:
    assert points("XXXXXXOOO") == {Symbol.X: 2, Symbol.O: 1}


def test_no_ties_observes_again_in_alternating_modes() -> None:
    game = played(5, "1 2 3 5 4 6 8 7 9", "no-ties")
    game.play("=XOXXOOOXX")
    assert game.state.phase is Phase.OBSERVATION
    assert game.state.modes == (Mode.ROTATED,)
    game.play("=r:XOXXOOOXX")
    assert game.state.modes == (Mode.STANDARD,)
    with pytest.raises(IllegalMoveError, match="this repeated observation is in standard mode"):
        game.play("=r:XOXXOOOXX")


def test_a_limit_of_observations_ends_in_a_tie() -> None:
    record = "1+2 3+4 5+6 7+8 9 =X.O..XO.X 1-2 3-5 6-4 7-8 =.O.XO..XX"
    assert played(5, record, "max-observations=3").result is Result.CONTINUE
    assert played(5, record, "max-observations=2").result is Result.TIE


def test_two_switches_a_player() -> None:
    game = played(5, "5~", "view-switches=2")
    assert "~6~" in map(str, game.state.legal_moves())
    game.play("~6~")
    assert game.state.switches_left == 1
    game.play("~1")
    assert game.state.switches_left == 0
    assert all("~" not in str(move) for move in game.state.legal_moves())
    assert game.state.legal_here(switched=True) == []
    assert "may switch the view twice between" in refusal(5, "5~ ~6~ ~1", "~2~", "view-switches=2")


def test_an_observation_gives_the_switches_and_the_choice_of_mode_back() -> None:
    game = played(5, "1+2~ 3+4 5+6 ~7+8 9 =.XO.X..OX")
    assert game.state.switched == (0, 0)
    assert game.state.modes == (Mode.STANDARD, Mode.ROTATED)
    assert (game.turn, game.state.switches_left) == (Symbol.O, 1)
    game.play("1~")
    assert (game.turn, game.state.switches_left) == (Symbol.X, 1)


def test_a_game_begins_without_history() -> None:
    assert list(signature(Game).parameters) == ["level", "options", "first", "rules"]
    state = played(5, "").state
    assert (state.switched, state.observations, state.positions) == ((0, 0), 0, None)
    assert state.modes == (Mode.STANDARD, Mode.ROTATED)


def test_nobody_moves_on_a_full_board_or_after_the_end() -> None:
    full = "1+2 3+4 5+6 7+8 9"
    for record in (full, f"{full} =p:#.#.#.#.#", f"{full} =X.O.X.O.X"):
        state = played(5, record).state
        assert state.phase is not Phase.MOVE
        assert state.legal_moves() == state.legal_here() == state.legal_here(switched=True) == []


@pytest.mark.parametrize(
    ("level", "options", "message"),
    [
        (2, "quick", "unknown option 'quick'"),
        (2, "tally,tally", "option tally is given twice"),
        (2, "tally=1", "option tally takes no value"),
        (5, "view-switches=0", "option view-switches=0: the value must be a whole number from 1 to 1000"),
        (5, "view-switches=x", "the value must be a whole number"),
        (5, "view=square", "the readings are 'tabletop' and 'physical'"),
        (4, "no-ties", "option no-ties needs Level 5, and this is Level 4"),
        (4, "view-switches=2", "option view-switches needs Level 5"),
        (0, "quantum-only", "option quantum-only needs Level 1 or higher"),
        (1, "no-double-entanglement", "option no-double-entanglement needs Level 2 or higher"),
        (6, "", "the level must be a whole number from 0 to 5, not 6"),
    ],
)
def test_options_that_make_no_sense(level: int, options: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Rules.of(level, options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "quantum-only", "tally", "no-ties,view-switches=2,view=physical,max-observations=9"]
)
def test_options_round_trip(text: str) -> None:
    rules = Rules.of(5, text)
    assert set(filter(None, str(rules.options).split(","))) == set(filter(None, text.split(",")))
    assert Rules.of(5, str(rules.options)) == rules


def test_the_number_of_an_option_has_both_of_its_bounds() -> None:
    assert Rules.of(5, "view-switches=1,max-observations=1").options.max_observations == 1
    assert Rules.of(5, "view-switches=1000,max-observations=1000").view_switches == 1000
    for text in ("max-observations=0", "max-observations=1001", "view-switches=1001", "view-switches=²"):
        with pytest.raises(UsageError, match="from 1 to 1000"):
            Rules.of(5, text)


def test_view_switches_start_at_level_5() -> None:
    assert [Rules.of(level).view_switches for level in range(6)] == [0, 0, 0, 0, 0, 1]


def test_a_phase_begins_after_the_last_whole_observation() -> None:
    """Positions are half an observation, and do not begin a phase."""
    game = played(4, "1+2 3+4 5+6 7+8 9")
    starts = []
    for token in ("=p:.##.#..##", "=.XO.X..OX", "1", "4"):
        game.play(token)
        starts.append(game.phase_start())
    assert starts == [0, 7, 7, 7]
    game.undo()
    assert game.phase_start() == 7


def test_pushing_an_event_returns_the_state_after_it() -> None:
    game = Game(2)
    assert game.push(parse_event("5")) is game.state
    assert game.state.turn is Symbol.O


def test_a_refused_undo_leaves_an_agreed_draw() -> None:
    game = Game(0)
    game.drawn = True
    with pytest.raises(IllegalMoveError, match="no move has been made yet"):
        game.undo()
    assert game.drawn
    game = Game(0)
    game.play("5")
    game.drawn = True
    game.undo()
    assert not game.drawn


@pytest.mark.parametrize(("on_time", "how"), [(False, "X resigned"), (True, "X ran out of time")])
def test_a_game_lost_off_the_board_is_over_until_undone(on_time: bool, how: str) -> None:
    game = played(2, "5 1")
    game.resign(on_time=on_time)
    assert (game.over, game.result, game.settlement) == (True, Result.O, how)
    assert (game.legal_moves(), game.open_squares()) == ([], {})
    assert game != played(2, "5 1") and game.copy() == game == eval(repr(game))
    with pytest.raises(IllegalMoveError, match=how):
        game.play("2")
    for end in (game.resign, game.agree_on_draw):
        with pytest.raises(IllegalMoveError, match="the game is over"):
            end()
    game.undo()
    assert (game.over, game.settlement) == (False, "")


def test_whoever_has_to_choose_resigns_unless_another_player_is_named() -> None:
    assert played(4, "1 2 3 4 5 6 7 8+9 =p:########.").resign().result is Result.X
    assert played(4, "1 2 3 4 5 6 7 8+9").resign().loss == Loss(Symbol.O)
    assert Game(first="O").resign("X", on_time=True).loss == Loss(Symbol.X, on_time=True)
    with pytest.raises(UsageError):
        Game().resign("Z")
