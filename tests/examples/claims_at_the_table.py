"""What the texts claim of observing, rolling and options, with what the program says in the gaps."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest

from qttt.display.text import colour_letter
from qttt.errors import QtttError
from qttt.game import Game
from qttt.game.dice import COLOURS
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Observation, filled_squares
from qttt.game.rules import LEVELS, Level, Options, Rules, options_at
from qttt.game.squares import SQUARES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.d6 import FACES, RollRule
from qttt.tabletop.rolls import Rolls, roll_odds, table_of
from qttt.tabletop.table import Table
from qttt.teaching.guide.roll_rows import roll_rows
from qttt.teaching.guide.sections import played, share
from tests.examples.claims import (
    NUMBERS,
    Claim,
    X,
    cancels,
    entangles,
    has_modes,
    has_views,
    odds,
    plays_on,
    signed,
    superposes,
)
from tests.examples.claims_of_moves import games


def together(level: Level) -> bool:
    """Whether positions and symbols are rolled together at the table."""
    return superposes(level) and not cancels(level)


def begins(level: Level) -> tuple[str, str]:
    """How many empty squares are left when an observation begins, and who began it."""
    counts, players = set(), set()
    for game in games(level.number):
        for event, before in zip(game.events, game.states, strict=False):
            if isinstance(event, Move):
                after = before.child(event)
                if after.phase is Phase.OBSERVATION:
                    counts.add(len(after.position.empty_squares))
                    players.add(after.initiator is before.turn)
    assert counts == {0}
    assert players == {True}
    return NUMBERS[counts.pop()], "last"


def found_in(level: Level) -> str:
    """In how many squares each piece is found: the symbols found, and the pieces that were placed."""
    for tokens in ("5", "1+3", "1+3 5", "5 5*6", "1+3 1*2", "5 5-6", "1+3 1-2"):
        try:
            game = Game(level.number).play(tokens)
        except QtttError:
            continue
        placed = sum("-" not in token for token in tokens.split())
        for board in game.state.odds().outcomes():
            assert sum(cell != "." for cell in board) == placed
    return "one"


def left(tokens: str, player: Symbol, level: int = 2) -> dict[int, int]:
    """Where a player's dice lie after a measured square, and what they show."""
    position = played(tokens, level, options="measure-turn").state.position
    return {square: die.value for square in SQUARES for die in position.at(square) if die.owner is player}


def shows() -> str:
    """What the die of a piece shows that is certain to be in a square."""
    (value,) = left("1+3 ?1=.", X, 1).values()
    assert played("1+3 ?1=.", 1, options="measure-turn").state.odds().square(3)["X"] == 1
    return signed(value)


def others_of_found() -> str:
    """What becomes of the other dice of a piece that is found."""
    gone = not left("1+3 ?1=X", X, 1) and not left("1+3 1*2 ?3=X", X)
    return "vanish" if gone else "stay"


def of_missed() -> tuple[str, str]:
    """What becomes of the die of a piece that is not found in a square, and of its others."""
    assert left("1+3 1*2", X) == {1: 1, 2: 1, 3: 2}
    after = left("1+3 1*2 ?3=.", X)
    assert after == {1: 2, 2: 2}
    assert left("1+3 ?1=.", X, 1) == {3: 4}
    return "loses" if 3 not in after else "keeps", "double"


def of_partner() -> tuple[str, str, str]:
    """What becomes of the piece that is entangled with a piece found in a square."""
    before, after = left("1+3 1*2", X), left("1+3 1*2 ?1=O", X)
    return (
        "not" if 1 not in after else "also",
        "vanishes" if 1 not in after else "doubles",
        "doubles" if after[2] == 2 * before[2] else "vanishes",
    )


def exactly(table: Table, mode: Mode, rng: Random) -> dict[str, Fraction | float]:
    """The chances of the boards if any question that may be asked comes next."""
    if table.settled:
        if table.done:
            return {table.board: 1.0}
        return exactly(table.choose(mode), mode, rng)
    question = rng.choice(table.questions)
    chance = float(question.chance)
    found: dict[str, Fraction | float] = {}
    for yes, share_ in ((True, chance), (False, 1 - chance)):
        if share_:
            for board, p in exactly(table.answer(question, yes=yes), mode, rng).items():
                found[board] = found.get(board, 0.0) + share_ * p
    return found


