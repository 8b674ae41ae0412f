"""The rules of the moves and of the dice."""

from collections.abc import Iterator

from qttt.display.pictures.descriptions import signed, signed_number, sum_words
from qttt.game.dice import COLOURS, VALUES, amplitude_of
from qttt.game.moves import Kind
from qttt.game.rules import LEVELS, Level
from qttt.game.squares import NAMES, SQUARES
from qttt.game.symbols import Symbol, View
from qttt.teaching.guide.sections import Diagram, Section, Table, chance, played, share


def level_table() -> Table:
    """What each level allows."""

    def mark(allowed: bool) -> str:
        return "yes" if allowed else "–"

    head = ("level", "name", "superpose", "entangle", "cancel", "mode", "view", "play on")
    rows = tuple(
        (
            str(level.number),
            level.name,
            mark(level.allows(Kind.SUPERPOSITION)),
            mark(level.allows(Kind.ENTANGLING)),
            mark(level.allows(Kind.CANCELLING)),
            mark(level.rotated_mode),
            mark(level.rotated_view),
            mark(level.observed_in_play),
        )
        for level in LEVELS
    )
    return Table(head, rows)


def move_sections(level: Level) -> Iterator[Section]:
    """The sections on dice and moves.

    Args:
        level: whose rules are wanted.
    """
    yield _board(level)
    yield _turn(level)
    yield Section(
        "Classical move: `5`",
        (
            "Place one die of your own shape with the 4 up in an empty square. All of the piece is there: "
            + _found_of_a_lone_die(level),
            Diagram("classical", "X's classical move in the middle.", "5", level.number),
        ),
    )
    if level.allows(Kind.SUPERPOSITION):
        yield Section(
            "Superposition move: `1+3`",
            (
                "Place two dice of one colour with the 2 up in two different empty squares. It is one "
                "piece in two "
                f"places: it will be found in one of them, each with a chance of {share(2 / 4)}, and then "
                "the other "
                "is empty. The squares need not be neighbours.",
                Diagram("superposition", "X's piece is half in 3 and half in 7.", "3+7", level.number),
            ),
        )
    if level.allows(Kind.ENTANGLING):
        yield from _entangling(level)
    if level.allows(Kind.CANCELLING):
        yield from _cancelling(level)
    if level.rotated_view:
        yield _views(level)


def _found_of_a_lone_die(level: Level) -> str:
    """What an observation finds of a classical piece that nobody attacks."""
    if not level.rotated_mode:
        return "when the board is observed, your symbol will be found in that square."
    return (
        "when the board is observed in standard mode, your symbol will be found in that square; in rotated "
        "mode it will be X or O, half and half."
        + (" For a piece placed in the rotated view it is the other way round." if level.rotated_view else "")
    )


def values_of(level: Level, shape: Symbol) -> tuple[int, ...]:
    """The values that dice of a shape can show at a level.

    A −1 is half of a minus, which only a view switch makes, and only of a square die: four faces are enough
    for the triangles.
    """
    smallest = 4 if not level.allows(Kind.SUPERPOSITION) else 2 if not level.allows(Kind.ENTANGLING) else 1
    negative = {-2: level.allows(Kind.CANCELLING), -1: level.rotated_view and shape is Symbol.O}
    return tuple(value for value in VALUES if negative.get(value, value >= smallest))


def _value_words(level: Level) -> str:
    triangle, square = (values_of(level, symbol) for symbol in Symbol)
    values = f"At this level the values are {', '.join(signed(value) for value in triangle)}"
    more = [signed(value) for value in square if value not in triangle]
    if more:
        values += f", and on {Symbol.O.glyph} dice {', '.join(more)} too"
    said = f"A die is placed with a value up. {values}. A value v "
    if not level.allows(Kind.CANCELLING):
        return f"{said}says how much of the piece is in the square: |v| quarters."
    met = played("1+3 1-2", 3).state.position
    dice, left = met.at(1), amplitude_of(met.at(1))
    weight = left**2 / chance("1+3 1-2", 1, "X", level=3)
    return (
        f"{said}stands for an amplitude: the root of |v| quarters, with the sign of v. A die that is alone "
        "with its shape in "
        "a square so says that |v| quarters of the piece are there, before anything is shared "
        "out anew. Where "
        "two dice of "
        "one shape meet, their amplitudes are added first, and the sum is squared: "
        f"{signed(dice[0].value)} and {signed(dice[1].value)} give {sum_words(dice)} = "
        f"{signed_number(left)}, squared {share(left**2)}; and as all such shares together are {weight:.2f} "
        f"there, {share(left**2 / weight)} are left."
    )


