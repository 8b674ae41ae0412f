"""What a position cannot give is found, and named by its kind."""

from itertools import product

import pytest

from qttt.game import Game
from qttt.game.symbols import Mode
from qttt.observation.faults import Fault, find_fault, impossible_boards
from tests.support.full_boards import full_games

BOARDS = ["".join(cells) for cells in product(".XO", repeat=9)]


def fault(tokens: str, board: str, mode: Mode = Mode.STANDARD, level: int = 4) -> Fault | None:
    game = Game(level=level)
    game.play(tokens)
    return find_fault(board, game.state.position.standard(), mode)


@pytest.mark.parametrize(
    ("tokens", "board", "expected"),
    [
        ("1+2", "X........", None),
        ("1+2", ".........", Fault.MISSING),
        ("1+2", "XX.......", Fault.DOUBLED),
        ("1+2", "O........", Fault.TURNED),
        ("1+2", "X..X.....", Fault.OUTSIDE),
        ("1 1*2", "XO.......", None),
        ("1 1*2", "XX.......", Fault.ALIKE),
        ("1 1*2", "X........", Fault.MISSING),
        # The piece in 3, so the attacker is alone in 1 or 2: an O.
        ("1+3 1*2", "O.X......", None),
        ("1+3 1*2", "X.X......", Fault.TURNED),
        ("1+3 1*2", "XX.......", Fault.ALIKE),
        ("1+3 1*2", "XOX......", Fault.DOUBLED),
        # The cancelled half is empty or holds one piece; the entangled one holds one or two.
        ("1+3 1*2 9 3-4", "..XO....X", Fault.MISPLACED),
        ("1 1-2", "XO.......", Fault.OUTSIDE),
        ("1 1-2", ".........", Fault.MISSING),
        # Of two faults the first in the order of the kinds is named.
        ("1+2 3 3*4", "XX.O.....", Fault.MISSING),
        ("1+2 3 3*4", "XXOO.....", Fault.DOUBLED),
    ],
)
def test_kinds(tokens: str, board: str, expected: Fault | None) -> None:
    assert fault(tokens, board) is expected


def test_an_observed_symbol_stays() -> None:
    tokens = "1 2 3 4 5+6 7 8 9 =XOXOXXO.O 6"
    level = 1
    game = Game(level=level)
    for token in tokens.split()[:-2]:
        game.play(token)
    board = next(iter(game.state.odds().outcomes()))
    game.play(f"={board}")
    changed = ("O" if board[0] == "X" else "X") + board[1:]
    assert find_fault(board, game.state.position, Mode.STANDARD) is None
    assert find_fault(changed, game.state.position, Mode.STANDARD) is Fault.CHANGED


def test_the_rotated_mode_turns_what_is_possible() -> None:
    assert fault("1", "O........", Mode.STANDARD) is Fault.TURNED
    assert fault("1", "O........", Mode.ROTATED) is None
    assert fault("1 1-2", ".X.......", Mode.ROTATED) is Fault.TURNED
    assert fault("1 1*2", "OO.......", Mode.ROTATED) is Fault.ALIKE


@pytest.mark.parametrize("level", range(6))
def test_impossible_is_exactly_what_has_no_probability(level: int) -> None:
    for game in full_games(level, 3, seed=level):
        position = game.state.position.standard()
        for mode in game.state.modes:
            possible = set(game.state.odds(mode).outcomes())
            boards = possible | set(BOARDS[level::11])
            assert set(impossible_boards(boards, position, mode)) == boards - possible
