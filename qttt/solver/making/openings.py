"""The openings of a level: every position with many empty squares that play can reach."""

from collections.abc import Iterator

from qttt.game.rules import Level
from qttt.game.squares import SQUARES
from qttt.solver.blocks import BLOCKS, code_of, turned
from qttt.solver.boards import BOARDS, board_blocks, verdicts
from qttt.solver.moves import changes
from qttt.solver.search import position_key

#: Blocks, the player to move (0 for X), and the switches of that player and the other one.
Moment = tuple[tuple[int, ...], int, tuple[int, int]]


def observed_boards(level: Level, least_pieces: int) -> Iterator[Moment]:
    """Every observed board with which a game may go on, the player to move as X.

    Args:
        level: the level.
        least_pieces: boards with fewer pieces are left out, but for the empty one.
    """
    for number in range(BOARDS):
        if verdicts(level.number)[number] is None:
            blocks = board_blocks(number, level)
            if not blocks or len(blocks) >= least_pieces:
                yield blocks, 0, (0, 0)


def openings(level: Level, least_empty: int, least_pieces: int) -> dict[bytes, Moment]:
    """Every observed board, and every position with many empty squares, one for each key.

    Args:
        level: the level.
        least_empty: positions with fewer empty squares are left out, observed boards excepted.
        least_pieces: as in ``observed_boards``.

    Returns:
        Positions by ``search.position_key``.
    """
    found: dict[bytes, Moment] = {}
    waiting = list(observed_boards(level, least_pieces))
    while waiting:
        moment = waiting.pop()
        blocks, turn, switches = moment
        key = position_key(code_of(blocks, turn), switches, level)
        if key in found:
            continue
        found[key] = moment
        for child in _children(moment, level):
            if len(_empty(child[0])) >= least_empty:
                waiting.append(child)
    return found


def _empty(blocks: tuple[int, ...]) -> tuple[int, ...]:
    covered = {square for number in blocks for square in BLOCKS[number].squares}
    return tuple(square for square in SQUARES if square not in covered)


def _children(moment: Moment, level: Level) -> Iterator[Moment]:
    blocks, turn, (own, other) = moment
    for after in _moved(blocks, turn, level):
        yield after, 1 - turn, (other, own)
        if level.rotated_view and not own:
            yield tuple(map(turned, after)), 1 - turn, (other, 1)
    if level.rotated_view and not own:
        for after in _moved(tuple(map(turned, blocks)), turn, level):
            yield after, 1 - turn, (other, 1)


def _moved(blocks: tuple[int, ...], turn: int, level: Level) -> Iterator[tuple[int, ...]]:
    for taken, put, _ in changes(blocks, _empty(blocks), turn, level):
        yield tuple(number for number in blocks if number != taken) + put
