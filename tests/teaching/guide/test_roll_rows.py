"""The printed roll tables: rolled by nothing but the rows of the page, every root has its exact chances."""

import random
import re
from fractions import Fraction
from itertools import permutations, product
from math import sqrt
from pathlib import Path

import pytest

from qttt import Game
from qttt.game.odds import RootOdds
from qttt.game.rules import LEVELS, Rules, parse_options
from qttt.game.state import State
from qttt.game.symbols import Mode
from qttt.tabletop.rolls import Rolls, roll_odds, table_of
from tests.campaigns.walks import random_game

GUIDE = Path(__file__).parents[3] / "examples" / "guide"
#: A die is its shape, its value and its piece; a square holds dice, or it is a symbol or ``empty``.
Die = tuple[str, int, str]
Cell = tuple[Die, ...] | str
Board = dict[int, Cell]
#: What two dice, one die and a die that is rolled again say; the words are those of the page.
SAYS = {
    "even means yes": Fraction(1, 2),
    "1 or 2 means yes, and a 6 is rolled again": Fraction(2, 5),
    "anything but 1 or 2 means yes": Fraction(2, 3),
    "two dice, both showing 1, mean yes": Fraction(1, 36),
    "two dice mean yes unless both show 1": Fraction(35, 36),
    "–": Fraction(1),
}


def cells(said: str) -> list[Cell]:
    found: list[Cell] = []
    for part in said.split(", "):
        _, *words = part.split()
        dice = [re.fullmatch(r"([△□])(−?\d)(.)", word) for word in words]
        if dice[0] is None:
            found.append(words[0])
        else:
            found.append(tuple((d[1], int(d[2].replace("−", "-")), d[3]) for d in dice if d))
    return found


def exactly(said: str) -> float:
    if said == "certain":
        return 1.0
    number = said.partition(" = ")[0]
    if number.endswith(" %"):
        return float(number[:-2]) / 100
    value, sign = 0.0, 1
    for word in number.split():
        if word in "+−":
            sign = 1 if word == "+" else -1
        else:
            whole, _, root = word.partition("·")
            value += sign * float(Fraction(whole)) * (sqrt(2) if root else 1)
    return value


class Row:
    def __init__(self, line: str) -> None:
        before, question, chance, dice, yes, no = (cell.strip() for cell in line.strip("|").split(" | "))
        self.before = [cell for cell in cells(before) if not isinstance(cell, str)]
        self.asked = ["abcd".index(name) for name in re.findall(r"\b([abcd])\b", question.partition(":")[0])]
        self.exact = exactly(chance)
        words, about, rest = dice.partition(" (about: ")
        self.d6 = float(SAYS[words])
        assert bool(about) is (abs(self.d6 - self.exact) > 1e-12), line
        if about:
            assert float(rest.removesuffix(" %)")) == pytest.approx(100 * self.d6, abs=0.005)
        if " = " in chance:
            assert float(chance.partition(" = ")[2][:-2]) == pytest.approx(100 * self.exact, abs=0.005)
        self.yes, self.no = cells(yes), cells(no) if no != "–" else []

    def fits(self, part: Board) -> "list[tuple[list[int], dict[str, str]]]":
        """Every way to name squares a, b, c, d and pieces R, G, r, g so that the row is about them."""
        if len(part) != len(self.before):
            return []
        return [
            (list(order), pieces)
            for order in permutations(part)
            if (pieces := self._pieces([part[square] for square in order])) is not None
        ]

    def _pieces(self, there: list[Cell]) -> "dict[str, str] | None":
        orders = [list(permutations(cell)) for cell in there if not isinstance(cell, str)]
        for choice in product(*orders):
            names: dict[str, str] = {}
            if all(
                len(mine) == len(row)
                and all(
                    (a[0], a[1]) == (b[0], b[1])
                    and a[2].isupper() == b[2].startswith("X")
                    and names.setdefault(a[2], b[2]) == b[2]
                    for a, b in zip(row, mine, strict=True)
                )
                for row, mine in zip(self.before, choice, strict=True)
            ) and len(set(names.values())) == len(names):
                return names
        return None


def tables(level: int) -> dict[str, list[Row]]:
    """The tables of a printed page, by the line above each."""
    text = (GUIDE / f"level-{level}.md").read_text(encoding="utf-8")
    found: dict[str, list[Row]] = {}
    name = ""
    for line in text.partition("## Rolling")[2].partition("\n## ")[0].splitlines():
        if line.startswith("| ") and "dice before" not in line:
            found.setdefault(name, []).append(Row(line))
        elif line and not line.startswith("|"):
            name = line if line.startswith(("Positions", "Symbols")) else ""
    return found


