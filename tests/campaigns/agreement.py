"""`advise` against `solve`: ``python -m tests.campaigns.agreement --positions N`` for N positions a level.

Positions come from random games; those between the positions of an observation and its mode are among them.
What `qttt advise --json` prints is held against values that a solver of its own works out without it: of the
position, which the table holds or a search finds, and of what each choice leads to. After a choice of mode
that is every board which may be found, weighed by the odds of the game.
"""

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from qttt.game import Game
from qttt.game.moves import Move
from qttt.game.outcomes import Observation, Positions
from qttt.game.rules import LEVELS
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players.advice import advise
from qttt.players.choices import choices, decider
from qttt.players.reports import advice_report
from qttt.records.record import Record
from qttt.solver.probe import Prober
from qttt.solver.search import MARGIN
from qttt.solver.tables import shipped_table
from tests.support.cli_runs import run_json

#: How often a position is sent through the command line too, as a record.
COMMAND_EVERY = 25
MOST_EVENTS = 60
#: What sums of a few doubles may be off by, beside the error that a table states.
ROUNDING = 1e-12


@dataclass(slots=True)
class Agreement:
    """How advice and the solver compared.

    Attributes:
        level: the level.
        positions: how many positions were compared.
        modes: at how many of them a mode was to be chosen.
        choices: how many choices they had.
        commands: how many positions went through the command line.
        empty: positions by how many squares were empty.
        widest: the widest difference between two values that should be equal.
        faults: what did not agree, in words.
    """

    level: int
    positions: int = 0
    modes: int = 0
    choices: int = 0
    commands: int = 0
    empty: Counter[int] = field(default_factory=Counter)
    widest: float = 0.0
    faults: list[str] = field(default_factory=list)

    @property
    def allowed(self) -> float:
        """What two values that should be equal may differ by."""
        return float(shipped_table(self.level).about["error"]) + ROUNDING

    def equal(self, what: str, found: float, expected: float) -> None:
        """Note a fault where two numbers differ."""
        self.widest = max(self.widest, abs(found - expected))
        self.true(f"{what} {found} is not {expected}", abs(found - expected) <= self.allowed)

    def true(self, what: str, condition: bool) -> None:
        """Note a fault where something does not hold."""
        if not condition:
            self.faults.append(what)

    def compare(self, game: Game, solver: Prober) -> None:
        """Hold the advice on a game's present moment against a solver."""
        state = game.state
        report = json.loads(json.dumps(advice_report(game, advise(game))))
        self.positions += 1
        self.modes += state.phase is Phase.MODE
        self.empty[len(state.position.empty_squares)] += 1
        name = f"{Record.of(game)}:".replace("\n", " ")
        if self.positions % COMMAND_EVERY == 0:
            self.commands += 1
            self.true(
                f"{name} the command says something else", run_json("advise", str(Record.of(game))) == report
            )
        known = (report["method"], report["exact"], report["turn"], report["depth"])
        self.true(f"{name} {known}", known == ("solver", True, str(decider(state)), None))
        self.true(f"{name} no reason", bool(report["why"]))
        solved = solver.value(state)
        self.equal(f"{name} value", report["value"], solved.value)
        self.equal(f"{name} tie", report["tie"], solved.tie)
        moves = report["moves"]
        self.choices += len(moves)
        self.equal(f"{name} the best choice's value", moves[0]["value"], solved.value)
        self.equal(f"{name} the best choice's ties", moves[0]["tie"], solved.tie)
        self.ordered(name, [entry["value"] * decider(state).sign for entry in moves])
        expected = {str(choice): choice for choice in choices(state)}
        named = [entry["move"] for entry in moves]
        self.true(f"{name} choices {named}", sorted(named) == sorted(expected))
        for entry in [report, *moves]:
            self.equal(f"{name} sum", entry["x"] + entry["tie"] + entry["o"], 1.0)
            self.equal(f"{name} x - o", entry["x"] - entry["o"], entry["value"])
        for entry in moves:
            value, tie = successor_value(state, expected[entry["move"]], solver)
            self.equal(f"{name} {entry['move']}", entry["value"], value)
            self.equal(f"{name} {entry['move']} tie", entry["tie"], tie)

    def ordered(self, name: str, values: list[float]) -> None:
        """The best choice comes first."""
        steps = pairwise(values)
        self.true(f"{name} order {values}", all(after <= before + MARGIN for before, after in steps))

    def __str__(self) -> str:
        return (
            f"Level {self.level}: {self.positions} positions, {self.modes} of them before a choice of mode, "
            f"{self.choices} choices, {self.commands} by the command; widest difference {self.widest:.1e}; "
            f"{len(self.faults)} faults"
        )


def successor_value(state: State, choice: object, solver: Prober) -> tuple[float, float]:
    """Value and tie probability of what a choice leads to."""
    if isinstance(choice, Move):
        after = solver.value(state.child(choice))
        return after.value, after.tie
    assert isinstance(choice, Mode)
    value = tie = 0.0
    for board, chance in state.odds(choice).outcomes().items():
        after = solver.value(state.child(Observation(board, choice)))
        value += chance * after.value
        tie += chance * after.tie
    return value, tie


def compared(level: int, positions: int, seed: int = 1) -> Agreement:
    """Compare on so many positions of random games, half of them begun by O."""
    rng = np.random.default_rng([seed, level])
    found, solver = Agreement(level), Prober(LEVELS[level], shipped_table(level))
    number = 0
    while found.positions < positions:
        game = Game(level, first=Symbol.O if number % 2 else Symbol.X)
        number += 1
        while not game.over and len(game.events) < MOST_EVENTS and found.positions < positions:
            state = game.state
            if state.phase is Phase.OBSERVATION:
                draw(game, rng)
                continue
            if rng.random() < 0.4:
                found.compare(game, solver)
            found_choices = choices(state)
            choice = found_choices[int(rng.random() * len(found_choices))]
            if isinstance(choice, Mode):
                game.push(Observation(state.odds(choice).draw(rng), choice))
            else:
                assert isinstance(choice, Move)
                game.push(choice)
    return found


def draw(game: Game, rng: np.random.Generator) -> None:
    """Observe: the positions only, where there is a mode to choose."""
    state = game.state
    board = state.odds(state.modes[0]).draw(rng)
    if len(state.modes) > 1:
        game.push(Positions("".join("." if cell == "." else "#" for cell in board)))
    else:
        game.push(Observation(board, state.modes[0]))


def main() -> None:
    """Compare at every level and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.agreement")
    parser.add_argument("levels", nargs="*", type=int, default=[level.number for level in LEVELS])
    parser.add_argument("--positions", type=int, default=1000, help="at each level")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = False
    for level in arguments.levels:
        began = time.process_time()
        found = compared(level, arguments.positions, arguments.seed)
        by_empty = ", ".join(f"{empty}: {found.empty[empty]}" for empty in sorted(found.empty))
        print(f"{found}; empty squares {by_empty}; {time.process_time() - began:.0f} s", flush=True)
        for fault in found.faults[:20]:
            print(f"  {fault}")
        failed |= bool(found.faults)
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
