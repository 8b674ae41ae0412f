"""Dice on squares: every square configuration of the Player Reference, and what a view switch makes of it."""

from dataclasses import replace

import pytest

from qttt.game import Game
from qttt.game.configurations import Configuration, is_cancelled, partner
from qttt.game.dice import VALUES, Die, die_of
from qttt.game.moves import Move
from qttt.game.position import START, Position
from qttt.game.roots import read_roots
from qttt.game.rules import Rules
from qttt.game.state import State
from qttt.game.symbols import Symbol, View


def position(record: str, first: Symbol = Symbol.X) -> Position:
    board, player = START, first
    for token in record.split():
        board = board.after(Move.parse(token), player)
        player = player.opponent
    return board


def faces(board: Position, square: int) -> str:
    return " ".join(map(str, board.at(square)))


# Player Reference, "Possible Square Configurations": record, who starts, square, configuration, dice.
CONFIGURATIONS = [
    ("5", "X", 5, Configuration.CLASSICAL, "△4"),
    ("5", "O", 5, Configuration.CLASSICAL, "□4"),
    ("1+3", "X", 1, Configuration.SUPERPOSITION, "△2"),
    ("1+3", "O", 3, Configuration.SUPERPOSITION, "□2"),
    ("5 5*6", "X", 5, Configuration.ENTANGLED, "△2 □2"),
    ("5 5*6", "O", 6, Configuration.ENTANGLED, "△2 □2"),
    ("1+3 1*2", "O", 1, Configuration.HALF_ENTANGLED, "△2 □1"),  # P1 half-entangled
    ("1+3 1*2", "O", 2, Configuration.HALF_ENTANGLED, "△2 □1"),
    ("1+3 1*2", "X", 1, Configuration.HALF_ENTANGLED, "△1 □2"),  # P2 half-entangled
    ("1+3 1*2", "X", 2, Configuration.HALF_ENTANGLED, "△1 □2"),
    ("5 5-6", "O", 5, Configuration.CANCELLED, "□2 □-2"),  # P1-cancelled
    ("5 5-6", "X", 5, Configuration.CANCELLED, "△2 △-2"),  # P2-cancelled
    ("5 5-6", "O", 6, Configuration.PLUS, "△2 □2"),
    ("5 5-6", "X", 6, Configuration.MINUS, "△2 □-2"),
    ("1+3 1-2", "O", 1, Configuration.HALF_CANCELLED, "□1 □-2"),  # P1 half-cancelling move
    ("1+3 1-2", "O", 2, Configuration.TARGET, "△2 □1"),
    ("1+3 1-2", "O", 3, Configuration.SUPERPOSITION, "□2"),
    ("1+3 1-2", "X", 1, Configuration.HALF_CANCELLED, "△1 △-2"),  # P2 half-cancelling move
    ("1+3 1-2", "X", 2, Configuration.TARGET, "△1 □-2"),
    ("1+3 1-2", "X", 3, Configuration.SUPERPOSITION, "△2"),
    ("1+3~", "X", 1, Configuration.PLUS_HALF, "△1 □1"),
    ("1+3~", "O", 3, Configuration.MINUS_HALF, "△1 □-1"),
    ("1", "X", 2, Configuration.EMPTY, ""),
]


@pytest.mark.parametrize(("record", "first", "square", "kind", "dice"), CONFIGURATIONS)
def test_square_configurations_of_the_reference(
    record: str, first: str, square: int, kind: Configuration, dice: str
) -> None:
    board = position(record, Symbol(first))
    assert board.configuration(square) is kind
    assert faces(board, square) == dice


# Player Reference, "Switching the View": record, who starts, square, dice before and after the switch.
SWITCHES = [
    ("5 5-6", "O", 6, "△2 □2", "△4"),  # plus
    ("5 5-6", "X", 6, "△2 □-2", "□4"),  # minus
    ("5", "X", 5, "△4", "△2 □2"),
    ("5", "O", 5, "□4", "△2 □-2"),
    ("1+3", "X", 3, "△2", "△1 □1"),
    ("1+3", "O", 1, "□2", "△1 □-1"),
    ("5 5*6", "X", 6, "△2 □2", "△2 □2"),
    ("5 5-6", "X", 5, "△2 △-2", "△2 △-2"),
    ("5 5-6", "O", 5, "□2 □-2", "□2 □-2"),
    ("1+3 1-2", "O", 1, "□1 □-2", "□1 □-2"),  # half-interacted: only the uninteracted half
    ("1+3 1-2", "O", 2, "△2 □1", "△2 □1"),
    ("1+3 1-2", "O", 3, "□2", "△1 □-1"),
    ("1+3 1*2", "X", 1, "△1 □2", "△1 □2"),
    ("1+3 1*2", "X", 3, "△2", "△1 □1"),
]


