"""The worked examples of the rule texts, roll by roll: every diagram's dice and symbols, square by square."""

import pytest

from qttt.game import Game
from qttt.game.outcomes import Positions
from qttt.game.position import Position
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.questions import Question
from qttt.tabletop.rolls import table_of
from qttt.tabletop.table import Table


def diagram(position: Position) -> list[str]:
    """The board as the texts draw it: dice with values, bare shapes for symbols placed, ``.`` for empty."""
    cells = []
    for square in SQUARES:
        placed = position.observed[square - 1]
        symbol = placed if placed == EMPTY else Symbol(placed).glyph
        cells.append("".join(map(str, position.at(square))) or symbol)
    return cells


def drawn(text: str) -> list[str]:
    return text.replace("|", " ").split()


def asked(table: Table, player: str, square: int) -> Question:
    (question,) = [q for q in table.questions if q.asker == player and q.squares == (square,)]
    return question


def settled(before: Position, after: Position) -> dict[int, str]:
    """The squares whose dice are gone, and what is there."""
    gone = [square for square in SQUARES if before.at(square) and not after.at(square)]
    return {square: after.observed[square - 1] for square in gone}


def follow(table: Table, rolls: list[tuple[str, int, bool, str]]) -> Table:
    """Roll as in a text and compare the board after every roll with the text's diagram."""
    for player, square, yes, board in rolls:
        table = table.answer(asked(table, player, square), yes=yes)
        assert diagram(table.position) == drawn(board), f"after {player} at {square}"
    return table


def played(level: int, record: str, first: str = "X") -> Game:
    game = Game(level, first=Symbol(first))
    game.play(record)
    return game


@pytest.mark.parametrize(
    ("yes", "board"),
    [(True, "△ △ △ | . □ □ | □ △ □"), (False, "△ △ . | △ □ □ | □ △ □")],
)
def test_level_one_example(yes: bool, board: str) -> None:
    game = played(1, "1 5 2 6 3+4 7 8 9")
    assert diagram(game.state.position) == drawn("△4 △4 △2 | △2 □4 □4 | □4 △4 □4")
    table = table_of(game.state)
    assert diagram(table.position) == drawn("△ △ △2 | △2 □ □ | □ △ □")
    table = follow(table, [("X", 3, yes, board)])
    assert table.done
    assert table.board == table.position.observed


def test_level_two_observation_example() -> None:
    game = played(2, "4+9 3+7 3*6 5 7*1 2 2*8", "O")
    assert diagram(game.state.position) == drawn("△1□2 △2□2 △1□2 | □2 △4 △1□2 | △1□2 △2□2 □2")
    table = table_of(game.state)
    assert diagram(table.position) == drawn("△1□2 △2□2 △1□2 | □2 △ △1□2 | △1□2 △2□2 □2")
    assert settled(game.state.position, table.position) == {5: "X"}
    table = follow(
        table,
        [
            ("O", 4, False, "△1□2 △2□2 △1□2 | . △ △1□2 | △1□2 △2□2 □"),
            ("X", 2, True, "△1□2 △ △1□2 | . △ △1□2 | △1□2 □ □"),
            ("O", 7, False, "□ △ △1□2 | . △ △1□2 | △2 □ □"),
            ("X", 7, True, "□ △ □2 | . △ □2 | △ □ □"),
            ("O", 3, False, "□ △ . | . △ □ | △ □ □"),
        ],
    )
    assert table.done
    assert table.board == "OX..XOXOO"


def test_level_two_changes_of_one_roll() -> None:
    before = table_of(played(2, "4+9 3+7 3*6 5 7*1 2 2*8", "O").state)
    after = before.answer(asked(before, "X", 2), yes=True)
    assert settled(before.position, after.position) == {2: "X", 8: "O"}


@pytest.mark.parametrize(
    ("yes", "board"),
    [(True, ". . □2 | . . □2 | △ . ."), (False, ". . △2□2 | . . △2□2 | . . .")],
)
def test_level_two_half_entangled_outcomes(yes: bool, board: str) -> None:
    table = table_of(played(2, "3+7 3*6").state)
    assert diagram(table.position) == drawn(". . △1□2 | . . △1□2 | △2 . .")
    follow(table, [("X", 7, yes, board)])


