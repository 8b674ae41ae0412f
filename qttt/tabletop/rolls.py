"""Rolling an observation: a d6 for every question on the table, and the distribution that these rolls give.

Two sets of chances are supported. *Exact* ones are those of the amplitudes; a d6 gives nearly all of them,
and the few that it cannot (3.318 % …) are drawn. *d6* ones are those of the Player Reference's roll tables,
where two dice both showing 1 stand for 3 %.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from qttt.chance import Uniform
from qttt.errors import UsageError
from qttt.game.adjustment import miss_piece
from qttt.game.odds import Odds, RootOdds
from qttt.game.outcomes import Measurement
from qttt.game.rules import Rules
from qttt.game.squares import EMPTY
from qttt.game.state import State
from qttt.game.surds import ONE, ZERO, Surd
from qttt.game.symbols import Mode, Word
from qttt.tabletop.d6 import RollRule
from qttt.tabletop.questions import Asks, Cluster, Question, Step
from qttt.tabletop.table import Table, lay_out


class Rolls(Word):
    """How the chances that no d6 gives are rolled."""

    EXACT = "exact"
    D6 = "d6"


@dataclass(frozen=True, slots=True)
class Roll:
    """One question answered at the table.

    Attributes:
        question: what was asked.
        thrown: every face of the d6, re-rolled ones included; empty if no d6 gives the chance.
        drawn: the uniform number that was drawn instead, below the chance for yes; else None.
        yes: the answer.
    """

    question: Question
    thrown: tuple[int, ...]
    drawn: float | None
    yes: bool

    def __str__(self) -> str:
        """For example ``X points at 7: is this square mine? (even means yes) 3: no``."""
        how = " ".join(map(str, self.thrown)) if self.drawn is None else f"{self.drawn:.4f}"
        asked = str(self.question)
        if self.drawn is not None:
            reading = self.question.reading.value
            asked = asked.replace(reading, f"drawn: below {float(self.question.chance):.4f} means yes")
        return f"{asked} {how}: {'yes' if self.yes else 'no'}"


def check_rolls(rolls: Rolls, rules: Rules) -> None:
    """Refuse d6 rolls where the dice on the board do not show the state.

    Raises:
        UsageError: d6 rolls with the option ``view=physical``, or rolls that do not exist.
    """
    if Rolls.named(rolls) is Rolls.D6 and rules.options.physical_view:
        raise UsageError(
            "d6 rolls do not go with the option view=physical: its dice only approximate the state, "
            "and the roll tables read the dice"
        )


def throw(question: Question, rng: Uniform, rolls: Rolls = Rolls.EXACT) -> Roll:
    """Roll for one question.

    Raises:
        UsageError: rolls that do not exist.
    """
    if Rolls.named(rolls) is Rolls.D6 or question.d6_is_exact:
        thrown, yes = question.reading.throw(rng)
        return Roll(question, thrown, None, yes)
    drawn = rng.random()
    return Roll(question, (), drawn, drawn < float(question.chance))


def roll_step(table: Table, rng: Uniform, rolls: Rolls = Rolls.EXACT) -> tuple[list[Roll], Table]:
    """Roll until the present step is settled: all of it, or the positions where the mode is to be chosen.

    Players take turns, each going by the order of the squares; one who has no die to ask about lets the other
    ask.

    Returns:
        The rolls in order, and the table, whose ``done`` or ``filled`` then means something.
    """
    records = []
    while not table.settled:
        question, yes, no = table.asked
        thrown = throw(question, rng, rolls)
        records.append(thrown)
        table = yes if thrown.yes else no
    return records, table


@lru_cache(maxsize=64)
def table_of(state: State) -> Table:
    """The table on which a state's board is observed, the positions already known being settled."""
    table = lay_out(state.position, state.rules, state.initiator, state.modes)
    return table if state.positions is None else table.given(state.positions.filled)