@pytest.mark.parametrize(("record", "first", "square", "before", "after"), SWITCHES)
def test_switching_the_view(record: str, first: str, square: int, before: str, after: str) -> None:
    board = position(record, Symbol(first))
    turned = board.switched()
    assert (faces(board, square), faces(turned, square)) == (before, after)
    assert turned.view is View.ROTATED
    again = turned.switched()
    assert faces(again, square) == before
    assert again.view is View.STANDARD


def test_a_switch_re_owns_plus_and_minus_states() -> None:
    plus = position("5 5-6", Symbol.O).switched().at(6)
    minus = position("5 5-6", Symbol.X).switched().at(6)
    assert plus == (Die(Symbol.X, Symbol.X, 0, 4),)
    assert minus == (Die(Symbol.O, Symbol.O, 0, 4),)


def test_open_squares_follow_the_shape_of_a_lone_die() -> None:
    board = position("5 1+3")
    assert [board.attacker(square) for square in (5, 1, 2)] == [Symbol.O, Symbol.X, None]
    assert position("5 5*6").attacker(5) is None
    assert position("5 5-6", Symbol.O).switched().attacker(6) is Symbol.O


def test_colours_are_fresh_per_player() -> None:
    board = position("1 2 3 4")
    assert colours(board, "X") + colours(board, "O") == ["red", "green"] * 2


def colours(board: Position, player: str) -> list[str]:
    """The colours of a player's dice, by square."""
    return [die.colour for contents in board.dice for die in contents if die.owner == player]


@pytest.mark.parametrize(
    ("observed", "x", "o"),
    [
        ("XXX.O.O..", ["red", "green", "blue"], ["red", "green"]),
        # With two empty squares a player moves once at the most: four pieces keep colours of their own.
        ("XXXXOOO..", ["red", "green", "blue", "yellow"], ["red", "green", "blue"]),
        ("XXXXXOO..", ["red", "red", "green", "green", "blue"], ["red", "green"]),
        ("OXXXOXXX.", ["red", "red", "green", "green", "blue", "blue"], ["red", "green"]),
        ("XXXXXXXXX", ["red"] * 2 + ["green"] * 2 + ["blue"] * 2 + ["yellow"] * 2 + ["purple"], []),
        ("XX.......", ["red"] * 2, []),
    ],
)
def test_observed_pieces_take_colours_in_pairs_where_single_ones_would_not_do(
    observed: str, x: list[str], o: list[str]
) -> None:
    board = START.observed_as(observed, in_play=True)
    assert (colours(board, "X"), colours(board, "O")) == (x, o)
    pieces = [die.piece for contents in board.dice for die in contents]
    assert len(set(pieces)) == len(pieces)


@pytest.mark.parametrize(
    ("moves", "kinds"),
    [
        # X's pieces in 3 and 4 are both green. O attacks both; each pair keeps to its own two squares.
        ("3*8 4*9", {3: Configuration.ENTANGLED, 4: Configuration.ENTANGLED}),
        ("3-8 4*9", {3: Configuration.CANCELLED, 4: Configuration.ENTANGLED}),
        ("3*8", {3: Configuration.ENTANGLED, 4: Configuration.CLASSICAL}),
    ],
)
def test_two_pieces_of_one_colour_are_never_taken_for_one(
    moves: str, kinds: dict[int, Configuration]
) -> None:
    board = START.observed_as("XXXXXOO..", in_play=True)
    assert board.at(3)[0].colour == board.at(4)[0].colour == "green"
    for token in moves.split():
        board = board.after(Move.parse(token), Symbol.O)
        target = Move.parse(token).squares[1]
        assert partner(board.dice, int(token[0])) == target
    for turns in range(3):
        assert {square: board.configuration(square) for square in kinds} == (
            kinds
            if turns != 1
            else {s: Configuration.PLUS if k is Configuration.CLASSICAL else k for s, k in kinds.items()}
        )
        board = board.switched()
    assert len({root.squares for root in read_roots(board)}) == 7


