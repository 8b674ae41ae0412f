"""The rules of observing, deciding and going on, the options, and the configurations of a square."""

from collections.abc import Iterator
from dataclasses import replace
from math import cos, pi

from qttt.display.pictures.descriptions import describe_die, sum_words
from qttt.game.configurations import Configuration
from qttt.game.moves import Kind
from qttt.game.odds import observation_odds
from qttt.game.roots import kept_fraction, met_weight, read_roots, root_state
from qttt.game.rules import SUMMARIES, Level, Rules, options_at
from qttt.game.symbols import Mode, Symbol, View
from qttt.teaching.guide.roll_rows import HEAD, roll_rows
from qttt.teaching.guide.sections import Diagram, Section, Table, chance, played, share
from qttt.teaching.lesson.rule_sentences import deciding_sentence


def observation_sections(level: Level) -> Iterator[Section]:
    """The sections on observing and on how the game ends.

    Args:
        level: whose rules are wanted.
    """
    yield _observation(level)
    yield _rolls(level)
    yield _deciding(level)
    yield _configurations(level)
    yield _options(level)


def _observation(level: Level) -> Section:
    steps = []
    if level.rotated_view:
        steps.append("The view goes back to standard.")
    if level.rotated_mode:
        steps += [
            "Positions: which squares hold a piece. Superpositions, half-attacked pieces and "
            "half-cancelled squares "
            "resolve here; cancelled squares are empty.",
            "The initiator, having seen the positions, chooses the mode. Standard: △ and □ are read as "
            "they are, "
            "while plus and minus states are read by chance, half and half. Rotated: plus reads △ and "
            "minus reads □, "
            "while classical pieces are read by chance. Entangled pairs come out opposite in both modes.",
            "The symbols are read and placed.",
        ]
    else:
        steps.append("Every piece is found in one square, with the chances that its dice show.")
        if level.allows(Kind.CANCELLING):
            steps[-1:] = [
                "Positions first: which squares hold a piece. Cancelled squares are empty.",
                "Then the symbols: plus and minus states are read as △ or □ by chance, half and half.",
            ]
    if level.observed_in_play:
        steps.append("If the game goes on, each observed symbol becomes a lone die of value 4.")
    return Section(
        "Observing the board",
        (
            "When no square is empty, the board is observed; the player who moved last initiated it. A "
            "square "
            "counts as filled if it holds a die or an observed symbol.",
            tuple(steps),
        ),
    )


def _rolls(level: Level) -> Section:
    tables = [part for name, rows in roll_rows(level) if rows for part in (name, Table(HEAD, rows)) if part]
    if not tables:
        return Section(
            "Rolling for it at the table", ("Nothing is rolled for: every piece is where it lies.",)
        )
    return Section(
        "Rolling for it at the table",
        (
            "The players take turns, the initiator first. One points at a square with a die of theirs, says "
            "how the roll will be read, asks the question and rolls a six-sided die; then the board is "
            "adjusted to the answer.",
            _adjusting(level),
            "The rows show all there is to roll for. The squares a, b, c, d are any squares whose dice hang "
            "together; R and G are two colours of X, r and g two of O. After an answer, look for the row of "
            "the dice that are left; when there is none, this step is done with them.",
            *tables,
        ),
    )


def _adjusting(level: Level) -> tuple[str, ...]:
    """How dice double and vanish, and what the order of the questions changes."""
    if not level.allows(Kind.CANCELLING):
        any_order = (
            "Any die with the 2 up may be asked about next, in any order: that does not change the chances "
            "of the boards."
        )
        if not level.allows(Kind.ENTANGLING):
            return (
                "A piece that is found in a square shows 4 there, which is its symbol; its other die "
                "vanishes.",
                "A piece that is not found in a square loses its die there; the other one doubles, and the "
                "piece is found there.",
                any_order,
            )
        return (
            "A piece that is found in a square shows 4 there, which is its symbol; its other dice vanish.",
            "The piece entangled with it there is not in that square: its die vanishes, and the one beside "
            "the found piece's other die doubles.",
            "A piece that is not found in a square loses its die there, and its other dice double; if only "
            "one is left, it is found there.",
            f"{any_order} 1s are not asked about; they double or vanish.",
        )
    return (
        "Where a piece is, its dice double; where it is not, they vanish, and the two dice of a piece that "
        "had entangled it there stay as a superposition.",
        "A half-cancelled square that is filled holds the attacked piece alone, with the 4 up; one that is "
        "empty loses both its dice. In a target that is filled the dice stay as they are: they show how the "
        "two symbols compare.",
        "All positions are settled before any symbol. Pieces that do not hang together may be asked about in "
        "any order. Of dice that hang together, half-cancelled squares come first, the smaller number first; "
        "then the other rows.",
        f"Two dice both showing 1 stand for {share(chance('1+3 1-2', 1, 'X'))} and the like only roughly: "
        f"they say yes in 1 of 36 throws, {share(1 / 36)}. With them it matters which of two half-cancelled "
        "squares is asked about first.",
    )


