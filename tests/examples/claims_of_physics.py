"""What the texts claim of quantum physics and of the game's words, with what the program says in the gaps."""

from itertools import product

import numpy as np
import pytest
from qiskit.quantum_info import DensityMatrix, Operator, Statevector, partial_trace

from circuits.gates import EntanglingGate
from circuits.register import her
from qttt.game import Game
from qttt.game.dice import amplitude_of
from qttt.game.moves import Kind
from qttt.game.odds import distance
from qttt.game.rules import LEVELS, Level
from qttt.game.squares import lines_of
from qttt.game.symbols import Mode, Symbol, View
from qttt.observation.compiler import compile_moves
from qttt.teaching.guide.sections import played, share
from qttt.teaching.lesson.circuit_steps import boxes
from qttt.teaching.lesson.steps import Box
from tests.examples.claims import (
    FIRST_WITH_MODES,
    NUMBERS,
    Claim,
    O,
    X,
    at,
    attacked,
    cancels,
    entangles,
    has_modes,
    has_views,
    odds,
    pair_reads,
    positions_apart,
    superposes,
    weights,
    with_coins,
)
from tests.examples.claims_at_the_table import found_in
from tests.examples.claims_of_moves import knows, one_piece, open_needs


def needs_no_more(level: Level) -> str:
    """What is left of a level that hidden cards, drawn by the chances of the boards, cannot do."""
    (mode,) = Game(level.number).state.modes
    boards = played("1+3 5", level.number).state.odds(mode).outcomes()
    assert sum(boards.values()) == pytest.approx(1)
    assert min(boards.values()) >= 0
    return "Nothing"


def cards() -> tuple[str, ...]:
    """A card for each superposition, the chances they give, and those of the game."""
    tokens = "1+2 3+4 5+6 7+8 9"
    dealt: dict[str, float] = {}
    pieces = [[int(square) for square in token.split("+")] for token in tokens.split()]
    for chosen in product(*pieces):
        board = ["."] * 9
        for number, square in enumerate(chosen):
            board[square - 1] = "XO"[number % 2]
        chance = float(np.prod([1 / len(squares) for squares in pieces]))
        dealt["".join(board)] = dealt.get("".join(board), 0.0) + chance
    same = distance(dealt, played(tokens, 1).state.odds().outcomes()) < 1e-9
    return (
        "superposition",
        "one",
        NUMBERS[len(pieces[0])],
        share(1 / 2),
        "observation",
        "same" if same else "other",
    )


def entangled_qubits() -> str:
    """How many qubits of an entangled pair have no state of their own."""
    gate = Operator(EntanglingGate("O").definition)
    state = DensityMatrix(Statevector.from_label("0001").evolve(gate))
    mixed = 0
    for qubit in range(4):
        alone = partial_trace(state, [other for other in range(4) if other != qubit])
        mixed += alone.purity().real < 0.99
    return NUMBERS[mixed]


def chances_and_amplitudes() -> tuple[str, str, str]:
    """Whether chances can be negative, what amplitudes have, and what two of them can do."""
    boards = played("1+3 1-2", 5).state.odds().outcomes()
    assert min(boards.values()) >= 0
    one, other = at("1+3 1-2", 1)
    assert amplitude_of((other,)) < 0 < amplitude_of((one,))
    return "add up", "signs", "take from"


def subtracts() -> tuple[str, str]:
    """Where the difference is taken, and which runs the coins leave out."""
    exact = played("1+3 1-2", 4).state.odds().outcomes()
    coins = with_coins(played("1+3 1-2", 4), Mode.STANDARD)
    same = distance(exact, coins) < 1e-9
    return "table" if same else "circuit", "do not count" if weights()[0] > 1 else "count"


def built_into() -> tuple[str, str, str]:
    """Where the circuit has the difference: in a turn by an angle that the amplitudes give."""
    (block,) = [b for b in boxes_of("1+3 1-2") if b.label == "O half-cancels"]
    turned = [gate for gate in block.gates if gate.params and gate.name == "ry"]
    assert turned
    return "angle", "gate", "no" if subtracts()[0] == "table" else "a"


