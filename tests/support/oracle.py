"""An amplitude oracle: the rules of the game, kept apart from the package on purpose.

Nothing here imports `qttt` or `circuits`. Legality is read off a small record of what each square is (a
lone piece, an unattacked half, or closed), the physics off joint amplitudes in the coordinates of the current
view. The sources are the rule texts; numbers in the tests come from them, not from the package under test.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from tests.support.amplitudes import (
    EMPTY_BOARD,
    ROOT_HALF,
    SQUARES,
    ConfigurationMap,
    Factor,
    JointState,
    put,
)

Mode = Literal["standard", "rotated"]
Options = str | Mapping[str, str | int | bool]

OPPONENT = {"X": "O", "O": "X"}
TURNED = {"X": "+", "+": "X", "O": "-", "-": "O"}
"""What a lone piece or half looks like from the other view."""
LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))
STAYS = ROOT_HALF - 1
FOLLOWS = ROOT_HALF
"""Half-cancelling: what stays in the attacked square, what follows to the target; the mover's share is 1."""


class IllegalTokenError(ValueError):
    """The oracle refuses a token."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands in a square, as far as attacks are concerned.

    `look` is `X`, `O`, `+` or `-` in the current view for a whole piece or an unattacked half, and None once
    the square is closed to attacks. `root` tells which superposition a half belongs to.
    """

    look: str | None
    root: int = 0
    half: bool = False


CLOSED = Piece(None)


def parse_options(options: Options) -> dict[str, str]:
    """Options as in a record's header, or a mapping, as a dictionary of strings."""
    if not isinstance(options, str):
        return {name: str(value) for name, value in options.items() if value is not False}
    pairs = (item.strip().partition("=") for item in options.split(",") if item.strip())
    return {name: value or "on" for name, _, value in pairs}


def lines_of(board: str, symbol: str) -> int:
    return sum(all(board[square - 1] == symbol for square in line) for line in LINES)


