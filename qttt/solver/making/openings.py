"""The openings of a level: every position with many empty squares that play can reach."""

from qttt.game.rules import Rules
from qttt.solver.blocks import code_of, empty_squares
from qttt.solver.boards import board_blocks, verdicts
from qttt.solver.places import Place, moved
from qttt.solver.search import position_key


def openings(rules: Rules, least_empty: int, least_pieces: int) -> dict[bytes, Place]:
    """Every observed board, and every position with many empty squares, one for each key.

    Args:
        rules: the level and its options.
        least_empty: positions with fewer empty squares are left out, observed boards excepted.
        least_pieces: observed boards with fewer pieces are left out, but for the empty one.

    Returns:
        Positions by ``search.position_key``.
    """
    level = rules.level
    found: dict[bytes, Place] = {}
    waiting = []
    for number, result in enumerate(verdicts(rules)):
        blocks = board_blocks(number, level)
        if result is None and (not blocks or len(blocks) >= least_pieces):
            waiting.append(Place(blocks, 0, empty_squares(blocks), (0, 0), False, 0))
    while waiting:
        place = waiting.pop()
        key = position_key(code_of(place.blocks, place.turn), place.switches, level)
        if key not in found:
            found[key] = place
            waiting += [child for child in moved(place, rules) if len(child.empty) >= least_empty]
    return found
