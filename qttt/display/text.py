"""The board as text, for terminals and pipes: dice with signed values in their colours, plain where need be.

A die is written as its shape, its value and the letter of its colour: ``△2R`` is a triangle of X's red
piece, ``□-2g`` a square of O's green one. X's colours have capital letters and O's small ones, since both
players have the same colours and since a cancelling die has the shape of its opponent. X's dice are bold
where there is colour. Nothing is said by colour alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from rich.text import Text

from qttt.game.dice import COLOURS, Die
from qttt.game.outcomes import Positions
from qttt.game.position import Position
from qttt.game.squares import EMPTY, SQUARES, lines_in
from qttt.game.symbols import Symbol

_STYLES = dict(zip(COLOURS, ("red", "green", "bright_blue", "yellow", "magenta"), strict=True))
_DIM = "dim"
"""Of rules and numbers: fainter than the text. Bright black is the background of some palettes."""
_LINE = "bold green"
"""Of the symbols of a three-in-a-row."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of a drawing.

    Attributes:
        symbols: those of X and O.
        rows: left end, crossing and right end of the top, middle and bottom rule.
        horizontal: what a rule is made of.
        vertical: what separates squares.
        eighths: bars of one eighth to eight eighths of a character; one entry means whole characters only.
    """

    symbols: tuple[str, str]
    rows: tuple[str, str, str]
    horizontal: str
    vertical: str
    eighths: str

    def symbol(self, symbol: Symbol) -> str:
        """The character of a symbol."""
        return self.symbols[symbol is Symbol.O]


UNICODE = Glyphs(("△", "□"), ("┌┬┐", "├┼┤", "└┴┘"), "─", "│", "▏▎▍▌▋▊▉█")
ASCII = Glyphs(("X", "O"), ("+++", "+++", "+++"), "-", "|", "#")

WIDE, NARROW = 11, 5
"""Columns of a square: comfortable, and the least that holds ``□-2r``. A board takes 37 or 19."""

FLAT = 7
"""Columns of a square that has its number beside its dice, and so one line less. A board takes 25."""


def glyphs_for(encoding: str | None) -> Glyphs:
    """The glyphs that a text stream can carry.

    Args:
        encoding: the stream's encoding; None if it takes any character.
    """
    lines = (UNICODE.horizontal, UNICODE.vertical, UNICODE.eighths)
    everything = "".join((*UNICODE.symbols, *UNICODE.rows, *lines))
    try:
        everything.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def colour_letter(owner: Symbol, colour: str) -> str:
    """The letter of a player's colour, the first of its name: a capital for X's, a small one for O's."""
    return colour[0].upper() if owner is Symbol.X else colour[0]


def draw_die(die: Die, glyphs: Glyphs = UNICODE, *, width: int = 0) -> Text:
    """A die as text, for example ``□-2r``, in its colour.

    Args:
        die: the die.
        glyphs: the characters to use.
        width: columns of the value, for dice that stand below each other.
    """
    letter = colour_letter(die.owner, die.colour)
    weight = "bold " if die.owner is Symbol.X else ""
    return Text(f"{glyphs.symbol(die.shape)}{die.value:{width}}{letter}", weight + _STYLES[die.colour])


def draw_dice(dice: Sequence[Die], glyphs: Glyphs = UNICODE) -> Text:
    """The dice of one square side by side."""
    return Text(" ").join(draw_die(die, glyphs) for die in dice)


def draw_board(
    position: Position,
    glyphs: Glyphs = UNICODE,
    *,
    positions: Positions | None = None,
    width: int = WIDE,
    marked: Iterable[int] = (),
    flat: bool = False,
) -> Text:
    """The board with its dice and observed symbols; those of a three-in-a-row stand in brackets, ``[△]``.

    Args:
        position: what is on it.
        glyphs: the characters to use.
        positions: the filled squares, where they are observed but not yet their symbols: dice in squares that
            turned out empty are left out.
        width: columns of one square, at least ``NARROW``, and ``FLAT`` where it is flat.
        marked: squares whose number is highlighted, such as those of the last move.
        flat: numbers stand beside the dice, for low terminals.

    Returns:
        Thirteen lines, ten where it is flat, without a line feed at the end.
    """
    highlighted = set(marked)
    in_line = {square for symbol in Symbol for line in lines_in(position.observed, symbol) for square in line}
    text = _rule(glyphs, 0, width)
    for row in range(3):
        cells = [
            _cell(position, square, glyphs, positions, width, flat, square in highlighted, square in in_line)
            for square in SQUARES[3 * row : 3 * row + 3]
        ]
        for line in zip(*cells, strict=True):
            text.append("\n")
            bar = Text(glyphs.vertical, _DIM)
            text.append_text(Text.assemble(bar, bar.join(line), bar))
        text.append("\n")
        text.append_text(_rule(glyphs, 1 if row < 2 else 2, width))
    return text


