"""The computer players: random, greedy, search, perfect, and three strengths for people to play against."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from qttt.chance import Uniform
from qttt.errors import UsageError
from qttt.game.rules import Rules
from qttt.game.state import Phase, State
from qttt.game.symbols import Symbol
from qttt.players.choices import Choice, choices, decider, unlimited
from qttt.players.explanations import chances, why
from qttt.players.immediate import odds_now
from qttt.players.lookahead import Budget, look_ahead
from qttt.solver.probe import UnsolvedError, Value, best_choices, is_solved, prober_for, ranked

#: How many positions count as a second of searching where the clock does not: about what one core weighs.
POSITIONS_A_SECOND = 10_000
DEFAULT_SECONDS = 1.0
MAX_SECONDS = 3600.0
#: Two chances closer than this are equal.
MARGIN = 1e-9

#: Positions whose best choices ``perfect`` keeps: the openings come again in every game of a match.
_KEPT_CHOICES = 4096
_MEDIUM_POSITIONS = 400
_HARD_POSITIONS = 15_000
_HARD_SECONDS = 1.5
#: ``hard`` knows the best choice with at least so many empty squares.
_OPENING_EMPTY = 7

#: What each name on the command line means.
PLAYERS: dict[str, str] = {
    "random": "any legal choice, all equally likely",
    "greedy": "the best odds if the board were observed right after the move",
    "search": f"looks as far ahead as {DEFAULT_SECONDS:g} s allow; search:5 takes 5 s a move",
    "perfect": "never gives anything away, where the level is solved",
    "easy": "tosses a coin before each move: greedy, or any legal choice",
    "medium": "a search of 400 positions: one or two moves ahead",
    "hard": "knows the best openings, then searches 15,000 positions, for 1.5 s at the most",
}


class Player(Protocol):
    """Whoever decides for one symbol."""

    @property
    def name(self) -> str:
        """The name by which ``get_player`` finds it."""
        ...

    def choose(self, state: State, rng: Uniform) -> Choice:
        """Decide.

        Args:
            state: a state in which a player has to choose: a move, or the mode of an observation.
            rng: where every random number comes from.

        Raises:
            ValueError: there is nothing to choose.
        """
        ...

    def value(self, state: State) -> float:
        """P(X wins) − P(O wins) as this player sees it, -1 to 1."""
        ...

    def reason(self, state: State, choice: Choice) -> str:
        """Why this player prefers a choice, in a sentence or two."""
        ...


class RandomPlayer:
    """Chooses anything legal, all equally likely."""

    name = "random"

    def choose(self, state: State, rng: Uniform) -> Choice:
        """One of the choices."""
        return pick(_open(state), rng)

    def value(self, state: State) -> float:
        """Level: it has no idea."""
        return 0.0

    def reason(self, state: State, choice: Choice) -> str:
        """There is none."""
        return f"{choice} is one of {_count(len(_open(state)))}, drawn at random."


class GreedyPlayer:
    """Chooses what gives the best odds if the board were observed right afterwards."""

    name = "greedy"

    def choose(self, state: State, rng: Uniform) -> Choice:
        """One of the best by wins minus losses, then by fewer ties; the last equals are drawn."""
        return pick(_best_now(state), rng)

    def value(self, state: State) -> float:
        """The best odds that the player to move can reach at once."""
        values = odds_now(state)
        return ranked(values, decider(state))[0][1].value if values else 0.0

    def reason(self, state: State, choice: Choice) -> str:
        """The odds of the board observed at once."""
        odds = chances(odds_now(state)[choice])
        return f"If the board were observed right after {choice}, and going on were even: {odds}."


class SearchPlayer:
    """Looks ahead as far as a budget allows.

    The search itself draws nothing; random numbers only decide between choices of equal value.
    """

    def __init__(self, name: str, budget: Budget) -> None:
        """Take its name and its budget."""
        self.name = name
        self.budget = budget

    def choose(self, state: State, rng: Uniform) -> Choice:
        """One of the best by the search's estimate."""
        values = look_ahead(state, self.budget, best_only=True).values
        return pick(best_choices(values, decider(state)), rng)

    def value(self, state: State) -> float:
        """The search's estimate of the position."""
        return look_ahead(state, self.budget, best_only=True).position.value

    def reason(self, state: State, choice: Choice) -> str:
        """What the choice does to the lines, and what the search expects."""
        chosen = look_ahead(state, self.budget, best_only=True)
        # The others are compared by looking as far ahead as for the choice itself, or not at all.
        every = look_ahead(state, Budget(2 * chosen.positions + 1), most_depth=chosen.depth)
        comparable = every.depth == chosen.depth

        def judge(asked: State) -> Mapping[Choice, Value]:
            if asked == state:
                return every.values if comparable else chosen.values
            return look_ahead(asked, self.budget, best_only=True).values

        return why(state, choice, judge, compare=comparable)


class PerfectPlayer:
    """Plays by the solver's tables: no choice of the opponent gains anything against it.

    A limit that only stops games which would go on for ever (``limits``) is as good as none to it.
    """

    name = "perfect"

    def choose(self, state: State, rng: Uniform) -> Choice:
        """One of the best by exact value, then by fewer ties."""
        return pick(_best_solved(state), rng)

    def value(self, state: State) -> float:
        """The value with best play."""
        endless = without_limit(state)
        return prober_for(endless.rules).value(endless).value

    def reason(self, state: State, choice: Choice) -> str:
        """What the choice does to the lines, and what it is worth."""
        return why(state, choice, lambda asked: solved_values(without_limit(asked)))