def parts(board: Board) -> list[Board]:
    """The dice that hang together by their pieces."""
    groups: list[tuple[Board, set[str]]] = []
    for square, cell in board.items():
        if isinstance(cell, str):
            continue
        pieces = {die[2] for die in cell}
        mine: Board = {square: cell}
        for group in [group for group in groups if group[1] & pieces]:
            groups.remove(group)
            mine, pieces = mine | group[0], pieces | group[1]
        groups.append((mine, pieces))
    return [board for board, _ in groups]


def rolled(board: Board, steps: list[list[Row]], *, d6: bool, rng: random.Random) -> dict[str, float]:
    """The chances of each ending when every question is taken from the rows."""
    if not steps:
        assert all(isinstance(cell, str) for cell in board.values()), board
        return {"".join(str(board[square]).replace("empty", ".") for square in sorted(board)): 1.0}
    asked = [
        (row, order, pieces) for part in parts(board) for row in steps[0] for order, pieces in row.fits(part)
    ]
    if not asked:
        return rolled(board, steps[1:], d6=d6, rng=rng)
    rng.shuffle(asked)
    # "half-cancelled squares come first, the smaller number first"
    row, order, pieces = min(
        asked, key=lambda one: [one[1][place] for place in one[0].asked] if one[0].d6 == 1 / 36 else [10]
    )
    chances: dict[str, float] = {}
    chance = row.d6 if d6 else row.exact
    for share, left in ((chance, row.yes), (1 - chance, row.no)):
        if not share:
            continue
        after = board | {
            square: cell
            if isinstance(cell, str)
            else tuple((shape, value, pieces[name]) for shape, value, name in cell)
            for square, cell in zip(order, left, strict=True)
        }
        for ending, p in rolled(after, steps, d6=d6, rng=rng).items():
            chances[ending] = chances.get(ending, 0.0) + share * p
    return chances


def dice_on(state: State, squares: tuple[int, ...]) -> Board:
    position = state.position.standard()
    return {
        square: tuple(
            ("△" if die.shape == "X" else "□", die.value, f"{die.owner}{die.number}")
            for die in position.at(square)
        )
        for square in squares
    }


def roots_of(level: int, options: tuple[str, ...], games: int) -> dict[object, tuple[State, tuple[int, ...]]]:
    """A state and the squares of every kind of root that random games meet."""
    rng = random.Random(level)
    found: dict[object, tuple[State, tuple[int, ...]]] = {}
    for number in range(games):
        chosen = options[number % len(options)]
        rules = Rules(LEVELS[level], parse_options(chosen, LEVELS[level]))
        for state in random_game(rules, rng, 30).states:
            if state.positions is None:
                for group in table_of(state).groups:
                    # By the dice before anything is placed: the kind, with its squares in every order.
                    kind = tuple(sorted((k, v) for k, v in enumerate(dice_on(state, group.squares).values())))
                    found.setdefault(str(kind), (state, group.squares))
    return found


def odds_of(roots: tuple[RootOdds, ...], squares: tuple[int, ...]) -> dict[str, float]:
    root = next(root for root in roots if root.squares == squares)
    order = sorted(range(len(squares)), key=squares.__getitem__)
    return {"".join(pattern[place] for place in order): p for pattern, p in root.patterns if p}


OPTIONS = {0: ("",), 1: ("", "measure-turn"), 2: ("", "measure-turn"), 3: ("",), 4: ("",)}


@pytest.mark.parametrize("level", range(6))
def test_every_root_rolled_by_the_printed_rows_has_its_chances(level: int) -> None:
    printed = tables(level)
    if level == 0:
        assert not printed
        return
    roots = roots_of(level, OPTIONS.get(level, ("", "view-switches=3")), 60)
    assert len(roots) >= {1: 3, 2: 10}.get(level, 20)
    rng = random.Random(7)
    for state, squares in roots.values():
        for mode in state.modes:
            names = [name for name in printed if not name.endswith(" mode") or name.endswith(f"{mode} mode")]
            steps = [printed[name] for name in names]
            board = dice_on(state, squares)
            for d6 in (False, True):
                expected = roll_odds(state, mode, Rolls.D6 if d6 else Rolls.EXACT)
                found = rolled(board, steps, d6=d6, rng=rng)
                assert found == pytest.approx(odds_of(expected.components, squares), abs=1e-9), (
                    board,
                    mode,
                    d6,
                )


def test_the_rolls_of_a_board_half_cancelled_twice() -> None:
    """rules.md: a 1/36, c 35/1296, each target 1225/2592."""
    game = Game(3)
    game.play("1+3 1-2 9 3-4")
    steps = list(tables(3).values())
    found = rolled(dice_on(game.state, (1, 2, 3, 4)), steps, d6=True, rng=random.Random(1))
    filled = {place: sum(p for ending, p in found.items() if ending[place] != ".") for place in range(4)}
    assert filled == pytest.approx({0: 1 / 36, 1: 1225 / 2592, 2: 35 / 1296, 3: 1225 / 2592})
    assert Mode.STANDARD in game.state.modes
