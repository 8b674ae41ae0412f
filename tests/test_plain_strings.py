"""What others may call takes plain strings for words of the game, and numbers for squares that exist."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from qttt.cli.commands.circuit import circuit_stats, circuit_text
from qttt.crosscheck.by_device import check_by_observer
from qttt.crosscheck.check import check, dice_probability
from qttt.display.reports import odds_report
from qttt.errors import IllegalMoveError, UsageError
from qttt.game import Game, odds, roots
from qttt.game.outcomes import Observation
from qttt.game.position import START, Position
from qttt.game.roots import read_roots
from qttt.game.rules import Rules
from qttt.game.squares import EMPTY_BOARD
from qttt.game.state import State
from qttt.game.surds import Surd
from qttt.game.symbols import Mode, Symbol, View
from qttt.observation import faults
from qttt.observation.compiler import compile_board, compile_lean, compile_moves, compile_phase, phase_of_play
from qttt.observation.devices import open_device
from qttt.observation.observers import DiceObserver, get_observer, refuse_rolls
from qttt.players.matches import Match, play_game
from qttt.players.strategies import accepts_draw, get_player
from qttt.solver.probe import Value, best_choice, ranked
from qttt.tabletop import rolls
from qttt.tabletop.d6 import RollRule
from qttt.tabletop.questions import Asks, Question
from qttt.tabletop.rolls import Rolls, check_rolls, observe_by_rolls, roll_odds, roll_step, table_of, throw

# The mode changes which boards there can be: 2 holds a plus, and 4 an X.
GAME = Game(4)
GAME.play("1 1-2 4 5 6 7 8 9 3")
STATE, POSITION = GAME.state, GAME.state.position
BOARD = STATE.odds(Mode.STANDARD).draw(np.random.default_rng(1))

NO_MODE = "^mode must be 'standard' or 'rotated', not 'sideways'$"
NO_ROLLS = "^rolls must be 'exact' or 'd6', not 'd7'$"
NO_SYMBOL = "^symbol must be 'X' or 'O', not 'Z'$"


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def sampled(name: str, mode: Any) -> Any:
    return get_observer(name).sample(GAME, mode, 50, rng()).counts()


def drawn(name: str, mode: Any) -> Any:
    return [get_observer(name).draw(GAME, mode, np.random.default_rng(seed)).first for seed in range(9)]


OBSERVERS = ("aer", "aer-lean", "dice")

TAKES_MODE: dict[str, Callable[[Any], Any]] = {
    "State.odds": lambda mode: STATE.odds(mode).outcomes(),
    "State.result_odds": lambda mode: STATE.result_odds(mode),
    "observation_odds": lambda mode: odds.observation_odds(POSITION, mode).outcomes(),
    "root_distribution": lambda mode: [roots.root_distribution(root, mode) for root in read_roots(POSITION)],
    "roll_odds": lambda mode: roll_odds(STATE, mode, Rolls.D6).outcomes(),
    "rolled_odds": lambda mode: rolls.rolled_odds(table_of(STATE), mode, Rolls.EXACT).outcomes(),
    "observe_by_rolls": lambda mode: observe_by_rolls(STATE, mode, rng()),
    "compile_moves": lambda mode: compile_moves(GAME, mode).exact().outcomes,
    "compile_phase": lambda mode: compile_phase(phase_of_play(GAME), mode).blocks,
    "compile_lean": lambda mode: compile_lean(GAME, mode).exact().outcomes,
    "compile_board": lambda mode: compile_board(GAME, mode).blocks,
    "dice_probability": lambda mode: dice_probability(POSITION, 4, Symbol.X, mode),
    "find_fault": lambda mode: faults.find_fault(BOARD, POSITION, mode),
    "impossible_boards": lambda mode: faults.impossible_boards([BOARD], POSITION, mode),
    "check": lambda mode: check(GAME, mode, DiceObserver(), rng(), shots=20).to_json(),
    "check_by_observer": lambda mode: check_by_observer(
        GAME, mode, DiceObserver(), rng(), shots=20
    ).to_json(),
    "odds_report": lambda mode: odds_report(GAME, mode),
    "circuit_text": lambda mode: circuit_text(GAME, mode),
    "circuit_stats": lambda mode: circuit_stats(GAME, mode),
    "Observation": lambda mode: str(Observation(BOARD, mode)),
    **{f"sample of {name}": partial(sampled, name) for name in OBSERVERS},
    **{f"draws of {name}": partial(drawn, name) for name in OBSERVERS},
}


@pytest.fixture
def _nothing_remembered() -> Iterator[None]:
    """A string equals its member, so what is remembered for one would be given for the other."""
    caches = (odds._root_odds, roots._distribution, rolls.rolled_out, faults._fault_of)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("_nothing_remembered")
@pytest.mark.parametrize("name", TAKES_MODE)
def test_a_mode_may_be_a_plain_string(name: str) -> None:
    call = TAKES_MODE[name]
    by_string = call("rotated")
    assert by_string == call(Mode.ROTATED)
    assert by_string != call(Mode.STANDARD)
    with pytest.raises(UsageError, match=NO_MODE):
        call("sideways")


@pytest.mark.parametrize(
    "call",
    [
        lambda mode: odds.observation_odds(START, mode),
        lambda mode: rolls.rolled_odds(table_of(State()), mode, Rolls.EXACT),
        lambda mode: faults.find_fault(EMPTY_BOARD, START, mode),
        lambda mode: faults.impossible_boards([], START, mode),
    ],
    ids=["observation_odds", "rolled_odds", "find_fault", "impossible_boards"],
)
def test_a_mode_that_does_not_exist_is_refused_of_an_empty_board_too(call: Callable[[Any], Any]) -> None:
    assert call("rotated") == call(Mode.ROTATED)
    with pytest.raises(UsageError, match=NO_MODE):
        call("sideways")


def test_a_mode_that_the_level_lacks_is_refused_as_a_string_too() -> None:
    game = Game(2)
    with pytest.raises(IllegalMoveError, match="it starts at Level 4"):
        game.state.odds("rotated")  # type: ignore[arg-type]
    for name in OBSERVERS:
        with pytest.raises(UsageError, match="starts at Level 4, and this is Level 2"):
            get_observer(name).sample(game, "rotated", 1, rng())  # type: ignore[arg-type]


def test_the_mode_of_an_observation_reaches_the_record() -> None:
    game = Game(4)
    game.play(" ".join(map(str, GAME.events)))
    game.push(Observation(BOARD, "standard"))  # type: ignore[arg-type]
    assert game.events[-1] == Observation(BOARD, Mode.STANDARD)
    assert str(Observation(BOARD, "rotated")) == f"=r:{BOARD}"  # type: ignore[arg-type]


TWO_DICE = Question(Symbol.X, (1,), Asks.MINE, Surd(RollRule.SNAKE_EYES.chance), RollRule.SNAKE_EYES)
HALF = Game(4)
HALF.play("1+3 1-2 4 5 6 7 8 9")

TAKES_ROLLS: dict[str, Callable[[Any], Any]] = {
    "DiceObserver": lambda by: DiceObserver(by).rolls,
    "get_observer": lambda by: vars(get_observer("dice", by)),
    "throw": lambda by: throw(TWO_DICE, rng(), by),
    "roll_step": lambda by: roll_step(table_of(HALF.state), rng(), by)[0],
    "observe_by_rolls": lambda by: observe_by_rolls(HALF.state, Mode.STANDARD, rng(), by),
    "roll_odds": lambda by: roll_odds(HALF.state, Mode.STANDARD, by).outcomes(),
    "check": lambda by: check(HALF, Mode.STANDARD, DiceObserver(by), rng(), shots=9, rolls=by).to_json(),
    "odds_report": lambda by: odds_report(HALF, Mode.STANDARD, by),
}


@pytest.mark.parametrize("name", TAKES_ROLLS)
def test_rolls_may_be_a_plain_string(name: str) -> None:
    call = TAKES_ROLLS[name]
    assert call("d6") == call(Rolls.D6)
    assert call("exact") == call(Rolls.EXACT)
    assert call("d6") != call("exact")
    with pytest.raises(UsageError, match=NO_ROLLS):
        call("d7")


def test_rolls_are_refused_as_strings_too() -> None:
    refuse_rolls("exact", "aer")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="circuits do not roll"):
        refuse_rolls("d6", "aer")  # type: ignore[arg-type]
    physical = Rules.of(5, "view=physical")
    check_rolls("exact", physical)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="d6 rolls do not go"):
        check_rolls("d6", physical)  # type: ignore[arg-type]


def test_who_plays_may_be_a_plain_string() -> None:
    game = Game(2, first="O")
    assert game.first is game.turn is Symbol.O
    game.play("5 5*6")
    assert game.turn is Symbol.O
    assert [str(die) for die in game.state.position.at(5)] == ["△2", "□2"]
    assert State(turn="O").child(game.events[0]).turn is Symbol.X  # type: ignore[arg-type]
    match = Match("random", "random", Rules.of(1), first="O", alternate=True)  # type: ignore[arg-type]
    assert (match.starts(0), match.starts(1)) == (Symbol.O, Symbol.X)
    assert play_game(match, 0).first is Symbol.O
    values = {"a": Value(0.5, 0.0), "b": Value(-0.5, 0.0)}
    assert best_choice(values, "X") == "a"  # type: ignore[arg-type]
    assert [choice for choice, _ in ranked(values, "O")] == ["b", "a"]  # type: ignore[arg-type]
    player = get_player("greedy", Rules.of(1))
    assert accepts_draw(player, "X", State()) is accepts_draw(player, Symbol.X, State())  # type: ignore[arg-type]
    assert dice_probability(POSITION, 4, "X", Mode.STANDARD) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda who: Game(2, first=who),
        lambda who: State(turn=who),
        lambda who: Match("random", "random", first=who),
        lambda who: ranked({"a": Value(0.5, 0.0)}, who),
        lambda who: accepts_draw(get_player("greedy", Rules.of(1)), who, State()),
        lambda who: dice_probability(POSITION, 4, who, Mode.STANDARD),
    ],
    ids=["Game", "State", "Match", "ranked", "accepts_draw", "dice_probability"],
)
def test_a_player_who_does_not_exist_is_refused(call: Callable[[Any], Any]) -> None:
    call("O")
    with pytest.raises(UsageError, match=NO_SYMBOL):
        call("Z")


def test_a_view_may_be_a_plain_string() -> None:
    assert Position(view="standard").standard() == START  # type: ignore[arg-type]
    assert Position(view="rotated").view is View.ROTATED  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^view must be 'standard' or 'rotated', not 'sideways'$"):
        Position(view="sideways")  # type: ignore[arg-type]


@pytest.mark.ibm
def test_devices_take_plain_strings() -> None:
    observer = open_device("fake_manila")
    game = Game(4)
    game.play("1")
    plan = observer.plan(game, ["rotated", "standard"], 9)  # type: ignore[list-item]
    assert plan.modes == (Mode.ROTATED, Mode.STANDARD)
    assert all(isinstance(mode, Mode) for mode in plan.modes)
    with pytest.raises(UsageError, match=NO_MODE):
        observer.plan(game, ["sideways"], 9)  # type: ignore[list-item]
    assert set(observer.sample(game, "standard", 200, rng()).counts()) == {"X........"}  # type: ignore[arg-type]
    assert len(observer.sample(game, "rotated", 200, rng()).counts()) == 2  # type: ignore[arg-type]


# Squares


@pytest.mark.parametrize("square", [-8, -1, 0, 10])
@pytest.mark.parametrize(
    "call",
    [
        STATE.odds().square,
        STATE.measurement_odds,
        POSITION.at,
        POSITION.configuration,
        POSITION.is_empty,
        POSITION.is_observed,
        POSITION.attacker,
        STATE.open_to,
    ],
    ids=lambda call: call.__name__,
)
def test_a_square_that_does_not_exist_is_refused(call: Callable[[int], Any], square: int) -> None:
    call(1)
    call(9)
    with pytest.raises(UsageError, match=f"^square {square} does not exist: the squares are 1 to 9$"):
        call(square)