def test_short_rule_book_example() -> None:
    table = table_of(played(2, "5+6 5*8 1 1*2 3+7 4 9").state)
    assert diagram(table.position) == drawn("△2□2 △2□2 △2 | □ △1□2 △2 | △2 △1□2 △")
    table = follow(
        table,
        [
            ("X", 7, True, "△2□2 △2□2 . | □ △1□2 △2 | △ △1□2 △"),
            ("X", 1, False, "□ △ . | □ △1□2 △2 | △ △1□2 △"),
            ("O", 5, True, "□ △ . | □ □ △2 | △ △2 △"),
            ("X", 8, True, "□ △ . | □ □ . | △ △ △"),
        ],
    )
    assert table.board == "OX.OO.XXX"


def test_level_five_example() -> None:
    game = played(5, "5 5-6 9 2 1+7 1*3 ~4 4*8")
    position = game.state.position
    assert diagram(position) == drawn("△1□2 △2□-2 △1□2 | △2□2 △2△-2 □4 | △1□1 △2□2 △2□2")
    assert diagram(position.standard()) == drawn("△1□2 □4 △1□2 | △2□2 △2△-2 △2□-2 | △2 △2□2 △4")
    table = table_of(game.state)
    assert settled(position.standard(), table.position) == {5: "."}
    assert diagram(table.position) == drawn("△1□2 □4 △1□2 | △2□2 . △2□-2 | △2 △2□2 △4")
    table = follow(table, [("X", 7, False, "△2□2 □4 △2□2 | △2□2 . △2□-2 | . △2□2 △4")])
    assert table.filled == "####.#.##"

    game.push(Positions(table.filled))
    table = table_of(game.state).choose(Mode.ROTATED)
    assert diagram(table.position) == drawn("△2□2 □4 △2□2 | △2□2 . □ | . △2□2 △4")
    table = follow(
        table,
        [
            ("X", 1, True, "△ □4 □ | △2□2 . □ | . △2□2 △4"),
            ("X", 4, True, "△ □4 □ | △ . □ | . □ △4"),
            ("O", 2, False, "△ △ □ | △ . □ | . □ △4"),
            ("X", 9, True, "△ △ □ | △ . □ | . □ △"),
        ],
    )
    assert table.board == "XXOX.O.OX"
    game.play(f"=r:{table.board}")
    assert diagram(game.state.position) == drawn("△4 △4 □4 | △4 . □4 | . □4 △4")


@pytest.mark.parametrize(
    ("record", "answers", "board"),
    [
        # With the half-cancelled square empty, target and other half keep dice that weigh 3 and 2.
        ("1+3 1-2", [False], ". △1□-2 △2"),
        ("1+3 1-2", [False, True], ". . △4"),
        ("1+3 1-2", [False, False], ". △1□-2 ."),
        ("1+3 1-2", [True], "△4 . ."),
        ("1+3 1*2 9 3-4", [False], "△1□2 △1□2 . | △1□-2"),
        ("1+3 1*2 9 3-4", [False, True], "△2□2 △2□2 . | ."),
        ("1+3 1*2 9 3-4", [False, False], "□2 □2 . | △1□-2"),
        ("1+3 1-2 9 3-4", [False], ". △1□-2 △1△-2 | △1□-2"),
        ("1+3 1-2 9 3-4", [False, False], ". △1□-2 . | △1□-2"),
        ("1+3 1-2 9 3-4", [False, False, False], ". . . | △1□-2"),
    ],
)
def test_half_cancelled_roots(record: str, answers: list[bool], board: str) -> None:
    table = table_of(played(4, record).state)
    for yes in answers:
        table = table.answer(next(q for q in table.questions if q.square < 9), yes=yes)
    expected = drawn(board)
    assert diagram(table.position)[: len(expected)] == expected


def test_dice_keep_their_colours_on_the_table() -> None:
    game = played(2, "4+9 3+7 3*6 5 7*1 2 2*8", "O")
    table = table_of(game.state)
    while not table.done:
        for square in SQUARES:
            left = {die.piece for die in table.position.at(square)}
            assert left <= {die.piece for die in game.state.position.at(square)}
        table = table.answer(table.next_question(), yes=False)