class Oracle:
    """A game followed by amplitudes.

    Args:
        level: 0 to 5.
        options: As in a record's header, or a mapping of names to values.
        first: Who starts, `X` or `O`.
    """

    def __init__(self, level: int, options: Options = "", first: str = "X") -> None:
        self.level = level
        self.options = parse_options(options)
        self.state = JointState()
        self.pieces: dict[int, Piece] = {}
        self.fixed = EMPTY_BOARD  # observed symbols of Levels 0-4, out of play
        self.turn: str | None = first
        self.rotated_view = False
        self.switches = dict.fromkeys("XO", 0)
        self.entangled_roots: frozenset[int] = frozenset()
        self.measured: frozenset[int] = frozenset()
        self.pending_positions: str | None = None
        self.observations = 0
        self.repeats = 0  # how often a full board has been observed again (`no-ties`)
        self.result: str | None = None
        self._next_root = 1

    @classmethod
    def replay(
        cls,
        record: str | Iterable[str],
        level: int,
        options: Options = "",
        first: str = "X",
    ) -> "Oracle":
        """The game after the tokens of a record (no headers, comments or move numbers)."""
        oracle = cls(level, options, first)
        for token in record.split() if isinstance(record, str) else record:
            oracle.play(token)
        return oracle

    def copy(self) -> "Oracle":
        twin = Oracle.__new__(Oracle)
        twin.__dict__.update(self.__dict__)
        twin.pieces = dict(self.pieces)
        twin.switches = dict(self.switches)
        return twin

    # What is on the board

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def view(self) -> Mode:
        return "rotated" if self.rotated_view else "standard"

    def empty(self) -> list[int]:
        return [square for square in SQUARES if square not in self.pieces and self.fixed[square - 1] == "."]

    @property
    def full(self) -> bool:
        """Whether an observation is due."""
        return not self.over and not self.empty()

    def _attacker(self, square: int) -> str | None:
        """The player whose symbol can attack the square in the current view."""
        piece = self.pieces.get(square, CLOSED)
        return OPPONENT.get(piece.look) if piece.look else None

    def open_to(self, square: int) -> str | None:
        """The player who would have a legal attack on the square, without a switch, were it their turn."""
        for player in "XO":
            twin = self.copy()
            twin.turn = player
            if {token[:2] for token in twin.legal()} & {f"{square}*", f"{square}-"}:
                return player
        return None

    # Moves

    def _moves(self) -> list[str]:
        """Legal moves of the player to move in the current view, in canonical order, view switches apart."""
        classical = [f"{square}" for square in self.empty()]
        return self._quantum() if self._must_be_quantum() else classical + self._quantum()

    def _must_be_quantum(self) -> bool:
        """`quantum-only`: a quantum move is legal here, or after a switch that the player may still make."""
        if "quantum-only" not in self.options:
            return False
        turned = self.copy()
        turned._switch()
        return bool(self._quantum() or (self.switches_left() and turned._quantum()))

    def _quantum(self) -> list[str]:
        empty = self.empty()
        open_squares = [square for square in SQUARES if self._attacker(square) == self.turn]
        quantum: list[str] = []
        if self.level >= 1:
            quantum += [f"{a}+{b}" for a, b in combinations(empty, 2)]
        if self.level >= 2:
            quantum += [f"{a}*{b}" for a in open_squares if self._may_be_entangled(a) for b in empty]
        if self.level >= 3:
            quantum += [f"{a}-{b}" for a in open_squares for b in empty]
        return quantum

    def _may_be_entangled(self, square: int) -> bool:
        once_only = "no-double-entanglement" in self.options
        return not (once_only and self.pieces[square].root in self.entangled_roots)

    def switches_left(self) -> int:
        """How many view switches the player to move may still make before the next observation."""
        if self.level < 5 or self.turn is None:
            return 0
        return int(self.options.get("view-switches", "1")) - self.switches[self.turn]

    def legal(self) -> list[str]:
        """Every legal move token: plain ones, then `~m`, then `m~`, then `~m~`, each in canonical order."""
        if self.over or self.full:
            return []
        plain = self._moves()
        left = self.switches_left()
        if left < 1:
            return plain
        turned = self.copy()
        turned._switch()
        after_switch = turned._moves()
        tokens = plain + [f"~{move}" for move in after_switch] + [f"{move}~" for move in plain]
        return tokens + [f"~{move}~" for move in after_switch] if left >= 2 else tokens

    def measurable(self) -> list[str]:
        """The squares that a measure-turn may observe, as `?5`."""
        if "measure-turn" not in self.options or self.over or self.full:
            return []
        return [f"?{square}" for square in sorted(self.pieces) if square not in self.measured]

    def play(self, token: str) -> None:
        """Apply a move, a measure-turn with its result, or an observation.

        Raises:
            IllegalTokenError: The token is not legal here, or the position cannot give its result.
        """
        if self.over:
            raise IllegalTokenError(f"{token}: the game is over")
        if token.startswith("="):
            self._observe(token)
            return
        if self.full:
            raise IllegalTokenError(f"{token}: the board is full")
        if token.startswith("?"):
            self._measure(token)
        else:
            self._move(token)
        assert self.turn is not None
        self.turn = OPPONENT[self.turn]

    def _move(self, token: str) -> None:
        assert self.turn is not None
        parts = re.fullmatch(r"(~?)([1-9])(?:([^1-9~])([1-9]))?(~?)", token)
        if parts is None:
            raise IllegalTokenError(f"{token}: not a move")
        before, a, sign, b, after = parts.groups("")
        if sign == "+" and a > b:
            a, b = b, a
        if before + a + sign + b + after not in self.legal():
            raise IllegalTokenError(f"{token}: not legal for {self.turn}")
        if before:
            self._switch()
        if sign in ("*", "-"):
            self._attack(int(a), int(b), cancelling=sign == "-")
        else:
            self._place([int(a), int(b)] if b else [int(a)], self.turn)
        if after:
            self._switch()
        self.switches[self.turn] += len(before + after)

    def _place(self, squares: list[int], symbol: str) -> None:
        self.state = self.state.apply(squares, placing(symbol, squares))
        for square in squares:
            self.pieces[square] = Piece(symbol, self._next_root, half=len(squares) == 2)
        self._next_root += 1

    def _attack(self, a: int, b: int, *, cancelling: bool) -> None:
        mover = self.turn
        assert mover is not None
        attacked = self.pieces[a]
        rule: ConfigurationMap
        if not cancelling:
            rule = entangling(mover, a, b)
        elif attacked.half:
            rule = half_cancelling(mover, a, b)
        else:
            rule = cancelling_whole(mover, a, b)
        self.state = self.state.apply([a, b], rule, isometric=not (cancelling and attacked.half))
        self.pieces[a] = self.pieces[b] = CLOSED
        if cancelling and not attacked.half:
            self.pieces[b] = Piece("+" if mover == "X" else "-", self._next_root)
            self._next_root += 1
        elif not cancelling:
            self.entangled_roots |= {attacked.root}

    def _switch(self) -> None:
        changing = [square for square, piece in self.pieces.items() if piece.look]
        turning = list(self.pieces) if self.options.get("view") == "physical" else changing
        self.state = self.state.hadamard(turning)
        for square in changing:
            piece = self.pieces[square]
            assert piece.look is not None
            self.pieces[square] = replace(piece, look=TURNED[piece.look])
        self.rotated_view = not self.rotated_view

    # Measuring as a turn (Levels 1 and 2)

    def measurement(self, square: int) -> dict[str, float]:
        """The probability of each result (`X`, `O`, `.`) of measuring one square."""
        results = dict.fromkeys("XO.", 0.0)
        factor, _ = self.state.merged([square])
        for configuration, amplitude in factor.amplitudes.items():
            results[configuration[square - 1]] += amplitude * amplitude
        return {symbol: probability for symbol, probability in results.items() if probability > 1e-15}

    def _measure(self, token: str) -> None:
        question, _, symbol = token.partition("=")
        if question not in self.measurable() or symbol not in {"X", "O", "."}:
            raise IllegalTokenError(f"{token}: not a square to measure")
        square = int(question[1:])
        state, collapsed = self.state.given(square, symbol)
        if collapsed is None:
            raise IllegalTokenError(f"{token}: the position cannot give this result")
        self.measured |= {square}
        del self.pieces[square]
        if symbol != ".":
            self.fixed = put(self.fixed, square, symbol)
        for factor in collapsed.finest():
            state = JointState((*state.factors, *self._settle(factor)))
        self.state = state

    def _settle(self, factor: Factor) -> Iterator[Factor]:
        """Record what a collapsed factor's squares have become; below Level 3 their possible symbols tell."""
        root = self._next_root
        self._next_root += 1
        seen = {square: factor.symbols(square) for square in factor.squares}
        if any({"X", "O"} <= symbols for symbols in seen.values()):
            self.entangled_roots |= {root}
        for square, symbols in seen.items():
            if symbols == {"."}:
                del self.pieces[square]
            elif {"X", "O"} <= symbols:
                self.pieces[square] = CLOSED
            else:
                self.pieces[square] = Piece(max(symbols), root, half="." in symbols)
        if set(seen) & set(self.pieces):
            yield factor

    # Observation

    def _ready(self, mode: Mode) -> JointState:
        """The state in the coordinates this mode of observation reads, the view put back to standard."""
        if mode == "rotated" and self.level < 4:
            raise IllegalTokenError("the rotated mode needs Level 4")
        ready = self
        if self.rotated_view:
            ready = self.copy()
            ready._switch()
        return ready.state.hadamard(ready.pieces) if mode == "rotated" else ready.state

    def outcomes(self, mode: Mode = "standard") -> dict[str, float]:
        """The probability of each board as if observed now, given positions already observed."""
        boards = self._ready(mode).distribution(self.fixed)
        if self.pending_positions is not None:
            wanted = self.pending_positions
            boards = {board: p for board, p in boards.items() if pattern(board) == wanted}
            total = sum(boards.values())
            boards = {board: p / total for board, p in boards.items()}
        return {board: boards[board] for board in sorted(boards) if boards[board] > 1e-15}

    def positions(self) -> dict[str, float]:
        """The probability of each pattern of filled squares (`#`), which no mode changes."""
        patterns: dict[str, float] = {}
        for board, probability in self.outcomes().items():
            patterns[pattern(board)] = patterns.get(pattern(board), 0.0) + probability
        return patterns

    def results(self, mode: Mode = "standard") -> dict[str, float]:
        """The probability of each verdict as if observed now."""
        totals = dict.fromkeys(("X", "O", "tie", "continue"), 0.0)
        for board, probability in self.outcomes(mode).items():
            totals[self.verdict(board)] += probability
        return totals

    def modes(self) -> list[Mode]:
        """The modes in which the observation that is due may be made."""
        if self.level < 4:
            return ["standard"]
        if self.repeats:
            return ["rotated"] if self.repeats % 2 else ["standard"]
        return ["standard", "rotated"]

    def _observe(self, token: str) -> None:
        if not self.full:
            raise IllegalTokenError(f"{token}: the board is not full")
        kind, board = token[1:-9], token[-9:]
        if kind == "p:":
            if len(self.modes()) < 2 or self.pending_positions is not None or board not in self.positions():
                raise IllegalTokenError(f"{token}: no such positions")
            self.pending_positions = board
            # The observation has begun, and begins by putting the view back.
            if self.rotated_view:
                self._switch()
            return
        if kind not in ("", "s:", "r:"):
            raise IllegalTokenError(f"{token}: no such observation")
        mode: Mode = "rotated" if kind == "r:" else "standard"
        if mode not in self.modes() or board not in self.outcomes(mode):
            raise IllegalTokenError(f"{token}: the position cannot give this board")
        self._collapse(board)

    def _collapse(self, board: str) -> None:
        verdict = self.verdict(board)
        self.observations += 1
        self.pending_positions = None
        self.state = JointState()
        self.pieces = {}
        self.rotated_view = False
        self.switches = dict.fromkeys("XO", 0)
        self.measured = self.entangled_roots = frozenset()
        if self.level < 5:
            self.fixed = board
        else:
            for square in SQUARES:
                if board[square - 1] != ".":
                    self._place([square], board[square - 1])
        if verdict != "continue":
            self.result, self.turn = verdict, None
        elif self.full:
            self.repeats += 1

    def verdict(self, board: str) -> str:
        """`X`, `O`, `tie` or `continue` for an observed board."""
        lead = lines_of(board, "X") - lines_of(board, "O")
        board_filled = "." not in board
        if lead and (board_filled or "tally" not in self.options):
            return "X" if lead > 0 else "O"
        if board_filled and "no-ties" not in self.options:
            return "tie"
        one_all_is_final = self.level == 2 and not {"tally", "measure-turn"} & set(self.options)
        if one_all_is_final and lines_of(board, "X"):
            return "tie"
        limit = self.options.get("max-observations")
        if limit is not None and self.observations + 1 >= int(limit):
            return "tie"
        return "continue"


