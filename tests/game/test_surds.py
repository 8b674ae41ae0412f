"""Numbers of the form a + b·√2, against floats."""

from fractions import Fraction
from math import sqrt

import pytest

from qttt.game.surds import ONE, SQRT_HALF, ZERO, Surd


def test_surds_are_a_field() -> None:
    numbers = [Surd(Fraction(1, 3), Fraction(-2, 5)), Surd(Fraction(-7), Fraction(1, 2)), SQRT_HALF, ONE]
    for a in numbers:
        for b in numbers:
            assert float(a + b) == pytest.approx(float(a) + float(b), rel=1e-15)
            assert float(a - b) == pytest.approx(float(a) - float(b), rel=1e-14)
            assert float(a * b) == pytest.approx(float(a) * float(b), rel=1e-14)
            assert a / b * b == a
            assert a - b + b == a
            assert a + -a == ZERO
    assert Surd(Fraction(1, 2)) == SQRT_HALF * SQRT_HALF
    assert [bool(number) for number in (ZERO, ONE, SQRT_HALF)] == [False, True, True]
    assert float(SQRT_HALF) == sqrt(0.5)
