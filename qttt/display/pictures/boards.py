"""A position as a picture: dice with their values, what they mean, and which squares belong together."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, sqrt

from qttt.display.pictures.descriptions import describe_position, signed
from qttt.display.pictures.palette import die_colour
from qttt.display.pictures.routes import Ground, Span, points_along, route, within
from qttt.display.pictures.scene import Circle, Curve, Point, Polygon, Scene, Shape, Text, rectangle
from qttt.display.text import colour_letter
from qttt.game.configurations import Configuration, partner
from qttt.game.dice import COLOURS, Die
from qttt.game.position import Position
from qttt.game.roots import Attack, read_roots
from qttt.game.squares import EMPTY, SQUARES, lines_in
from qttt.game.symbols import Symbol, View

CELL = 120.0
MARGIN = 10.0
_CAPTION = 26.0
_SINGLE, _PAIRED = 58.0, 46.0
_OFFSET = 27.0
#: The kinds of link: width and dashes of the line, and what the legend says.
_LINKS: dict[str, tuple[float, tuple[float, ...], str]] = {
    "entangled": (3.2, (), "entangled: one of each symbol, opposite in both modes"),
    "half": (2.2, (2.0, 4.0), "the two halves of one piece: it will be in one of them"),
    "cancelled": (2.6, (9.0, 5.0), "cancelled: what was here lives on at the arrow's end"),
}


@dataclass(frozen=True, slots=True)
class Link:
    """What joins two squares.

    Attributes:
        kind: ``entangled``, ``half`` (the two halves of one piece) or ``cancelled`` (from the invaded square
            to the target).
        first: a square.
        second: the other one.
    """

    kind: str
    first: int
    second: int


def board_scene(
    position: Position,
    title: str = "",
    *,
    marked: Collection[int] = (),
    emptied: Collection[int] = (),
    opens: Mapping[int, Symbol] | None = None,
    legend: bool = True,
) -> Scene:
    """Draw a position.

    Dice are triangles and boxes with their signed value; X's are pale, O's strong, and the letter under the
    value is the initial of the die's colour (capital: X's, small: O's). A solid line links entangled squares,
    a dotted one the two halves of one piece, a dashed arrow runs from a cancelled square to its target. A
    stroke runs through a three-in-a-row of observed symbols.

    Args:
        position: what to draw.
        title: heading of the picture; a general one if empty.
        marked: squares to frame, those that a move changed.
        emptied: squares that an observation has found empty; they say so, and their dice are left out.
        opens: the open squares and to whom they are open (``State.open_squares``); they say so.
        legend: explain lines and letters below the board.
    """
    if emptied:
        left = tuple(() if square in emptied else position.at(square) for square in SQUARES)
        position = replace(position, dice=left)
    shapes: list[Shape] = []
    for square in SQUARES:
        shapes += _background(square, square in marked)
    for square in SQUARES:
        if position.configuration(square) is Configuration.CANCELLED:
            shapes += _cross(square)
    links = list(_links(position, opens or {}))
    shapes += links
    shapes += _grounds(position, links, opens or {})
    shapes += [_stroke(line) for symbol in Symbol for line in lines_in(position.observed, symbol)]
    for square in SQUARES:
        shapes += _contents(position, square)
        shapes += _labels(position, square, (opens or {}).get(square), square in emptied)
    side = 2 * MARGIN + 3 * CELL
    shapes += _view(position, side)
    height = side + _CAPTION
    if legend:
        rows = list(_legend(position, links))
        for row in rows:
            shapes += [shape.placed(MARGIN, height, 1.0) for shape in row]
            height += 16
        height += 4 if rows else 0
    return Scene(side, height, tuple(shapes), title or "A position", describe_position(position, opens))


def corner(square: int) -> Point:
    """The top left corner of a square on the board."""
    return (MARGIN + CELL * ((square - 1) % 3), MARGIN + CELL * ((square - 1) // 3))


def centre(square: int) -> Point:
    """The middle of a square on the board."""
    x, y = corner(square)
    return (x + CELL / 2, y + CELL / 2)


def die_shapes(die: Die, at: Point, size: float) -> list[Shape]:
    """A die around a point: its outline, its signed value and the letter of its colour."""
    x, y = at
    colour = die_colour(die)
    words = f"{colour}-text"
    if die.shape is Symbol.X:
        outline = triangle(at, size * 1.12, fill=colour, stroke="die-line", width=1.6)
        value, letter = y + 0.22 * size, y + 0.44 * size
    else:
        outline = rectangle(x - size / 2, y - size / 2, size, size, fill=colour, stroke="die-line", width=1.6)
        value, letter = y + 0.1 * size, y + 0.4 * size
    return [
        outline,
        Text((x, value), signed(die.value), 0.37 * size, words, "middle", bold=True),
        Text((x, letter), colour_letter(die.owner, die.colour), 0.22 * size, words, "middle"),
    ]


def triangle(
    at: Point, side: float, *, fill: str | None = None, stroke: str | None = None, width: float = 1.0
) -> Polygon:
    """An upright triangle whose bounding box is centred on a point."""
    x, y = at
    half = side * sqrt(3) / 4
    return Polygon(((x - side / 2, y + half), (x + side / 2, y + half), (x, y - half)), fill, stroke, width)


def symbol_shapes(symbol: Symbol, at: Point, size: float) -> list[Shape]:
    """An observed symbol: an outline without a number, unlike any die."""
    if symbol is Symbol.X:
        return [triangle(at, size * 1.12, stroke="ink", width=size / 11)]
    x, y = at
    return [rectangle(x - size / 2, y - size / 2, size, size, stroke="ink", width=size / 11)]


def _background(square: int, marked: bool) -> list[Shape]:
    x, y = corner(square)
    shapes: list[Shape] = [rectangle(x, y, CELL, CELL, fill="square", stroke="muted", width=1.2)]
    if marked:
        shapes.append(rectangle(x + 3, y + 3, CELL - 6, CELL - 6, stroke="mark", width=3))
    return shapes


def _cross(square: int) -> list[Shape]:
    x, y = corner(square)
    low, high = 16.0, CELL - 16.0
    return [
        Curve(((x + low, y + low), (x + high, y + high)), "faint", 5),
        Curve(((x + high, y + low), (x + low, y + high)), "faint", 5),
    ]


def _stroke(line: tuple[int, int, int]) -> Curve:
    """A line through three squares, a little longer than from centre to centre."""
    (x0, y0), (x1, y1) = centre(line[0]), centre(line[2])
    dx, dy = 0.17 * (x1 - x0), 0.17 * (y1 - y0)
    return Curve(((x0 - dx, y0 - dy), (x1 + dx, y1 + dy)), "mark", 5)


def _contents(position: Position, square: int) -> list[Shape]:
    x, y = centre(square)
    if position.is_observed(square):
        return symbol_shapes(Symbol(position.observed[square - 1]), (x, y), 64)
    dice = position.at(square)
    if len(dice) == 1:
        return die_shapes(dice[0], (x, y), _SINGLE)
    shapes = []
    for die, side in zip(dice, (-1, 1), strict=False):
        shapes += die_shapes(die, (x + side * _OFFSET, y - side * 4), _PAIRED)
    return shapes


def _labels(position: Position, square: int, open_to: Symbol | None, emptied: bool) -> list[Shape]:
    x, y = corner(square)
    shapes: list[Shape] = [Text((x + 8, y + 16), str(square), 11, "muted")]
    if position.is_observed(square):
        # A stroke through a three-in-a-row may run behind the number.
        ground = rectangle(x + 5, y + 5, 13, 14, fill="square")
        return [ground, *shapes, _label(square, "observed")]
    if emptied:
        return [*shapes, _label(square, "found empty")]
    kind = position.configuration(square)
    words = kind.label
    if square in position.twisted:
        words += ", turned"
    if words:
        shapes.append(_label(square, words, strong=kind is Configuration.CANCELLED))
    if open_to:
        shapes.append(Text((x + CELL - 8, y + 16), f"open to {open_to}", 10, "muted", "end"))
    return shapes


def _label(square: int, words: str, *, strong: bool = False) -> Text:
    """The word at the bottom of a square."""
    x, y = corner(square)
    return Text((x + CELL / 2, y + CELL - 8), words, 10, "ink" if strong else "muted", "middle", strong)


def board_links(position: Position) -> Iterator[Link]:
    """The links of a board: what joins its squares, and how."""
    for root in read_roots(position):
        for site in root.sites:
            if site.target is not None:
                kind = "entangled" if site.attack is Attack.ENTANGLED else "cancelled"
                yield Link(kind, site.square, site.target)
        if root.in_half:
            first, second = (site.square for site in root.sites)
            yield Link("half", first, second)
    for square in SQUARES:
        if position.configuration(square) is Configuration.CANCELLED:
            target = partner(position.dice, square)
            if target is not None:
                yield Link("cancelled", square, target)


def _links(position: Position, opens: Collection[int]) -> Iterator[Curve | Circle | Polygon]:
    taken = [span for square in SQUARES for span in _words_spans(position, square, square in opens)]
    for link in board_links(position):
        width, dash, _ = _LINKS[link.kind]
        path = _path(position, link.first, link.second, taken)
        yield Curve(path, "link", width, dash, bent=len(path) == 3)
        yield Circle(path[0], 3.4, fill="link")
        if link.kind == "cancelled":
            yield _arrow_head(path)
        else:
            yield Circle(path[-1], 3.4, fill="link")


def _arrow_head(path: tuple[Point, ...]) -> Polygon:
    (bx, by), (x, y) = path[-2:]
    length = hypot(x - bx, y - by)
    ux, uy = (x - bx) / length, (y - by) / length
    left, right = ((x - 12 * ux - 6 * side * uy, y - 12 * uy + 6 * side * ux) for side in (1, -1))
    return Polygon(((x, y), left, right), fill="link")


def _dice_span(position: Position, square: int) -> Span:
    """Where the dice of a square are."""
    x, y = centre(square)
    half = _SINGLE * 0.56 if len(position.at(square)) == 1 else _OFFSET + _PAIRED * 0.56
    return (x - half, y - 31, x + half, y + 31)


def _words_spans(position: Position, square: int, is_open: bool) -> Iterator[Span]:
    """Where the words of a square are."""
    (left, top), (x, _) = corner(square), centre(square)
    yield (left + 6, top + 6, left + 17, top + 18)
    if not position.is_empty(square):
        half = 2.9 * len(position.configuration(square).label)
        yield (x - half, top + CELL - 17, x + half, top + CELL - 5)
    if is_open:
        yield (left + CELL - 58, top + 6, left + CELL - 6, top + 18)


def _grounds(position: Position, links: Sequence[Shape], opens: Collection[int]) -> Iterator[Polygon]:
    """A ground under each word that a link runs through, so that it is read on an even ground."""
    points = [point for link in links if isinstance(link, Curve) for point in points_along(link.points)]
    for square in SQUARES:
        for left, top, right, bottom in _words_spans(position, square, square in opens):
            if any(within(point, (left, top, right, bottom)) for point in points):
                yield rectangle(left - 1, top - 1, right - left + 2, bottom - top + 2, fill="square")


def _path(position: Position, first: int, second: int, taken: Sequence[Span]) -> tuple[Point, ...]:
    """Where the link of two squares runs, ``taken`` by words."""
    dice = [
        _dice_span(position, square)
        for square in SQUARES
        if square not in (first, second) and position.at(square)
    ]
    ends = (_dice_span(position, first), _dice_span(position, second))
    return route(centre(first), centre(second), Ground(ends, dice, taken, 2 * MARGIN + 3 * CELL))


def _view(position: Position, top: float) -> list[Shape]:
    """The view token and its name."""
    x, y = MARGIN + 20, top + 8
    return [
        rectangle(x - 19, y - 11, 38, 20, fill="square", stroke="ink", width=1.4),
        Text((x, y + 4), "△/□" if position.view is View.STANDARD else "+/−", 11, "ink", "middle", bold=True),
        Text((x + 27, y + 4), f"{position.view} view", 11, "ink"),
    ]


def _legend(position: Position, links: Sequence[Shape]) -> Iterator[list[Shape]]:
    """Rows that explain what is on this board, each around its own origin at the left."""
    curves = [shape for shape in links if isinstance(shape, Curve)]
    for width, dash, words in _LINKS.values():
        if any(curve.dash == dash for curve in curves):
            yield [Curve(((0, 4), (34, 4)), "link", width, dash), Text((44, 8), words, 10, "muted")]
    dice = [die for contents in position.dice for die in contents]
    if dice:
        colours = sorted({die.colour for die in dice}, key=COLOURS.index)
        letters = ", ".join(f"{colour_letter(Symbol.X, colour)} {colour}" for colour in colours)
        for words in ("pale, capital letter: X's dice · strong, small letter: O's", letters):
            yield [Text((0, 8), words, 10, "muted")]


def mini_board(board: str, at: Point, size: float) -> list[Shape]:
    """An observed board as a small picture.

    Args:
        board: nine of ``X``, ``O`` and ``.``.
        at: its top left corner.
        size: its side.
    """
    x, y = at
    step = size / 3
    shapes: list[Shape] = [rectangle(x, y, size, size, fill="square", stroke="muted", width=0.8)]
    for place in (1, 2):
        shapes.append(Curve(((x + place * step, y), (x + place * step, y + size)), "faint", 0.8))
        shapes.append(Curve(((x, y + place * step), (x + size, y + place * step)), "faint", 0.8))
    for number, cell in enumerate(board):
        if cell != EMPTY:
            middle = (x + step * (number % 3 + 0.5), y + step * (number // 3 + 0.5))
            shapes += symbol_shapes(Symbol(cell), middle, step * 0.62)
    return shapes