def any_order(level: Level) -> tuple[str, str]:
    """The values of the dice that may be asked about next, and what their order does to the chances."""
    values = set()
    for tokens in ("1+3 4+6 5", "1+3 1*2 9 3*4 5+6"):
        try:
            state = Game(level.number).play(tokens).state
        except QtttError:
            continue
        table = table_of(state)
        values |= {
            die.value
            for question in table.questions
            for die in table.position.at(question.squares[0])
            if die.shape is question.asker
        }
        for seed in range(5):
            found = exactly(table, Mode.STANDARD, Random(seed))
            assert found == pytest.approx(state.odds().outcomes())
    (value,) = values
    return signed(value), "does not change"


def ones() -> tuple[str, str, str, str]:
    """Whether 1s are asked about, and what becomes of them."""
    assert any_order_values() == {2}
    after = left("1+3 1*2 ?1=O", X)
    return "1", "not", "double" if after[2] == 2 else "stay", "vanish" if 1 not in after else "stay"


def any_order_values() -> set[int]:
    table = table_of(played("1+3 1*2 9 3*4", 2).state)
    return {
        die.value
        for question in table.questions
        for die in table.position.at(question.squares[0])
        if die.shape is question.asker
    }


def answered(tokens: str, squares: tuple[int, ...], *, yes: bool, level: int = 4) -> Table:
    """The table after a question about some squares was answered."""
    table = table_of(played(tokens, level).state)
    (question,) = [question for question in table.questions if question.squares == squares]
    return table.answer(question, yes=yes)


def values_at(table: Table, square: int) -> list[str]:
    return [f"{die.owner}{die.value}" for die in table.position.at(square)]


def where_it_is() -> tuple[str, str, str, str]:
    """What becomes of the dice of a half-entangled piece, where it is and where it is not."""
    there = answered("1+3 1*2", (1, 2), yes=True)
    gone = answered("1+3 1*2", (1, 2), yes=False)
    assert values_at(there, 1) == values_at(there, 2) == ["X2", "O2"]
    assert values_at(there, 3) == []
    assert values_at(gone, 1) == values_at(gone, 2) == ["O2"]
    return "double", "vanish", NUMBERS[2], "superposition"


def half_cancelled_left() -> tuple[str, str, str, str, str]:
    """What a half-cancelled square holds if it is filled, and how many dice it loses if it is empty."""
    filled, empty = (answered("1+3 1-2", (1,), yes=yes) for yes in (True, False))
    (die,) = filled.position.at(1)
    assert die.piece == (X, 0)
    lost = len(played("1+3 1-2", 3).state.position.at(1)) - len(empty.position.at(1))
    return "filled", "attacked", signed(die.value), "empty", {2: "both", 1: "one of"}[lost]


def target_left() -> tuple[str, str]:
    table = answered("1+3 1-2", (1,), yes=False)
    (question,) = [question for question in table.questions if question.squares == (3,)]
    table = table.answer(question, yes=False)
    before = played("1+3 1-2", 3).state.position.at(2)
    return "filled", "stay as they are" if table.position.at(2) == before else "double"


def positions_first(level: Level) -> tuple[str, str]:
    names = [name for name, rows in roll_rows(level) if rows]
    assert names[0] == "Positions"
    assert all(name.startswith("Symbols") for name in names[1:])
    return "positions", "symbol"


def asked_first(tokens: str = "1+3 3-4 9 1-2") -> tuple[str, str]:
    """Which squares come first of dice that hang together."""
    state = played(tokens, 3).state
    table = table_of(state)
    first = {question.squares for question in table.questions}
    half = {s for s in SQUARES if state.position.configuration(s).word == "half-cancelled"}
    assert first <= {(square,) for square in half}
    return "half-cancelled", "smaller" if table.next_question().square == min(half) else "larger"


@cache
def two_ones() -> tuple[str, str, str, str, str]:
    """The chance that two dice both showing 1 stand for, what they say, and whether their order matters."""
    chance = RollRule.SNAKE_EYES.chance
    rough = roll_odds(played("1+3 1-2 9 3-4", 3).state, Mode.STANDARD, Rolls.D6)
    matters = abs(rough.square(1)["X"] - rough.square(3)["X"]) > 1e-6
    assert chance.numerator == 1
    assert chance.denominator == FACES**2
    return (
        share(odds("1+3 1-2", 1)["X"]),
        "1",
        str(chance.denominator),
        share(float(chance)),
        "matters" if matters else "does not matter",
    )


