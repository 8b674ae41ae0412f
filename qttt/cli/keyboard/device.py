"""The observation phase of a keyboard game on a device: its job, its impossible shots, jobs left before."""

from contextlib import suppress
from typing import TYPE_CHECKING

from qttt.cli.console.job_output import (
    ChooseMode,
    Outcome,
    ShowPositions,
    observe_on_device,
    resume_on_device,
)
from qttt.display.status import shown_position
from qttt.errors import QtttError
from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.devices import DeviceObserver
from qttt.observation.job_file import HEADER, find
from qttt.observation.samples import Sample
from qttt.records.files import load_record, save_new_record

if TYPE_CHECKING:
    from qttt.cli.keyboard.game import KeyboardGame


def is_on_device(keyboard: "KeyboardGame") -> bool:
    """Whether the next observation of a game is a device's: it waits for a job, or will send one."""
    return HEADER in keyboard.record.headers or isinstance(keyboard.observer, DeviceObserver)


def observe_by_device(keyboard: "KeyboardGame") -> None:
    """Run the observation phase of a keyboard game on its device, or fetch the job that it waits for.

    Raises:
        QtttError: the job failed, or waits still; the record says so.
    """
    game, session = keyboard.game, keyboard.session

    def show_positions(game: Game, sample: Sample) -> None:
        session.show(f"{_possible(sample)} The first possible one gives the positions.")

    def choose(game: Game) -> Mode:
        session.show(session.board(shown_position(game), game.state.positions))
        return keyboard.choose_mode(game)

    if game.state.phase is Phase.OBSERVATION:
        first = " Positions first." if len(game.state.modes) > 1 else ""
        session.show(f"The board is full: {game.state.initiator} initiated the observation.{first}")
    try:
        if HEADER in keyboard.record.headers:
            assert keyboard.file is not None, "a record with a job comes from a file"
            session.show(f"This game waits for a job: {keyboard.record.headers[HEADER]}")
            outcome = resume_on_device(
                find(keyboard.file),
                game,
                session,
                choose=choose,
                accept_noise=keyboard.accept_noise,
                show_positions=show_positions,
            )
        else:
            outcome = _observe(keyboard, choose, show_positions)
    except BaseException:
        # The file has what happened on the way: the job, and perhaps the positions.
        _reread(keyboard)
        raise
    keyboard.record = keyboard.known = outcome.pending.record
    last = game.events[-1]
    assert isinstance(last, Observation)
    assert outcome.pending.sent is not None
    text = f"Measured on {outcome.pending.sent.backend}. {_possible(outcome.sample)}"
    if outcome.collapsed:
        text += " The circuit prepared the state that the positions had left."
    if outcome.pending.policy is not None:
        text += f" The circuit chose: {outcome.pending.policy}."
    given = " given these positions" if len(game.events) > 1 and outcome.sample.unused else ""
    session.show(f"{text} Read in {last.mode} mode{given}: {last.board}")


def _observe(keyboard: "KeyboardGame", choose: ChooseMode, show_positions: ShowPositions) -> Outcome:
    assert isinstance(keyboard.observer, DeviceObserver)
    record = keyboard.record.updated(keyboard.game)
    if keyboard.file is None and not keyboard.observer.backend.local:
        # What is paid for is kept, whatever the players have asked for.
        keyboard.file = save_new_record(record)
        keyboard.known = record
        keyboard.session.show(f"The record is in {keyboard.file} from now on.")
    return observe_on_device(
        keyboard.game,
        record,
        keyboard.file,
        keyboard.observer,
        keyboard.rng,
        keyboard.session,
        choose=choose,
        show_positions=show_positions,
    )


def _reread(keyboard: "KeyboardGame") -> None:
    """Take the record from its file, unless that is gone or has become another game."""
    if keyboard.file is None:
        return
    with suppress(QtttError):
        there = load_record(keyboard.file)
        if there.events == keyboard.game.events[: len(there.events)]:
            keyboard.record = keyboard.known = there


def _possible(sample: Sample) -> str:
    possible = sample.kept + sample.unused
    text = f"{possible:,} of {sample.shots:,} shots are possible"
    if sample.kinds:
        text += f" (thrown away: {', '.join(f'{kind} {n:,}' for kind, n in sorted(sample.kinds.items()))})"
    return f"{text}."
