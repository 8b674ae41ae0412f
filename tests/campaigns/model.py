"""A hypothesis state machine: the public API driven at random, held to the independent oracle at every step.

``python -m tests.campaigns.model --games N`` plays so many games at every combination of level and options.

The machine plays one game as ``Game``, as ``Oracle`` and as the record on disk. Its rules are what a caller
may do: push any legal token, push an illegal one, take a move back, observe in either mode or in two steps,
measure a square, save, load, go on from a file, agree on a draw. After each of them all three say the same of
whose turn it is, what is legal, what is open to attack, how likely every board is, and who has won.
"""

import argparse
import itertools
import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from qttt.errors import IllegalMoveError, QtttError
from qttt.game import Game
from qttt.game.moves import Kind
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.rules import LEVELS, SUMMARIES, Rules
from qttt.game.state import Phase
from qttt.game.symbols import Mode, Symbol, View
from qttt.records.files import load_record, save_record
from qttt.records.record import Record
from tests.support.oracle import IllegalTokenError, Oracle
from tests.support.oracle import Mode as OracleMode

_CHOICES = tuple(("", name.replace("=N", "=2")) for name in SUMMARIES)
_SIGNS = "".join(kind.sign for kind in Kind)


def _allowed(level: int) -> list[str]:
    """Every combination of options that a level allows."""
    found = []
    for combination in itertools.product(*_CHOICES):
        options = ",".join(option for option in combination if option)
        try:
            Rules.of(level, options)
        except QtttError:
            continue
        found.append(options)
    return found


#: Every level with every combination of options that it allows.
ALL_RULES: tuple[tuple[int, str], ...] = tuple(
    (level.number, options) for level in LEVELS for options in _allowed(level.number)
)
ANYTHING = tuple(
    [f"{a}" for a in range(1, 10)]
    + [f"{a}{sign}{b}" for a in range(1, 10) for b in range(1, 10) if a != b for sign in _SIGNS]
    + [
        "~5",
        "5~",
        "~1+3~",
        "5*6~",
        "?5=X",
        "?1=.",
        "=XXXOOOXXX",
        "=r:OXOXOXOXO",
        "=p:########.",
        "=.........",
    ]
)

#: What a step may be, the likelier the more often it is here.
ACTIONS = ("go_on",) * 8 + ("try_anything", "undo", "save", "load", "resume", "end_off_the_board")

#: How often each rule has been taken, over all games of this process, and which rules were played.
TAKEN: Counter[str] = Counter()
PLAYED: Counter[tuple[int, str]] = Counter()


