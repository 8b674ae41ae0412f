"""The roll table of a level: a row for every question its roots can raise, read off the program's own table.

A row shows the dice of one root before a roll and after each answer, on squares called a, b, c, d. Rows that
differ only in the names of squares and colours are one.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from qttt.display.pictures.descriptions import signed
from qttt.display.text import colour_letter
from qttt.errors import QtttError
from qttt.game.configurations import Contents, Squares
from qttt.game.dice import Die
from qttt.game.rules import Level
from qttt.game.squares import EMPTY
from qttt.game.surds import Surd
from qttt.game.symbols import Mode, Symbol
from qttt.tabletop.questions import Answers, Cluster, Question, Step, cluster
from qttt.tabletop.table import lay_out
from qttt.teaching.guide.sections import played, share

#: Head of the table: what is there, what is asked, and what the answers leave.
HEAD = ("dice before", "question", "chance of yes", "with six-sided dice", "after yes", "after no")
#: What one square shows: its dice, a symbol that has been placed, or "." for empty.
_Shown = Contents | str
_STARTS = ("1", "1+3", "~1", "~1+3")
_ATTACKS = ("", "1*2", "1-2", "1*2 5 3*4", "1*2 5 3-4", "1-2 5 3-4")


def roll_rows(level: Level) -> Iterator[tuple[str, tuple[tuple[str, ...], ...]]]:
    """The rows of every step of an observation, each step with its name."""
    roots = _roots(level)
    first = roots[0].step
    rows, settled = _step_rows(roots)
    if first is Step.TOGETHER:
        certain = [_certain_row((Die(symbol, symbol, 0, 4),), symbol) for symbol in Symbol]
        yield "", (*certain, *rows) if rows else ()
        return
    yield "Positions", rows
    for mode in Mode if level.rotated_mode else (Mode.STANDARD,):
        name = f"Symbols, {mode} mode" if level.rotated_mode else "Symbols"
        certain = [
            _certain_row(dice[0], read.symbols)
            for dice in settled
            if not (read := cluster(dice, EMPTY * len(dice), Step.SYMBOLS, mode)).answers
        ]
        rolled = [cluster(dice, EMPTY * len(dice), Step.SYMBOLS, mode) for dice in settled]
        yield name, (*certain, *_step_rows([read for read in rolled if read.answers])[0])


def _roots(level: Level) -> list[Cluster]:
    """The root alone in a game, free or attacked once or twice, in either view; of either player."""
    found: dict[Cluster, None] = {}
    for start, attacks, first in product(_STARTS, _ATTACKS, Symbol):
        try:
            state = played(f"{start} {attacks}", level.number, first).state
        except QtttError:
            continue
        # With both modes open to choice, no table goes on to the symbols by itself.
        for group in lay_out(state.position, state.rules, modes=tuple(Mode)).groups:
            found[group.cluster] = None
    return list(found)


def _step_rows(roots: list[Cluster]) -> tuple[tuple[tuple[str, ...], ...], tuple[Squares, ...]]:
    """A row for each question that can follow, and the dice that hang together when none does."""
    rows: dict[tuple[object, ...], tuple[str, ...]] = {}
    settled: dict[tuple[object, ...], Squares] = {}
    todo, seen = list(roots), set()
    for root in todo:
        for dice in _together(root.dice):
            part = cluster(dice, EMPTY * len(dice), root.step, root.mode)
            if (key := _alike([(shown,) for shown in dice])) in seen:
                continue
            seen.add(key)
            for answers in part.answers:
                todo += [answers.yes, answers.no]
                shown = list(zip(dice, _shown(answers.yes), _shown(answers.no), strict=True))
                rows.setdefault(_alike(shown), _row(dice, answers))
            if not part.answers:
                settled[key] = dice
    return tuple(rows.values()), tuple(settled.values())


def _together(dice: Squares) -> Iterator[Squares]:
    """The dice that hang together by their pieces, squares without dice left out."""
    left = [contents for contents in dice if contents]
    while left:
        part = [left.pop(0)]
        pieces = {die.piece for die in part[0]}
        while more := [contents for contents in left if pieces & {die.piece for die in contents}]:
            part += more
            left = [contents for contents in left if contents not in more]
            pieces |= {die.piece for contents in more for die in contents}
        yield tuple(part)


def _shown(left: Cluster) -> list[_Shown]:
    return [contents or symbol for contents, symbol in zip(left.dice, left.symbols, strict=True)]


def _alike(squares: Sequence[tuple[_Shown, ...]]) -> tuple[object, ...]:
    """What is the same for squares that differ only in their order and in the numbers of their pieces."""
    return min(_numbered(order) for order in permutations(squares))


def _numbered(squares: tuple[tuple[_Shown, ...], ...]) -> tuple[object, ...]:
    names: dict[tuple[Symbol, int], int] = {}
    return tuple(
        tuple(
            ((cell,),)
            if isinstance(cell, str)
            else tuple(
                (
                    die.shape.value,
                    str(die.value),
                    die.owner.value,
                    str(names.setdefault(die.piece, len(names))),
                )
                for die in sorted(cell, key=lambda die: (die.shape.value, die.owner.value, die.value))
            )
            for cell in square
        )
        for square in squares
    )


def _row(dice: Squares, answers: Answers) -> tuple[str, ...]:
    question = answers.question
    places = " and ".join("abcd"[square - 1] for square in question.squares)
    return (
        _said(list(dice)),
        f"{question.asker} at {places}: {question.asks.value}",
        _exactly(question.chance),
        _with_dice(question),
        _said(_shown(answers.yes)),
        _said(_shown(answers.no)),
    )


def _certain_row(contents: Contents, symbol: str) -> tuple[str, ...]:
    return (_said([contents]), "none", "certain", "–", _said([symbol]), "–")


def _said(squares: list[_Shown]) -> str:
    return ", ".join(f"{name} {_cell(shown)}" for name, shown in zip("abcd", squares, strict=False))


def _cell(shown: _Shown) -> str:
    if isinstance(shown, str):
        return "empty" if shown == EMPTY else shown
    return " ".join(
        f"{'△' if die.shape is Symbol.X else '□'}{signed(die.value)}{colour_letter(die.owner, die.colour)}"
        for die in shown
    )


def _exactly(chance: Surd) -> str:
    """A chance in per cent, with the number itself where two decimals do not give it."""
    said = share(float(chance))
    if not chance.root and (10_000 * chance.rational).denominator == 1:
        return said
    if not chance.root:
        return f"{chance.rational} = {said}"
    sign = "−" if chance.root < 0 else "+"
    return f"{chance.rational} {sign} {abs(chance.root)}·√2 = {said}"


def _with_dice(question: Question) -> str:
    if question.d6_is_exact:
        return question.reading.value
    return f"{question.reading.value} (about: {share(float(question.reading.chance))})"