def boxes_of(tokens: str) -> tuple[Box, ...]:
    compiled = compile_moves(played(tokens, 3), measured=False)
    return boxes(compiled, range(len(compiled.blocks)))


def heralds() -> tuple[str, str, str, str, str]:
    """Whether a half-cancel is a gate, and how many more qubits its circuit takes for what."""
    met, missed, _ = weights()
    compiled = compile_moves(played("1+3 1-2", 3))
    used = {compiled.circuit.find_bit(qubit).index for item in compiled.circuit.data for qubit in item.qubits}
    more = [square for square in range(1, 10) if her(square) in used]
    return "no" if met != missed else "a", "only try", NUMBERS[len(more)], "herald", "went well"


def without_signs() -> str:
    coins = with_coins(played("5 5-6", 4), Mode.ROTATED)
    reads_x = sum(chance for board, chance in coins.items() if board[5] == "X")
    assert reads_x == pytest.approx(1 / 2)
    return "coin"


def other_mode() -> tuple[str, str, str]:
    (sure,) = [mode for mode in Mode if odds("5", 5, mode)["X"] == 1]
    (coin,) = set(Mode) - {sure}
    assert odds("5", 5, coin)["X"] == pytest.approx(1 / 2)
    return str(sure), "coin", "other"


def exclude() -> str:
    """What two questions are of which the answer to one is a coin where that to the other is certain."""
    for tokens, first in (("5", X), ("5", O)):
        certain = [max(odds(tokens, 5, mode, first).values()) > 1 - 1e-9 for mode in Mode]
        coins = [max(odds(tokens, 5, mode, first).values()) < 1 / 2 + 1e-9 for mode in Mode]
        assert certain == coins[::-1]
        assert sum(certain) == 1
    return "complementary"


def cards_for_both() -> str:
    """Whether cards with an answer for each mode can be what the two modes show of a pair."""
    for mode in Mode:
        pair_reads(mode)
    # Two opposite cards, each with one answer a mode: opposite in both, whatever stands on them.
    return "still"


def hadamard_of_a_switch() -> tuple[str, str]:
    """Which gate a switch is, and whether a minus can be attacked in the other view."""
    compiled = compile_moves(played("5~", 5), measured=False)
    (name,) = {item.operation.name for item in compiled.circuit.decompose().data[-1:]}
    can = attacked(played("5 5-6", 5).state, 6, switched=True)
    return {"h": "Hadamard"}[name], "can" if can else "cannot"


def seen_from() -> tuple[str, str, str]:
    """What a lone △ and a lone □ of the rotated view are in the standard one."""
    kinds = [played("~5 1~", 5, first).state.position.configuration(5).word for first in Symbol]
    return kinds[0], str(View.STANDARD), kinds[1]


def shared_by_a_pair() -> str:
    return "tells" if knows()[1] == "the other" else "hides"


def colour_means() -> str:
    """Whether the chances change if the pieces have other colours."""
    one = played("1+3 1*2 9", 5).state
    plain = {board for board in one.odds().outcomes()}
    longer = played("1+3 1*2 9", 5).state.odds().outcomes()
    assert plain == set(longer)
    return "no"


def in_a_line() -> str:
    return "one" if (lines_of("XXX......", X), lines_of("XXO......", X)) == (1, 0) else "any"


def first_with(level: Level) -> str:
    """The level whose page tells of gates and heralds."""
    return str(next(one.number for one in LEVELS if one.allows(Kind.CANCELLING)))


