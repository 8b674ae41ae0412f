"""The page "Which rules are fairest?": the value of every variant, as a table and as a figure."""

from collections.abc import Iterator
from itertools import groupby

from examples.best_play.variants import MOST_LOOKS, PLAYED, Variant, left_out, solved_variants, wanted
from qttt.display.pictures.scene import Circle, Curve, Point, Scene, Shape, Text
from qttt.display.pictures.svg import svg
from qttt.game.rules import LEVELS, SUMMARIES
from qttt.solver.making.levels import UNSOLVABLE

#: Letters for options in the figure.
LETTERS = {
    name: name[0].upper()
    for name in SUMMARIES
    if name.partition("=")[0] not in UNSOLVABLE and name != "no-ties"
} | {"no-ties": "S"}
#: A game with more ties than this decides too little for a tournament.
MOST_TIES = 0.15
_WIDE, _HIGH, _GAP = 214.0, 250.0, 44.0
_LEFT, _TOP = 52.0, 84.0
#: The figure's range: share of ties from 0, value from lowest to highest.
_TIES, _LOWEST, _HIGHEST = 0.6, -1.0, 1.0


def fairest_files() -> dict[str, str]:
    """The page and its figure, by their names in the guide."""
    return {"fairest-rules.md": _page(), "figures/fairest-rules.svg": svg(_scene())}


def valued() -> list[Variant]:
    """The variants whose games have a value, by level."""
    return [variant for variant in solved_variants() if variant.value is not None]


def fairest(level: int) -> Variant:
    """The variant of a level with the value nearest to 0 whose games end, if it can be with few ties."""
    of_level = [variant for variant in valued() if variant.level == level and not variant.endless]
    few = [variant for variant in of_level if _number(variant.tie) <= MOST_TIES]
    return min(few or of_level, key=lambda variant: abs(_number(variant.value)))


def _number(value: float | None) -> float:
    assert value is not None
    return value


def _page() -> str:
    return "\n".join(
        [
            "# Which rules are fairest?",
            "",
            "The value of a game is P(X wins) − P(O wins) when both play as well as can be, X starting: 0 is",
            "fair, +0.125 means that of 100 games X wins 12.5 more than O. Every number on this page was",
            "computed by the solver (`python -m examples.best_play.variants` computes them again;",
            "`qttt solve --level 2 --options tally` shows one with its first moves).",
            "",
            f"![{_described()}](figures/fairest-rules.svg)",
            "",
            "## What an organiser should choose",
            "",
            *_advice(),
            "",
            "Whatever the rules: let every pair of players play two games and change who starts. That makes",
            "any of these rules fair for the pair; the value then says only how much the toss for one single",
            "game is worth.",
            "",
            *[line for level in LEVELS for line in _level(level.number)],
            "## What has no value here",
            "",
            *[f"- {what}: {why}." for what, why in left_out().items()],
            *_missing(),
            "",
        ]
    )


def _advice() -> Iterator[str]:
    yield f"Of each level's rules with at most {MOST_TIES * 100:g} % ties, those with the value nearest to 0:"
    yield ""
    for level in LEVELS[1:]:
        best = fairest(level.number)
        yield (
            f"- Level {level.number}: {_named(best.options)}: {_signed(best.value)}, "
            f"{_percent(best.tie)} ties ({_signed(_plain(level.number).value)} and "
            f"{_percent(_plain(level.number).tie)} without options)"
        )
    worst = max(valued(), key=lambda variant: abs(_number(variant.value)) * (variant.level > 1))
    ahead = "X" if _number(worst.value) > 0 else "O"
    share = _percent(worst.x if ahead == "X" else worst.o)
    yield ""
    yield (
        f"Above Level 1 the least fair is Level {worst.level} with {_named(worst.options)}: "
        f"{ahead} wins {share} of the games."
    )


def _plain(level: int) -> Variant:
    return next(variant for variant in valued() if variant.level == level and not variant.options)


def _level(number: int) -> Iterator[str]:
    yield f"## Level {number}: {LEVELS[number].name}"
    yield ""
    yield "| options | value | X wins | ties | O wins |"
    yield "|---|---|---|---|---|"
    for variant in valued():
        if variant.level == number:
            shares = " | ".join(_percent(share) for share in (variant.x, variant.tie, variant.o))
            yield f"| {_named(variant.options)} | {_signed(variant.value)} | {shares} |"
    yield ""
    for variant in valued():
        if variant.level == number and variant.endless:
            yield (
                f"With {_named(variant.options)} best play need not end: of {PLAYED} games between perfect "
                f"players {variant.endless}"
            )
            yield f"were still going on after {MOST_LOOKS} observations. Who loses nothing by waiting can"
            yield "wait. The shares are those of games that may have more and more observations; a game"
            yield "without end is a tie."
            yield ""


