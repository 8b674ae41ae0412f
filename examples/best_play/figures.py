"""The figures of the page on best play, drawn as the program draws everything else."""

from collections.abc import Iterator, Sequence

from examples.best_play.level_one import LINE, RULES, Ending, endings
from examples.best_play.openings import (
    Opening,
    Worth,
    best_openings,
    game_worth,
    images,
    opening_worths,
    openings,
    solved_levels,
)
from qttt.display.pictures.boards import board_scene, die_shapes, mini_board
from qttt.display.pictures.scene import Curve, Point, Scene, Shape, Text, rectangle
from qttt.game import Game
from qttt.game.dice import Die
from qttt.game.moves import Move
from qttt.game.rules import LEVELS
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol

#: From how many games more of a hundred a colour is used: slight, clear, large.
STEPS = (0.005, 5.0, 15.0)
UNIT = "How many more games of 100 X wins than O, if both play as well as can be"
_HEAD, _EDGE = 46.0, 12.0


def figures() -> dict[str, Scene]:
    """Every figure by its name."""
    return {
        "best-play-levels": levels_scene(),
        "best-play-level-1": endings_scene(),
        "best-play-squares": squares_scene(),
        "best-play-openings": openings_scene(),
    }


def games(worth: Worth) -> str:
    """A value as games of a hundred, signed, for example ``+12.5``; 0 below half a hundredth."""
    shown = f"{100 * worth.value:+.2f}".rstrip("0").rstrip(".").replace("-", "−")
    return "0" if shown[1:] == "0" else shown


def ahead_colour(worth: Worth) -> str:
    """The colour for who is ahead, and by how much."""
    lead = abs(100 * worth.value)
    strength = sum(lead >= step for step in STEPS)
    if not strength:
        return "paper"
    return f"{'x' if worth.value > 0 else 'o'}-ahead-{strength}"


def levels_scene() -> Scene:
    """What each level comes to: X's wins, ties and O's wins as one bar a level."""
    left, wide, row = 186.0, 500.0, 34.0
    title = "Of 100 games between perfect players, X starting"
    shapes: list[Shape] = [Text((_EDGE, 22), title, 14, bold=True)]
    words = []
    y = 40.0
    for number in solved_levels():
        worth = game_worth(number)
        name = f"Level {number}: {LEVELS[number].name}"
        shapes.append(Text((left - 10, y + 17), name, 11, anchor="end"))
        x = left
        for share, fill, text in (
            (worth.x, "x-ahead-3", "X wins"),
            (worth.tie, "square", "ties"),
            (worth.o, "o-ahead-3", "O wins"),
        ):
            if share < 5e-4:
                continue
            shapes.append(rectangle(x, y, share * wide, row - 8, fill=fill, stroke="muted", width=0.8))
            label = f"{text} {_hundred(share)}"
            if share * wide >= 7 * len(label):
                shapes.append(Text((x + share * wide / 2, y + 17), label, 11, anchor="middle"))
            else:
                shapes.append(Text((left + wide + 10, y + 17), label, 11))
            x += share * wide
        words.append(
            f"{name}: X wins {_hundred(worth.x)}, ties {_hundred(worth.tie)}, O wins {_hundred(worth.o)}"
        )
        y += row
    shapes.append(Text((left, y + 8), "blue: X wins · grey: ties · orange: O wins", 10, "muted"))
    return Scene(left + wide + 90, y + 20, tuple(shapes), title, "; ".join(words) + ".")


def _hundred(share: float) -> str:
    return f"{100 * share:.2f}".rstrip("0").rstrip(".")