def apart(level: Level) -> str:
    """Whether pieces that do not hang together may be asked about in any order."""
    table = table_of(played("1+3 4+6 9", level.number).state)
    return "any" if {question.squares[0] for question in table.questions} >= {1, 4} else "one"


def asks(level: Level) -> tuple[str, str]:
    """Whose die lies where somebody asks, and how many sides the die has that is rolled."""
    tokens = {1: "1+3 4+6", 2: "1+3 1*2", 3: "1+3 1*2 4 5+6", 4: "1+3 1*2", 5: "1+3 1*2"}[level.number]
    table = table_of(played(tokens, level.number).state)
    for question in table.questions:
        dice = table.position.at(question.squares[0])
        assert question.asker in {die.shape for die in dice} | {die.owner for die in dice}
    return "theirs", NUMBERS[FACES]


def takes_turns(level: Level) -> str:
    state = played("1+3 4+6" if superposes(level) else "5", level.number).state
    table = table_of(state)
    question = table.next_question()
    assert table.turn is state.initiator
    assert table.answer(question, yes=True).turn is question.asker.opponent
    return "initiator" if question.asker is state.initiator else "other"


def letters(level: Level) -> tuple[str, str]:
    """Whose colours capitals and small letters stand for."""
    capital = {player for player in Symbol if colour_letter(player, COLOURS[0]).isupper()}
    (one,) = capital
    return str(one), str(one.opponent)


def half_holds() -> tuple[str, str]:
    """What must not have happened to the other half for the chances of one half to hold."""
    one = odds("1+3 1*2", 1)
    assert odds("1+3 1*2 9 3*4", 1) == pytest.approx(one)
    changed = odds("1+3 1*2 9 3-4", 1)
    return "not", "cancelled" if changed != pytest.approx(one) else "entangled"


def chances_of() -> str:
    """The mode in which a classical piece is what it seems."""
    (mode,) = [mode for mode in Mode if odds("5", 5, mode)["X"] == 1]
    return str(mode)


# Options.


def must_be_quantum() -> tuple[str, str]:
    """Which moves `quantum-only` forbids while which are legal."""
    kinds = {move.kind for move in Game(2, "quantum-only").state.legal_moves()}
    assert kinds
    left_over = Game(1, "quantum-only").play("1+2 3+4 5+6 7+8").state.legal_moves()
    assert {move.kind for move in left_over} == {Kind.CLASSICAL}
    return "classical" if Kind.CLASSICAL not in kinds else "quantum", "quantum"


def may_still(level: Level) -> str:
    """Whether a quantum move counts that only a view switch would make legal."""
    state = Game(5, "quantum-only").play("3+5 3-1 2+6 2-8 4+7").state
    tokens = {str(move) for move in state.legal_moves()}
    return "may still make" if "~9" not in tokens and "9" not in tokens else "may no longer make"


def tally_ends() -> tuple[str, str]:
    state = State(Rules.of(1, "tally"))
    going = state.verdict("XXXOO.OX.")
    ended = state.verdict("XXXOOXOXO")
    assert (str(going), str(ended)) == ("continue", "X")
    return "points", "every"


def repeated() -> tuple[str, str, str, str]:
    """Which boards are observed again under `no-ties`, in which mode first, and which changes nothing."""
    state = Game(5, "no-ties").play("1 2 3 4 5 6 8 7 9").state
    (board,) = state.odds().outcomes()
    assert board == "XOXOXOOXX"
    state = Game(5, "no-ties").play("1 2 3 5 4 6 8 7 9").state
    (board,) = state.odds().outcomes()
    again = state.child(Observation(board, Mode.STANDARD))
    assert again.phase is Phase.OBSERVATION
    (first,) = again.modes
    nothing = again.odds(Mode.STANDARD).outcomes() == {board: 1.0}
    (standard,) = set(Mode) - {first}
    return "equal", str(first), str(standard), "nothing" if nothing else "something"


def runs_out() -> str:
    return str(State(Rules.of(5, "max-observations=1")).verdict("X........"))


