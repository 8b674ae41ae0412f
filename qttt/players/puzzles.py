"""Puzzles: positions with one best choice, found in random games, proved by the solver, graded by greed.

The questions that the rule texts ask are in ``TEXT_PUZZLES``; their answers are worked out like any other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from qttt.chance import Uniform
from qttt.errors import QtttError, UsageError
from qttt.game.game import Game, parse_event
from qttt.game.moves import Move
from qttt.game.outcomes import Observation, Positions, filled_squares
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.advice import Advice, advise
from qttt.players.choices import Choice, choices, decider
from qttt.players.explanations import chances
from qttt.players.immediate import odds_now
from qttt.players.strategies import GreedyPlayer, RandomPlayer
from qttt.records.record import Record
from qttt.solver.probe import UnsolvedError, Value, is_solved

#: The best choice must be worth this much more than any other (wins minus losses).
LEAST_GAP = 0.15
#: From this value on a game counts as lost, for the puzzles that ask to save one.
_LOST = -0.5
_SURE = 1 - 1e-9
_MARGIN = 1e-9
_MOST_EMPTY = 5
_MOST_GAMES = 2000


class Aim(StrEnum):
    """What a puzzle asks for."""

    WIN = "win"
    SAVE = "save"
    MODE = "mode"
    BEST = "best"


class Grade(StrEnum):
    """How hard a puzzle is: how many other choices look as good to ``greedy`` as the solution."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


#: The most decoys of each grade.
MOST_DECOYS = {Grade.EASY: 0, Grade.MEDIUM: 5}


class NoPuzzleError(QtttError):
    """No puzzle of the wanted kind turned up in many games."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and its one best choice.

    Attributes:
        game: the game so far.
        question: what is asked, in a sentence or two.
        aim: what kind of choice is asked for.
        decoys: how many other choices look at least as good to ``greedy``.
        solutions: the best choice; more than one where several are equally good.
        advice: the value of every choice, best first, with the reason for the best one.
        source: the text that asks it; empty for puzzles that were found.
        discussed: choices that the source discusses.
    """

    game: Game
    question: str
    aim: Aim
    decoys: int
    solutions: tuple[Choice, ...]
    advice: Advice
    source: str = ""
    discussed: tuple[Choice, ...] = ()

    @property
    def turn(self) -> Symbol:
        """Whose choice it is."""
        return decider(self.game.state)

    @property
    def record(self) -> str:
        """The record up to the position."""
        return str(Record.of(self.game))

    @property
    def grade(self) -> Grade:
        """How hard it is."""
        return graded(self.decoys)

    @property
    def answer(self) -> str:
        """The solution with its reason, in sentences."""
        values = dict(self.advice.choices)
        worth = chances(values[self.solutions[0]])
        told = [f"{choice} gives {chances(values[choice])}." for choice in self.discussed]
        best = " or ".join(map(str, self.solutions))
        # The reason of a mode gives its chances anyhow.
        head = f"{best}." if self.aim is Aim.MODE else f"{best}: {worth}."
        return " ".join([head, self.advice.why, *told])

    def solved_by(self, token: str) -> bool:
        """Whether an answer in notation is the solution.

        Args:
            token: a move, or the name of a mode; the squares of a superposition in any order.

        Raises:
            MoveSyntaxError: it is neither.
            IllegalMoveError: the move is not legal here.
        """
        return choice_of(token, self.game.state) in self.solutions

    def refutation(self, token: str) -> str:
        """What a wrong answer is worth, in a sentence.

        Args:
            token: as for ``solved_by``.

        Raises:
            MoveSyntaxError: it is neither a move nor a mode.
            IllegalMoveError: the move is not legal here.
        """
        choice = choice_of(token, self.game.state)
        values = dict(self.advice.choices)
        gap = values[self.solutions[0]].for_player(self.turn) - values[choice].for_player(self.turn)
        return f"Not {choice}: {chances(values[choice])}, {gap:.3f} less to {self.turn} than the best."


_QUESTIONS = {
    Aim.WIN: "{turn} to move wins for certain. How?",
    Aim.SAVE: "{turn} to move. With any move but one {other} comes out well ahead. Which one saves {turn}?",
    Aim.MODE: "The positions are observed, and {turn} chooses the mode. Standard or rotated?",
    Aim.BEST: "{turn} to move. One move is clearly better than all others. Which?",
}