def pattern(board: str) -> str:
    """The filled squares of a board, `#` for filled."""
    return "".join("." if symbol == "." else "#" for symbol in board)


# The moves as linear maps on configurations. In an attack, p attacks q in square a and spreads into empty b.


def placing(symbol: str, squares: list[int]) -> ConfigurationMap:
    weight = len(squares) ** -0.5
    return lambda c: [(put(c, square, symbol), weight) for square in squares]


def entangling(p: str, a: int, b: int) -> ConfigurationMap:
    q = OPPONENT[p]

    def rule(c: str) -> list[tuple[str, float]]:
        if c[a - 1] == ".":
            return [(put(c, a, p), ROOT_HALF), (put(c, b, p), ROOT_HALF)]
        attacked(c, a, q)
        return [(put(c, b, p), ROOT_HALF), (put(put(c, a, p), b, q), -ROOT_HALF)]

    return rule


def cancelling_whole(p: str, a: int, b: int) -> ConfigurationMap:
    sign = 1.0 if p == "X" else -1.0

    def rule(c: str) -> list[tuple[str, float]]:
        attacked(c, a, OPPONENT[p])
        left = put(c, a, ".")
        return [(put(left, b, "X"), ROOT_HALF), (put(left, b, "O"), sign * ROOT_HALF)]

    return rule


