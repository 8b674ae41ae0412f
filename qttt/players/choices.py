"""What a player decides: a move, a square to measure, or the mode of an observation."""

from dataclasses import dataclass, replace

from qttt.game.moves import Move
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol


@dataclass(frozen=True, slots=True)
class Look:
    """The decision to spend a turn on measuring one square (option ``measure-turn``).

    Attributes:
        square: 1 to 9.
    """

    square: int

    def __str__(self) -> str:
        """For example ``?5``: a measurement whose result is not known yet."""
        return f"?{self.square}"


#: One decision; ``str`` gives it in notation, for a mode its name.
Choice = Move | Look | Mode


def choices(state: State) -> list[Choice]:
    """Everything the player whose decision it is may choose, in canonical order.

    Returns:
        Moves, then squares to measure; or the modes, once the positions are observed; empty where chance or
        nothing comes next.
    """
    if state.phase is Phase.MOVE:
        return [*state.legal_moves(), *map(Look, state.measurable())]
    return list(state.modes) if state.phase is Phase.MODE else []


def decider(state: State) -> Symbol:
    """The player who has to choose: who is to move, or who chooses the mode."""
    return state.initiator if state.phase is Phase.MODE else state.turn


#: Observation phases after which a game of two computers is a tie where it could go on for ever (rules.md).
MAX_OBSERVATIONS = 50


def limited(rules: Rules) -> Rules:
    """The rules for a game between computers: one that could go on for ever gets a last observation phase."""
    if not rules.level.observed_in_play or rules.options.max_observations is not None:
        return rules
    return replace(rules, options=replace(rules.options, max_observations=MAX_OBSERVATIONS))


def unlimited(rules: Rules) -> Rules:
    """The rules without a limit that is too far away to matter: one of ``MAX_OBSERVATIONS`` or more."""
    if (rules.options.max_observations or 0) < MAX_OBSERVATIONS:
        return rules
    return replace(rules, options=replace(rules.options, max_observations=None))
