"""How good a position looks without playing it on: a quick estimate for the search's horizon.

For each line and player it takes the chance that the squares of the line which hold dice all become that
player's: exact, correlations within a root included (an entangled pair in a line blocks it for both). These
chances are weighed by how many squares of the line are empty and whose line it is, and added up.
"""

from functools import cache
from math import tanh

from qttt.game.rules import Level
from qttt.game.squares import LINES
from qttt.game.symbols import Mode
from qttt.solver.blocks import BLOCKS
from qttt.solver.boards import Pair
from qttt.solver.expectation import shown

# Fitted by least squares to the exact values of positions from random games: `python -m
# tests.benchmarks.evaluation_fit` prints them anew, with the error that is left.
#: By the number of empty squares, from 1: what a line of the player to move is worth with 0, 1 and 2 empty
#: squares, then one of the opponent's; the difference between the modes; and having the move.
ONE_MODE: tuple[tuple[float, ...], ...] = (
    (1.00, 1.19, 0.20, 1.01, 0.12, 0.20, 0.00, 0.11),
    (1.12, 0.72, 0.14, 0.80, 0.43, 0.17, 0.00, 0.23),
    (0.84, 0.51, 0.21, 0.66, 0.40, 0.07, 0.00, 0.13),
    (1.00, 0.49, 0.10, 0.17, 0.42, 0.14, 0.00, 0.18),
    (1.00, 0.34, 0.13, 1.00, 0.49, 0.16, 0.00, 0.33),
    (1.00, 0.26, 0.05, 1.00, 0.54, 0.06, 0.00, 0.20),
    (1.00, 0.45, 0.10, 1.00, 0.45, 0.00, 0.00, -0.02),
    (1.00, 0.45, 0.20, 1.00, 0.45, 0.00, 0.00, -0.12),
)
#: The same where the initiator chooses the mode of observation.
TWO_MODES: tuple[tuple[float, ...], ...] = (
    (1.10, 1.33, 0.20, 1.20, 0.25, 0.20, 0.45, 0.22),
    (1.24, 0.65, 0.13, 1.08, 0.42, 0.17, 0.68, 0.17),
    (1.90, 0.49, 0.13, 0.84, 0.39, 0.07, 0.33, -0.09),
    (0.92, 0.45, 0.13, 1.30, 0.44, 0.11, 1.76, 0.06),
    (0.90, 0.44, 0.19, 1.06, 0.44, 0.12, -0.20, 0.13),
    (1.00, 0.35, 0.05, 1.00, 0.32, 0.09, 0.12, 0.14),
    (1.00, 0.62, 0.08, 1.00, 0.28, 0.04, 0.16, 0.06),
    (1.00, 0.45, 0.23, 1.00, 0.45, 0.12, 0.01, 0.05),
)
#: How likely a tie is in a level position.
TIE = 0.18


@cache
def line_shares(number: int, mode: Mode) -> tuple[float, ...]:
    """For each line the probability that all squares which a block has in it become one player's.

    Args:
        number: a block in the standard view.
        mode: mode of observation.

    Returns:
        Eight numbers for X, in the order of ``LINES``, then eight for O; 1 where the block has no square in
        the line.
    """
    covered = BLOCKS[number].squares
    patterns = shown(number, 0, mode)
    shares = []
    for symbol in (1, 2):
        for line in LINES:
            inside = [3 ** (square - 1) for square in line if square in covered]
            shares.append(
                sum(
                    weight
                    for part, weight in patterns
                    if all(part // place % 3 == symbol for place in inside)
                )
            )
    return tuple(shares)


def line_chances(blocks: tuple[int, ...], mode: Mode) -> list[float]:
    """The chance of each line that its squares with dice all become X's, then the same for O.

    Args:
        blocks: a position in the standard view.
        mode: mode of observation.
    """
    chances = [1.0] * (2 * len(LINES))
    for number in blocks:
        shares = line_shares(number, mode)
        chances = [chance * share for chance, share in zip(chances, shares, strict=True)]
    return chances


def empty_counts(empty: tuple[int, ...]) -> tuple[int, ...]:
    """How many empty squares each line has."""
    return tuple(sum(square in empty for square in line) for line in LINES)


@cache
def _weights(empty: tuple[int, ...], turn: int, two_modes: bool) -> tuple[float, ...]:
    """The weight of each line for X, then for O, as the player to move sees them."""
    row = (TWO_MODES if two_modes else ONE_MODE)[min(len(empty), 8) - 1]
    counts = empty_counts(empty)
    own = [row[count] if count < 3 else 0.0 for count in counts]
    other = [-row[3 + count] if count < 3 else 0.0 for count in counts]
    return (*other, *own) if turn else (*own, *other)


def estimate(blocks: tuple[int, ...], empty: tuple[int, ...], turn: int, level: Level) -> Pair:
    """A guess at the value of a position to the player to move, and at its tie probability.

    Args:
        blocks: the position in the standard view.
        empty: its empty squares, at least one.
        turn: whose turn it is, 0 for X and 1 for O.
        level: the level played.
    """
    two_modes = level.rotated_mode
    weights = _weights(empty, turn, two_modes)
    ahead = _lead(blocks, Mode.STANDARD, weights)
    *_, spread, tempo = (TWO_MODES if two_modes else ONE_MODE)[min(len(empty), 8) - 1]
    if two_modes:
        rotated = _lead(blocks, Mode.ROTATED, weights)
        ahead = (ahead + rotated) / 2 + spread * abs(ahead - rotated) / 2
    value = tanh(ahead + tempo)
    return value, TIE * (1 - abs(value))


def _lead(blocks: tuple[int, ...], mode: Mode, weights: tuple[float, ...]) -> float:
    chances = line_chances(blocks, mode)
    return sum(chance * weight for chance, weight in zip(chances, weights, strict=True))
