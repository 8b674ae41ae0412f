"""How a game stands: in words, as the position that a display shows, and by the dice that are left."""

from collections import Counter

from qttt.game.dice import COLOURS
from qttt.game.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Observation
from qttt.game.position import Position
from qttt.game.result import Result
from qttt.game.squares import lines_in
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
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
        return f"{name} The game is over: {end_words(game)}."
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


def end_words(game: Game) -> str:
    """How a game ended, for example ``X wins: 1-5-9`` or ``X resigned, and O wins``."""
    if game.loss:
        return f"{game.settlement}, and {ending(game.result)}"
    return game.settlement or ending(game.result, final_board(game))


def ending(result: Result, board: str | None = None) -> str:
    """A result in words, for example ``X wins: 1-5-9``.

    Args:
        result: the result.
        board: the observed board that it is the result of, to name its three-in-a-rows.
    """
    words = {Result.TIE: "it is a tie", Result.CONTINUE: "the game goes on"}
    said = line_words(result, board) if board is not None else ""
    return words.get(result, f"{result} wins") + (f": {said}" if said else "")


def line_words(result: Result, board: str) -> str:
    """The three-in-a-rows of an observed board, those of the winner first; empty if there are none.

    For example ``1-5-9``, ``1-2-3, 1-5-9 against 4-5-6``, and without a winner ``X 1-2-3, O 7-8-9``.
    """
    lines = {
        symbol: ", ".join("-".join(map(str, line)) for line in lines_in(board, symbol)) for symbol in Symbol
    }
    if result in (Result.X, Result.O):
        winner = Symbol(result)
        against = lines[winner.opponent]
        return lines[winner] + (f" against {against}" if against else "")
    return ", ".join(f"{symbol} {squares}" for symbol, squares in lines.items() if squares)


def lines_report(board: str) -> dict[str, list[list[int]]]:
    """The three-in-a-rows of an observed board for JSON, as ``{"X": [[1, 5, 9]], "O": []}``."""
    return {str(symbol): [list(line) for line in lines_in(board, symbol)] for symbol in Symbol}


#: A player's dice of each colour in a real set, by level: of the own shape and of the other in the hand, and
#: the same in the bank (decision D7; at Level 0, for which no set is described, as at Level 1).
_SETS = (((2, 0), (2, 0)),) * 3 + (((2, 1), (2, 0)),) * 2 + (((2, 1), (2, 1)),)

_Key = tuple[tuple[Symbol, int], Symbol]


def supply(game: Game) -> tuple[dict[tuple[Symbol, str, Symbol], int], dict[tuple[Symbol, str, Symbol], int]]:
    """The dice of a real set that do not lie on the board (decision D7).

    What a player places comes from their hand. What the board adds as it adjusts itself, after an attack or a
    view switch, comes from the bank, and from the hand where the bank has no more.

    Args:
        game: a game at any moment.

    Returns:
        How many dice of a player, of a colour, of a shape are left in the hands; the same for the banks.
    """
    hands, banks = {}, {}
    shown, placed = _dice(shown_position(game)), _placed(game)
    for player in Symbol:
        for colour in COLOURS:
            for shape, hand, bank in zip(
                (player, player.opponent), *_SETS[game.rules.level.number], strict=True
            ):
                used = {
                    key: count
                    for key, count in shown.items()
                    if key[0][0] is player and key[1] is shape and COLOURS[key[0][1] % len(COLOURS)] == colour
                }
                by_hand = sum(min(placed.get(key, 0), count) for key, count in used.items())
                added = sum(used.values()) - by_hand
                hands[player, colour, shape] = hand - by_hand - max(added - bank, 0)
                banks[player, colour, shape] = bank - min(added, bank)
    return hands, banks


def _placed(game: Game) -> dict[_Key, int]:
    """The dice on the board that a player placed by hand, by piece and shape."""
    start = game.phase_start()
    states = game.states[start:]
    placed: dict[_Key, int] = dict(_dice(states[0].position))
    for event, before, after in zip(game.events[start:], states[:-1], states[1:], strict=True):
        if isinstance(event, Move):
            player = before.turn
            piece = next(die.piece for die in after.position.at(event.filled[-1]) if die.owner is player)
            if event.kind is Kind.CANCELLING:
                placed |= {(piece, player): 1, (piece, player.opponent): 1}
            else:
                placed[piece, player] = len(event.squares)
        known = {piece for piece, _ in placed}
        # A lone piece that has come to share a colour (option measure-turn) has a new number.
        placed = {
            key: min(placed.get(key, 0), count) if key[0] in known else count
            for key, count in _dice(after.position).items()
        }
    return placed


def _dice(position: Position) -> Counter[_Key]:
    return Counter((die.piece, die.shape) for contents in position.dice for die in contents)
