"""A moment of a game: position, turn, and which event may come next. Events give new states."""

from dataclasses import dataclass, field, replace
from enum import Enum

from qttt.errors import IllegalMoveError
from qttt.game.adjustment import collapses
from qttt.game.legality import (
    check_measurement,
    check_move,
    legal_in_view,
    legal_moves,
    measurable_squares,
    open_to,
)
from qttt.game.moves import Move
from qttt.game.odds import Odds, observation_odds
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.position import START, Position
from qttt.game.result import Result, decide
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES, checked
from qttt.game.symbols import Mode, Symbol

Event = Move | Measurement | Observation | Positions


class Phase(Enum):
    """What the game waits for."""

    MOVE = "a move"
    OBSERVATION = "an observation"
    MODE = "the mode of observation"
    OVER = "nothing: the game is over"


@dataclass(frozen=True, slots=True)
class State:
    """A game between two events; immutable.

    Attributes:
        rules: level and options.
        position: the board.
        turn: who moves next; while the board is full, who will move if the game goes on after it.
        switched: how many view switches X and O have made since the last observation.
        observations: how many observation phases are finished.
        positions: the filled squares, once they are observed and the mode is still to be chosen.
        result: how the last observation left the game; ``continue`` before the first.
        measured: the squares measured since the last observation phase (option ``measure-turn``).
        repeats: how many observations in a row have left the board full without a leader (``no-ties``).

    Raises:
        UsageError: on construction, if there is no such player.
    """

    rules: Rules = field(default_factory=Rules)
    position: Position = START
    turn: Symbol = Symbol.X
    switched: tuple[int, int] = (0, 0)
    observations: int = 0
    positions: Positions | None = None
    result: Result = Result.CONTINUE
    repeats: int = 0
    measured: frozenset[int] = frozenset()
    _odds: dict[Mode, Odds] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Take a player who is named by a plain string, and have switches read as the rules say."""
        if self.turn.__class__ is not Symbol:
            object.__setattr__(self, "turn", Symbol.named(self.turn))
        if self.position.physical is not self.rules.options.physical_view:
            position = replace(self.position, physical=self.rules.options.physical_view)
            object.__setattr__(self, "position", position)

    @property
    def phase(self) -> Phase:
        """What may come next."""
        if self.result is not Result.CONTINUE:
            return Phase.OVER
        if self.positions is not None:
            return Phase.MODE
        return Phase.OBSERVATION if self.position.full else Phase.MOVE

    @property
    def initiator(self) -> Symbol:
        """The player who moved last, and so initiated the observation if the board is full."""
        return self.turn.opponent

    @property
    def switches_left(self) -> int:
        """View switches that the player to move may still make before the next observation."""
        return self.rules.view_switches - self.switched[self.turn is Symbol.O]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes in which the board may be observed: one where there is no choice.

        Under ``no-ties`` a full board without a leader is observed again, modes alternating from rotated.
        """
        if not self.rules.level.rotated_mode:
            return (Mode.STANDARD,)
        if self.repeats:
            return (Mode.ROTATED,) if self.repeats % 2 else (Mode.STANDARD,)
        return (Mode.STANDARD, Mode.ROTATED)

    def odds(self, mode: Mode = Mode.STANDARD) -> Odds:
        """The exact odds of the board if observed now; after the positions, those that agree with them.

        Raises:
            IllegalMoveError: if the mode does not exist at this level.
            UsageError: if it exists at none.
        """
        mode = Mode.named(mode)
        if mode is Mode.ROTATED and not self.rules.level.rotated_mode:
            raise IllegalMoveError(
                "rotated mode", f"it starts at Level 4, and this is Level {self.rules.level.number}"
            )
        if mode not in self._odds:
            odds = observation_odds(self.position, mode)
            self._odds[mode] = odds if self.positions is None else odds.given(self.positions.filled)
        return self._odds[mode]

    def verdict(self, board: str) -> Result:
        """How the game would stand if the board were observed now and gave this."""
        result = decide(board, self.rules)
        limit = self.rules.options.max_observations
        if result is Result.CONTINUE and limit is not None and self.observations + 1 >= limit:
            return Result.TIE
        return result

    def result_odds(self, mode: Mode = Mode.STANDARD) -> dict[Result, float]:
        """The probabilities of X, O, tie and continue if the board were observed now."""
        totals = dict.fromkeys(Result, 0.0)
        for board, probability in self.odds(mode).outcomes().items():
            totals[self.verdict(board)] += probability
        return totals

    def legal_moves(self) -> list[Move]:
        """Every legal move in canonical order, with view switches; empty unless the game waits for a move."""
        if self.phase is not Phase.MOVE:
            return []
        return legal_moves(self.position, self.turn, self.rules, self.switches_left)

    def legal_here(self, *, switched: bool = False) -> list[Move]:
        """The legal moves in the current view without switches, or those after a switch, written ``~m``."""
        if self.phase is not Phase.MOVE or (switched and not self.switches_left):
            return []
        moves = legal_in_view(self.position, self.turn, self.rules, self.switches_left, switched=switched)
        return [replace(move, before=True) for move in moves] if switched else moves

    def open_to(self, square: int) -> Symbol | None:
        """The player to whom a square, 1 to 9, is open, if to anybody.

        It is open to the player whose shape can attack there, if they would have a legal attack on it,
        without a view switch, were it their turn. Nothing is open unless the game waits for a move.

        Raises:
            UsageError: there is no such square.
        """
        checked(square)
        return open_to(self.position, square, self.rules) if self.phase is Phase.MOVE else None

    def open_squares(self) -> dict[int, Symbol]:
        """Every open square, ascending, and the player to whom it is open."""
        return {square: player for square in SQUARES if (player := self.open_to(square))}

    def measurable(self) -> tuple[int, ...]:
        """The squares that the player to move may measure instead of a move (option ``measure-turn``)."""
        if self.phase is not Phase.MOVE:
            return ()
        return measurable_squares(self.position, self.rules, self.measured)

    def measurement_odds(self, square: int) -> dict[str, float]:
        """The exact probability of each possible result, ``X``, ``O`` or ``.``, of measuring a square.

        Args:
            square: one of ``measurable``.

        Raises:
            UsageError: there is no such square.
        """
        return {end.cell: float(end.chance) for end in collapses(self.position.dice, checked(square))}

    def child(self, event: Event) -> "State":
        """The state after an event.

        Raises:
            IllegalMoveError: if the event is not possible here, with the rule against it.
        """
        if isinstance(event, Move):
            return self._moved(event)
        if isinstance(event, Measurement):
            return self._measured(event)
        if isinstance(event, Positions):
            return self._positioned(event)
        return self._observed(event)

    def _check_turn(self, token: str) -> None:
        waits = {
            Phase.OVER: f"the game is over ({_ending(self.result)})",
            Phase.OBSERVATION: "the board is full, so the observation phase comes first",
            Phase.MODE: "the positions are observed, so the mode and its result come first",
        }
        if self.phase is not Phase.MOVE:
            raise IllegalMoveError(token, waits[self.phase], self.turn)

    def _moved(self, move: Move) -> "State":
        self._check_turn(str(move))
        check_move(move, self.position, self.turn, self.rules, self.switches_left)
        x, o = self.switched
        switched = (x + move.switches, o) if self.turn is Symbol.X else (x, o + move.switches)
        return replace(
            self,
            position=self.position.after(move, self.turn),
            turn=self.turn.opponent,
            switched=switched,
            repeats=0,
        )

    def _measured(self, measurement: Measurement) -> "State":
        token, square, cell = str(measurement), measurement.square, measurement.cell
        self._check_turn(token)
        check_measurement(measurement, self.position, self.turn, self.rules, self.measured)
        ends = {end.cell: end.dice for end in collapses(self.position.dice, square)}
        if cell not in ends:
            possible = " or ".join(f"?{square}={other}" for other in ends)
            raise IllegalMoveError(token, f"the position cannot give it, only {possible}", self.turn)
        observed = self.position.observed
        return replace(
            self,
            position=replace(
                self.position,
                dice=ends[cell],
                observed=observed[: square - 1] + cell + observed[square:],
            ),
            turn=self.turn.opponent,
            measured=self.measured | {square},
        )

    def _check_observable(self, token: str) -> None:
        if self.phase is Phase.OVER:
            raise self._refusal(token, f"the game is over ({_ending(self.result)})")
        if self.phase is Phase.MOVE:
            empty = ", ".join(map(str, self.position.empty_squares))
            raise self._refusal(
                token, f"the board is observed only once it is full, and it is empty at {empty}"
            )

    def _refusal(self, token: str, rule: str) -> IllegalMoveError:
        """An observation is the initiator's: they moved last, roll first and choose the mode."""
        return IllegalMoveError(token, rule, self.initiator)

    def _positioned(self, positions: Positions) -> "State":
        token = str(positions)
        self._check_observable(token)
        if len(self.modes) == 1:
            raise self._refusal(
                token, "there is no mode to choose here, so the whole board is observed at once"
            )
        if self.positions is not None:
            raise self._refusal(token, "the positions are observed already")
        if positions.filled not in self.odds().positions():
            raise self._refusal(token, "the position cannot give these filled squares")
        # An observation begins by putting the view back.
        return replace(self, positions=positions, position=self.position.standard())

    def _observed(self, observation: Observation) -> "State":
        token = str(observation)
        self._check_observable(token)
        if observation.mode not in self.modes:
            why = (
                f"the rotated mode starts at Level 4, and this is Level {self.rules.level.number}"
                if not self.rules.level.rotated_mode
                else f"this repeated observation is in {self.modes[0]} mode (option no-ties)"
            )
            raise self._refusal(token, why)
        if self.positions is not None and not self.positions.agree(observation.board):
            raise self._refusal(token, f"the observed positions were {self.positions.filled}")
        if self.odds(observation.mode).probability(observation.board) <= 0:
            raise self._refusal(token, "the position cannot give this board")
        position = self.position.observed_as(observation.board, in_play=self.rules.level.observed_in_play)
        return replace(
            self,
            position=position,
            switched=(0, 0),
            measured=frozenset(),
            observations=self.observations + 1,
            positions=None,
            result=self.verdict(observation.board),
            repeats=self.repeats + 1 if position.full else 0,
        )


def _ending(result: Result) -> str:
    return "a tie" if result is Result.TIE else f"{result} won"