def endings_scene() -> Scene:
    """The line of play at Level 1, and each of the boards it may give with X's winning answer."""
    game = Game(rules=RULES)
    moves = LINE.rsplit(maxsplit=1)[0]
    game.play(LINE)
    board = board_scene(game.state.position, legend=False)
    title = f"{LINE} is observed"
    shapes: list[Shape] = [Text((_EDGE, 22), title, 14, bold=True)]
    shapes += board.placed(2, 30, 0.62)
    left, size, gap = 268.0, 72.0, 26.0
    words = []
    for place, ending in enumerate(endings()):
        column, row = place % 4, place // 4
        x, y = left + column * (size + gap), 36.0 + row * (size + 48)
        shapes += mini_board(ending.board, (x, y), size)
        if ending.answer is not None:
            shapes += _answer_frames(ending.answer, (x, y), size)
        shapes.append(Text((x + size / 2, y + size + 15), _said(ending), 11, anchor="middle"))
        words.append(f"{ending.board}: {_said(ending)}")
    bottom = 48.0 + 2 * (size + 48)
    note = "Eight boards, all equally likely. Framed: where X moves next, and then wins whatever comes."
    shapes.append(Text((_EDGE, bottom + 6), note, 10, "muted"))
    described = f"After {moves}, O has to fill the last square. {'; '.join(words)}."
    return Scene(left + 4 * (size + gap) - gap + _EDGE, bottom + 18, tuple(shapes), title, described)


def _said(ending: Ending) -> str:
    return "X has won" if ending.answer is None else f"X plays {ending.answer}"


def _answer_frames(move: Move, at: Point, size: float) -> Iterator[Shape]:
    step = size / 3
    for square in move.squares:
        row, column = divmod(square - 1, 3)
        yield rectangle(
            at[0] + column * step + 2.5,
            at[1] + row * step + 2.5,
            step - 5,
            step - 5,
            stroke="mark",
            width=1.8,
        )


