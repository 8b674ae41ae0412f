"""What an observer saw, and what every observer refuses."""

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from qttt.errors import ServiceError, UsageError, whole_number
from qttt.game.outcomes import Positions
from qttt.game.state import State
from qttt.game.symbols import Mode

if TYPE_CHECKING:
    from circuits.decoding import Decoded


MAX_SHOTS = 1_000_000
"""The most shots that are taken at once: every one of them is kept in memory."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What an observer saw.

    Attributes:
        drawn: the boards of the shots that count, in the order measured.
        illegal: shots that no board explains, or that the position cannot give; thrown away.
        herald_failed: shots whose herald fired: half-cancelling did not succeed; thrown away.
        kinds: the illegal shots by the kind of fault.
        unused: possible shots that are left aside: with other positions than those observed already, or
            after the first where only one is wanted.
    """

    drawn: tuple[str, ...] = field(repr=False)
    illegal: int = 0
    herald_failed: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    unused: int = 0

    @property
    def kept(self) -> int:
        """How many shots count."""
        return len(self.drawn)

    @property
    def shots(self) -> int:
        """How many shots there were in all."""
        return self.kept + self.unused + self.illegal + self.herald_failed

    @property
    def first(self) -> str:
        """The board of the first shot that counts: the outcome of the game.

        Raises:
            ServiceError: if no shot counts.
        """
        if not self.drawn:
            raise ServiceError(self.nothing)
        return self.drawn[0]

    @property
    def nothing(self) -> str:
        """Why no shot counts, where none does."""
        kinds = "; ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        return (
            f"no shot of {self.shots} counts: {self.herald_failed} failed heralds, {self.illegal} illegal"
            + f" ({kinds})" * bool(kinds)
        )

    def counts(self) -> dict[str, int]:
        """How often each board was drawn, in the order of the boards."""
        return dict(sorted(Counter(self.drawn).items()))


@dataclass
class Stock:
    """The shots of one circuit, of which each is taken once.

    Attributes:
        whole: all of them.
        taken: the places in ``whole.drawn`` of those that were taken.
    """

    whole: Sample
    taken: set[int] = field(default_factory=set)

    def take(self, positions: Positions | None) -> Sample:
        """The first possible shot that nobody has taken and that has these positions, with the counts of all.

        Returns:
            A sample of one board, or of none if there is no such shot.
        """
        fitting = (
            place
            for place, board in enumerate(self.whole.drawn)
            if place not in self.taken and (positions is None or positions.agree(board))
        )
        places = list(islice(fitting, 1))
        self.taken.update(places)
        drawn = tuple(self.whole.drawn[place] for place in places)
        return replace(self.whole, drawn=drawn, unused=self.whole.kept - len(drawn))


def sample_of(decoded: "Decoded") -> Sample:
    """A sample from decoded shots, in the order measured."""
    boards = decoded.boards
    drawn = tuple(boards[number] for number in decoded.index.tolist() if number >= 0)
    return Sample(drawn, decoded.illegal, decoded.herald_failed, dict(decoded.illegal_kinds))


def check_request(state: State, mode: Mode, shots: int) -> Mode:
    """Refuse what no observer can do.

    Returns:
        The mode, also where a plain string names it.

    Raises:
        UsageError: no number of shots from 1 to ``MAX_SHOTS``, or a mode that does not exist or that the
            level does not have.
    """
    mode = Mode.named(mode)
    whole_number(shots, "the number of shots", 1, MAX_SHOTS)
    if mode is Mode.ROTATED and not state.rules.level.rotated_mode:
        raise UsageError(
            f"the rotated mode of observation starts at Level 4, and this is Level {state.rules.level.number}"
        )
    return mode
