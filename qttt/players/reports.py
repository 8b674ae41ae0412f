"""Advice, reviews and openings as objects for JSON: what the command line prints and a page is sent."""

from typing import Any

from qttt.game.game import Game
from qttt.players.advice import Advice
from qttt.players.review import Entry, Review
from qttt.records.record import Record
from qttt.solver.explorer import Openings


def advice_report(game: Game, advice: Advice, top: int | None = None) -> dict[str, Any]:
    """The object that ``qttt advise --json`` prints.

    Args:
        game: a game at any moment. Once the positions are observed, the choices are the modes.
        advice: what `advise` says of it.
        top: how many choices to list; None for all.

    Returns:
        Who has to choose (None after the end), the value of the position, the method and whether it is exact,
        how deep a search looked (None for the solver), a sentence of why, and the choices, best first.
    """
    return {
        "level": game.rules.level.number,
        "turn": None if advice.turn is None else str(advice.turn),
        "value": advice.value.value,
        "method": advice.method,
        "exact": advice.exact,
        "depth": advice.depth,
        "positions": advice.positions,
        "x": advice.value.x,
        "tie": advice.value.tie,
        "o": advice.value.o,
        "why": advice.why,
        "moves": [
            {"move": str(choice), "value": value.value, "x": value.x, "tie": value.tie, "o": value.o}
            for choice, value in advice.choices[:top]
        ],
    }


def review_report(looked_back: Review) -> dict[str, Any]:
    """The object that ``qttt review --json`` prints.

    Args:
        looked_back: what `review` says of a game.

    Returns:
        The level, the value at the start, the result (``*`` while the game goes on), whether every value is
        exact, every choice and chance in order, and for each player accuracy, losses and luck. The luck of an
        event is as X sees it, that of a player as the player does.
    """
    return {
        "level": looked_back.level,
        "start": looked_back.start,
        "result": "*" if looked_back.result is None else str(looked_back.result),
        "exact": looked_back.exact,
        "events": [_event(entry) for entry in looked_back.entries],
        "players": {
            str(player): {"accuracy": side.accuracy, "lost": side.lost, "luck": side.luck}
            for player, side in looked_back.players.items()
        },
    }


def _event(entry: Entry) -> dict[str, Any]:
    return {
        "n": entry.n,
        "token": entry.token,
        "kind": entry.kind,
        "step": entry.step,
        "player": None if entry.player is None else str(entry.player),
        "before": entry.before,
        "after": entry.after,
        "choice": entry.choice,
        "best": entry.best,
        "best_value": entry.best_value,
        "loss": entry.loss,
        "mark": entry.mark,
        "chance": entry.chance,
        "luck": entry.luck,
    }


def openings_report(record: Record, found: Openings) -> dict[str, Any]:
    """The object that ``qttt openings --json`` prints.

    Args:
        record: the line of play.
        found: its choices.

    Returns:
        Level; the line; its value, P(X wins) − P(O wins); for each choice its token, all tokens of its class,
        its value, the probabilities of X, a tie and O, whether it is best, and ``visits``: how probable
        the class is when both play best along the line, equal choices shared evenly.
    """
    return {
        "level": record.level.number,
        "line": " ".join(map(str, record.events)),
        "value": found.value.value,
        "choices": [
            {
                "token": str(choice.move),
                "class": [str(move) for move in choice.moves],
                "value": choice.value.value,
                "X": choice.value.x,
                "tie": choice.value.tie,
                "O": choice.value.o,
                "best": choice.best,
                "visits": choice.visits,
            }
            for choice in found.choices
        ],
    }
