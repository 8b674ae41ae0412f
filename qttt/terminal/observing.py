"""The observation phase of a keyboard game: by circuit or by dice, shown as it happens."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from qttt.commands.session import Session
from qttt.errors import IllegalMoveError
from qttt.game import Game
from qttt.observation import (
    CircuitObserver,
    DiceObserver,
    Observer,
    Sample,
    measure_square,
    observe_positions,
)
from qttt.outcomes import Measurement, Observation, Positions
from qttt.questions import Step
from qttt.rolls import Roll, measure_by_rolls, roll_step, table_of
from qttt.squares import EMPTY
from qttt.state import Phase
from qttt.symbols import Mode
from qttt.tabletop import Table

if TYPE_CHECKING:
    import numpy as np

ChooseMode = Callable[[Game], Mode]
Keep = Callable[[], None]


def measure(
    game: Game, square: int, observer: Observer, rng: "np.random.Generator", session: Session
) -> Measurement:
    """Observe one square as a turn (option ``measure-turn``), and show how.

    Args:
        game: a game that waits for a move; it gets the result.
        square: the square to measure.
        observer: who looks.
        rng: where the random numbers come from.
        session: where it is shown.

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
        _show_rolls(rolls, session)
    else:
        found, sample = measure_square(game, square, observer, rng)
        session.show(_measured(observer, sample, game, Mode.STANDARD))
    game.push(found)
    what = "is empty, and can be played in again" if found.cell == EMPTY else f"holds {found.cell}"
    session.show(f"Square {square} {what}.")
    return found


def observe(
    game: Game,
    observer: Observer,
    rng: "np.random.Generator",
    session: Session,
    choose: ChooseMode,
    keep: Keep,
) -> None:
    """Run the observation phase that a game waits for, and push its events.

    Args:
        game: a game whose board is full.
        observer: who looks.
        rng: where the random numbers come from.
        session: where it is shown.
        choose: asks the initiator for the mode once the positions are known.
        keep: called after every event, to save the record.
    """
    if isinstance(observer, DiceObserver):
        _by_dice(game, observer, rng, session, choose, keep)
    else:
        _by_circuit(game, observer, rng, session, choose, keep)


def _by_circuit(
    game: Game,
    observer: Observer,
    rng: "np.random.Generator",
    session: Session,
    choose: ChooseMode,
    keep: Keep,
) -> None:
    state = game.state
    initiator = state.initiator
    if state.phase is Phase.OBSERVATION and len(state.modes) > 1:
        session.show(f"The board is full: {initiator} initiated the observation. Positions first.")
        positions, sample = observe_positions(game, observer, rng)
        game.push(positions)
        keep()
        session.show(_measured(observer, sample, game, Mode.STANDARD))
    elif state.phase is Phase.OBSERVATION:
        session.show(f"The board is full: {initiator} initiated the observation.")
    mode = _mode(game, session, choose)
    sample = observer.draw(game, mode, rng)
    given = " given these positions" if game.state.positions else ""
    session.show(_measured(observer, sample, game, mode) + f" Read in {mode} mode{given}: {sample.first}")
    game.push(Observation(sample.first, mode))
    keep()


def _mode(game: Game, session: Session, choose: ChooseMode) -> Mode:
    modes = game.state.modes
    if len(modes) == 1:
        return modes[0]
    session.show(session.board(game.state.position.standard(), game.state.positions))
    return choose(game)


def _measured(observer: Observer, sample: Sample, game: Game, mode: Mode) -> str:
    text = f"Measured on {observer.name}"
    if isinstance(observer, CircuitObserver):
        compiled = observer.compile(game, mode)
        live = {bit for item in compiled.circuit.data for bit in item.qubits}
        text += f", {len(live)} qubits in use"
    thrown = sample.herald_failed + sample.illegal
    if thrown:
        text += f", shot {thrown + 1} (the first {thrown} did not count: a herald fired)"
    return f"{text}."


def _by_dice(
    game: Game,
    observer: DiceObserver,
    rng: "np.random.Generator",
    session: Session,
    choose: ChooseMode,
    keep: Keep,
) -> None:
    state = game.state
    session.show(f"The board is full: {state.initiator} initiated the observation and rolls first.")
    rolls, table = roll_step(table_of(state), rng, observer.rolls)
    _show_rolls(rolls, session)
    if table.step is Step.POSITIONS:
        if state.positions is None:
            game.push(Positions(table.filled))
            keep()
        session.show("Every remaining square will hold a piece:", session.board(table.position))
        table = table.choose(choose(game))
        rolls, table = roll_step(table, rng, observer.rolls)
        _show_rolls(rolls, session)
    game.push(Observation(table.board, _final_mode(table)))
    keep()


def _final_mode(table: Table) -> Mode:
    return Mode.STANDARD if table.mode is None else table.mode


def _show_rolls(rolls: list[Roll], session: Session) -> None:
    for roll in rolls:
        session.show(f"  {roll}")
