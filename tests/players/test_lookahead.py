"""The search finds what looking at everything finds."""

from math import isnan, nan

import pytest

from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement, Observation, Positions, filled_squares
from qttt.game.result import Result
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players import Choice, Look, choices
from qttt.players.evaluation import estimate
from qttt.players.lookahead import Budget, board_values, look_ahead
from qttt.solver.blocks import blocks_of

Pair = tuple[float, float]
ENDED: dict[Result, Pair] = {Result.X: (1, 0), Result.O: (-1, 0), Result.TIE: (0, 1)}
NO_LIMIT = Budget(1 << 40)


def game_of(record: str, level: int, options: str = "") -> Game:
    game = Game(level, options)
    game.play(record)
    return game


def minimax(state: State, depth: int) -> Pair:
    """P(X wins) − P(O wins) and P(tie) by looking at everything, so many moves ahead.

    The tie probability is unknown, and so not a number, where choices that are equal otherwise differ in it.
    """
    if state.phase is Phase.OVER:
        return ENDED[state.result]
    if state.phase is not Phase.MOVE:
        return observed(state)
    if depth == 0:
        blocks, empty = blocks_of(state.position.standard()), state.position.empty_squares
        value, tie = estimate(blocks, empty, int(state.turn is Symbol.O), state.rules.level)
        return value * state.turn.sign, tie
    return best([after(state, choice, depth - 1) for choice in choices(state)], state.turn)


def after(state: State, choice: Choice, depth: int) -> Pair:
    if isinstance(choice, Move):
        return minimax(state.child(choice), depth)
    assert isinstance(choice, Look)
    odds = state.measurement_odds(choice.square)
    return mean(
        [(p, minimax(state.child(Measurement(choice.square, cell)), depth)) for cell, p in odds.items()]
    )


def mean(parts: list[tuple[float, Pair]]) -> Pair:
    return sum(p * pair[0] for p, pair in parts), sum(p * pair[1] for p, pair in parts)


def best(pairs: list[Pair], player: Symbol) -> Pair:
    top = max(value * player.sign for value, _ in pairs)
    ties = [tie for value, tie in pairs if value * player.sign > top - 1e-9]
    return top * player.sign, ties[0] if max(ties) - min(ties) < 1e-9 else nan


def observed(state: State) -> Pair:
    """The value of a full board: the positions come first, then the initiator chooses the mode."""
    parts: dict[str, dict[Mode, list[tuple[float, Pair]]]] = {}
    for mode in state.modes:
        for board, chance in state.odds(mode).outcomes().items():
            of_place = parts.setdefault(filled_squares(board), {})
            of_place.setdefault(mode, []).append((chance, board_value(state, board, mode)))
    of_places = [
        best([mean(several) for several in modes.values()], state.initiator) for modes in parts.values()
    ]
    return mean([(1.0, pair) for pair in of_places])


def board_value(state: State, board: str, mode: Mode) -> Pair:
    if len(state.modes) > 1:
        state = state.child(Positions(filled_squares(board)))
    child = state.child(Observation(board, mode))
    if child.phase is Phase.OVER:
        return ENDED[child.result]
    cells = f".{child.turn}{child.turn.opponent}"
    number = sum(cells.index(cell) * 3**place for place, cell in enumerate(board))
    value, tie = board_values(child.rules)(number)
    return value * child.turn.sign, tie


def test_a_full_board_without_a_leader_is_level_under_no_ties() -> None:
    """It is observed again in rotated mode, where every piece is 50/50, alike for both players."""
    board = "XOXXOOOXX"
    number = sum(".XO".index(cell) * 3**place for place, cell in enumerate(board))
    assert board_values(Rules.of(5, "no-ties"))(number) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("record", "level", "options", "depth"),
    [
        ("1 5 9 3 7", 0, "", 3),
        ("1 5 2+4 3", 1, "", 2),
        ("1+3 1*2 9 5 6", 2, "", 2),
        ("1+3 2+4 5+6", 2, "quantum-only", 2),
        ("1+3 1*2 9 5 6", 2, "", 3),
        ("1+2 1*3 5 9", 2, "no-double-entanglement", 3),
        ("5 1+3 3-2 7 4", 3, "", 2),
        ("1+3 5 2+4 6 7", 1, "measure-turn", 2),
        ("1+3 5 2+4 6 7 8", 1, "measure-turn", 4),
        ("1+3 5 2+4 3*6 8", 2, "measure-turn", 2),
        ("1+3 1-2 4 5 6 7 8", 4, "", 1),
        ("1+3 1-2 4 5 6 ~7 8", 5, "view-switches=1", 1),
        ("1+3 1-2 4 5 6 7 8", 5, "no-ties", 1),
        ("~1+3 1-2 4 5 6 7 8", 5, "max-observations=1", 1),
    ],
)
def test_the_search_finds_what_looking_at_everything_finds(
    record: str, level: int, options: str, depth: int
) -> None:
    state = game_of(record, level, options).state
    expected = {choice: after(state, choice, depth - 1) for choice in choices(state)}
    found = look_ahead(state, NO_LIMIT, most_depth=depth)
    assert list(found.values) == list(expected)
    for choice, (value, tie) in expected.items():
        assert found.values[choice].value == pytest.approx(value, abs=1e-9), choice
        assert isnan(tie) or found.values[choice].tie == pytest.approx(tie, abs=1e-9), choice
    value, tie = best(list(expected.values()), state.turn)
    assert found.position.value == pytest.approx(value, abs=1e-9)
    assert isnan(tie) or found.position.tie == pytest.approx(tie, abs=1e-9)
    # What is inferior may only be known to be.
    quick = look_ahead(state, NO_LIMIT, most_depth=depth, best_only=True)
    for choice, (value, _) in expected.items():
        bound = quick.values[choice].value * state.turn.sign
        assert bound >= value * state.turn.sign - 1e-9
        if value == pytest.approx(found.position.value, abs=1e-9):
            assert bound == pytest.approx(value * state.turn.sign, abs=1e-9)
    assert quick.positions <= found.positions
