"""Exact numbers a + b·√2 with rational a and b.

Every amplitude of the game is one of them (½, √½, ½ − √½ …), and so is every probability, since they form a
field. Computing in it makes the dice road exact: a Level-2 probability is the dyadic fraction it should be,
and float rounding happens once, at the end.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt


@dataclass(frozen=True, slots=True)
class Surd:
    """The number ``rational + root·√2``."""

    rational: Fraction = Fraction(0)
    root: Fraction = Fraction(0)

    def __add__(self, other: "Surd") -> "Surd":
        """Sum."""
        return Surd(self.rational + other.rational, self.root + other.root)

    def __sub__(self, other: "Surd") -> "Surd":
        """Difference."""
        return Surd(self.rational - other.rational, self.root - other.root)

    def __neg__(self) -> "Surd":
        """Opposite number."""
        return Surd(-self.rational, -self.root)

    def __mul__(self, other: "Surd") -> "Surd":
        """Product."""
        return Surd(
            self.rational * other.rational + 2 * self.root * other.root,
            self.rational * other.root + self.root * other.rational,
        )

    def __truediv__(self, other: "Surd") -> "Surd":
        """Quotient; ZeroDivisionError if the divisor is zero."""
        norm = other.rational * other.rational - 2 * other.root * other.root
        return self * Surd(other.rational / norm, -other.root / norm)

    def __bool__(self) -> bool:
        """False for zero only; √2 is irrational, so both parts must vanish."""
        return bool(self.rational or self.root)

    def __float__(self) -> float:
        """The nearest float, up to a few units in the last place of a 100-bit intermediate."""
        return float(self.rational + self.root * _ROOT_TWO)


# √2 to 100 bits: rounding a float at the very end is then the only error.
_ROOT_TWO = Fraction(isqrt(2 << 200), 1 << 100)

ZERO = Surd()
ONE = Surd(Fraction(1))
SQRT_HALF = Surd(Fraction(0), Fraction(1, 2))