def entangled_often() -> str:
    game = Game(2, "no-double-entanglement").play("1+3 1*2 9")
    again = any(move.kind is Kind.ENTANGLING and move.squares[0] == 3 for move in game.state.legal_moves())
    return "twice" if again else "once"


def measured_squares() -> str:
    """How many squares a turn observes instead of a move."""
    game = Game(2, "measure-turn").play("1+3 ?1=X")
    assert game.turn is X
    return NUMBERS[sum(game.state.position.is_observed(square) for square in SQUARES)]


def physical_squares() -> str:
    """Which squares a switch rotates when it is read physically: a pair too."""
    state = played("5 5*6~", 5, options="view=physical").state
    table = played("5 5*6~", 5).state
    return "occupied" if state.position.physical and not table.position.physical else "unattacked"


def certainly_found() -> bool:
    """Whether a piece placed whole is always found in its square in standard mode."""
    return all(board[4] == "X" for board in Game(5).play("5").odds().outcomes())


def who_says_chances() -> str:
    """Whether the dice alone give the chances of the boards, as the odds are."""
    state = Game(2).play("1+3 1*2 9").state
    by_dice, exact = (some.outcomes() for some in (roll_odds(state, Mode.STANDARD), state.odds()))
    return "dice" if by_dice == pytest.approx(exact) else "players"


def after_a_switch(move: str) -> str:
    """What the dice of a placed piece are once the view is switched."""
    dice = Game(5).play(move).position.switched().at(5)
    return "lone dice" if len(dice) == 1 else "plus or minus pairs"


def read_last() -> str:
    """What an observation reads once the filled squares and the mode are known."""
    boards = Game(4).play("1 2 3 4 5 6 7 8+9 =p:########.").state.odds(Mode.ROTATED).outcomes()
    settled = len({filled_squares(board) for board in boards}) == 1
    return "symbols" if settled and len(boards) > 1 else "positions"