def _missing() -> Iterator[str]:
    known = {variant.rules for variant in solved_variants()}
    for rules in wanted():
        if rules not in known:
            yield f"- Level {rules.level.number} with `{rules.options}`: not solved yet."


def _named(options: str) -> str:
    return ", ".join(f"`{name}`" for name in options.split(",")) if options else "no option"


def _signed(value: float | None) -> str:
    number = round(_number(value), 4)
    return f"{number:+.4f}".rstrip("0").rstrip(".").replace("-", "−") if number else "0"


def _percent(share: float | None) -> str:
    return f"{100 * _number(share):.2f}".rstrip("0").rstrip(".") + " %"


def _marks(options: str) -> str:
    return "".join(LETTERS[name] for name in options.split(",")) if options else "0"


def _scene() -> Scene:
    shapes: list[Shape] = [Text((14, 26), "Value against share of ties, by level and options", 14, bold=True)]
    for place, level in enumerate(LEVELS[1:]):
        column, row = place % 3, place // 3
        corner = (_LEFT + column * (_WIDE + _GAP), _TOP + row * (_HIGH + 60))
        shapes += _panel(level.number, corner, labelled=column == 0)
    width = _LEFT + 3 * (_WIDE + _GAP)
    height = _TOP + 2 * (_HIGH + 60) - 24
    note = "up: X is ahead · down: O is ahead · right: more ties"
    left, top = _LEFT + 2 * (_WIDE + _GAP), _TOP + _HIGH + 60
    for row, (name, letter) in enumerate([("no option", "0"), *LETTERS.items()]):
        shapes.append(Text((left, top + 18 * row), letter, 11, bold=True))
        shapes.append(Text((left + 22, top + 18 * row), name, 11))
    shapes.append(Text((14, 44), note, 10, "muted"))
    return Scene(width, height, tuple(shapes), "Value against share of ties", _described())


def _panel(level: int, corner: Point, *, labelled: bool) -> Iterator[Shape]:
    left, top = corner

    def at(tie: float, value: float) -> Point:
        return left + tie / _TIES * _WIDE, top + (_HIGHEST - value) / (_HIGHEST - _LOWEST) * _HIGH

    yield Text((left, top - 14), f"Level {level}: {LEVELS[level].name}", 11, bold=True)
    for value in (-1.0, -0.5, 0.0, 0.5, 1.0):
        x, y = at(0, value)
        yield Curve(
            ((x, y), (left + _WIDE, y)), "ink" if not value else "muted", width=1.0 if not value else 0.4
        )
        if labelled:
            yield Text((left - 8, y + 4), _signed(value), 10, "muted", anchor="end")
    for tie in (0.0, 0.2, 0.4, 0.6):
        x, y = at(tie, _LOWEST)
        yield Text((x, y + 14), f"{tie * 100:g} %", 10, "muted", anchor="middle")
    # Rules that come to the same share a point and a label; labels keep apart.
    points: dict[tuple[float, float], list[str]] = {}
    for variant in valued():
        if variant.level == level:
            key = round(_number(variant.tie), 3), round(_number(variant.value), 3)
            points.setdefault(key, []).append(_marks(variant.options))
    circles = [at(*point) for point in points]
    boxes = [(x - 5, y - 5, x + 5, y + 5) for x, y in circles]
    for (x, y), ((_, value), marks) in zip(circles, points.items(), strict=True):
        colour = "x-ahead-3" if value > 0 else "o-ahead-3" if value < 0 else "square"
        yield Circle((x, y), 4, fill=colour, stroke="ink", width=0.8)
        yield _label((x, y), ", ".join(marks), boxes)


def _label(point: Point, text: str, boxes: list[tuple[float, float, float, float]]) -> Text:
    """A label beside a point, where nothing else is; its place is added to those taken."""
    x, y = point
    wide = 6.5 * len(text)
    for step in range(12):
        for side in (1, -1):
            for low in (y + 3.5 - 6 * step, y + 3.5 + 6 * step):
                left = x + 8 if side > 0 else x - 8 - wide
                box = left, low - 9, left + wide, low + 2
                if all(
                    box[2] < other[0] or other[2] < box[0] or box[3] < other[1] or other[3] < box[1]
                    for other in boxes
                ):
                    boxes.append(box)
                    return Text((x + 8 * side, low), text, 10, anchor="start" if side > 0 else "end")
    raise AssertionError(text)


def _described() -> str:
    parts = []
    for level, some in groupby(valued(), key=lambda variant: variant.level):
        told = ", ".join(
            f"{_marks(one.options)} {_signed(one.value)} with {_percent(one.tie)} ties" for one in some
        )
        parts.append(f"Level {level}: {told}")
    return "; ".join(parts) + "."
