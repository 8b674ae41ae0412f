"""How a game stands, in words and as the position that a display shows."""

from qttt.game.game import Game
from qttt.game.outcomes import Observation
from qttt.game.position import Position
from qttt.game.result import Result
from qttt.game.state import Phase
from qttt.tabletop.rolls import table_of


def final_board(game: Game) -> str | None:
    """The board that decided the game; None while it goes on, or if it ended by agreement."""
    last = game.events[-1] if game.events else None
    return last.board if game.state.phase is Phase.OVER and isinstance(last, Observation) else None


def shown_position(game: Game) -> Position:
    """The position to show.

    While the mode is to be chosen, it is what the observed positions have left: empty squares without dice,
    and the others adjusted. At the end of a game it is the observed symbols, also at Level 5, where they
    become dice again only if the game goes on.
    """
    board = final_board(game)
    if board is not None:
        return Position(observed=board)
    return table_of(game.state).position if game.state.phase is Phase.MODE else game.state.position


def describe_game(game: Game) -> str:
    """One line on the level, the view where there are two, and what comes next."""
    state, level = game.state, game.rules.level
    name = f"Level {level.number} ({level.name})."
    if game.over:
        how = "the players agreed on a draw" if game.drawn else ending(game.result)
        return f"{name} The game is over: {how}."
    if level.rotated_view:
        name += f" {state.position.view.capitalize()} view."
    match state.phase:
        case Phase.MOVE:
            left = state.switches_left
            switches = f" ({left} view switch{'' if left == 1 else 'es'} left)" if level.rotated_view else ""
            return f"{name} {state.turn} to move{switches}."
        case Phase.MODE:
            return f"{name} The positions are observed, and {state.initiator} chooses the mode."
        case _:
            if state.repeats:
                return f"{name} Nobody leads: it is observed again, in {state.modes[0]} mode (no-ties)."
            return f"{name} The board is full: {state.initiator} moved last and initiates the observation."


def ending(result: Result) -> str:
    """A result in words, for example ``X wins``."""
    words = {Result.TIE: "it is a tie", Result.CONTINUE: "the game goes on"}
    return words.get(result, f"{result} wins")