class GameMachine(RuleBasedStateMachine):
    """One game."""

    games: tuple[tuple[int, str], ...] = ALL_RULES
    folder: tempfile.TemporaryDirectory[str] | None = None

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        level, options = data.draw(st.sampled_from(self.games))
        first = data.draw(st.sampled_from(tuple(Symbol)))
        PLAYED[level, options] += 1
        self.game = Game(level, options, first=first)
        self.oracle = Oracle(level, options, str(first))
        self.tokens: list[str] = []
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "game.qttt"
        self.record = Record.of(self.game, {"X": 'Ada "A"', "Date": "2026-11-30"})
        save_record(self.file, self.record)
        self.saved: tuple[str, ...] = ()

    def teardown(self) -> None:
        if self.folder is not None:
            self.folder.cleanup()

    def _play(self, token: str) -> None:
        self.game.play(token)
        self.oracle.play(token)
        self.tokens.append(str(self.game.events[-1]))

    @rule(data=st.data(), action=st.sampled_from(ACTIONS))
    def act(self, data: st.DataObject, action: str) -> None:
        """One rule for all, so that going on is most of what happens; hypothesis takes rules alike often."""
        getattr(self, action)(data)

    def go_on(self, data: st.DataObject) -> None:
        """Several events in a row, each held to the oracle."""
        for _ in range(data.draw(st.integers(1, 8))):
            if self.game.over:
                break
            self._advance(data)
            self.both_say_the_same()

    def _advance(self, data: st.DataObject) -> None:
        state = self.game.state
        if state.phase is Phase.MOVE:
            if state.measurable() and data.draw(st.integers(0, 4)) == 4:
                TAKEN["measured squares"] += 1
                square = data.draw(st.sampled_from(state.measurable()))
                cell = data.draw(st.sampled_from(sorted(self.oracle.measurement(square))))
                self._play(f"?{square}={cell}")
                return
            TAKEN["moves"] += 1
            legal = state.legal_moves()
            kind = data.draw(st.sampled_from(sorted({(move.kind.name, move.switches) for move in legal})))
            fitting = [str(move) for move in legal if (move.kind.name, move.switches) == kind]
            self._play(data.draw(st.sampled_from(fitting)))
            return
        in_steps = state.phase is Phase.OBSERVATION and len(state.modes) > 1
        if in_steps and data.draw(st.booleans()):
            TAKEN["positions"] += 1
            self._play(f"=p:{data.draw(st.sampled_from(sorted(self.oracle.positions())))}")
            return
        TAKEN["observations"] += 1
        mode = data.draw(st.sampled_from(state.modes))
        board = data.draw(st.sampled_from(sorted(self.oracle.outcomes(_as_text(mode)))))
        self._play(str(Observation(board, mode)))

    def try_anything(self, data: st.DataObject) -> None:
        """Both sides agree on what may not be done, and what is refused changes nothing."""
        token = data.draw(st.sampled_from(ANYTHING))
        TAKEN["anything"] += 1
        before = self.game.state
        twin = self.oracle.copy()
        try:
            twin.play(token)
        except IllegalTokenError:
            allowed = False
        else:
            allowed = not self.game.settlement
        if allowed:
            self._play(token)
            return
        try:
            self.game.play(token)
        except IllegalMoveError as error:
            assert str(error)
            assert self.game.state is before
            assert len(self.game.events) == len(self.tokens)
        else:
            raise AssertionError(f"{token} is not allowed after {' '.join(self.tokens)}")

    def undo(self, data: st.DataObject) -> None:
        TAKEN["undone"] += 1
        settlement = self.game.settlement
        last = self.game.events[-1] if self.game.events else None
        if last is None or isinstance(last, Observation | Positions | Measurement):
            try:
                self.game.undo()
            except IllegalMoveError:
                pass
            else:
                raise AssertionError(f"{last} was taken back")
            assert self.game.settlement == settlement
            return
        assert self.game.undo() == last
        self.tokens.pop()
        self.oracle = Oracle.replay(self.tokens, self.oracle.level, self.oracle.options, str(self.game.first))

    def end_off_the_board(self, data: st.DataObject) -> None:
        if self.game.over or len(self.tokens) < 12:
            return
        TAKEN["settled"] += 1
        loser = data.draw(st.sampled_from([None, *Symbol]))
        if loser is None:
            self.game.agree_on_draw()
        else:
            self.game.resign(loser, on_time=data.draw(st.booleans()))

    def save(self, data: st.DataObject) -> None:
        TAKEN["saved"] += 1
        self.record = self.record.updated(self.game)
        save_record(self.file, self.record)
        self.saved = tuple(self.tokens)

    def load(self, data: st.DataObject) -> None:
        """What is on disk is what was saved last, however the game has gone on."""
        TAKEN["loaded"] += 1
        record = load_record(self.file)
        assert tuple(str(event) for event in record.events) == self.saved
        assert record.headers["X"] == 'Ada "A"'
        assert record.game().rules == self.game.rules

    def resume(self, data: st.DataObject) -> None:
        """Go on from the file: the game is the same one."""
        TAKEN["resumed"] += 1
        self.save(data)
        resumed = load_record(self.file).game()
        assert resumed.state == self.game.state
        assert resumed == self.game
        assert (resumed.result, resumed.over) == (self.game.result, self.game.over)
        self.game = resumed

    @invariant()
    def both_say_the_same(self) -> None:
        if not hasattr(self, "game"):
            return
        game, oracle = self.game, self.oracle
        state = game.state
        assert (state.phase is Phase.OVER) == oracle.over
        if game.settlement:
            loser = game.loss.player if game.loss else None
            assert game.over and str(game.result) == ("tie" if loser is None else loser.opponent)
        if oracle.over:
            if not game.settlement:
                assert str(game.result) == oracle.result
            return
        assert str(state.turn) == oracle.turn
        assert (state.position.view is View.ROTATED) == oracle.rotated_view
        assert state.position.empty_squares == tuple(oracle.empty())
        waits = state.phase is Phase.MOVE
        assert waits != oracle.full
        assert sorted(map(str, state.legal_moves())) == sorted(oracle.legal())
        assert [f"?{square}" for square in state.measurable()] == oracle.measurable()
        for square in range(1, 10):
            assert state.open_to(square) == oracle.open_to(square)
        modes: tuple[Mode, ...] = (
            state.modes if not waits else tuple(Mode)[: 1 + state.rules.level.rotated_mode]
        )
        for mode in modes:
            ours, theirs = state.odds(mode).outcomes(), oracle.outcomes(_as_text(mode))
            assert set(ours) == set(theirs), f"{mode}: {set(ours) ^ set(theirs)}"
            assert all(abs(ours[board] - theirs[board]) < 1e-9 for board in ours)


def _as_text(mode: Mode) -> OracleMode:
    return "rotated" if mode is Mode.ROTATED else "standard"


def play(games: tuple[tuple[int, str], ...], examples: int, steps: int, number: int | None = None) -> None:
    """Play so many games of at most so many steps.

    Args:
        games: the levels and options to choose from.
        examples: how many games.
        steps: how many rules are taken in a game at most.
        number: a seed; None for the same games every time.
    """

    class Machine(GameMachine):
        pass

    Machine.games = games
    run_state_machine_as_test(
        seed(number)(Machine) if number is not None else Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=number is None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.model")
    parser.add_argument(
        "--games", type=int, default=5, help="games for each combination of level and options"
    )
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for place, rules in enumerate(ALL_RULES):
        play((rules,), arguments.games, arguments.steps, arguments.seed * 1000 + place)
    print(f"{sum(TAKEN.values()):,} steps in {sum(PLAYED.values()):,} games under {len(PLAYED)} rules:")
    for name, count in TAKEN.most_common():
        print(f"{count:8,}  {name}")


if __name__ == "__main__":
    main()