def choice_of(token: str, state: State) -> Choice:
    """Read a choice typed by somebody.

    Args:
        token: a move in notation, or the name of a mode where one is to be chosen.
        state: the state in which it is made.

    Raises:
        UsageError: a mode is asked for, and this is none.
        MoveSyntaxError: it is no move.
        IllegalMoveError: the move is not legal here.
    """
    if state.phase is Phase.MODE:
        if token not in tuple(Mode):
            raise UsageError(f"{token!r} is no mode: they are standard and rotated")
        return Mode(token)
    event = parse_event(token)
    if not isinstance(event, Move):
        raise UsageError(f"{token} is no move")
    state.child(event)
    return event


def graded(decoys: int) -> Grade:
    """The grade of a puzzle with so many decoys."""
    if decoys <= MOST_DECOYS[Grade.EASY]:
        return Grade.EASY
    return Grade.MEDIUM if decoys <= MOST_DECOYS[Grade.MEDIUM] else Grade.HARD


def puzzle_at(game: Game) -> Puzzle | None:
    """The puzzle that a position makes, if one choice is clearly the best.

    Args:
        game: a game at a moment when a player has to choose.

    Raises:
        UnsolvedError: the rules are not solved.
    """
    state = game.state
    if len(choices(state)) < 2:
        return None
    advice = advise(game)
    if not advice.exact:
        raise UnsolvedError(f"{state.rules} is not solved, so nothing can be proved")
    order = advice.choices
    solutions = tuple(choice for choice, _ in order if same_choice(choice, order[0][0], state))
    rest = [value for choice, value in order if choice not in solutions]
    if not rest:
        return None
    player = decider(state)
    best, next_best = order[0][1].for_player(player), rest[0].for_player(player)
    if best - next_best < LEAST_GAP:
        return None
    aim = _aim(state, best, next_best)
    question = _QUESTIONS[aim].format(turn=player, other=player.opponent)
    return Puzzle(game, question, aim, decoys(odds_now(state), solutions, player), solutions, advice)


def same_choice(one: Choice, other: Choice, state: State) -> bool:
    """Whether two choices differ at most by a view switch after the move that fills the board."""
    if one == other or not isinstance(one, Move) or not isinstance(other, Move):
        return one == other
    core = (one.kind, one.squares, one.before) == (other.kind, other.squares, other.before)
    return core and len(one.filled) == len(state.position.empty_squares)


def decoys(looks: Mapping[Choice, Value], solutions: tuple[Choice, ...], player: Symbol) -> int:
    """How many other choices look at least as good at once as the solution.

    Args:
        looks: the odds right after each choice (``nearsight.odds_now``).
        solutions: the solution.
        player: whose choice it is.
    """
    seen = max(looks[choice].for_player(player) for choice in solutions)
    return sum(
        value.for_player(player) >= seen - _MARGIN
        for choice, value in looks.items()
        if choice not in solutions
    )


def _aim(state: State, best: float, next_best: float) -> Aim:
    if state.phase is Phase.MODE:
        return Aim.MODE
    if best >= _SURE:
        return Aim.WIN
    if best >= -_MARGIN and next_best <= _LOST:
        return Aim.SAVE
    return Aim.BEST


def find_puzzle(rules: Rules, rng: Uniform, grade: Grade | None = None, aim: Aim | None = None) -> Puzzle:
    """Find a puzzle in random games.

    Args:
        rules: level and options; they must be solved.
        rng: where the games' random numbers come from.
        grade: the grade wanted; None for any.
        aim: what it shall ask for; None for anything.

    Raises:
        UnsolvedError: the rules are not solved, so that nothing could be proved.
        NoPuzzleError: many games held no such puzzle.
    """
    if not is_solved(rules):
        raise UnsolvedError(f"puzzles are proved by the solver, and {rules} is not solved")
    if aim is Aim.MODE and not rules.level.rotated_mode:
        raise UsageError(f"at Level {rules.level.number} there is no mode to choose")
    for game in _positions(rules, rng):
        puzzle = puzzle_at(game)
        if puzzle and grade in (None, puzzle.grade) and aim in (None, puzzle.aim):
            return puzzle
    raise NoPuzzleError(f"{_MOST_GAMES} random games held no such puzzle")


