"""The observation phase of a keyboard game: by circuit or by dice, shown as it happens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qttt.cli.console.session import Session
from qttt.cli.console.tables import RESULT_WORDS
from qttt.cli.keyboard.pace import SQUARE, Pace
from qttt.display.status import shown_position
from qttt.display.text import percent
from qttt.errors import IllegalMoveError
from qttt.game.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.result import Result
from qttt.game.squares import EMPTY
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.observation.observers import (
    CircuitObserver,
    DiceObserver,
    Observer,
    Sample,
    measure_square,
    observe_positions,
)
from qttt.tabletop.questions import Step
from qttt.tabletop.retrace import reveal_order
from qttt.tabletop.rolls import Roll, Rolls, measure_by_rolls, roll_odds, roll_step, table_of

if TYPE_CHECKING:
    import numpy as np


def measure(
    game: Game, square: int, observer: Observer, rng: "np.random.Generator", session: Session, pace: Pace
) -> Measurement:
    """Observe one square as a turn (option ``measure-turn``), and show how.

    Args:
        game: a game that waits for a move; it gets the result.
        square: the square to measure.
        observer: who looks.
        rng: where the random numbers come from.
        session: where it is shown.
        pace: how fast.

    Raises:
        IllegalMoveError: the square cannot be measured now.
    """
    state = game.state
    if square not in state.measurable():
        # The rules refuse the square whatever its result would be, and say why.
        try:
            state.child(Measurement(square, EMPTY))
        except IllegalMoveError as error:
            raise IllegalMoveError(f"?{square}", error.rule, error.player) from None
    if isinstance(observer, DiceObserver):
        found, rolls = measure_by_rolls(state, square, rng)
        _show_rolls(rolls, session, pace)
    else:
        found, sample = measure_square(game, square, observer, rng)
        session.show(_measured(observer, sample, game, Mode.STANDARD))
    game.push(found)
    what = "is empty, and can be played in again" if found.cell == EMPTY else f"holds {found.cell}"
    session.show(f"Square {square} {what}.")
    return found


@dataclass(frozen=True, slots=True)
class ObservationPhase:
    """One observation phase of a keyboard game, as it is run and shown.

    Attributes:
        game: a game whose board is full; it gets the events.
        observer: who looks.
        rng: where the random numbers come from.
        session: where it is shown.
        choose: asks the initiator for the mode once the positions are known.
        keep: called after every event, to save the record.
        pace: how fast it is shown.
    """

    game: Game
    observer: Observer
    rng: "np.random.Generator"
    session: Session
    choose: Callable[[Game], Mode]
    keep: Callable[[], None]
    pace: Pace

    def run(self) -> None:
        """Observe the board, and push what comes of it.

        Raises:
            ServiceError: the backend failed; the game is as far as it had come.
        """
        if self.game.state.position.view is View.ROTATED:
            self.session.show("For the observation the view goes back to standard.")
        if isinstance(self.observer, DiceObserver):
            self._by_dice(self.observer)
        else:
            self._by_circuit()

    def _push(self, event: Positions | Observation) -> None:
        self.game.push(event)
        self.keep()

    def _in_view(self) -> str:
        return ", seen in the standard view" if self.game.rules.level.rotated_view else ""

    def _by_circuit(self) -> None:
        game, observer, show = self.game, self.observer, self.session.show
        state = game.state
        if state.phase is Phase.OBSERVATION and len(state.modes) > 1:
            positions, sample = observe_positions(game, observer, self.rng)
            show(_measured(observer, sample, game, Mode.STANDARD) + f" Positions first{self._in_view()}:")
            reveal(state, positions, self.session, self.pace)
            self._push(positions)
        mode = self._mode()
        sample = observer.draw(game, mode, self.rng)
        given = " given these positions" if game.state.positions else ""
        show(_measured(observer, sample, game, mode) + f" Read in {mode} mode{given}: {sample.first}")
        outcome = Observation(sample.first, mode)
        reveal(game.state, outcome, self.session, self.pace)
        self._push(outcome)

    def _mode(self) -> Mode:
        state = self.game.state
        if len(state.modes) == 1:
            return state.modes[0]
        self.session.show(self.session.board(shown_position(self.game), state.positions))
        return self.choose(self.game)

    def _by_dice(self, observer: DiceObserver) -> None:
        state, show = self.game.state, self.session.show
        if state.positions is None:
            show(f"{state.initiator} rolls first.")
        rolls, table = roll_step(table_of(state), self.rng, observer.rolls)
        _show_rolls(rolls, self.session, self.pace)
        if table.step is Step.POSITIONS:
            if state.positions is None:
                self._push(Positions(table.filled))
            show(
                f"Every remaining square will hold a piece{self._in_view()}:",
                self.session.board(table.position, self.game.state.positions),
            )
            rolls, table = roll_step(table.choose(self.choose(self.game)), self.rng, observer.rolls)
            _show_rolls(rolls, self.session, self.pace)
        self._push(Observation(table.board, table.mode or Mode.STANDARD))


def _measured(observer: Observer, sample: Sample, game: Game, mode: Mode) -> str:
    text = f"Measured on {observer.name}"
    if isinstance(observer, CircuitObserver):
        compiled = observer.compile(game, mode)
        live = {bit for item in compiled.circuit.data for bit in item.qubits}
        text += f", {len(live)} qubits in use"
    reasons = [
        f"{count} {word}"
        for count, word in (
            (sample.herald_failed, "failed herald" if sample.herald_failed == 1 else "failed heralds"),
            (sample.illegal, "impossible"),
        )
        if count
    ]
    if reasons:
        kept = sample.kept + sample.unused
        counting = "counts" if kept == 1 else "count"
        text += f", {sample.shots} shots of which {kept} {counting} ({', '.join(reasons)})"
    return f"{text}."


def _show_rolls(rolls: list[Roll], session: Session, pace: Pace) -> None:
    waiting = True
    for roll in rolls:
        waiting = waiting and pace.pause(SQUARE)
        session.show(f"  {roll}")


def reveal(state: State, outcome: Observation | Positions, session: Session, pace: Pace) -> None:
    """Show what a circuit gave square by square, in the order in which it would be rolled at the table.

    Args:
        state: the state before the outcome.
        outcome: what was measured.
        session: where it is shown.
        pace: how fast.
    """
    cells = outcome.filled if isinstance(outcome, Positions) else outcome.board
    words = {EMPTY: "empty", "#": "filled"} | {
        str(symbol): session.glyphs.symbol(symbol) for symbol in Symbol
    }
    column, waiting = 0, True
    for square in reveal_order(state, outcome):
        said = f"  {square} {words[cells[square - 1]]}"
        if column + len(said) > session.columns:
            session.write("\n")
            column = 0
        waiting = waiting and pace.pause(SQUARE)
        session.write(said)
        column += len(said)
    session.write("\n" * bool(column))


def told(game: Game, rolls: Rolls) -> list[str]:
    """What the last observation's board was worth beforehand: its chance, and those of the results.

    Args:
        game: a game whose last event is an observation.
        rolls: by which chances it was rolled.
    """
    outcome, states = game.events[-1], game.states
    assert isinstance(outcome, Observation)
    before = states[-3] if isinstance(game.events[-2], Positions) else states[-2]
    boards = roll_odds(before, outcome.mode, rolls).outcomes()
    results: dict[Result, float] = {}
    for board, probability in boards.items():
        result = before.verdict(board)
        results[result] = results.get(result, 0.0) + probability
    chances = ", ".join(
        f"{RESULT_WORDS[each]} {percent(results[each])}" for each in Result if each in results
    )
    mode = f" in {outcome.mode} mode" * (len(before.modes) > 1)
    return [
        f"This board had a chance of {percent(boards.get(outcome.board, 0.0))}{mode}.",
        f"The chances had been: {chances}.",
    ]
