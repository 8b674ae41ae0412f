"""A demonstration: a seeded game of random moves, the gates of every move, and a cross-check at the end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qttt.cli.console.characters import in_ascii
from qttt.cli.console.session import Session
from qttt.cli.console.tables import plain_table
from qttt.cli.keyboard.narration import narrate
from qttt.cli.keyboard.observation import ObservationPhase
from qttt.cli.keyboard.pace import Pace
from qttt.crosscheck.by_device import check_by_observer
from qttt.crosscheck.check import DEFAULT_SHOTS
from qttt.crosscheck.report import CheckReport, agreement
from qttt.display.status import ending, shown_position
from qttt.display.text import draw_legend, small
from qttt.game.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Observation
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.compiler import compile_moves, opened_block
from qttt.observation.observers import Observer
from qttt.records.files import save_over, save_record
from qttt.records.record import Record

if TYPE_CHECKING:
    import numpy as np

DEFAULT_SEED = 4
_VERDICTS = {True: "agrees", False: "DIFFERS", None: "no shot counts"}


@dataclass(frozen=True, slots=True)
class _Checked:
    """A cross-check of one observed board."""

    observation: int
    report: CheckReport


def random_move(game: Game, rng: "np.random.Generator") -> Move:
    """A random legal move, every kind of move equally often, so that a game shows what its level has."""
    moves = game.state.legal_moves()
    kinds = sorted({move.kind for move in moves}, key=lambda kind: kind.name)
    kind = kinds[int(rng.random() * len(kinds))]
    fitting = [move for move in moves if move.kind is kind]
    return fitting[int(rng.random() * len(fitting))]


def demonstrate(
    game: Game, record: Record, file: str | None, observer: Observer, seed: int, session: Session
) -> bool | None:
    """Play a seeded game to its end, and show everything.

    Args:
        game: a new game; it gets the events.
        record: its record.
        file: where the record is saved after every event; None for nowhere.
        observer: who observes the board.
        seed: where random numbers start.
        session: where it is shown.

    Returns:
        Whether every cross-check agrees; False if one does not, else None if no shot of one counts.
    """
    rng = session.generator(seed)
    pace = Pace(session)
    session.show(
        f"A game of random moves at Level {game.rules.level.number} ({game.rules.level.name}), seed {seed}, "
        f"observed on {observer.name}.",
        "Every move is shown with its dice and with the gates it compiles to.",
    )
    checked: list[_Checked] = []

    def keep() -> None:
        nonlocal record
        if file is None:
            return
        if game.events[1:]:
            record = save_over(file, record.updated(game), record)
        else:
            record = record.updated(game)
            save_record(file, record)

    def choose(game: Game) -> Mode:
        mode = game.state.modes[int(rng.random() * len(game.state.modes))]
        session.show(f"{game.state.initiator} chooses the {mode} mode.")
        return mode

    while not game.over:
        if game.state.phase is Phase.MOVE:
            _show_move(game, random_move(game, rng), session)
            keep()
            continue
        if game.state.phase is Phase.OBSERVATION:
            report = check_by_observer(game, None, observer, rng)
            checked.append(_Checked(game.state.observations + 1, report))
        session.show("")
        ObservationPhase(game, observer, rng, session, choose, keep, pace).run()
        board = game.events[-1].board if isinstance(game.events[-1], Observation) else None
        session.show(
            session.board(shown_position(game)), f"After the observation: {ending(game.result, board)}."
        )
    session.show(
        "", f"The game: {' '.join(map(str, game.events))}", "", "Cross-check of every observed board:"
    )
    _show_checks(checked, session)
    return agreement(entry.report.ok for entry in checked)


def _show_move(game: Game, move: Move, session: Session) -> None:
    from circuits.drawing import draw

    before = game.state
    number = len(game.events) - game.phase_start()
    game.push(move)
    session.show(
        "",
        f"{number + 1}. {move}",
        narrate(move, before, session.glyphs),
        session.board(game.state.position),
        draw_legend(game.state.position, session.glyphs),
        *([f"{game.state.position.view.capitalize()} view."] if game.rules.level.rotated_view else []),
    )
    compiled = compile_moves(game, measured=False)
    for index, block in enumerate(compiled.blocks):
        if block.move == number:
            squares = ", ".join(map(str, block.squares))
            session.show(f"Gates of '{block.label}' on {squares}:")
            drawing = draw(opened_block(compiled, index), "text", width=session.drawing_columns).rstrip("\n")
            session.write(f"{drawing if session.takes_unicode else in_ascii(drawing)}\n")


def _show_checks(checked: list[_Checked], session: Session) -> None:
    table = plain_table(
        ">phase", "mode", ">dice-moves", ">dice-lean", ">shots", ">count", ">distance", ">p-value", "verdict"
    )
    for entry in checked:
        for one in entry.report.modes:
            table.add_row(
                str(entry.observation),
                str(one.mode),
                small(one.distances["dice-moves"]),
                small(one.distances["dice-lean"]),
                f"{one.sample.shots:,}",
                f"{one.sample.kept:,}",
                f"{one.sampled_tvd:.4f}",
                f"{one.p_value:.3f}",
                _VERDICTS[one.ok],
            )
    session.show(
        table,
        "",
        "dice-moves, dice-lean: exact distance of the dice's odds from the circuit, move by move and lean;",
        f"distance and p-value: of the shots that count, out of {DEFAULT_SHOTS:,}.",
    )
