"""Why a choice is good or bad, in sentences: what it does to the lines and to the opponent's best reply."""

from collections.abc import Callable, Mapping

from qttt.game.result import Result
from qttt.game.squares import LINES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.choices import Choice, Look, decider
from qttt.players.evaluation import empty_counts, line_chances
from qttt.solver.blocks import blocks_of
from qttt.solver.probe import Value, ranked

#: The eight lines in the order of ``qttt.game.squares.LINES``.
LINE_NAMES: tuple[str, ...] = (
    "the top row",
    "the middle row",
    "the bottom row",
    "the left column",
    "the middle column",
    "the right column",
    "the diagonal 1-5-9",
    "the diagonal 3-5-7",
)
#: Gives the value of every choice in a state.
Judge = Callable[[State], Mapping[Choice, Value]]
_MOST_LINES = 3
#: What an empty square counts for, for either player: a little less than an even fight.
_EMPTY_CHANCE = 0.45
#: Values that differ by less are told as equal.
_SAME = 5e-4


def why(state: State, choice: Choice, judge: Judge, *, compare: bool = True) -> str:
    """Explain a choice.

    Args:
        state: the state in which it is made.
        choice: one of its choices.
        judge: gives the value of every choice in any state: the solver, or a search.
        compare: say how the choice compares with the others too.
    """
    values = judge(state)
    sentences = []
    if isinstance(choice, Mode):
        sentences.append(f"Read in {choice} mode: {chances(values[choice])}.")
    elif isinstance(choice, Look):
        ends = (f"{_found(cell)} {_percent(p)}" for cell, p in state.measurement_odds(choice.square).items())
        sentences.append(f"Square {choice.square} is looked at: {', '.join(ends)}.")
    else:
        after = state.child(choice)
        sentences.append(_lines(state, after))
        sentences.append(_filled(after) if after.phase is not Phase.MOVE else _reply(after, judge))
    if compare:
        sentences.append(_compared(values, choice, decider(state)))
    return " ".join(sentence for sentence in sentences if sentence)


def chances(value: Value) -> str:
    """A value as three probabilities, for example ``X 56 %, tie 0 %, O 44 %``."""
    return f"X {_percent(value.x)}, tie {_percent(value.tie)}, O {_percent(value.o)}"


def _lines(before: State, after: State) -> str:
    """Which lines a move builds on, and which it takes from the opponent."""
    player = before.turn
    old, new = _chances(before), _chances(after)
    own, other = (0, 8) if player is Symbol.X else (8, 0)
    built = {i: new[own + i] - old[own + i] for i in range(8) if new[own + i] > 1.1 * old[own + i]}
    closed = {i: old[other + i] for i in range(8) if old[other + i] > 0 and new[other + i] == 0}
    weakened = {
        i: old[other + i] - new[other + i]
        for i in range(8)
        if i not in closed and new[other + i] < 0.9 * old[other + i]
    }
    held = {i for i in range(8) if _occupied(before, LINES[i], player.opponent)}
    closed = {i: size for i, size in closed.items() if i in held}
    parts = []
    if built:
        parts.append(f"builds on {_names(built)}")
    if closed:
        parts.append(f"closes {_names(closed)} to {player.opponent}")
    if weakened:
        parts.append(f"makes {player.opponent} less likely to get {_names(weakened)}")
    if not parts:
        return "It changes little on the lines."
    return f"It {_listed(parts)}."


def _chances(state: State) -> list[float]:
    position = state.position.standard()
    open_chances = [_EMPTY_CHANCE**count for count in empty_counts(position.empty_squares)]
    chances = line_chances(blocks_of(position), Mode.STANDARD)
    return [chance * factor for chance, factor in zip(chances, 2 * open_chances, strict=True)]


def _occupied(state: State, line: tuple[int, int, int], player: Symbol) -> bool:
    """Whether a player may have a symbol in a line already."""
    odds = state.odds().squares()
    return any(odds[square - 1][player] > 0 for square in line)


def _filled(after: State) -> str:
    shown: list[str] = []
    for mode in after.modes:
        odds = after.result_odds(mode)
        parts = [f"{_ENDINGS[result]} {_percent(odds[result])}" for result in Result if odds[result] > 0]
        named = f" in {mode} mode" if len(after.modes) > 1 else ""
        shown.append(f"observed{named}: {', '.join(parts)}")
    chosen = f"; {after.initiator} chooses the mode" if len(after.modes) > 1 else ""
    return f"It fills the board, which is {'; '.join(shown)}{chosen}."


def _reply(after: State, judge: Judge) -> str:
    replies = judge(after)
    best, value = ranked(replies, after.turn)[0]
    return f"{after.turn}'s best reply is then {best} ({chances(value)})."


def _compared(values: Mapping[Choice, Value], choice: Choice, player: Symbol) -> str:
    """How a choice compares with the best other one."""
    others = {other: value for other, value in values.items() if other != choice}
    if not others:
        return "There is no other choice."
    best, value = ranked(others, player)[0]
    gap = values[choice].for_player(player) - value.for_player(player)
    if abs(gap) < _SAME:
        equals = sum(
            abs(values[choice].for_player(player) - other.for_player(player)) < _SAME
            for other in others.values()
        )
        if equals == len(others):
            return "Every other choice is worth the same."
        return f"{_number(equals)} as good, {best} for example."
    if gap > 0:
        return f"The best other choice, {best}, is worth {gap:.3f} less to {player}."
    return f"{best} would be worth {-gap:.3f} more to {player}."


_ENDINGS = {
    Result.X: "X wins",
    Result.O: "O wins",
    Result.TIE: "a tie",
    Result.CONTINUE: "the game goes on",
}


def _found(cell: str) -> str:
    return "empty" if cell == "." else cell


def _names(lines: Mapping[int, float]) -> str:
    chosen = sorted(lines, key=lambda index: (-lines[index], index))[:_MOST_LINES]
    return _listed([LINE_NAMES[index] for index in sorted(chosen)])


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _number(count: int) -> str:
    return "One other choice is" if count == 1 else f"{count} other choices are"


def _percent(probability: float) -> str:
    text = f"{100 * probability:.1f}"
    if text == "0.0" and probability:
        return "< 0.1 %"
    return "> 99.9 %" if text == "100.0" and probability != 1 else f"{text.removesuffix('.0')} %"