def test_out_of_colours_two_lone_pieces_share_one() -> None:
    # O looks at each half that X moves into, so that X has five lone pieces and makes a sixth.
    game = Game(rules=Rules.of(2, "measure-turn"))
    game.play("1+2 ?2=. 2+3 ?3=. 3+4 ?4=. 4+5 ?5=. 5+6 ?6=. 6+7")
    board = game.state.position
    assert colours(board, "X") == ["red", "red", "blue", "yellow", "purple", "green", "green"]
    pieces = [die.piece for contents in board.dice for die in contents]
    assert len(set(pieces)) == 6
    # One of the two is observed. The other keeps its colour, and a new piece of two dice shares none.
    game.play("?1=X 8+9")
    assert colours(game.state.position, "X") == [
        "red",
        "red",
        "yellow",
        "purple",
        *["green"] * 2,
        *["blue"] * 2,
    ]


def test_the_partner_is_found_by_the_pieces() -> None:
    board = position("3+7 3*6 9 7*1")
    assert {square: partner(board.dice, square) for square in (3, 6, 7, 1)} == {3: 6, 6: 3, 7: 1, 1: 7}


def test_observed_pieces_close_their_squares_or_become_lone_dice() -> None:
    closed = START.observed_as("XO.......", in_play=False)
    assert closed.is_observed(1)
    assert not closed.is_empty(1)
    assert closed.at(1) == ()
    lone = START.observed_as("XX.O.O...", in_play=True)
    assert [str(lone.at(square)[0]) for square in (1, 2, 4, 6)] == ["△4", "△4", "□4", "□4"]
    assert [lone.at(square)[0].number for square in (1, 2, 4, 6)] == [0, 1, 0, 1]
    assert lone.empty_squares == (3, 5, 7, 8, 9)


def test_physical_switches_remember_what_the_dice_do_not_show() -> None:
    def physical(record: str) -> Position:
        return replace(position(record), physical=True)

    board = physical("1+3 1*2")
    assert board.switched().twisted == {1, 2}
    assert board.switched().switched().twisted == frozenset()
    assert position("1+3 1*2").switched().twisted == frozenset()
    assert physical("5 5*6").switched().twisted == frozenset()
    assert physical("1+3 1-2").switched().twisted == {1, 2}
    assert board.observed_as("X.X.O....", in_play=True).physical
    assert board.observed_as("X.X.O....", in_play=False).physical


def test_views_are_switched_as_at_the_table_unless_told_otherwise() -> None:
    """Only the physical reading rotates an attacked half, whose dice stay (decision D5)."""
    half = position("1+3 1*2")
    switch = Move.parse("9~")
    assert (
        half.after(switch, Symbol.X).twisted == half.after(switch, Symbol.X).standard().twisted == frozenset()
    )
    turned = replace(half, physical=True).after(switch, Symbol.X)
    assert turned.twisted == {1, 2}
    assert turned.standard().twisted == frozenset()
    for rules in (Rules.of(5), Rules.of(5, "view=physical")):
        assert State(rules).position.physical is rules.options.physical_view


def test_only_dice_of_one_shape_cancel() -> None:
    """A minus shows 2 and -2 as well, but with both shapes: there is a piece in its square."""
    cancelled, half_cancelled = position("5 5-6", Symbol.O), position("1+3 1-2", Symbol.O)
    assert is_cancelled(cancelled.at(5))
    minus = position("5 5-6").at(6)
    assert sum(die.value for die in minus) == 0
    for contents in (minus, cancelled.at(6), half_cancelled.at(1), half_cancelled.at(3), ()):
        assert not is_cancelled(contents)


def test_the_values_are_those_that_the_reference_shows() -> None:
    shown = {
        die.value
        for record, first, square, *_ in CONFIGURATIONS
        for die in position(record, Symbol(first)).at(square)
    }
    assert shown == set(VALUES)
    assert [die_of(Symbol.X, 0, value).weight for value in VALUES] == [1, 0.5, 0.25, 0.5, 0.25]


def test_a_board_has_nine_squares() -> None:
    assert START.dice == ((), (), (), (), (), (), (), (), ())
    assert START.empty_squares == (1, 2, 3, 4, 5, 6, 7, 8, 9)


def test_the_shapes_of_the_symbols() -> None:
    """X plays the triangles (d4), O the squares (d6)."""
    assert [(symbol, symbol.shape, symbol.glyph) for symbol in Symbol] == [
        ("X", "triangle", "△"),
        ("O", "square", "□"),
    ]