class HardPlayer:
    """A search that knows the best openings where the level is solved.

    While the board is nearly empty an estimate at the horizon tells little, however far away that is: without
    the openings the search gives away more in its first moves than in all that follow.
    """

    name = "hard"

    def __init__(self, budget: Budget) -> None:
        """Take the budget of its search."""
        self._halves = (SearchPlayer(self.name, budget), PerfectPlayer())

    def _half(self, state: State) -> Player:
        opening = state.phase is Phase.MOVE and len(state.position.empty_squares) >= _OPENING_EMPTY
        return self._halves[opening and is_solved(unlimited(state.rules))]

    def choose(self, state: State, rng: Uniform) -> Choice:
        """The best by the solver while the board is nearly empty, then one of the best by the search."""
        return self._half(state).choose(state, rng)

    def value(self, state: State) -> float:
        """The value with best play in an opening, else the search's estimate."""
        return self._half(state).value(state)

    def reason(self, state: State, choice: Choice) -> str:
        """What the choice does to the lines, and what the solver or the search expects."""
        return self._half(state).reason(state, choice)


class EasyPlayer:
    """Greedy, with every other choice (on average) at random."""

    name = "easy"

    def __init__(self) -> None:
        """It is made of two players."""
        self._halves = (RandomPlayer(), GreedyPlayer())

    def choose(self, state: State, rng: Uniform) -> Choice:
        """A coin decides whose choice it is."""
        return self._halves[rng.random() < 0.5].choose(state, rng)

    def value(self, state: State) -> float:
        """As greedy sees it."""
        return self._halves[1].value(state)

    def reason(self, state: State, choice: Choice) -> str:
        """Greedy's reason where the choice is greedy's, else none."""
        values: Mapping[Choice, Value] = odds_now(state)
        half = self._halves[choice in best_choices(values, decider(state))]
        return half.reason(state, choice)


def get_player(name: str, rules: Rules, *, clock: bool = True) -> Player:
    """Find a player by name.

    Args:
        name: a key of ``PLAYERS``, or ``search:SECONDS``.
        rules: what will be played.
        clock: searches stop by the clock too, not only by the positions they have weighed. Without it a seed
            gives the same game on any machine; then a second counts as ``POSITIONS_A_SECOND``.

    Raises:
        UsageError: no player has this name.
        UnsolvedError: ``perfect`` where the rules are not solved.
    """
    if name == "random":
        return RandomPlayer()
    if name == "greedy":
        return GreedyPlayer()
    if name == "easy":
        return EasyPlayer()
    if name == "perfect":
        if not is_solved(unlimited(rules)):
            raise UnsolvedError(f"player 'perfect' needs solved rules, and {rules} is not solved; try 'hard'")
        return PerfectPlayer()
    if name == "medium":
        return SearchPlayer(name, Budget(_MEDIUM_POSITIONS))
    if name == "hard":
        return HardPlayer(Budget(_HARD_POSITIONS, _HARD_SECONDS if clock else None))
    if match := re.fullmatch(r"search(?::([0-9]{1,4}(?:\.[0-9]{1,6})?))?", name, re.ASCII):
        seconds = float(match[1] or DEFAULT_SECONDS)
        if not 0 < seconds <= MAX_SECONDS:
            raise UsageError(f"player {name!r}: the seconds must be more than 0 and at most {MAX_SECONDS:g}")
        if clock:
            return SearchPlayer(name, Budget(1 << 60, seconds))
        return SearchPlayer(name, Budget(max(1, round(seconds * POSITIONS_A_SECOND))))
    raise UsageError(f"player {name!r} does not exist: the players are {', '.join(PLAYERS)}, search:SECONDS")


def names_computer(name: str | None) -> bool:
    """Whether a record's header ``X`` or ``O`` names a computer player; it may as well name a person."""
    return name is not None and (name in PLAYERS or name.startswith("search:"))


def accepts_draw(player: Player, symbol: Symbol, state: State) -> bool:
    """Whether a player takes an offered draw: only if the game does not look better than level to it.

    Args:
        player: who is asked.
        symbol: which symbol it plays.
        state: the present state.

    Raises:
        UsageError: there is no such symbol.
    """
    return player.value(state) * Symbol.named(symbol).sign <= MARGIN


@lru_cache(maxsize=64)
def _best_now(state: State) -> list[Choice]:
    return best_choices(odds_now(state), decider(state))


def pick(equals: list[Choice], rng: Uniform) -> Choice:
    """One of several choices, all equally likely; no random number is drawn for one alone."""
    return equals[0] if len(equals) == 1 else equals[int(rng.random() * len(equals))]


def _open(state: State) -> list[Choice]:
    found = choices(state)
    if not found:
        raise ValueError(f"there is nothing to choose: the game waits for {state.phase.value}")
    return found


def solved_values(state: State) -> dict[Choice, Value]:
    """The exact value of every choice, from the solver.

    Raises:
        UnsolvedError: there is no table for the rules.
    """
    if state.phase is Phase.MODE:
        return {mode: value for mode, value in prober_for(state.rules).mode_values(state).items()}
    return {move: value for move, value in prober_for(state.rules).move_values(state).items()}


@lru_cache(maxsize=_KEPT_CHOICES)
def _best_solved(state: State) -> list[Choice]:
    endless = without_limit(state)
    if state.phase is not Phase.MOVE:
        return best_choices(solved_values(endless), decider(state))
    best = prober_for(endless.rules).best_values(endless)
    return best_choices({move: value for move, value in best.items()}, decider(state))


def without_limit(state: State) -> State:
    """The state by rules without a limit that is too far away to matter."""
    return replace(state, rules=unlimited(state.rules))


def _count(number: int) -> str:
    return "one legal choice" if number == 1 else f"{number} legal choices"