def _deciding(level: Level) -> Section:
    parts = [deciding_sentence(Rules(level))]
    if level.allows(Kind.SUPERPOSITION):
        parts.append("If it goes on, the player who did not initiate the observation moves next.")
        if level.observed_in_play:
            parts.append("The pieces stay in play: they are lone dice now, and can be attacked.")
        else:
            parts.append("Observed symbols stay where they are, and their squares are closed.")
    return Section("Deciding the game", tuple(parts))


def quantum_section(level: Level) -> Section:
    """What is quantum about a level, and what is not: no more than a look at it could show."""
    return Section(
        "What is quantum about it?",
        (
            _nothing_quantum,
            _a_lottery,
            _a_pair_of_cards,
            _interference,
            _complementarity,
            _views_in_play,
        )[level.number](),
    )


def _nothing_quantum() -> tuple[str, ...]:
    return ("Nothing. Every piece lies where it was placed, and the observation reads off what all can see.",)


def _a_lottery() -> tuple[str, ...]:
    half = share(chance("1+3", 1, "X", level=1))
    return (
        "Nothing that a lottery cannot do. Lay a hidden card for each superposition that names one of its "
        f"two squares, {half} each, and turn it over at the observation: the chances are the same. Dice and "
        "circuit speak of one piece in two places, and no look at this level can tell that from the cards.",
    )


def _a_pair_of_cards() -> tuple[str, ...]:
    return (
        "Nothing that hidden cards cannot do. An entangled pair behaves like an X card and an O card, "
        "shuffled and laid face down in two squares: whoever turns one over knows the other. The circuit "
        "entangles two qubits, and no look at this level can tell that from the cards.",
    )


def _interference() -> tuple[str, ...]:
    cancelled = played("5 5-6", 3).state.position.at(5)
    half = played("1+3 1-2", 3)
    (root,) = read_roots(half.state.position)
    here = sum(float(amplitude) ** 2 for amplitude in root_state(root).values())
    return (
        "Chances can only add up. Amplitudes have signs and can take from each other: that is "
        "interference, and "
        f"in a cancelled square it leaves {sum_words(cancelled)} = 0 of a piece that was there for certain.",
        "To be honest: it is the rule of the table that subtracts. In the circuit the difference "
        "is built into "
        "the angle of a gate, and no look at this level can tell the board from weighted coins, "
        "with a bin for "
        "the runs that do not count.",
        "Why runs that do not count? A gate keeps the sum of the squared amplitudes for every start. Half-"
        f"cancelling makes it {float(met_weight()):.2f} if the piece is in the attacked half, 1 "
        "if it is in the "
        f"other, and {here:.2f} after `1+3 1-2`. So it is no gate. The circuit can only try it, and one more "
        f"qubit, the herald, tells whether it went well: {share(float(kept_fraction(root)))} of the runs of "
        "`1+3 1-2` count.",
    )


def _complementarity() -> tuple[str, ...]:
    plus = played("5 5-6", 4, Symbol.O).state.odds(Mode.ROTATED).square(6)
    classical = chance("5", 5, "X", level=4, mode=Mode.ROTATED)
    return (
        "In rotated mode two signs meet. A Hadamard gate adds the amplitudes of △ and □ for the answer △ and "
        "subtracts "
        f"them for the answer □: so a plus reads △ with {share(plus['X'])}, and a minus reads □. This "
        "is interference that decides what is seen; without the signs both would be a coin. In return a "
        f"classical △, certain in standard mode, reads △ with {share(classical)}: what is certain "
        "in one mode "
        "is a coin in the other. Two such questions are complementary.",
        "To be honest: cards that hold an answer for each mode could still do it all, even for entangled "
        "pairs. Only directions between the two modes, at 45°, which this game does not have, defeat all "
        "cards: of the four questions that two directions for each square of a pair make, cards can be right "
        f"in {CARDS_MEET} at most, and the pair is right in each with {share(cos(pi / 8) ** 2)}.",
        "What Level 3 says of gates, half-cancels and the herald is true here too.",
    )


#: Of the four pairs of directions of a CHSH experiment, how many a fixed answer for each direction can meet.
CARDS_MEET = 3


