"""The rules of observing, deciding and going on, the options, and the configurations of a square."""

from collections.abc import Iterator
from dataclasses import replace

from qttt.display.pictures.descriptions import describe_die
from qttt.errors import UsageError
from qttt.game.configurations import Configuration
from qttt.game.moves import Kind
from qttt.game.odds import observation_odds
from qttt.game.rules import SUMMARIES, Level, parse_options
from qttt.game.symbols import Symbol, View
from qttt.teaching.guide.roll_rows import HEAD, roll_rows
from qttt.teaching.guide.sections import Diagram, Section, Table, chance, played, share


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
        entangled = (
            "The piece entangled with it there is not in that square: its die vanishes, and the one beside "
            "the found piece's other die doubles.",
        )
        return (
            "A piece that is found in a square shows 4 there, which is its symbol; its other dice vanish.",
            *(entangled if level.allows(Kind.ENTANGLING) else ()),
            "A piece that is not found in a square loses its die there, and its other dice double; if only "
            "one is left, it is found there.",
            "Any die with the 2 up may be asked about next, in any order: that does not change the chances "
            "of the boards. 1s are not asked about; they double or vanish.",
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
        f"Two dice both showing 1 stand only about for {share(chance('1+3 1-2', 1, 'X'))} and the like: they "
        f"say yes in 1 of 36 throws, {share(1 / 36)}. With them it matters which of two half-cancelled "
        "squares is asked about first.",
    )


def _deciding(level: Level) -> Section:
    parts: list[str] = [
        "The game is decided after an observation and only then. Whoever has more three-in-a-rows wins.",
    ]
    if level.number == 2:
        parts.append(
            "If both have equally many, none or one each: with one each it is a tie at once, because no "
            "further line "
            "is possible; with none the game goes on while a square is empty, else it is a tie."
        )
    else:
        parts.append("If both have equally many, the game goes on while a square is empty; else it is a tie.")
    parts.append("If it goes on, the player who did not initiate the observation moves next.")
    if level.observed_in_play:
        parts.append("The pieces stay in play: they are lone dice now, and can be attacked.")
    else:
        parts.append("Observed symbols stay where they are, and their squares are closed.")
    return Section("Deciding the game", tuple(parts))


def options_at(level: Level) -> tuple[str, ...]:
    """The options that mean something at a level, as `SUMMARIES` names them."""
    found = []
    for name in SUMMARIES:
        try:
            parse_options(name.replace("=N", "=2"), level)
        except UsageError:
            continue
        found.append(name)
    return tuple(found)


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
    if level.rotated_view:
        words = "These are the chances in standard mode of dice that lie there in the standard view."
    elif level.rotated_mode:
        words = "These are the chances in standard mode."
    else:
        return Section(_CONFIGURATIONS, (table,))
    return Section(_CONFIGURATIONS, (words, table))


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
        if (kind.value, dice) in seen:
            continue
        seen.add((kind.value, dice))
        odds = observation_odds(position).square(square)
        rows.append((kind.value, dice, share(odds["X"]), share(odds["O"]), share(odds["."])))
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