def half_cancelling(p: str, a: int, b: int) -> ConfigurationMap:
    q = OPPONENT[p]
    sign = 1.0 if p == "X" else -1.0

    def rule(c: str) -> list[tuple[str, float]]:
        if c[a - 1] == ".":
            return [(c, 1.0)]
        attacked(c, a, q)
        left = put(c, a, ".")
        return [(c, STAYS), (put(left, b, q), FOLLOWS), (put(left, b, p), sign)]

    return rule


def attacked(configuration: str, square: int, symbol: str) -> None:
    """Guard the maps' domain: an open square never shows the attacker's own symbol."""
    if configuration[square - 1] != symbol:
        raise AssertionError(f"{configuration}: square {square} is not {symbol}'s in this view")


# Random games and counts


def random_token(oracle: Oracle, rng: random.Random) -> str:
    """A random legal token: a move (each kind equally often), a measure-turn, or a step of an observation."""
    if oracle.full:
        if len(oracle.modes()) > 1 and oracle.pending_positions is None and rng.random() < 0.5:
            return "=p:" + weighted(oracle.positions(), rng)
        mode = rng.choice(oracle.modes())
        return ("=r:" if mode == "rotated" else "=") + weighted(oracle.outcomes(mode), rng)
    measurable = oracle.measurable()
    if measurable and rng.random() < 0.25:
        question = rng.choice(measurable)
        return f"{question}={weighted(oracle.measurement(int(question[1:])), rng)}"
    kinds: dict[tuple[str, bool], list[str]] = {}
    for token in oracle.legal():
        kind = token.strip("~")[1:2]
        kinds.setdefault((kind, "~" in token), []).append(token)
    # With `quantum-only` there may be moves after a switch only.
    switching = {switched for _, switched in kinds} == {True}
    switching |= rng.random() < 0.25 and any(switched for _, switched in kinds)
    return rng.choice(kinds[rng.choice(sorted(kind for kind in kinds if kind[1] == switching))])