def _board(level: Level) -> Section:
    names = ", ".join(f"{square} {name}" for square, name in zip(SQUARES, NAMES, strict=True))
    return Section(
        "Board, players and dice",
        (
            f"The board has nine squares, numbered in reading order: {names}.",
            f"Player X plays {Symbol.X.glyph} with four-sided dice, player O plays {Symbol.O.glyph} with "
            f"six-sided dice. Both have dice in {', '.join(COLOURS)}; a colour says which dice belong to "
            "one piece, "
            "and each move takes a colour that is not on the board. X starts unless the players agree "
            "otherwise; "
            "in a rematch the other player starts, and everybody keeps their symbol.",
            _value_words(level),
            *_set(level),
        ),
    )


def _set(level: Level) -> Iterator[str]:
    """The dice of a real set (decision D7)."""
    if not level.allows(Kind.SUPERPOSITION):
        return
    other = " and one of the other" if level.allows(Kind.CANCELLING) else ""
    bank = "the same again" if level.rotated_view else "two of their own shape"
    adjusts = level.allows(Kind.ENTANGLING)
    use = "from which the board adjusts itself" if adjusts else "which nothing takes at this level"
    yield (
        f"In a real set a player has of each colour two dice of their own shape{other} to place, and {bank} "
        f"in the bank, {use}. Five colours always suffice; `qttt dice --supply` counts what is left."
    )
    if level.observed_in_play:
        yield (
            "Pieces that an observation found take the colours in pairs, in the order of their squares, "
            "where one each would leave too few for the empty squares. Two pieces of one colour are told "
            "apart by what attacks them."
        )


def _turn(level: Level) -> Section:
    items = [
        "Each turn is one move with one colour.",
        "Every move fills at least one empty square.",
        "No square ever holds more than two dice.",
    ]
    if level.allows(Kind.ENTANGLING):
        items.append("You may not place a die where you already have one: nobody attacks themselves.")
        items.append(
            "A square is open to you when it holds exactly one die and that die has your opponent's shape. "
            "Squares "
            "with two dice are closed to both."
        )
    if not level.observed_in_play:
        items.append("A square with an observed symbol is closed for the rest of the game.")
    return Section("A turn", (tuple(items),))


def _entangling(level: Level) -> Iterator[Section]:
    yield Section(
        "Entangling move: `5*6`",
        (
            "Enter a square that is open to you with one die, and an empty square with another of the same "
            "colour, "
            "both with the 2 up. Then comes the adjustment: the die that you met is halved, and a second "
            "die of its colour with the same halved value comes from the bank into the target, the empty "
            "square, beside yours.",
            "If you met a 4, the two pieces are entangled: one of the two squares will hold X and the "
            "other O, each "
            "way round with the same chance"
            + (", in both modes of observation." if level.rotated_mode else ".")
            + " To know one is to know the other.",
            Diagram(
                "entangling", "X had played 5; O entangles it into 6.", "5 5*6", level.number, marked=(5, 6)
            ),
        ),
    )
    yield Section(
        "Half-entangling move: `3*6` against a superposition",
        (
            "The same move against a 2 halves it to 1s, and only one half of the piece is attacked. If the "
            "piece is "
            "found in that half, the two pieces are entangled as above; if it is found in the other half, "
            "your piece "
            "is alone, in one of the two squares. The other half can be attacked later by a move of its "
            "own; then "
            "the piece shows four 1s.",
            Diagram(
                "half-entangling",
                "X had played 3+7; O attacks the half in 3.",
                "3+7 3*6",
                level.number,
                marked=(3, 6),
            ),
            Diagram(
                "doubly-half-entangled", "Later O attacks the other half too.", "3+7 3*6 9 7*1", level.number
            ),
        ),
    )


