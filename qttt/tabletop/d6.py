"""How a d6 answers a question at the table: what is said before the roll, and which faces then mean yes."""

from enum import Enum
from fractions import Fraction
from functools import cache
from itertools import product

from qttt.chance import Uniform

FACES = 6


class RollRule(Enum):
    """The ways in which the Player Reference reads a roll; the value is the sentence said before it."""

    EVEN = "even means yes"
    ONE_OR_TWO = "1 or 2 means yes, and a 6 is rolled again"
    NOT_ONE_OR_TWO = "anything but 1 or 2 means yes"
    SNAKE_EYES = "two dice, both showing 1, mean yes"
    NOT_SNAKE_EYES = "two dice mean yes unless both show 1"

    @property
    def dice(self) -> int:
        """How many dice are thrown at once: 1 or 2."""
        return 2 if self in (RollRule.SNAKE_EYES, RollRule.NOT_SNAKE_EYES) else 1

    def answer(self, faces: tuple[int, ...]) -> bool | None:
        """What one throw says.

        Args:
            faces: as many faces, 1 to 6, as ``dice`` says.

        Returns:
            Yes or no; None if the throw does not count and is made again.
        """
        if self is RollRule.EVEN:
            return faces[0] % 2 == 0
        if self is RollRule.ONE_OR_TWO:
            return None if faces[0] == FACES else faces[0] <= 2
        if self is RollRule.NOT_ONE_OR_TWO:
            return faces[0] > 2
        return (faces == (1, 1)) is (self is RollRule.SNAKE_EYES)

    @property
    def chance(self) -> Fraction:
        """The chance of yes with fair dice, counted over all throws that count."""
        return _chance(self)

    def throw(self, rng: Uniform) -> tuple[tuple[int, ...], bool]:
        """Throw until a throw counts.

        Args:
            rng: one uniform number is drawn for each die thrown.

        Returns:
            Every face in the order thrown (the last ``dice`` of them decide), and the answer.
        """
        thrown: tuple[int, ...] = ()
        while True:
            faces = tuple(int(rng.random() * FACES) + 1 for _ in range(self.dice))
            thrown += faces
            answer = self.answer(faces)
            if answer is not None:
                return thrown, answer


@cache
def _chance(reading: RollRule) -> Fraction:
    answers = [reading.answer(faces) for faces in product(range(1, FACES + 1), repeat=reading.dice)]
    return Fraction(answers.count(True), len(answers) - answers.count(None))