def weighted(chances: Mapping[str, float], rng: random.Random) -> str:
    return rng.choices(list(chances), list(chances.values()))[0]


def random_game(
    level: int,
    rng: random.Random,
    options: Options = "",
    phases: int | None = None,
    first: str | None = None,
) -> Iterator[tuple[str, Oracle]]:
    """Play a random legal game, token by token.

    Args:
        level: 0 to 5.
        rng: Draws moves, modes and observations; the same state gives the same game.
        options: As for `Oracle`.
        phases: Stop after this many observation phases; None plays to the end, however long that takes.
        first: Who starts; drawn when None.

    Yields:
        Each token and the oracle after it (the same object every time: copy it to keep it).
    """
    oracle = Oracle(level, options, first or rng.choice("XO"))
    while not oracle.over and (phases is None or oracle.observations < phases):
        token = random_token(oracle, rng)
        oracle.play(token)
        yield token, oracle


def perft(level: int, depth: int, oracle: Oracle | None = None) -> int:
    """The number of legal move sequences of a length from the start; a full board has no successors."""
    oracle = oracle or Oracle(level)
    tokens = oracle.legal()
    if depth <= 1:
        return len(tokens) if depth else 1
    nodes = 0
    for token in tokens:
        child = oracle.copy()
        child.play(token)
        nodes += perft(level, depth - 1, child)
    return nodes
