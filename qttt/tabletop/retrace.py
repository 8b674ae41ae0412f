"""The rolls that lead to a known board: how an observation of a record could have gone at the table.

A record keeps only what an observation gave. Since the order of the rolls changes nothing, the questions can
be asked again in order and answered from the board; what was thrown for each is not known and not invented.
"""

from dataclasses import dataclass

from qttt.game.outcomes import Observation, Positions
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.state import State
from qttt.tabletop.questions import Question, Step
from qttt.tabletop.rolls import table_of
from qttt.tabletop.table import Table


@dataclass(frozen=True, slots=True)
class Retraced:
    """One step of an observation.

    Attributes:
        table: the table after it.
        question: what was asked; None for the beginning and for the choice of the mode.
        yes: the answer; None where nothing was asked.
    """

    table: Table
    question: Question | None = None
    yes: bool | None = None


def retrace(state: State, outcome: Observation | Positions) -> list[Retraced]:
    """Ask what the players would ask, one after the other, and answer from the outcome.

    Args:
        state: the state before the outcome.
        outcome: what the record says was observed; possible in that state.

    Returns:
        The table at the beginning, then after every answer, and once more after the choice of a mode.
    """
    table = table_of(state)
    steps = [Retraced(table)]
    while True:
        while not table.settled:
            question = table.next_question()
            yes = _answer(table, question, outcome)
            table = table.answer(question, yes=yes)
            steps.append(Retraced(table, question, yes))
        if isinstance(outcome, Positions) or table.step is not Step.POSITIONS:
            return steps
        table = table.choose(outcome.mode)
        steps.append(Retraced(table))


def reveal_order(state: State, outcome: Observation | Positions) -> list[int]:
    """The squares in the order in which rolls would settle them, those left out that are known already.

    Args:
        state: the state before the outcome.
        outcome: what was observed; possible in that state.
    """
    order = [square for square in SQUARES if _settled(table_of(state), square)]
    known = len(order)
    for step in retrace(state, outcome):
        # One roll may settle several squares, all that hangs together with it.
        order += [square for square in SQUARES if square not in order and _settled(step.table, square)]
    # A piece whose symbol comes later lies there still.
    return (order + [square for square in SQUARES if square not in order])[known:]


def _settled(table: Table, square: int) -> bool:
    """Whether it is known what a square holds: a symbol, a piece whose symbol comes later, or nothing."""
    position = table.position
    return position.is_observed(square) or not position.at(square)


def _answer(table: Table, question: Question, outcome: Observation | Positions) -> bool:
    if isinstance(outcome, Positions):
        return all(outcome.filled[square - 1] != EMPTY for square in question.squares)
    if table.step is Step.POSITIONS:
        return all(outcome.board[square - 1] != EMPTY for square in question.squares)
    return outcome.board[question.square - 1] == question.asker
