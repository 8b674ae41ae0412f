"""How good a position looks without playing it on: a quick estimate for the search's horizon.

For each line and player it takes the chance that the line becomes that player's: exact for the squares that
hold dice, correlations within a root included (an entangled pair in a line blocks it for both), and a fixed
chance for each empty square. The sums over the lines, one a player, give an estimate of wins minus losses.
"""

from functools import cache
from math import tanh

from qttt.levels import Level
from qttt.players.expectation import shown
from qttt.solver.blocks import BLOCKS
from qttt.solver.boards import Pair
from qttt.squares import LINES
from qttt.symbols import Mode

# Fitted by least squares to the exact values of positions from random games: `python -m
# tests.benchmarks.evaluation_fit` prints them anew, with the error that is left.
#: The chance that an empty square becomes a given player's.
EMPTY_CHANCE = 0.45
#: By the number of empty squares, from 1: how much an expected line is worth, and having the move.
SLOPES = (0.9, 1.18, 0.9, 0.85, 0.91, 0.36, 0.34, 0.01)
TEMPOS = (0.42, 0.39, 0.26, 0.16, 0.31, 0.21, 0.11, -0.12)
#: How likely a tie is in a level position.
TIE = 0.19


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


@cache
def _openness(empty: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(EMPTY_CHANCE ** sum(square in empty for square in line) for line in LINES)


def line_chances(blocks: tuple[int, ...], empty: tuple[int, ...], mode: Mode) -> list[float]:
    """The chance of each line to become X's, then of each to become O's.

    Args:
        blocks: a position in the standard view.
        empty: its empty squares.
        mode: mode of observation.
    """
    chances = list(_openness(empty) * 2)
    for number in blocks:
        shares = line_shares(number, mode)
        chances = [chance * share for chance, share in zip(chances, shares, strict=True)]
    return chances


def lead(blocks: tuple[int, ...], empty: tuple[int, ...], level: Level) -> float:
    """The number of lines that X may expect more than O, averaged over the modes of the level."""
    modes = tuple(Mode) if level.rotated_mode else (Mode.STANDARD,)
    total = 0.0
    for mode in modes:
        chances = line_chances(blocks, empty, mode)
        total += sum(chances[:8]) - sum(chances[8:])
    return total / len(modes)


def estimate(blocks: tuple[int, ...], empty: tuple[int, ...], turn: int, level: Level) -> Pair:
    """A guess at the value of a position to the player to move, and at its tie probability.

    Args:
        blocks: the position in the standard view.
        empty: its empty squares, at least one.
        turn: whose turn it is, 0 for X and 1 for O.
        level: the level played.
    """
    ahead = lead(blocks, empty, level) * (1 - 2 * turn)
    place = min(len(empty), len(SLOPES)) - 1
    value = tanh(SLOPES[place] * ahead + TEMPOS[place])
    return value, TIE * (1 - abs(value))
