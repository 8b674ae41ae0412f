"""The state of a table as a page is sent it, whole; `qttt.page.protocol` says what every key means."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from qttt.display.reports import dice_report, moves_report, odds_report
from qttt.display.status import describe_game, final_board, lines_report, shown_position
from qttt.game.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.position import Position
from qttt.game.roots import read_roots
from qttt.game.rules import LEVELS, SUMMARIES, Options
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.samples import Sample
from qttt.page.picture import links_report, squares_report
from qttt.page.protocol import Message
from qttt.session.entries import Act
from qttt.session.sitting import Sitting
from qttt.tabletop.retrace import reveal_order
from qttt.tabletop.rolls import Roll

_PHASES = {Phase.MOVE: "move", Phase.OBSERVATION: "observation", Phase.MODE: "mode", Phase.OVER: "over"}


@dataclass(frozen=True, slots=True)
class Seen:
    """How an event of chance came about, beyond its result.

    Attributes:
        backend: who looked.
        sample: the shots, if there were any.
        rolls: the rolls, by dice.
    """

    backend: str
    sample: Sample | None = None
    rolls: tuple[Roll, ...] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a table waits for while a worker is at it.

    Attributes:
        by: the player who moves, observes or answers an offer.
        doing: ``moves``, ``observes`` or ``answers``.
        seconds: for how long so far.
    """

    by: Symbol
    doing: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is sent a state.

    Attributes:
        you: the seats that they may play.
        here: the seats at which somebody is, computers included.
        now: milliseconds since the table was set up, for the clock.
        thinking: what the table waits for.
        seen: how events came about, by their number from 1.
    """

    you: Collection[Symbol] = ()
    here: Collection[Symbol] = ()
    now: int = 0
    thinking: Thinking | None = None
    seen: dict[int, Seen] = field(default_factory=dict)


def table_state(sitting: Sitting, room: str, viewer: Viewer) -> Message:
    """The message ``state`` as one page gets it.

    Args:
        sitting: the table.
        room: its name.
        viewer: who looks at it.
    """
    clock = sitting.clock
    return {
        "type": "state",
        "id": None,
        "room": room,
        "you": [str(symbol) for symbol in Symbol if symbol in viewer.you],
        **common_state(sitting),
        "seats": {
            str(symbol): {
                "player": sitting.player(symbol),
                "computer": sitting.is_computer(symbol),
                "here": symbol in viewer.here or sitting.is_computer(symbol),
            }
            for symbol in Symbol
        },
        "observation": _observation(sitting.game, viewer.seen),
        "thinking": viewer.thinking
        and {
            "by": str(viewer.thinking.by),
            "seconds": viewer.thinking.seconds,
            "doing": viewer.thinking.doing,
        },
        "clock": clock
        and {
            **{str(player): clock.left_at(player, viewer.now) / 1000 for player in Symbol},
            "increment": clock.control.increment,
            "runs": clock.runs and str(clock.runs),
        },
        "can": _can(sitting, viewer),
    }


@lru_cache(maxsize=8)
def _written_options(options: Options) -> str:
    return str(options)


def common_state(sitting: Sitting) -> Message:
    """What every page is sent of a table alike: the game, and what stands between the players."""
    game = sitting.game
    state, level = game.state, game.rules.level
    final = final_board(game)
    over = sitting.over
    return {
        "n": sitting.n,
        "game": sitting.number,
        "level": level.number,
        "level_name": level.name,
        "options": _written_options(game.rules.options),
        "first": str(game.first),
        "backend": sitting.base.headers.get("Backend", "aer"),
        "phase": _PHASES[sitting.phase],
        "turn": None if over else str(game.turn),
        "initiator": str(state.initiator),
        "decides": sitting.decides and str(sitting.decides),
        "says": describe_game(game),
        "asks": _asks(sitting),
        "result": str(sitting.result),
        "how": _how(sitting),
        "lines": lines_report(final) if final is not None else None,
        "dice": dice_report(game),
        "moves": moves_report(game),
        "odds": odds_report(game, state.modes[0]),
        "odds_rotated": odds_report(game, Mode.ROTATED) if level.rotated_mode else None,
        "choices": [] if over else _choices(game),
        "modes": [] if over or game.phase is Phase.MOVE else [str(mode) for mode in state.modes],
        "events": [_event(event, before) for event, before in zip(game.events, game.states, strict=False)],
        "links": links_report(game),
        "picture": squares_report(game),
        "roots": _roots(shown_position(game)),
        "luck": sitting.base.headers.get("Luck") if over else None,
        "offer": sitting.offer and {"kind": str(sitting.offer.act), "by": str(sitting.offer.by)},
    }


def _asks(sitting: Sitting) -> str:
    if sitting.decides is None:
        return ""
    who = f"{sitting.decides}"
    match sitting.phase:
        case Phase.MODE:
            return f"{who} chooses the mode of observation: standard or rotated."
        case Phase.OBSERVATION:
            return f"The board is full: {who} observes it."
        case _ if sitting.game.state.measurable():
            return f"{who} moves, or looks at a square."
        case _:
            return f"{who} moves."


def _how(sitting: Sitting) -> str | None:
    if (loss := sitting.game.loss) is not None:
        return "clock" if loss.on_time else "resigned"
    if not sitting.over:
        return None
    return "agreement" if sitting.game.drawn else "board"


def _choices(game: Game) -> list[Message]:
    legal = game.legal_moves()
    switching = {(move.kind, move.squares, move.before) for move in legal if move.after}
    found = [
        {
            "token": str(move),
            "kind": move.kind.word,
            "squares": list(move.squares),
            "before": move.before,
            "after": (move.kind, move.squares, move.before) in switching,
        }
        for move in legal
        if not move.after
    ]
    return found + [
        {"token": f"?{square}", "kind": "look", "squares": [square], "before": False, "after": False}
        for square in game.state.measurable()
    ]


def _event(event: Event, before: State) -> Message:
    kind, squares = "observation", tuple[int, ...]()
    by = before.turn
    match event:
        case Move():
            kind, squares = event.kind.word, event.squares
        case Measurement():
            kind, squares = "look", (event.square,)
        case _:
            by = before.initiator
            kind = "positions" if isinstance(event, Positions) else kind
    return {"token": str(event), "by": str(by), "kind": kind, "squares": list(squares)}


def _roots(position: Position) -> list[Message]:
    return [
        {
            "squares": list(root.squares),
            "dice": [[square, place] for square in root.squares for place in range(len(position.at(square)))],
        }
        for root in read_roots(position)
    ]


def _observation(game: Game, seen: dict[int, Seen]) -> Message | None:
    """How the last event came about, if it was chance."""
    number = len(game.events)
    if not number or isinstance(game.events[-1], Move):
        return None
    event, before = game.events[-1], game.states[-2]
    found = seen.get(number)
    sample = found.sample if found else None
    report: Message = {
        "event": number,
        "what": "square",
        "mode": None,
        "cells": "",
        "chance": 0.0,
        "order": [],
        "lines": None,
        "before": None,
        "backend": found.backend if found else None,
        "shots": sample.shots if sample else None,
        "illegal": sample.illegal if sample else None,
        "herald_failed": sample.herald_failed if sample else None,
        "impossible": sample.kinds if sample else {},
        "rolls": [_roll(roll) for roll in found.rolls] if found else [],
    }
    match event:
        case Measurement():
            chance = before.measurement_odds(event.square)[event.cell]
            return report | {"cells": event.cell, "chance": chance, "order": [event.square]}
        case Positions():
            chance = before.odds().positions()[event.filled]
            order = reveal_order(before, event)
            return report | {"what": "positions", "cells": event.filled, "chance": chance, "order": order}
        case Observation():
            # Before anything was seen of it, the positions included.
            whole = game.states[-3] if before.positions is not None else before
            return report | {
                "what": "board",
                "mode": str(event.mode),
                "cells": event.board,
                "chance": whole.odds(event.mode).probability(event.board),
                "order": reveal_order(before, event),
                "lines": lines_report(event.board),
                "before": {str(key): value for key, value in whole.result_odds(event.mode).items()},
            }
        case _:
            raise AssertionError(event)


def _roll(roll: Roll) -> Message:
    return {
        "says": str(roll),
        "squares": list(roll.question.squares),
        "throws": list(roll.thrown),
        "yes": roll.yes,
    }


def _can(sitting: Sitting, viewer: Viewer) -> Message:
    """What a page may send now."""
    mine = [symbol for symbol in Symbol if symbol in viewer.you]
    people = [symbol for symbol in mine if not sitting.is_computer(symbol)]
    decides = sitting.decides in people
    can = {
        "play": decides and sitting.phase is Phase.MOVE,
        "observe": decides and sitting.phase in (Phase.OBSERVATION, Phase.MODE) and viewer.thinking is None,
        "hurry": bool(mine) and viewer.thinking is not None and viewer.thinking.doing == "moves",
    }
    for act in (Act.UNDO, Act.DRAW, Act.RESIGN, Act.ACCEPT, Act.DECLINE, Act.REMATCH):
        can[str(act)] = actor(sitting, act, mine) is not None
    return can


def actor(sitting: Sitting, act: Act, mine: Collection[Symbol]) -> Symbol | None:
    """For whom of their own seats somebody does something beside the game; None if it cannot be now.

    Args:
        sitting: the table.
        act: what.
        mine: their seats.
    """
    people = [symbol for symbol in Symbol if symbol in mine and not sitting.is_computer(symbol)]
    if act is Act.REMATCH:
        people = people or list(mine)
    if act is Act.UNDO and len(people) == len(Symbol):
        # On one screen the last move is taken back, whoever made it.
        people = [sitting.game.turn.opponent]
    elif sitting.decides in people and act is not Act.ACCEPT:
        assert sitting.decides is not None
        people = [sitting.decides, sitting.decides.opponent] if len(people) > 1 else people
    return next((symbol for symbol in people if sitting.why_not(act, symbol) is None), None)


def catalogue() -> Message:
    """What there is to play: the levels, options, kinds of move, all from their rows."""
    from dataclasses import fields

    from qttt.game.moves import Kind

    rows = {row.metadata["written"]: row for row in fields(Options)}
    return {
        "levels": [
            {
                "number": level.number,
                "name": level.name,
                "kinds": [kind.word for kind in Kind if level.allows(kind)],
                "modes": [str(mode) for mode in Mode if mode is Mode.STANDARD or level.rotated_mode],
                "views": level.rotated_view,
            }
            for level in LEVELS
        ],
        "options": [
            {
                "written": written,
                "name": written.partition("=")[0],
                "takes": written.partition("=")[2],
                "levels": list(rows[written].metadata["levels"]),
                "summary": summary,
            }
            for written, summary in SUMMARIES.items()
        ],
        "kinds": [
            {
                "word": kind.word,
                "sign": kind.sign,
                "verb": kind.verb,
                "first_level": kind.first_level,
                "attacks": bool(kind.attacks),
                "fills": kind.fills,
                "example": kind.example,
            }
            for kind in Kind
        ],
    }
