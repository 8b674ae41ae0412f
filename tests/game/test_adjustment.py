"""What dice in one square say of its symbol."""

from math import sqrt

import pytest

from qttt.game.adjustment import symbol_weights
from qttt.game.dice import die_of
from qttt.game.symbols import Mode, Symbol


@pytest.mark.parametrize(
    ("values", "standard", "along"),
    [
        ((2, 2), 0.5, 1.0),  # plus
        ((2, -2), 0.5, 0.0),  # minus
        ((1, 1), 0.5, 1.0),  # plus-superposition
        ((1, -1), 0.5, 0.0),  # minus-superposition
        ((2, 1), 2 / 3, (1 + sqrt(0.5)) ** 2 / 3),  # target of a half-cancel (physics.md)
        ((1, -2), 1 / 3, (1 - sqrt(0.5)) ** 2 / 3),
        ((4, None), 1.0, 0.5),
        ((None, 4), 0.0, 0.5),
    ],
)
def test_the_chance_of_x_in_a_filled_square(
    values: tuple[int | None, int | None], standard: float, along: float
) -> None:
    """In the rotated mode X is the plus."""
    dice = tuple(die_of(s, 0, value) for s, value in zip(Symbol, values, strict=True) if value is not None)
    for mode, expected in ((Mode.STANDARD, standard), (Mode.ROTATED, along)):
        weights = symbol_weights(dice, mode)
        assert float(weights[Symbol.X] / (weights[Symbol.X] + weights[Symbol.O])) == pytest.approx(expected)
