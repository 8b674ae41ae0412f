"""What workers do for a table, each from its record; what goes in and what comes out JSON can say."""

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from random import Random
from typing import Any, Final

from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.game.state import Event, State
from qttt.game.symbols import Mode, Symbol
from qttt.page.answers import answer
from qttt.page.protocol import Message
from qttt.players.strategies import accepts_draw, get_player
from qttt.records.record import Record
from qttt.tabletop.questions import Step
from qttt.tabletop.rolls import Roll, measure_by_rolls, roll_step, table_of


def choose(record: str, player: str, seed: int) -> str:
    """What a computer player chooses: a token, ``?5`` to look at a square, or the name of a mode.

    Args:
        record: the game.
        player: its name.
        seed: where its random numbers start.
    """
    game = Record.parse(record).game()
    return str(get_player(player, game.rules).choose(game.state, Random(seed)))


def takes_draw(record: str, player: str, symbol: str) -> bool:
    """Whether a computer player, which plays a symbol, agrees to a draw."""
    game = Record.parse(record).game()
    return accepts_draw(get_player(player, game.rules), Symbol(symbol), game.state)


def observe(record: str, backend: str, mode: str | None, square: int | None, seed: int) -> list[Any]:
    """Look at the board by circuit.

    Args:
        record: the game.
        backend: who looks.
        mode: the mode; None for the only one there is, or for the positions alone where there are two.
        square: the square to measure as a turn; None to observe the board.
        seed: where random numbers start.

    Returns:
        The event's token, and the fields of the `Sample`.
    """
    import numpy as np

    from qttt.observation.observers import measure_square, named_in_file, observe_positions

    game, rng = Record.parse(record).game(), np.random.default_rng(seed)
    observer = _observer(named_in_file(backend))
    if square is not None:
        measurement, sample = measure_square(game, square, observer, rng)
        return [str(measurement), asdict(sample)]
    if mode is None and needs_mode(game.state):
        positions, sample = observe_positions(game, observer, rng)
        return [str(positions), asdict(sample)]
    chosen = game.state.modes[0] if mode is None else Mode.named(mode)
    sample = observer.draw(game, chosen, rng)
    return [str(Observation(sample.first, chosen)), asdict(sample)]


@lru_cache(maxsize=4)
def _observer(name: str):  # type: ignore[no-untyped-def]
    from qttt.observation.observers import get_observer

    return get_observer(name, accept_noise=True)


def needs_mode(state: State) -> bool:
    """Whether the players choose the mode of the observation that is due."""
    return len(state.modes) > 1


def roll(game: Game, mode: Mode | None, square: int | None, rng: Random) -> tuple[Event, tuple[Roll, ...]]:
    """Look at the board by dice: as ``observe``, in the open.

    Args:
        game: the game.
        mode: the mode, or None as in ``observe``.
        square: the square to measure as a turn, or None.
        rng: where the throws come from.
    """
    from qttt.game.outcomes import Positions

    if square is not None:
        measurement, rolls = measure_by_rolls(game.state, square, rng)
        return measurement, tuple(rolls)
    rolls, table = roll_step(table_of(game.state), rng)
    if table.step is Step.POSITIONS:
        if mode is None:
            return Positions(table.filled), tuple(rolls)
        more, table = roll_step(table.choose(mode), rng)
        rolls += more
    elif mode is not None and mode is not table.mode:
        raise UsageError(f"this observation is in {table.mode} mode")
    return Observation(table.board, table.mode or Mode.STANDARD), tuple(rolls)


def answered(what: str, record: str, question: Message) -> Message:
    """Answer a page's question."""
    return answer(what, Record.parse(record), question)


def lesson(record: str) -> str:
    """The page that explains a game, whole."""
    from qttt.teaching.lesson.building import make_lesson
    from qttt.teaching.lesson.html import lesson_html

    return lesson_html(make_lesson(Record.parse(record)))


def warm_players() -> None:
    """Load what computer players need."""
    for level in (1, 2, 3, 5):
        choose(f'[Level "{level}"] 5', "hard" if level < 3 else "easy", 0)


def warm_circuits() -> None:
    """Load what circuits need: seconds where nothing is in the system's cache."""
    observe('[Level "2"] 1 2 3 4 5 6 7 8 9', "aer", None, None, 0)
    answered("circuit", '[Level "2"] 5', {})


TASKS: Final[dict[str, Callable[..., Any]]] = {
    task.__name__: task for task in (choose, takes_draw, observe, answered, lesson)
}
"""What a worker does when it is told the name."""