def _rule(glyphs: Glyphs, row: int, width: int) -> Text:
    ends = glyphs.rows[row]
    return Text(ends[0] + ends[1].join([glyphs.horizontal * width] * 3) + ends[2], _DIM)


def _cell(
    position: Position,
    square: int,
    glyphs: Glyphs,
    positions: Positions | None,
    width: int,
    flat: bool,
    marked: bool,
    in_line: bool,
) -> tuple[Text, ...]:
    number = Text(f" {square}" if width > FLAT else str(square), "bold reverse" if marked else _DIM)
    lines = [Text(""), Text("")]
    if position.is_observed(square):
        symbol = glyphs.symbol(Symbol(position.observed[square - 1]))
        lines[0] = Text(f"[{symbol}]", _LINE) if in_line else Text(symbol, "bold")
    elif positions is not None and positions.filled[square - 1] == EMPTY:
        lines[0] = Text("empty", _DIM)
    else:
        for place, die in enumerate(position.at(square)):
            lines[place] = draw_die(die, glyphs, width=2)
    beside = number.cell_len if flat else 0
    for line in lines:
        line.align("center", width - beside)
    if flat:
        return (number + lines[0], Text(" " * beside) + lines[1])
    number.align("left", width)
    return (number, lines[0], lines[1])


def draw_legend(position: Position, glyphs: Glyphs = UNICODE) -> Text:
    """What the characters of the dice on the board mean, and where they mean too little; may be empty."""
    used = {die.colour for dice in position.dice for die in dice}
    if not used:
        return Text("")
    if glyphs is ASCII:
        # X is X's shape: that would say nothing.
        shapes = "a die is its shape (X triangle, O square), value and colour: "
    else:
        shapes = "".join(f"{glyphs.symbol(symbol)} is {symbol}'s shape, " for symbol in Symbol)
    letters = Text(", ").join(
        Text(f"{colour_letter(Symbol.X, colour)} {colour}", _STYLES[colour])
        for colour in COLOURS
        if colour in used
    )
    legend = Text.assemble(shapes, letters, " (X's in capitals)")
    if position.twisted:
        squares = ", ".join(map(str, sorted(position.twisted)))
        legend.append(f"\nrotated although the dice do not show it (view=physical): {squares}")
    return legend


def draw_bar(probability: float, columns: int = 20, glyphs: Glyphs = UNICODE) -> str:
    """A probability as a bar; anything above zero shows at least the smallest piece of one.

    Args:
        probability: 0 to 1.
        columns: length of a bar for 1.
        glyphs: the characters to use.
    """
    steps = len(glyphs.eighths)
    filled = round(probability * columns * steps)
    if probability > 0:
        filled = max(filled, 1)
    whole, rest = divmod(filled, steps)
    return glyphs.eighths[-1] * whole + (glyphs.eighths[rest - 1] if rest else "")


def percent(probability: float) -> str:
    """A probability in per cent with two decimals, such as ``12.50 %``; small ones never read as zero."""
    if 0 < probability < 5e-5:
        return "< 0.01 %"
    return f"{hundredths(probability)} %"


def hundredths(probability: float) -> str:
    """A probability in hundredths, with two decimals: the one place where shares are rounded.

    Exact halves go up, and a float's own error is rounded away first, so that the same share reads the same
    by whichever road it was computed: 1/32 is ``3.13``.
    """
    return str(Decimal(f"{100 * probability:.9f}").quantize(Decimal("0.01"), ROUND_HALF_UP))


def small(distance: float) -> str:
    """A distance between distributions that ought to be equal, such as ``3.2e-04``.

    What is left by rounding depends on the processor, and reads ``< 1e-12``.
    """
    return "< 1e-12" if distance < 1e-12 else f"{distance:.1e}"