def _cancelling(level: Level) -> Iterator[Section]:
    stays, there = chance("1+3 1-2", 1, "X", level=3), chance("1+3 1-2", 3, "X", level=3)
    own, turned = chance("1+3 1-2", 2, "X", level=3), chance("1+3 1-2", 2, "O", level=3)
    met = played("1+3 1-2", 3).state.position.at(1)
    yield Section(
        "Cancelling move: `5-6`",
        (
            "Enter a square that is open to you with a die of your colour but of your opponent's shape, "
            "with −2 up. "
            "Into an empty square goes a die of your own shape: 2 if you are X, −2 if you are O. "
            + (
                "In rotated mode this sign will tell a minus from a plus. "
                if level.rotated_mode
                else "The sign of this last die changes nothing at this level; it matters from Level 4 on. "
            )
            + "The die that you met is halved, and a second one of its colour joins yours in the "
            "other square.",
            "If you met a 4, its square now holds 2 and −2 of one shape, which sum to nothing: it will be "
            "empty for "
            "certain, but it counts as filled until the board is observed. The piece goes on in the other "
            "square, "
            "in a plus state (△2 □2) if X cancelled, in a minus state (△2 □−2) if O did: it is there for "
            "certain, "
            "and its symbol is undecided. No piece is added to the board.",
            Diagram(
                "cancelling-by-o",
                "O cancels X's piece in 5: a minus in 6.",
                "5 5-6",
                level.number,
                marked=(5, 6),
            ),
            Diagram(
                "cancelling-by-x",
                "X cancels O's piece in 5: a plus in 6.",
                "5 5-6",
                level.number,
                Symbol.O,
                marked=(5, 6),
            ),
        ),
    )
    yield Section(
        "Half-cancelling move: `1-2` against a superposition",
        (
            "The same move against a 2 halves it to 1s. The −2 outweighs the 1 that stays, so that the "
            f"square is not quite empty: {sum_words(met)} is not 0. All weights are shared out "
            "anew. With X on "
            "1 and 3, and O cancelling 1 into 2"
            + (", in standard mode: " if level.rotated_mode else ": ")
            + f"X is in 3 with {share(there)}, in 2 with {share(own)}, still in 1 with {share(stays)}, and 2 "
            "holds O "
            f"with {share(turned)}.",
            Diagram(
                "half-cancelling", "O half-cancels the half in 1.", "1+3 1-2", level.number, marked=(1, 2)
            ),
        ),
    )


#: A half is attacked in the rotated view: what the two readings of a view switch do not agree on.
READINGS_GAME, READINGS_SQUARE = "~1+3 1-2", 2


def _readings(level: Level) -> str:
    """What the two readings of a view switch are, with the odds in which they differ."""
    table, physical = (
        played(READINGS_GAME, level.number, options=options).state.odds().square(READINGS_SQUARE)
        for options in ("", "view=physical")
    )
    return (
        "What do dice mean that stay? At the table they are read as they lie (the tabletop reading, which "
        "holds unless "
        "the players agree otherwise). The physical reading, option `view=physical`, rotates "
        "what is in every "
        "occupied "
        "square, though the dice may not show it. The two differ where half of a piece was attacked in the "
        f"rotated view, and nowhere else: after `{READINGS_GAME}`, read in standard mode, square "
        f"{READINGS_SQUARE} will hold O with "
        f"{share(table['O'])} and X with {share(table['X'])} at the table, and O with {share(physical['O'])} "
        f"and X with {share(physical['X'])} physically (`qttt check '{READINGS_GAME}' --level {level.number} "
        "--view both`)."
    )


def _views(level: Level) -> Section:
    return Section(
        "Switching the view: `~5` and `5~`",
        (
            f"The board can be seen in the {View.STANDARD} or in the {View.ROTATED} view; the view token "
            "shows which. "
            "On your turn you may switch it before your move (`~5`) or after it (`5~`), but only once "
            "between two "
            "observations, and never instead of a move.",
            "Square by square: a lone △4 becomes a plus △2 □2 and a lone □4 a minus △2 □−2, and back; an "
            "unattacked half △2 becomes a plus-half △1 □1, an unattacked half □2 a minus-half △1 □−1, and "
            "back. What will be found there does not change: it is the same piece, seen in the other view. "
            "Entangled, cancelled, half-entangled and half-cancelled squares, and the target of a "
            "half-cancel, keep their dice.",
            _readings(level),
            "In each view a lone die is open to the opponent, and every move means in that view what it "
            "always "
            "means. So a switch opens plus and minus states to attack, and closes lone dice.",
            Diagram("view-before", "Before the switch.", "1 2+3 4 4*7 6 6-5", level.number),
            Diagram(
                "view-after",
                "After X switches (and plays 8): the middle is open to X.",
                "1 2+3 4 4*7 6 6-5 ~8",
                level.number,
            ),
        ),
    )
