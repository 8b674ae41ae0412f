"""The page on best play with its figures, as files of the guide."""

import io
import shlex
from fractions import Fraction
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from examples.best_play.counting import can_force
from examples.best_play.fairest import fairest_files
from examples.best_play.figures import figures, games
from examples.best_play.level_one import LINE, endings, proof
from examples.best_play.matches import measured_matches
from examples.best_play.openings import (
    Opening,
    Worth,
    best_of,
    best_openings,
    game_worth,
    opening_worths,
    solved_levels,
)
from examples.best_play.poor_opener import answered
from qttt.cli.main import main
from qttt.display.pictures.svg import svg
from qttt.display.text import hundredths
from qttt.game.rules import Rules
from qttt.solver.probe import Value
from qttt.solver.tables import table_for

_TEMPLATE = Path(__file__).with_name("page.md.j2")
_LARGEST_DENOMINATOR = 256
_NOT_FILLED = ("#", "|", "!", "    ", "```")
_TEXT: Final[dict[str, Any]] = {"width": 118, "break_long_words": False, "break_on_hyphens": False}
_LIST: Final[dict[str, Any]] = {**_TEXT, "subsequent_indent": "  "}


@cache
def best_play_files() -> dict[str, str]:
    """The page and its figures, by their names in the guide."""
    files = {f"figures/{name}.svg": svg(scene) for name, scene in figures().items()}
    return {"best-play.md": _page(), **files, **fairest_files()}


def _page() -> str:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    levels = solved_levels()
    perfect = next(match for match in measured_matches() if match.x == match.o)
    game = {level: game_worth(level) for level in levels}
    replies = answered()
    at_1 = {opening: worth.value for opening, worth in opening_worths(1).items() if opening.superposition}
    classical_at_1 = best_of(1, superposition=False)[1].value
    text = template.render(
        levels=levels,
        solved_words=_solved_words(levels),
        game=game,
        worths={
            level: {one.token: worth for one, worth in opening_worths(level).items()} for level in levels
        },
        best={level: best_openings(level)[0].token for level in levels},
        best_words=_best_words,
        best_classical=best_of(2, superposition=False)[1],
        better_at_1=sum(value > classical_at_1 for value in at_1.values()),
        worst_at_1=min(at_1, key=lambda opening: at_1[opening]).token,
        behind={level: _behind(level) for level in levels},
        counts=_counts(),
        line=LINE,
        endings=endings(),
        proof=proof(),
        answered=replies,
        text_best=sum(one.text_worth.value == one.worth.value for one in replies),
        match=next(match for match in measured_matches() if match.o == "easy"),
        perfect=perfect,
        perfect_fits=perfect.mean()[1] <= game[2].value <= perfect.mean()[2],
        signed=lambda number: f"{number:+.3f}".replace("-", "−"),
        level_5=_level_5() if 5 in levels else "",
        error=f"{table_for(Rules.of(3)).about['error']:.0e}".replace("e-", "e−"),
        endless=_endless() if 5 in levels else "",
        figures=figures(),
        run=_run,
        fraction=_fraction,
        value=_value,
        games=lambda worth: games(worth).removeprefix("+"),
        hundred=lambda share: f"{100 * share:.2f}".rstrip("0").rstrip("."),
        whole=lambda share: f"{100 * share:.0f}",
        percent=_percent,
        interval=_interval,
    )
    return filled(text)


def filled(page: str) -> str:
    """A Markdown page with its paragraphs and list items filled anew, whatever numbers are in them.

    Tables, headings, pictures and everything indented or fenced stay as they are.
    """
    done, fenced = [], False
    for block in page.split("\n\n"):
        plain = not fenced and not block.startswith(_NOT_FILLED)
        fenced ^= block.count("```") % 2 == 1
        if plain and block.startswith("- "):
            items = block.removeprefix("- ").split("\n- ")
            done.append("\n".join(fill(" ".join(f"- {item}".split()), **_LIST) for item in items))
        elif plain:
            done.append(fill(" ".join(block.split()), **_TEXT))
        else:
            done.append(block)
    return "\n\n".join(done).rstrip("\n") + "\n"


def _run(command: str) -> str:
    """A command with what it prints, as a console block."""
    out, err = io.StringIO(), io.StringIO()
    status = main(shlex.split(command), stdin=io.StringIO(), stdout=out, stderr=err)
    if status:
        raise ValueError(f"qttt {command} ended with {status}: {err.getvalue()}")
    return f"```console\n$ qttt {command}\n{out.getvalue().rstrip()}\n```"


def _solved_words(levels: tuple[int, ...]) -> str:
    return f"Levels {levels[0]} to {levels[-1]}"


def _best_words(level: int) -> str:
    best, allowed = best_openings(level), opening_worths(level)
    if len(best) == len(allowed):
        return "all alike"
    if {opening for opening in allowed if not opening.superposition} == set(best):
        return "all classical ones alike"
    return ", ".join(f"`{allowed[opening].move}`" for opening in sorted(best, key=_order))


def _order(opening: Opening) -> tuple[int, tuple[int, ...]]:
    return len(opening.squares), opening.squares


def _behind(level: int) -> int:
    """How many kinds of superpositions leave X behind as first moves."""
    return sum(worth.value < 0 for opening, worth in opening_worths(level).items() if opening.superposition)


def _counts() -> list[dict[str, str]]:
    def said(empty: int, filling: bool) -> str:
        return "yes" if can_force(empty, moving=True, filling=filling) else "no"

    return [
        {"empty": str(empty), "own": said(empty, True), "other": said(empty, False)} for empty in range(1, 10)
    ]


def _level_5() -> str:
    """What is to be said of Level 5's first moves."""
    worth, worths = game_worth(5), opening_worths(5)
    switched = [one for one in worths.values() if "~" in one.move]
    ahead = f"With best play {'X' if worth.value > 0 else 'O'} is ahead: {_value(worth)}."
    best = f"The best first move is `{worths[best_openings(5)[0]].move}`"
    if not switched:
        return f"{ahead} {best}, and no first move gains anything by a view switch."
    kinds = f"{len(switched)} of the {len(worths)} kinds of first moves"
    return f"{ahead} {best}; {kinds} are better with a view switch than without."


def _endless() -> str:
    """How much the convention for infinite play matters at Level 5."""
    about = table_for(Rules.of(5)).about
    low, high = about["lowest"], about["highest"]
    game = (
        "the value of the game would be the same"
        if high - low < about["error"]
        else f"the value of the game would lie between {low:.6f} and {high:.6f}".replace("-", "−")
    )
    return (
        "Level 5 can go on for ever; that counts as a tie. If it counted as lost or won for one of the "
        f"players instead, {game}, and no observed board's would differ by more than {about['widest']:.4f}."
    )


def _fraction(worth: Worth | Value) -> str:
    exact = Fraction(worth.value)
    if exact.denominator <= _LARGEST_DENOMINATOR:
        return str(exact)
    return f"{worth.value:.6f}".replace("-", "−")


def _value(worth: Worth) -> str:
    shown = f"{worth.value:+.4f}".replace("-", "−")
    if not worth.value:
        return "0"
    if worth.fraction:
        return (
            f"{shown.rstrip('0').rstrip('.')} = {worth.fraction}" if "/" in worth.fraction else worth.fraction
        )
    return shown


def _percent(share: float) -> str:
    return hundredths(share).rstrip("0").rstrip(".") + " %"


def _interval(measured: tuple[float, float, float]) -> str:
    share, low, high = measured
    return f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
