"""The words of the game, each with the level from which on it is needed."""

from dataclasses import dataclass

from qttt.game.rules import Level


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the game.

    Attributes:
        word: the word.
        meaning: what it means, in a sentence or two.
        since: the level from which on it is needed.
        later: what a later level adds to the meaning.
        later_since: the level from which on that is said.
    """

    word: str
    meaning: str
    since: int = 0
    later: str = ""
    later_since: int = 0

    def meaning_at(self, level: Level) -> str:
        """The meaning as far as a level knows it."""
        known = self.later and level.number >= self.later_since
        return f"{self.meaning} {self.later}" if known else self.meaning


TERMS: tuple[Term, ...] = (
    Term(
        "adjustment",
        "What the board does by itself after an attack: values are halved and dice are added.",
        2,
    ),
    Term(
        "amplitude", "The signed number behind a die: the sign of its value times the root of |value|/4.", 3
    ),
    Term("bank", "The dice that adjustments take from.", 2),
    Term("cancelled", "A square whose dice sum to nothing: it will be found empty.", 3),
    Term(
        "classical",
        "A piece whose square and symbol are both certain.",
        later="That is so in standard mode; in rotated mode its symbol is read by chance.",
        later_since=4,
    ),
    Term("colour", "A label that the dice of one piece share. It has no other meaning."),
    Term(
        "entangled", "Two pieces that share two squares, one in each, so that each tells about the other.", 2
    ),
    Term("half", "One of the two places of a piece in superposition.", 1),
    Term("herald", "In a circuit: a qubit that tells whether a half-cancel succeeded and the run counts.", 3),
    Term("initiator", "The player who filled the last empty square, and so began the observation.", 1),
    Term(
        "line",
        "Three squares in a row, a column or a diagonal; three of one symbol in a line are a three-in-a-row.",
    ),
    Term(
        "minus",
        "A symbol superposition △ − □: the piece is there, its symbol is undecided.",
        3,
        "It reads □ in rotated mode.",
        4,
    ),
    Term("mode", "How symbols are read: standard or rotated.", 4),
    Term("observation", "Looking at the whole board: every piece is found in one square with one symbol."),
    Term(
        "open",
        "A square that a player could attack if it were their turn: it holds exactly one die, of the "
        "opponent's shape, and a square is empty to spread into.",
        2,
    ),
    Term("piece", "A symbol that will be somewhere on the board; its dice show where it may be."),
    Term(
        "plus",
        "A symbol superposition △ + □: the piece is there, its symbol is undecided.",
        3,
        "It reads △ in rotated mode.",
        4,
    ),
    Term("root", "A piece placed by a classical or superposition move, together with the attacks on it.", 2),
    Term("square", "One of the nine places of the board, 1 to 9 in reading order."),
    Term("superposition", "A piece in two places at once, half in each.", 1),
    Term("symbol", "△ (X) or □ (O)."),
    Term("target", "The empty square into which an attack spreads.", 2),
    Term(
        "value",
        "The number that a die shows: how many quarters of the piece are there.",
        later="Its sign counts too, and two dice of one shape in a square are added as amplitudes.",
        later_since=3,
    ),
    Term(
        "view",
        "How the dice on the board are to be read: standard, or rotated. A lone △4 in the rotated view is a "
        "plus of the standard view, a lone □4 a minus, and the other way round.",
        5,
    ),
)


def terms_at(level: Level) -> tuple[Term, ...]:
    """The words needed at a level, in alphabetical order."""
    return tuple(term for term in TERMS if term.since <= level.number)