CLAIMS = [
    Claim(r"(\w+) that a lottery cannot do", needs_no_more, lambda level: level.number == 1),
    Claim(r"(\w+) that hidden cards cannot do", needs_no_more, lambda level: level.number == 2),
    Claim(
        r"Lay a hidden card for each (\w+) that names (\w+) of its (\w+) squares, (.*?) each, and turn it "
        r"over at "
        r"the (\w+): the chances are the (\w+)",
        lambda level: cards(),
        lambda level: level.number == 1,
    ),
    Claim(
        r"Dice and circuit speak of (\w+) piece in (\w+) places",
        lambda level: one_piece()[:2],
        lambda level: level.number == 1,
    ),
    Claim(
        r"shuffled and laid face (\w+) in (\w+) squares: whoever turns one over knows (.*?)\.",
        lambda level: ("down", "two", knows()[1]),
        lambda level: level.number == 2,
    ),
    Claim(
        r"The circuit entangles (\w+) qubits",
        lambda level: entangled_qubits(),
        lambda level: level.number == 2,
    ),
    Claim(
        r"Chances can only ([\w ]+)\. Amplitudes have (\w+) and can (\w+ \w+) each other",
        lambda level: chances_and_amplitudes(),
        lambda level: level.number == 3,
    ),
    Claim(
        r"= 0 of a piece that was there for (\w+)",
        lambda level: {1.0: "certain"}[odds("5", 5)["X"]],
        lambda level: level.number == 3,
    ),
    Claim(
        r"it is the rule of the (\w+) that subtracts\. .*? with a bin for the runs that ((?:do not )?count)",
        lambda level: subtracts(),
        lambda level: level.number == 3,
    ),
    Claim(
        r"So it is (\w+) gate\. The circuit can (\w+ \w+) it, and (\w+) more qubit, the (\w+), tells "
        r"whether it "
        r"([\w ]+):",
        lambda level: heralds(),
        lambda level: level.number == 3,
    ),
    Claim(
        r"In (\w+) mode two signs meet",
        lambda level: next(str(m) for m in Mode if odds("5 5-6", 6, m, X) != odds("5 5-6", 6, m, O)),
        lambda level: level.number == 4,
    ),
    Claim(
        r"without the signs both would be a (\w+)",
        lambda level: without_signs(),
        lambda level: level.number == 4,
    ),
    Claim(
        r"a classical △, certain in (\w+) mode, reads △ with [\d. %]+: what is certain in one mode is a "
        r"(\w+) in "
        r"the (\w+)\.",
        lambda level: other_mode(),
        lambda level: level.number == 4,
    ),
    Claim(r"Two such questions are (\w+)\.", lambda level: exclude(), lambda level: level.number == 4),
    Claim(
        r"cards that hold an answer for each mode could (\w+) do it all",
        lambda level: cards_for_both(),
        lambda level: level.number == 4,
    ),
    Claim(
        r"which this game does (\w+) have, defeat all cards: of the (\w+) questions that (\w+) directions "
        r"for each",
        lambda level: ("not" if len(Mode) == 2 else "", NUMBERS[2 * 2], NUMBERS[2]),
        lambda level: level.number == 4,
    ),
    Claim(r"What Level (\d) says of gates", first_with, lambda level: level.number == 4),
    Claim(r"and (?:of )?the herald is ([\w ]+) here too", lambda level: "true", has_modes),
    Claim(
        r"the difference is built into the (\w+) of a (\w+), and (\w+) look at this level",
        lambda level: built_into(),
        lambda level: level.number == 3,
    ),
    Claim(
        r"What Level (\d) says of interference, of cards",
        lambda level: str(FIRST_WITH_MODES),
        has_views,
    ),
    Claim(
        r"The view switch is the (\w+) of the rotated mode, made during the game: in the other view a plus "
        r"or a "
        r"minus is a lone die, and (\w+) be attacked",
        lambda level: hadamard_of_a_switch(),
        has_views,
    ),
    Claim(
        r"choose not only which of (\w+) complementary questions is asked at the end",
        lambda level: NUMBERS[len(Game(5).state.modes)],
        has_views,
    ),
    # Signs in lessons.
    Claim(
        r"The minus of the pair is in (\w+) die",
        lambda level: "no" if all(die.value > 0 for s in (5, 6) for die in at("5 5*6", s)) else "one",
        entangles,
    ),
    Claim(
        r"(\w+) look at this level (?:can show it|shows their signs): (?:it|they) matters? from Level (\d) "
        r"on",
        lambda level: ("no", str(FIRST_WITH_MODES)),
        lambda level: entangles(level) and not has_modes(level),
    ),
    Claim(
        r"Level 4 on, where the board can be looked at in a (\w+) mode",
        lambda level: {2: "second"}[len(Game(FIRST_WITH_MODES).state.modes)],
        lambda level: entangles(level) and not has_modes(level),
    ),
    Claim(
        r"the circuit makes the (\w+) pair that is (\w+) in (\w+) modes",
        lambda level: ("one", "opposite" if pair_reads(Mode.ROTATED) == ("X", "O") else "alike", "both"),
        has_modes,
    ),
    Claim(
        r"Where rows fill the (\w+) squares, their signs count",
        lambda level: "same" if positions_apart() == "nothing" else "different",
        has_modes,
    ),
    Claim(
        r"Between rows that fill (\w+) squares signs mean (\w+): (\w+) gate brings them together again",
        lambda level: ("different", positions_apart(), "no"),
        has_modes,
    ),
    # Words.
    Claim(
        r"- classical: A piece whose (\w+) and (\w+) are both (\w+)\.",
        lambda level: ("square", "symbol", {1.0: "certain"}[odds("5", 5)["X"]]),
    ),
    Claim(r"three of (\w+) symbol in a line are a three-in-a-row", lambda level: in_a_line()),
    Claim(r"- colour: .*? It has (\w+) other meaning", lambda level: colour_means()),
    Claim(
        r"- piece: A (\w+) that will be somewhere on the board; its (\w+) show where",
        lambda level: ("symbol" if found_in(level) == "one" else "die", "dice"),
    ),
    Claim(r"- half: One of the two places of a piece in (\w+)\.", lambda level: "superposition", superposes),
    Claim(r"- initiator: .*? and so began the (\w+)\.", lambda level: "observation", superposes),
    Claim(r"- bank: The dice that (\w+) take from", lambda level: "adjustments", entangles),
    Claim(r"- adjustment: What the board does by itself after an (\w+):", lambda level: "attack", entangles),
    Claim(
        r"- entangled: Two pieces .*? so that each (\w+) about the (\w+)\.",
        lambda level: (shared_by_a_pair(), "other"),
        entangles,
    ),
    Claim(
        r"- open: A square that a player could attack if it were (\w+) turn: it holds exactly (\w+) die, of "
        r"the "
        r"(\w+)'s shape, and a square is (\w+) to spread into",
        lambda level: open_needs(),
        entangles,
    ),
    Claim(r"- root: .*? together with the (\w+) on it", lambda level: "attacks", entangles),
    Claim(
        r"- (?:plus|minus): A symbol superposition △ . □: the piece is (\S+), its symbol is (\S+)\.",
        lambda level: (
            {0.0: "there"}[odds("5 5-6", 6)["."]],
            {0.5: "undecided"}[round(odds("5 5-6", 6)["X"], 9)],
        ),
        cancels,
    ),
    Claim(
        r"Its sign counts too, and (\w+) dice of (\w+) shape in a square are",
        lambda level: (
            "two",
            "one" if at("1+3 1-2", 1)[0].shape is at("1+3 1-2", 1)[1].shape else "different",
        ),
        cancels,
    ),
    Claim(r"- herald: In a circuit: a (\w+) that tells", lambda level: "qubit", cancels),
    Claim(
        r"- mode: How (\w+) are read",
        lambda level: (
            "symbols"
            if played("5 5*6 1+3", 4).state.odds(Mode.STANDARD).positions()
            == pytest.approx(played("5 5*6 1+3", 4).state.odds(Mode.ROTATED).positions())
            else "positions"
        ),
        has_modes,
    ),
    Claim(
        r"- view: How the (\w+) on the board are to be read",
        lambda level: "dice" if at("5", 5) != at("5~", 5) else "symbols",
        has_views,
    ),
    Claim(
        r"A lone △4 in the rotated view is a (\w+) of the (\w+) view, a lone □4 a (\w+)",
        lambda level: seen_from(),
        has_views,
    ),
]
