"""The observation phase of a keyboard game on a device: its job, its impossible shots, jobs left before."""

from typing import TYPE_CHECKING

from qttt.cli.console.job_output import ChooseMode, DeviceObservation
from qttt.cli.console.session import Session
from qttt.cli.keyboard.observation import reveal
from qttt.cli.keyboard.pace import Pace
from qttt.game.game import Game
from qttt.game.outcomes import Observation, Positions
from qttt.observation.devices import DeviceObserver
from qttt.observation.job_file import HEADER, find
from qttt.observation.observers import Observer
from qttt.observation.samples import Sample
from qttt.records.record import Record

if TYPE_CHECKING:
    import numpy as np


def observe_by_device(
    game: Game,
    record: Record,
    file: str | None,
    observer: Observer,
    rng: "np.random.Generator",
    session: Session,
    choose: ChooseMode,
    pace: Pace,
    accept_noise: bool,
) -> Record:
    """Run the observation phase of a keyboard game on its device, or fetch the job that it waits for.

    Args:
        game: a game that waits for an observation, or for the mode of one; it gets the events.
        record: its record; where it names a job, that is fetched.
        file: the record's file; where there is none, nothing is kept.
        observer: the device, where a job is to be sent.
        rng: where the seed of a simulated device comes from.
        session: where it is shown.
        choose: asks for the mode once the positions are known.
        pace: how fast what was measured is shown, square by square.
        accept_noise: take a result even if the shots say nothing of the board.

    Returns:
        The record after the observation.

    Raises:
        QtttError: the job failed, or waits still; the record in the file says so.
    """

    def show_positions(game: Game, sample: Sample) -> None:
        session.show(f"{_possible(sample)} The first possible one gives the positions:")
        show_last(game)

    def show_last(game: Game) -> None:
        last = game.events[-1]
        assert isinstance(last, Observation | Positions)
        reveal(game.states[-2], last, session, pace)

    observation = DeviceObservation(game, session, choose, show_positions, accept_noise=accept_noise)
    if HEADER in record.headers:
        assert file is not None, "a record with a job comes from a file"
        session.show(f"This game waits for a job: {record.headers[HEADER]}")
        outcome = observation.resume(find(file))
    else:
        assert isinstance(observer, DeviceObserver)
        outcome = observation.observe(record, file, observer, rng)
    last = game.events[-1]
    assert isinstance(last, Observation)
    assert outcome.pending.sent is not None
    text = f"Measured on {outcome.pending.sent.backend}. {_possible(outcome.sample)}"
    if outcome.collapsed:
        text += " The circuit prepared the state that the positions had left."
    if outcome.pending.policy is not None:
        text += f" The circuit chose: {outcome.pending.policy}."
    given = " given these positions" if len(game.events) > 1 and outcome.sample.unused else ""
    session.show(f"{text} Read in {last.mode} mode{given}:")
    show_last(game)
    return outcome.pending.record


def _possible(sample: Sample) -> str:
    possible = sample.kept + sample.unused
    text = f"{possible:,} of {sample.shots:,} shots are possible"
    if sample.kinds:
        text += f" (thrown away: {', '.join(f'{kind} {n:,}' for kind, n in sorted(sample.kinds.items()))})"
    return f"{text}."