def squares_scene() -> Scene:
    """A board a level: what a classical first move into each square is worth."""
    side, gap, across = 210.0, 30.0, 3
    title = "A first move into one square for certain"
    shapes: list[Shape] = [Text((_EDGE, 22), title, 14, bold=True), Text((_EDGE, 38), UNIT, 10, "muted")]
    words = []
    for place, level in enumerate(solved_levels()):
        x = _EDGE + (place % across) * (side + gap)
        y = _HEAD + 22 + (place // across) * (side + 46)
        shapes.append(Text((x, y - 6), f"Level {level}: {LEVELS[level].name}", 12, bold=True))
        shapes += _worth_board(level, (x, y), side)
        worths = opening_worths(level)
        best = best_openings(level)
        if best[0].superposition:
            note = f"best: {' or '.join(one.token for one in best)}, {games(worths[best[0]])}"
            shapes.append(Text((x, y + side + 14), note, 10, "mark"))
        said = ", ".join(
            f"{name} {games(worths[opening])}"
            for name, opening in zip(("middle", "corner", "edge"), openings(), strict=False)
        )
        words.append(f"Level {level}: {said}")
    rows = -(-len(solved_levels()) // across)
    bottom = _HEAD + 22 + rows * (side + 46) - 22
    shapes += _colour_legend((_EDGE, bottom))
    width = 2 * _EDGE + across * (side + gap) - gap
    return Scene(width, bottom + 60, tuple(shapes), title, f"{UNIT}. {'; '.join(words)}.")


def _worth_board(level: int, at: Point, side: float) -> Iterator[Shape]:
    step = side / 3
    best = best_openings(level)
    for square in SQUARES:
        row, column = divmod(square - 1, 3)
        x, y = at[0] + column * step, at[1] + row * step
        opening = next(one for one in openings() if square in _filled_by(one))
        worth = opening_worths(level)[opening]
        yield rectangle(x, y, step, step, fill=ahead_colour(worth), stroke="muted", width=1.2)
        yield Text((x + 6, y + 13), str(square), 9, "muted")
        if opening in best:
            yield rectangle(x + 3, y + 3, step - 6, step - 6, stroke="mark", width=2.4)
        yield Text((x + step / 2, y + step / 2 + 6), games(worth), 16, anchor="middle", bold=opening in best)


def _filled_by(opening: Opening) -> frozenset[int]:
    """The squares that a classical first move of this kind may fill; none for a superposition."""
    if opening.superposition:
        return frozenset()
    return frozenset(square for (square,) in images(opening.squares))


def openings_scene() -> Scene:
    """Every kind of first move, a row each, and what it is worth at every level."""
    levels = solved_levels()
    icon, left, cell, row = 46.0, 150.0, 84.0, 56.0
    title = "Every first move, and what it is worth"
    shapes: list[Shape] = [Text((_EDGE, 22), title, 14, bold=True), Text((_EDGE, 38), UNIT, 10, "muted")]
    y = _HEAD + 14
    for place, level in enumerate(levels):
        middle = left + (place + 0.5) * cell
        shapes.append(Text((middle, y), f"Level {level}", 11, anchor="middle", bold=True))
        shapes.append(Text((middle, y + 13), LEVELS[level].name, 9, "muted", "middle"))
    y += 22
    words = []
    for opening in openings():
        if opening.squares == next(o.squares for o in openings() if o.superposition):
            y += 10
        shapes += _opening_icon(opening, (_EDGE, y + (row - icon) / 2), icon)
        shapes.append(Text((_EDGE + icon + 12, y + 26), opening.token, 13, bold=True))
        shapes.append(Text((_EDGE + icon + 12, y + 41), f"and {opening.count - 1} alike", 9, "muted"))
        if opening.count == 1:
            shapes[-1] = Text((_EDGE + icon + 12, y + 41), "the only one", 9, "muted")
        said = []
        for place, level in enumerate(levels):
            worth = opening_worths(level).get(opening)
            shapes += _cell((left + place * cell, y), cell, row, worth, opening in best_openings(level))
            said.append(f"Level {level} {games(worth)}" if worth else f"Level {level} not allowed")
        words.append(f"{opening.token}: {', '.join(said)}")
        y += row
    shapes += _colour_legend((_EDGE, y + 12))
    width = left + cell * len(levels) + _EDGE
    return Scene(width, y + 70, tuple(shapes), title, f"{UNIT}. {'; '.join(words)}.")


def _cell(at: Point, wide: float, high: float, worth: Worth | None, best: bool) -> Iterator[Shape]:
    x, y = at
    fill = "paper" if worth is None else ahead_colour(worth)
    yield rectangle(x, y, wide, high, fill=fill, stroke="faint", width=0.8)
    if worth is None:
        yield Text((x + wide / 2, y + high / 2 + 4), "not allowed", 9, "muted", "middle")
        return
    if best:
        yield rectangle(x + 3, y + 3, wide - 6, high - 6, stroke="mark", width=2.4)
    yield Text((x + wide / 2, y + high / 2 + 5), games(worth), 14, anchor="middle", bold=best)


def _opening_icon(opening: Opening, at: Point, size: float) -> list[Shape]:
    x, y = at
    step = size / 3
    shapes = mini_board("." * 9, at, size)
    centres = [
        (x + step * ((square - 1) % 3 + 0.5), y + step * ((square - 1) // 3 + 0.5))
        for square in opening.squares
    ]
    if opening.superposition:
        shapes.append(Curve(tuple(centres), "link", 1.6, (2.0, 2.0)))
    die = Die(Symbol.X, Symbol.X, 0, 2 if opening.superposition else 4)
    for centre in centres:
        shapes += die_shapes(die, centre, step * 0.64)[:1]
    return shapes


def _colour_legend(at: Point) -> Iterator[Shape]:
    x, y = at
    _, clear, large = (f"{step:g}" for step in STEPS)
    rows: Sequence[Sequence[tuple[str, str]]] = (
        (
            ("x-ahead-1", f"X ahead by less than {clear}"),
            ("x-ahead-2", f"by {clear} to {large}"),
            ("x-ahead-3", f"by {large} or more"),
            ("paper", "level"),
        ),
        (
            ("o-ahead-1", f"O ahead by less than {clear}"),
            ("o-ahead-2", f"by {clear} to {large}"),
            ("o-ahead-3", f"by {large} or more"),
            ("", "best for X"),
        ),
    )
    for row in rows:
        for place, (fill, words) in enumerate(row):
            left = x + (0, 152, 252, 366)[place]
            if fill:
                yield rectangle(left, y, 12, 12, fill=fill, stroke="muted", width=0.8)
            else:
                yield rectangle(left, y, 12, 12, stroke="mark", width=2.4)
            yield Text((left + 17, y + 10), words, 9, "muted")
        y += 20
    if any("~" in worth.move for level in solved_levels() for worth in opening_worths(level).values()):
        note = "Level 5: with a switch of the view where that is better for X"
        yield Text((x, y + 10), note, 9, "muted")
