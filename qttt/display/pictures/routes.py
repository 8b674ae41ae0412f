"""Where a link between two squares of a board runs: beside dice and words, bent as little as it can be."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, pairwise
from math import dist, hypot, inf

from qttt.display.pictures.scene import Point

#: Left, top, right and bottom of something that no link should run through.
Span = tuple[float, float, float, float]

_SAMPLES = 32
#: What a point of a link on a die costs, or outside the board; one on a word costs 1.
_DIE = 20
#: Room between a link and a die, the step of the grid on which a way around is looked for, and the radius
#: with which its corners are rounded, which takes a third of the room.
_ROOM, _STEP, _RADIUS = 3.0, 4.0, 9.0
_BENDS_APART = 30.0


@dataclass(frozen=True, slots=True)
class Ground:
    """What a link meets on its way.

    Attributes:
        ends: where the dice of the two squares are; the link begins and ends beside them.
        dice: where the dice of other squares are.
        words: where words are.
        side: width and height of the board.
    """

    ends: tuple[Span, Span]
    dice: Sequence[Span]
    words: Sequence[Span]
    side: float

    def blocked(self, point: Point) -> bool:
        """Whether a link may not run here: on other dice or near them, or at the rim of the board."""
        if any(within(point, span) for span in self.ends):
            return False
        if not _STEP <= min(point) <= max(point) <= self.side - _STEP:
            return True
        return any(within(point, span, _ROOM) for span in self.dice)

    def read(self, point: Point) -> bool:
        """Whether a word stands here."""
        own = any(within(point, span) for span in self.ends)
        return not own and any(within(point, span) for span in self.words)


def route(start: Point, end: Point, ground: Ground) -> tuple[Point, ...]:
    """A way from one square to another that runs through no dice, and through as few words as it can.

    A curve that is bent once if one of these will do, else a line around what is in the way.

    Args:
        start: the middle of the square where it begins.
        end: the middle of the one where it ends.
        ground: what is in its way.

    Returns:
        The start, the control point and the end of a quadratic curve; or the points of a line, never three.
    """
    cost, bend = _best_bend(start, end, ground)
    if cost < _DIE:
        return _between_dice((start, bend, end), ground.ends)
    return _rounded(_outside(_way_around(start, end, ground), ground.ends))


def within(point: Point, span: Span, room: float = 0.0) -> bool:
    """Whether a point lies in a span, or nearer to it than ``room``."""
    x, y = point
    return span[0] - room <= x <= span[2] + room and span[1] - room <= y <= span[3] + room


def _best_bend(start: Point, end: Point, ground: Ground) -> tuple[int, Point]:
    """The control point of the curve that costs least, and what it costs."""
    (x0, y0), (x1, y1), side = start, end, ground.side
    length = hypot(x1 - x0, y1 - y0)
    # Bent towards the rim of the board where there is one, so that curves do not meet in the middle.
    nx, ny = (y0 - y1) / length, (x1 - x0) / length
    mx, my = (x0 + x1) / 2, (y0 + y1) / 2
    if (mx - side / 2) * nx + (my - side / 2) * ny < 0:
        nx, ny = -nx, -ny
    wanted = (mx + 26 * nx, my + 26 * ny)
    places = [_BENDS_APART * number for number in range(-2, int(side / _BENDS_APART) + 3)]
    bends = sorted(((x, y) for y in places for x in places), key=lambda point: dist(point, wanted))
    least, found = _DIE * _SAMPLES, wanted
    for bend in (wanted, *bends):
        cost = 0
        for point in _along((start, bend, end)):
            if cost >= least:
                break
            cost += _DIE * ground.blocked(point) + ground.read(point)
        if cost < least:
            least, found = cost, bend
        if not least:
            break
    return least, found


def _way_around(start: Point, end: Point, ground: Ground) -> list[Point]:
    """The shortest way on a grid that meets no dice, pulled straight; words make it seem longer."""
    order, best = count(), {start: 0.0}
    waiting: list[tuple[float, int, Point, Point | None]] = [(dist(start, end), next(order), start, None)]
    before: dict[Point, Point | None] = {}
    while waiting:
        _, _, here, came = heappop(waiting)
        if here in before:
            continue
        before[here] = came
        if dist(here, end) < _STEP:
            break
        x, y = here
        for dx in (-_STEP, 0.0, _STEP):
            for dy in (-_STEP, 0.0, _STEP):
                there = (x + dx, y + dy)
                if there not in before and not ground.blocked(there):
                    so_far = best[here] + dist(here, there) * (6 if ground.read(there) else 1)
                    if so_far < best.get(there, inf):
                        best[there] = so_far
                        heappush(waiting, (so_far + dist(there, end), next(order), there, here))
    way: list[Point] = [end]
    step: Point | None = here
    while step is not None:
        way.append(step)
        step = before[step]
    way.reverse()

    def straight(first: int, last: int) -> bool:
        points = [_between(way[first], way[last], n / 40) for n in range(41)]
        read = any(map(ground.read, way[first : last + 1]))
        return not any(ground.blocked(point) or (not read and ground.read(point)) for point in points)

    pulled, place = [0], 0
    while place < len(way) - 1:
        place = next((n for n in range(len(way) - 1, place + 1, -1) if straight(place, n)), place + 1)
        pulled.append(place)
    return [way[n] for n in pulled]


def _outside(way: Sequence[Point], ends: tuple[Span, Span]) -> list[Point]:
    """The part of a line that runs outside the dice at its ends."""
    points = [_between(first, second, n / 50) for first, second in pairwise(way) for n in range(50)]
    low = max(n for n, point in enumerate(points) if within(point, ends[0])) + 1
    high = min(n for n, point in enumerate(points) if within(point, ends[1])) - 1
    corners = [point for n, point in enumerate(points) if n % 50 == 0 and low < n < high]
    return [points[low], *corners, points[high]]


def _rounded(way: Sequence[Point]) -> tuple[Point, ...]:
    """A line whose corners are rounded, as the points of a finer one."""
    found: list[Point] = [way[0]]
    for before, corner, after in zip(way, way[1:], way[2:], strict=False):
        legs = []
        for other in (before, after):
            part = min(_RADIUS, dist(corner, other) / 2) / dist(corner, other)
            legs.append(
                (corner[0] + (other[0] - corner[0]) * part, corner[1] + (other[1] - corner[1]) * part)
            )
        found += [_at((legs[0], corner, legs[1]), number / 6) for number in range(7)]
    return (*found, way[-1])


def points_along(path: Sequence[Point]) -> list[Point]:
    """Points close together along what ``route`` gives."""
    if len(path) == 3:
        return _along(path)
    return [_between(first, second, n / 8) for first, second in pairwise(path) for n in range(8)]


def _between(first: Point, second: Point, part: float) -> Point:
    """The point that lies a part of the way from one point to another."""
    return (first[0] + (second[0] - first[0]) * part, first[1] + (second[1] - first[1]) * part)


def _at(path: Sequence[Point], place: float) -> Point:
    x, y = (
        (1 - place) ** 2 * a + 2 * place * (1 - place) * b + place**2 * c
        for a, b, c in zip(*path, strict=True)
    )
    return (x, y)


def _along(path: Sequence[Point]) -> list[Point]:
    return [_at(path, number / _SAMPLES) for number in range(_SAMPLES + 1)]


def _between_dice(path: tuple[Point, Point, Point], spans: tuple[Span, Span]) -> tuple[Point, Point, Point]:
    """The part of a curve that runs outside the dice at its ends."""
    steps = 200
    inside = [number for number in range(steps + 1) if within(_at(path, number / steps), spans[0])]
    low = (max(inside) + 1) / steps
    inside = [number for number in range(steps + 1) if within(_at(path, number / steps), spans[1])]
    high = (min(inside) - 1) / steps
    start, bend, end = path
    # The control point of a part of a quadratic curve is its blossom at the two ends of the part.
    x, y = (
        (1 - low) * (1 - high) * a + ((1 - low) * high + (1 - high) * low) * b + low * high * c
        for a, b, c in zip(start, bend, end, strict=True)
    )
    return (_at(path, low), (x, y), _at(path, high))