def observe_by_rolls(
    state: State, mode: Mode, rng: Uniform, rolls: Rolls = Rolls.EXACT
) -> tuple[str, list[Roll]]:
    """Observe a board by tabletop rolls from beginning to end.

    Args:
        state: any state; positions that are observed already are not rolled again.
        mode: the mode, chosen in advance; it does not change how positions are rolled.
        rng: where the throws come from.
        rolls: exact chances, or those of the roll tables.

    Returns:
        The board, nine characters, and every roll in order.

    Raises:
        UsageError: d6 rolls with the option ``view=physical``; a mode or rolls that do not exist.
        ValueError: if the mode is not open to choice.
    """
    mode = Mode.named(mode)
    check_rolls(rolls, state.rules)
    records, table = roll_step(table_of(state), rng, rolls)
    if table.step is Step.POSITIONS:
        more, table = roll_step(table.choose(mode), rng, rolls)
        records += more
    elif mode is not table.mode:
        raise ValueError(f"the {mode} mode cannot be chosen here")
    return table.board, records


def measure_by_rolls(state: State, square: int, rng: Uniform) -> tuple[Measurement, list[Roll]]:
    """Spend a turn on measuring one square by tabletop rolls (option ``measure-turn``).

    Whoever has a die of value 2 there asks whether the square is theirs, the player to move first; after a
    no, a die that has doubled is asked about in turn.

    Returns:
        The event for the game, and every roll in order.
    """
    dice = state.position.dice
    records: list[Roll] = []
    while contents := dice[square - 1]:
        asked = max(contents, key=lambda die: (die.value, die.shape is state.turn))
        if asked.value == 4:
            return Measurement(square, asked.shape), records
        question = Question(asked.shape, (square,), Asks.MINE, Surd(RollRule.EVEN.chance), RollRule.EVEN)
        records.append(throw(question, rng))
        if records[-1].yes:
            return Measurement(square, asked.shape), records
        dice = miss_piece(dice, square, asked.piece)
    return Measurement(square, EMPTY), records


def rolled_odds(table: Table, mode: Mode, rolls: Rolls) -> Odds:
    """The exact distribution of the board when a table is rolled to its end.

    Raises:
        UsageError: a mode or rolls that do not exist.
    """
    mode, rolls = Mode.named(mode), Rolls.named(rolls)
    parts = (
        (group.squares, tuple((pattern, float(p)) for pattern, p in rolled_out(group.cluster, mode, rolls)))
        for group in table.groups
    )
    return Odds(tuple(RootOdds(squares, patterns) for squares, patterns in parts), table.fixed)


@cache
def rolled_out(cluster: Cluster, mode: Mode, rolls: Rolls) -> tuple[tuple[str, Surd], ...]:
    """The exact distribution of what a cluster's squares hold when all its questions are rolled for.

    Args:
        cluster: the dice of one root on the table.
        mode: how symbols are read once the positions are settled.
        rolls: exact chances, or those of the roll tables.

    Returns:
        One character a square (``.`` for empty) and its probability, by pattern; they sum to exactly 1.
    """
    if not cluster.answers:
        if cluster.step is Step.POSITIONS:
            return rolled_out(cluster.read(mode), mode, rolls)
        return ((cluster.symbols, ONE),)
    question, yes, no = cluster.answers[0]
    p = question.chance if rolls is Rolls.EXACT else Surd(question.reading.chance)
    merged: dict[str, Surd] = {}
    for weight, left in ((p, yes), (ONE - p, no)):
        for pattern, probability in rolled_out(left, mode, rolls):
            merged[pattern] = merged.get(pattern, ZERO) + weight * probability
    return tuple(sorted(merged.items()))


def roll_odds(state: State, mode: Mode = Mode.STANDARD, rolls: Rolls = Rolls.D6) -> Odds:
    """The exact odds of a state's board if it were observed now by tabletop rolls.

    They follow from the chances of the questions alone. With exact chances they are those of ``State.odds``,
    from which they are taken then.

    Raises:
        IllegalMoveError: if the mode does not exist at this level.
        UsageError: d6 rolls with the option ``view=physical``; a mode or rolls that do not exist.
    """
    check_rolls(rolls, state.rules)
    exact = state.odds(mode)
    if Rolls.named(rolls) is Rolls.EXACT:
        return exact
    return rolled_odds(table_of(state), mode, Rolls.D6)