CLAIMS = [
    Claim(
        r"When (\w+) square is empty, the board is observed; the player who moved (\w+) initiated it",
        begins,
    ),
    Claim(
        r"Nobody led and (\w+) square is empty, so the board is observed (\w+), now in",
        lambda level: (begins(level)[0], "again"),
        plays_on,
    ),
    Claim(r"(\w+) square is empty, so every", lambda level: begins(level)[0].capitalize()),
    Claim(
        r"(\w+) square is empty, so the (\w+) come first: which squares hold a (\w+) is found out, and (\w+) "
        r"symbol yet",
        lambda level: (begins(level)[0].capitalize(), positions_first(level)[0], "piece", "no"),
        has_modes,
    ),
    Claim(
        r"- Every piece is found in (\w+) square, with the chances",
        found_in,
        lambda level: not cancels(level),
    ),
    Claim(
        r"Looking at the (\w+) board: every piece is found in (\w+) square with (\w+) symbol",
        lambda level: ("whole", found_in(level), "one"),
    ),
    Claim(
        r"(\w+) is rolled for: every piece is where it lies",
        lambda level: "Nothing" if not any(rows for _, rows in roll_rows(level)) else "Something",
        lambda level: not superposes(level),
    ),
    # Rolling.
    Claim(r"The players take turns, the (\w+) first", takes_turns, superposes),
    Claim(
        r"points at a square with a die of (\w+), says how the roll will be read, asks the question and "
        r"rolls "
        r"a (\w+)-sided die",
        asks,
        superposes,
    ),
    Claim(
        r"A piece that is found in a square shows (\d) there, which is its symbol; its other \w+ "
        r"(vanish|double|stay)",
        lambda level: (shows(), others_of_found()),
        together,
    ),
    Claim(
        r"A piece that is not found in a square (\w+) its die there(?:;|, and) (?:the|its) other \w+ "
        r"(double|vanish|stay)",
        lambda level: of_missed(),
        together,
    ),
    Claim(
        r"(?:if only|and) (one is left, it is|the piece is) (\w+) there\.",
        lambda level: ("one is left, it is" if entangles(level) else "the piece is", "found"),
        together,
    ),
    Claim(
        r"The piece entangled with it there is (\w+) in that square: its die (\w+), and the one beside the "
        r"found piece's other die (\w+)",
        lambda level: of_partner(),
        lambda level: together(level) and entangles(level),
    ),
    Claim(
        r"Any die with the (\d) up may be asked about next, in any order: that (does not change|changes) the",
        any_order,
        together,
    ),
    Claim(
        r"(\d)s are (\w+) asked about; they (\w+) or (\w+)",
        lambda level: ones(),
        lambda level: together(level) and entangles(level),
    ),
    Claim(
        r"Where a piece is, its dice (\w+); where it is not, they (\w+), and the (\w+) dice of a piece that "
        r"had "
        r"entangled it there stay as a (\w+)",
        lambda level: where_it_is(),
        cancels,
    ),
    Claim(
        r"A half-cancelled square that is (\w+) holds the (\w+) piece alone, with the (\d) up; one that is "
        r"(\w+) loses (\w+) its dice",
        lambda level: half_cancelled_left(),
        cancels,
    ),
    Claim(r"In a target that is (\w+) the dice ([\w ]+):", lambda level: target_left(), cancels),
    Claim(r"All (\w+) are settled before any (\w+)\.", positions_first, cancels),
    Claim(r"do not hang together may be asked about in (\w+) order", apart, cancels),
    Claim(
        r"Of dice that hang together, (\S+) squares come first, the (\w+) number first; then the other",
        lambda level: asked_first(),
        cancels,
    ),
    Claim(
        r"Two dice both showing 1 stand for (.*?) and the like only roughly: they say yes in (\d+) of (\d+) "
        r"throws, (.*?)\. With them it (.*?) which of",
        lambda level: two_ones(),
        cancels,
    ),
    Claim(r"R and G are two colours of (\w), r and g two of (\w)", letters, superposes),
    Claim(
        r"Those of one half of a piece hold while its other half has (\w+) been (\w+)\.",
        lambda level: half_holds(),
        cancels,
    ),
    Claim(
        r"These are the chances in (\w+) mode(?: of dice that lie there in the (\w+) view)?\.",
        lambda level: (chances_of(), chances_of() if has_views(level) else None),
        has_modes,
    ),
    # Options.
    Claim(
        r"(\w+) of these is on unless",
        lambda level: "None" if Rules.of(level.number).options == Options() else "One",
    ),
    Claim(r"no (\w+) move while any (\w+) move is legal", lambda level: must_be_quantum(), superposes),
    Claim(r"after a view switch that the player (may [\w ]+)\)", may_still, superposes),
    Claim(r"lines are (\w+); play until (\w+) square holds an observed", lambda level: tally_ends()),
    Claim(
        r"a full board with (\w+) lines is observed again, in rotated and standard mode by turns, (\w+) "
        r"first "
        r"\(a (\w+) one, of classical pieces alone, changes (\w+)\)",
        lambda level: repeated(),
        plays_on,
    ),
    Claim(r"a (\w+) if nobody has won after N", lambda level: runs_out(), plays_on),
    Claim(
        r"a root may be entangled (\w+) only",
        lambda level: entangled_often(),
        lambda level: (entangles(level) and not plays_on(level)) or plays_on(level),
    ),
    Claim(
        r"a turn may observe (\w+) square instead of placing a piece",
        lambda level: measured_squares(),
        together,
    ),
    Claim(r"a view switch rotates every (\w+) square", lambda level: physical_squares(), has_views),
    Claim(
        r"view switches a player may make (between) observations \(default (\d)\)",
        lambda level: ("between", str(Rules.of(5).view_switches)),
        has_views,
    ),
    Claim(
        r"your symbol will be found in (that square.*?)[;.]",
        lambda level: "that square" if certainly_found() else "that square or none",
        lambda level: True,
    ),
    Claim(r"The (\w+) are read and placed", lambda level: read_last(), has_modes),
    Claim(
        r"(?:Levels (\d) and (\d): )?a turn may observe",
        lambda level: tuple(str(known.number) for known in LEVELS if "measure-turn" in options_at(known)),
        together,
    ),
    Claim(r"the (\w+) say with which chance each board is found", lambda level: who_says_chances()),
    Claim(
        r"lone dice become (.*?), and plus or minus pairs become (.*?);",
        lambda level: (after_a_switch("5"), after_a_switch("5~")),
        has_views,
    ),
]