def _positions(rules: Rules, rng: Uniform) -> Iterator[Game]:
    """One position from each of many games of chance: greedy and random choices mixed."""
    players = (GreedyPlayer(), RandomPlayer())
    for _ in range(_MOST_GAMES):
        game = Game(rules=rules)
        wanted = 3 + int(rng.random() * 9)
        while not game.over and len(game.events) < 30:
            state = game.state
            if state.phase is Phase.OBSERVATION:
                _observe(game, rng)
                continue
            late = state.phase is Phase.MODE or len(state.position.empty_squares) <= _MOST_EMPTY
            if len(game.events) >= wanted and late:
                yield game
                break
            choice = players[rng.random() < 0.5].choose(state, rng)
            if isinstance(choice, Mode):
                game.push(Observation(state.odds(choice).draw(rng), choice))
            else:
                assert isinstance(choice, Move)
                game.push(choice)


def _observe(game: Game, rng: Uniform) -> None:
    state = game.state
    board = state.odds(state.modes[0]).draw(rng)
    if len(state.modes) > 1:
        game.push(Positions(filled_squares(board)))
    else:
        game.push(Observation(board, state.modes[0]))


# The questions of the rule texts.


@dataclass(frozen=True, slots=True)
class TextPuzzle:
    """A question that a rule text asks.

    Attributes:
        source: where it is asked.
        record: the game up to it.
        level: the level.
        question: the question, in our words.
        discussed: choices that the text discusses, in notation.
    """

    source: str
    record: str
    level: int
    question: str
    discussed: tuple[str, ...] = ()

    def puzzle(self) -> Puzzle:
        """The puzzle, its answer worked out: by the solver, or by a search that sees the end."""
        game = Game(self.level)
        game.play(self.record)
        state, advice = game.state, advise(game)
        player = decider(state)
        best, next_best = advice.choices[0][1], advice.choices[-1][1]
        solutions = tuple(
            choice
            for choice, value in advice.choices
            if abs(value.value - best.value) <= _MARGIN and abs(value.tie - best.tie) <= _MARGIN
        )
        aim = _aim(state, best.for_player(player), next_best.for_player(player))
        hidden = decoys(odds_now(state), solutions, player)
        discussed = tuple(choice_of(token, state) for token in self.discussed)
        return Puzzle(game, self.question, aim, hidden, solutions, advice, self.source, discussed)


_LEVEL_FIVE_BOARD = "5 5-6 9 2 1+7 1*3 ~4 4*8 =r:XXOX.O.OX"
TEXT_PUZZLES: dict[str, TextPuzzle] = {
    "two-left": TextPuzzle(
        "the short rule book, 1.4",
        "5+6 5*8 1 1*2 3+7 4 9 =OXXOO..XX",
        2,
        "The first observation decided nothing, two squares are left, and it is O's turn. One move wins for "
        "certain. Which?",
        ("6", "7"),
    ),
    "shared-row": TextPuzzle(
        "the Level-2 text, Balance and Strategy, footnote 4",
        "5 5*4",
        2,
        "An entangled pair lies in the middle row. Which square is therefore bad for either player, and what "
        "is X's best move?",
        ("6", "1", "7", "1+7"),
    ),
    "split-opening": TextPuzzle(
        "the Level-2 text, Balance and Strategy, footnote 5",
        "1+5",
        2,
        "X has opened with a superposition over a corner and the middle. How does O take advantage?",
        ("5*9", "1*9"),
    ),
    "the-last-line": TextPuzzle(
        "the Level-5 text, The Observation Phase",
        _LEVEL_FIVE_BOARD,
        5,
        "After the observation it is X's turn, and one move is sure to win. Which?",
        ("5", "7"),
    ),
    "the-corner": TextPuzzle(
        "the Level-5 text, The Observation Phase",
        "1+5 3 2+7 6 4 8 9 =XXOX.O.OX",
        5,
        "The same board, but it is O's turn, and X threatens to win in two ways. What is O's best chance?",
        ("1*5", "1-5", "5+7"),
    ),
}
