"""A game's odds, moves and dice as objects for JSON: what the command line prints and a page is sent."""

from typing import Any

from qttt.display.status import final_board, lines_report, shown_position, supply
from qttt.game.game import Game
from qttt.game.odds import Odds
from qttt.game.position import Position
from qttt.game.result import Result
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.state import Phase
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.rolls import Rolls, roll_odds


def odds_report(
    game: Game, mode: Mode = Mode.STANDARD, rolls: Rolls = Rolls.EXACT, *, lines: bool = False
) -> dict[str, Any]:
    """The object that ``qttt odds --json`` prints.

    Args:
        game: a game at any moment. Where the positions are observed already the odds are given these; after
            the end the last board is certain.
        mode: mode of observation.
        rolls: exact odds, or those of tabletop rolls with a d6.
        lines: add the three-in-a-rows of every possible board.

    Returns:
        Level, mode, turn (None after the end), whether the board is full, the view, the probability of every
        possible board and of every result, and of X, O and nothing in each square.

    Raises:
        IllegalMoveError: the level does not have the mode.
        UsageError: d6 rolls that the options exclude.
    """
    state = game.state
    final = final_board(game)
    odds = roll_odds(state, mode, rolls) if final is None else Odds((), final)
    outcomes = odds.outcomes()
    result = dict.fromkeys(Result, 0.0)
    if game.over:
        result[game.result] = 1.0
    else:
        for board, probability in outcomes.items():
            result[state.verdict(board)] += probability
    return {
        "level": game.rules.level.number,
        "mode": str(mode),
        "turn": None if game.over else str(game.turn),
        "full": state.position.full,
        "view": str(state.position.view),
        "outcomes": outcomes,
        "result": {str(name): probability for name, probability in result.items()},
        "squares": [{"X": row["X"], "O": row["O"], "empty": row[EMPTY]} for row in odds.squares()],
        **({"lines": {board: lines_report(board) for board in outcomes}} if lines else {}),
    }


def moves_report(game: Game) -> dict[str, Any]:
    """The object that ``qttt moves --json`` prints.

    Args:
        game: a game at any moment; unless it waits for a move, nothing is legal.

    Returns:
        The level, the player to move (None after the end), the legal moves in the current view, whether the
        view may be switched, the legal moves after a switch, in canonical order, and the squares that may be
        measured instead of a move (option ``measure-turn``).
    """
    state = game.state
    waiting = state.phase is Phase.MOVE and not game.over
    return {
        "level": game.rules.level.number,
        "turn": None if game.over else str(game.turn),
        "legal": [str(move) for move in state.legal_here()] if waiting else [],
        "can_switch_view": waiting and state.switches_left > 0,
        "legal_after_switch": [str(move) for move in state.legal_here(switched=True)] if waiting else [],
        "measurable": [f"?{square}" for square in state.measurable()] if waiting else [],
    }


def dice_report(game: Game) -> dict[str, Any]:
    """The object that ``qttt dice --json`` prints.

    Args:
        game: a game at any moment. After the end the observed symbols are shown as such, also at Level 5,
            where they become dice only if the game goes on.

    Returns:
        The level, the player to move (None after the end), the view, for each square whether it is empty,
        holds dice or an observed symbol, and to whom it is open; the observed positions while the mode is
        still open; the squares that are rotated although their dice do not show it (option
        ``view=physical``); after the end the three-in-a-rows.
    """
    position, opens = shown_position(game), game.open_squares()
    positions = game.state.positions
    return {
        "level": game.rules.level.number,
        "turn": None if game.over else str(game.turn),
        "view": str(position.view),
        "squares": [_square(position, square, opens.get(square)) for square in SQUARES],
        "positions": positions.filled if positions else None,
        "rotated_unseen": sorted(position.twisted),
        "lines": lines_report(position.observed) if game.over else None,
    }


def supply_report(game: Game) -> dict[str, Any]:
    """What ``qttt dice --supply --json`` adds: the dice left in each player's hand and bank."""
    report: dict[str, Any] = {}
    for pool, left in zip(("hand", "bank"), supply(game), strict=True):
        for (player, colour, shape), count in left.items():
            report.setdefault(str(player), {}).setdefault(pool, {}).setdefault(colour, {})[shape.shape] = (
                count
            )
    return report


def _square(position: Position, square: int, open_to: Symbol | None) -> dict[str, Any]:
    observed = position.is_observed(square)
    contents = position.at(square)
    return {
        "state": "observed" if observed else "dice" if contents else "empty",
        "symbol": position.observed[square - 1] if observed else None,
        "dice": [
            {
                "shape": die.shape.shape,
                "owner": str(die.owner),
                "colour": die.colour,
                "value": die.value,
            }
            for die in contents
        ],
        "open_to": None if open_to is None else str(open_to),
    }
