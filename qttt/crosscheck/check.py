"""The cross-check: dice, move-by-move circuit and lean circuit held against each other.

It stands outside the game's path: it takes a game at any moment and looks at all three descriptions of its
board, exactly (amplitudes), statistically (shots) and square by square (die value / 4).

A check of a mode (`check_mode`) looks at one mode of observation. A check of a record (`check`) is the checks
of all its modes: some faults, such as a plus sign in an entangled pair, show in one mode only.

The statistical part of a mode is two p-values, of the boards and of the failed heralds. A check of a record
fails if one of them is at most ``SIGNIFICANCE`` divided by their number (`threshold_of`). So
true circuits fail at most once in 1 / ``SIGNIFICANCE`` checks, however many modes there are (Bonferroni's
bound). The p-value of the boards is drawn finely enough to go below any such threshold.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from qttt.crosscheck.blindspots import unresolved
from qttt.crosscheck.report import TOLERANCE, CheckReport, ModeCheck, RollCheck, SquareCheck
from qttt.errors import UsageError
from qttt.game.configurations import Configuration, turned
from qttt.game.game import Game
from qttt.game.odds import Odds, distance
from qttt.game.position import Position
from qttt.game.roots import Attack, kept_fraction, read_roots
from qttt.game.squares import SQUARES
from qttt.game.state import State
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import CompiledBoard, Style, compile_board, compile_moves
from qttt.observation.devices import DeviceObserver
from qttt.observation.observers import CircuitObserver, Observer
from qttt.stats import binomial_p_value, p_value, wilson
from qttt.tabletop.rolls import Rolls, roll_odds, table_of

if TYPE_CHECKING:
    import numpy as np

SIGNIFICANCE = 0.001
"""True circuits fail the statistical part of a check of a record at most once in a thousand checks."""

TESTS = 2
"""The p-values of one mode: of the boards, and of the failed heralds."""

CONFIDENCE = 0.99
"""Of the intervals shown square by square."""

DEFAULT_SHOTS = 4096


def check(
    game: Game,
    mode: Mode | None,
    observer: Observer,
    rng: "np.random.Generator",
    *,
    shots: int = DEFAULT_SHOTS,
    rolls: Rolls = Rolls.EXACT,
) -> CheckReport:
    """Check a record: hold the descriptions of a game's present board against each other in its modes.

    Args:
        game: a game at any moment; with positions observed, everything is given these positions.
        mode: None for every mode that the position has, else the only one to look at.
        observer: who draws the shots.
        rng: where random numbers come from.
        shots: how many shots in each mode.
        rolls: what the dice observer rolls by; the shots are held against that distribution.

    Raises:
        UsageError: fewer than one shot, a mode that the level does not have, or a device.
        ServiceError: the backend failed.
    """
    modes = modes_to_check(game, mode)
    threshold = threshold_of(len(modes))
    reports = [
        check_mode(game, each, observer, rng, shots=shots, rolls=rolls, threshold=threshold) for each in modes
    ]
    return CheckReport(tuple(reports), unresolved(game, modes))


def modes_to_check(game: Game, mode: Mode | None) -> tuple[Mode, ...]:
    """Every mode that the position has, or the one that is named."""
    return game.state.modes if mode is None else (Mode.named(mode),)


def threshold_of(modes: int) -> float:
    """What the p-values of a check of so many modes must exceed."""
    return SIGNIFICANCE / (TESTS * modes)


def check_mode(
    game: Game,
    mode: Mode,
    observer: Observer,
    rng: "np.random.Generator",
    *,
    shots: int = DEFAULT_SHOTS,
    rolls: Rolls = Rolls.EXACT,
    threshold: float = SIGNIFICANCE / TESTS,
    moves: CompiledBoard | None = None,
    lean: CompiledBoard | None = None,
) -> ModeCheck:
    """Check a mode: hold the descriptions of a game's present board against each other in one mode.

    For a device with noise there is `qttt.crosscheck.by_device.check_on_device`, which judges its shots by
    what its errors predict.

    Args:
        game: a game at any moment; with positions observed, everything is given these positions.
        mode: standard or rotated.
        observer: who draws the shots.
        rng: where random numbers come from.
        shots: how many shots.
        rolls: what the dice observer rolls by; the shots are held against that distribution.
        threshold: a p-value of at most this says that the shots do not agree.
        moves: a move-by-move circuit to check instead of the compiler's own.
        lean: a lean circuit to check instead of the compiler's own.

    Raises:
        UsageError: fewer than one shot, a mode that the level does not have, or a device.
        ServiceError: the backend failed.
    """
    mode, rolls = Mode.named(mode), Rolls.named(rolls)
    if isinstance(observer, DeviceObserver):
        raise UsageError(
            f"{observer.name} is a device with noise, which no p-value suits: qttt.crosscheck.by_device "
            "judges it"
        )
    sample = observer.sample(game, mode, shots, rng)
    odds = game.state.odds(mode)
    expected = odds.outcomes()
    by_moves = (moves or compile_moves(game, mode)).exact()
    coherent = isinstance(observer, CircuitObserver) and observer.style is Style.COHERENT
    by_lean = (lean or compile_board(game, mode, Style.COHERENT if coherent else Style.LEAN)).exact()
    positions = game.state.positions
    roads = {"dice": expected, "moves": by_moves.outcomes, "lean": by_lean.outcomes}
    if positions is not None:
        roads |= {road: positions.given(roads[road]) for road in ("moves", "lean")}
    distances = {f"{a}-{b}": distance(roads[a], roads[b]) for a, b in combinations(roads, 2)}
    drawn_from = odds if rolls is Rolls.EXACT else roll_odds(game.state, mode, rolls)
    reference = drawn_from.outcomes()
    counts = sample.counts()
    shares = {board: number / sample.kept for board, number in counts.items()}
    failing = failing_fraction(game.state)
    heralded = isinstance(observer, CircuitObserver) and observer.style is Style.MOVES and positions is None
    squares = _square_checks(game, mode, odds, counts, None if drawn_from is odds else drawn_from)
    exact_ok = (
        max(distances.values()) <= TOLERANCE
        and all(row.dice is None or abs(row.dice - row.exact) <= TOLERANCE for row in squares)
        and abs(by_moves.herald_failed - failing) <= TOLERANCE
        and by_moves.illegal <= TOLERANCE
        and by_lean.illegal <= TOLERANCE
    )
    return ModeCheck(
        distances=distances,
        sampled_tvd=distance(shares, reference) if sample.kept else 1.0,
        p_value=p_value(counts, reference, rng, threshold=threshold),
        impossible={board: number for board, number in counts.items() if reference.get(board, 0.0) <= 0},
        herald_expected=failing if heralded else 0.0,
        herald_p_value=binomial_p_value(sample.herald_failed, sample.shots, failing if heralded else 0.0),
        sample=sample,
        squares=tuple(squares),
        rolls=_roll_checks(game, mode),
        rolled_by=rolls,
        backend=observer.name,
        mode=mode,
        exact_ok=exact_ok,
        threshold=threshold,
    )


def failing_fraction(state: State) -> float:
    """How often a herald fires, by the dice road: the weight that the heralded operations lose."""
    kept = 1.0
    for root in read_roots(state.position.standard()):
        if any(site.attack is Attack.CANCELLED for site in root.sites):
            kept *= float(kept_fraction(root))
    return 1.0 - kept


def _square_checks(
    game: Game, mode: Mode, odds: Odds, counts: Mapping[str, int], rolled: Odds | None = None
) -> list[SquareCheck]:
    kept = sum(counts.values())
    position = _dice_left(game)
    rows = []
    by_rolls = None if rolled is None else rolled.squares()
    for square, exact in zip(SQUARES, odds.squares(), strict=True):
        for symbol in Symbol:
            if exact[symbol] <= 0:
                continue
            number = sum(count for board, count in counts.items() if board[square - 1] == symbol)
            low, high = wilson(number, kept, CONFIDENCE)
            measured = number / kept if kept else 0.0
            promise = dice_probability(position, square, symbol, mode)
            by_d6 = None if by_rolls is None else by_rolls[square - 1][symbol]
            rows.append(SquareCheck(square, symbol, promise, exact[symbol], measured, low, high, by_d6))
    return rows


def _dice_left(game: Game) -> Position:
    """The dice in the standard view; once positions are known, those that they have left."""
    state = game.state
    settled = state.positions is not None
    return table_of(state).position if settled else state.position.standard()


def dice_probability(position: Position, square: int, symbol: Symbol, mode: Mode) -> float | None:
    """What the dice in a square promise a symbol: the sum of |value| / 4 over its dice.

    In the rotated mode the dice are read as a view switch would turn them.

    Args:
        position: a position in the standard view.
        square: 1 to 9.
        symbol: X or O.
        mode: standard or rotated.

    Returns:
        A probability; None where the values say less: on a half-cancelled root, which is renormalised, on
        half-entangled squares in the rotated mode, and on squares whose state was rotated while their dice
        stayed (option ``view=physical``).

    Raises:
        UsageError: a symbol or a mode that does not exist.
    """
    symbol, mode = Symbol.named(symbol), Mode.named(mode)
    if position.is_observed(square):
        return float(position.observed[square - 1] == symbol)
    kind = position.configuration(square)
    if kind is Configuration.CANCELLED:
        return 0.0
    rotated_unseen = square in position.twisted and kind is not Configuration.ENTANGLED
    if rotated_unseen or kind is Configuration.TARGET:
        return None
    contents = position.at(square)
    if any(
        site.attack is Attack.CANCELLED
        for root in read_roots(position)
        if square in root.squares
        for site in root.sites
    ):
        return None
    if mode is Mode.ROTATED and kind is not Configuration.ENTANGLED:
        if not kind.turns:
            return None
        contents = turned(contents)
    return sum(die.weight for die in contents if die.shape is symbol)


def _roll_checks(game: Game, mode: Mode) -> tuple[RollCheck, ...]:
    if game.state.position.physical:
        return ()
    exact = game.state.odds(mode)
    rolled = roll_odds(game.state, mode, Rolls.D6)
    position = _dice_left(game)
    rows = []
    for one, other in zip(exact.components, rolled.components, strict=True):
        gap = distance(dict(one.patterns), dict(other.patterns))
        if gap > TOLERANCE:
            kinds = tuple(position.configuration(square).word for square in one.squares)
            alone = tuple(distance(exact.square(square), rolled.square(square)) for square in one.squares)
            rows.append(RollCheck(one.squares, gap, kinds, alone))
    return tuple(rows)