def _views_in_play() -> tuple[str, ...]:
    return (
        "The view switch is the Hadamard of the rotated mode, made during the game: in the other view a plus "
        "or a minus is a lone die, and can be attacked like one. So the players choose not only which of "
        "two complementary questions is asked at the end, but also in which of them they move. What Level 4 "
        "says of interference, of cards and of the herald is true here too.",
    )


def _options(level: Level) -> Section:
    rows = tuple((f"`{name}`", SUMMARIES[name]) for name in options_at(level))
    return Section(
        "Options",
        ("None of these is on unless the players agree on it.", Table(("option", "what it does"), rows)),
    )


#: A game for every configuration of a square, the square, and who starts.
CONFIGURATIONS: tuple[tuple[Configuration, str, int, Symbol], ...] = (
    (Configuration.CLASSICAL, "5", 5, Symbol.X),
    (Configuration.CLASSICAL, "5", 5, Symbol.O),
    (Configuration.SUPERPOSITION, "5+6", 5, Symbol.X),
    (Configuration.SUPERPOSITION, "5+6", 5, Symbol.O),
    (Configuration.ENTANGLED, "5 5*6", 5, Symbol.X),
    (Configuration.HALF_ENTANGLED, "5+4 5*6", 5, Symbol.O),
    (Configuration.HALF_ENTANGLED, "5+4 5*6", 5, Symbol.X),
    (Configuration.CANCELLED, "5 5-6", 5, Symbol.O),
    (Configuration.CANCELLED, "5 5-6", 5, Symbol.X),
    (Configuration.PLUS, "5 5-6", 6, Symbol.O),
    (Configuration.MINUS, "5 5-6", 6, Symbol.X),
    (Configuration.HALF_CANCELLED, "5+4 5-6", 5, Symbol.O),
    (Configuration.TARGET, "5+4 5-6", 6, Symbol.O),
    (Configuration.HALF_CANCELLED, "5+4 5-6", 5, Symbol.X),
    (Configuration.TARGET, "5+4 5-6", 6, Symbol.X),
    (Configuration.PLUS_HALF, "5+6~", 5, Symbol.X),
    (Configuration.MINUS_HALF, "5+6~", 5, Symbol.O),
)


def _configurations(level: Level) -> Section:
    table = configuration_table(level)
    words = []
    if level.rotated_view:
        words.append("These are the chances in standard mode of dice that lie there in the standard view.")
    elif level.rotated_mode:
        words.append("These are the chances in standard mode.")
    if level.allows(Kind.CANCELLING):
        words.append("Those of one half of a piece hold while its other half has not been cancelled.")
    return Section(_CONFIGURATIONS, (" ".join(words), table) if words else (table,))


_CONFIGURATIONS = "Squares: what the dice in them say"


def configuration_table(level: Level) -> Table:
    """Every configuration that a square can have at a level, with the chances of each symbol.

    They are those in standard mode of dice that lie there in the standard view.
    """
    rows = []
    seen: set[tuple[str, str]] = set()
    for kind, tokens, square, first in CONFIGURATIONS:
        if not _reachable(tokens, level):
            continue
        position = replace(played(tokens, level.number, first).state.position, view=View.STANDARD)
        dice = " and ".join(describe_die(die) for die in position.at(square))
        if (kind.word, dice) in seen:
            continue
        seen.add((kind.word, dice))
        odds = observation_odds(position).square(square)
        rows.append((kind.word, dice, share(odds["X"]), share(odds["O"]), share(odds["."])))
    return Table(("configuration", "dice", "X", "O", "empty"), tuple(rows))


def _reachable(tokens: str, level: Level) -> bool:
    if "~" in tokens:
        return level.rotated_view
    if "-" in tokens:
        return level.allows(Kind.CANCELLING)
    if "*" in tokens:
        return level.allows(Kind.ENTANGLING)
    return level.allows(Kind.SUPERPOSITION) or "+" not in tokens


def example_diagram(level: Level) -> Diagram:
    """A full board of a level, ready to be observed."""
    boards = {
        0: ("5 1 9 3 2 8 7 6 4", Symbol.X),
        1: ("1 5 2 6 3+4 7 8 9", Symbol.X),
        2: ("4+9 3+7 3*6 5 7*1 2 2*8", Symbol.O),
        3: ("1+9 1-5 3 3-2 7 4 6 8", Symbol.X),
        4: ("1+3 1-2 9 3-4 5 6 7 8", Symbol.X),
        5: ("5 5-6 9 2 1+7 1*3 ~4 4*8", Symbol.X),
    }
    tokens, first = boards[level.number]
    return Diagram("full-board", "A full board: the observation begins.", tokens, level.number, first)
