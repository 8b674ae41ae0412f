"""From a record to a lesson: every event replayed, and explained with what the dice and the circuits say."""

from dataclasses import replace

import numpy as np

from qttt.crosscheck.check import DEFAULT_SHOTS
from qttt.display.status import end_words, final_board, line_words
from qttt.display.text import draw_dice
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.position import START, Position
from qttt.game.result import Result, decide, points
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.players.lookahead import Budget
from qttt.players.review import review
from qttt.records.record import Comment, Header, Record, Token
from qttt.tabletop.retrace import retrace
from qttt.tabletop.rolls import table_of
from qttt.teaching.lesson.circuit_steps import PhaseCircuit
from qttt.teaching.lesson.distributions import board_distribution, position_distribution
from qttt.teaching.lesson.phrases import judgement
from qttt.teaching.lesson.rule_sentences import (
    EVERY_PIECE_RULE,
    IN_PLAY_RULE,
    MEASURE_RULE,
    POSITIONS_RULE,
    VIEW_BACK_RULE,
    Rule,
    deciding_rule,
    interference_rule,
    move_name,
    move_rule,
    observation_rule,
    switch_rule,
)
from qttt.teaching.lesson.steps import DiceChange, Lesson, LessonStep


def make_lesson(record: Record, *, shots: int = DEFAULT_SHOTS, seed: int = 0) -> Lesson:
    """Explain a game.

    Args:
        record: the game, at any moment.
        shots: how many shots each observation's cross-check takes.
        seed: of their random numbers; the same seed gives the same lesson.

    Raises:
        RecordError: the record cannot be replayed.
        UsageError: fewer than one shot.
        ServiceError: the simulator failed.
    """
    game = record.game()
    return _Builder(record, game, shots, seed).lesson()


#: What a search may weigh for a mark, where the solver has no table.
_BUDGET = Budget(3_000)


def last_step(record: Record) -> LessonStep:
    """Explain the last event of a game, and nothing before it.

    Raises:
        UsageError: nothing has happened yet.
    """
    game = record.game()
    if not game.events:
        raise UsageError("no move has been made yet, so there is none to explain")
    return _Builder(record, game, DEFAULT_SHOTS, 0).last()


class _Builder:
    """Walks through a game once."""

    def __init__(self, record: Record, game: Game, shots: int, seed: int) -> None:
        self.record, self.game = record, game
        self.shots, self.seed = shots, seed
        self.rng = np.random.default_rng(seed)
        self.introduction, self.comments = _comments(record)
        # The game again, one event at a time.
        self.so_far = Game(rules=game.rules, first=game.first)
        self.circuit: PhaseCircuit | None = None
        self.moves_in_phase = 0

    def lesson(self) -> Lesson:
        steps: list[LessonStep] = []
        for number, event in enumerate(self.game.events, 1):
            steps.append(self._step(number, event))
        if not self.game.over and any(self.game.state.position.dice):
            modes = enumerate(self.game.state.modes, len(steps) + 1)
            steps += [self._look_ahead(number, mode) for number, mode in modes]
        steps = self._judged(steps)
        boards = [START, *(step.board for step in steps)]
        steps = [replace(step, board_before=board) for step, board in zip(steps, boards, strict=False)]
        rules = self.game.rules
        headers = tuple((part.key, part.value) for part in self.record.parts if isinstance(part, Header))
        names = dict(headers)
        players = f"{names['X']} against {names['O']}" if {"X", "O"} <= names.keys() else ""
        return Lesson(
            title=players or f"A TiqTaqToe game at Level {rules.level.number}",
            level=f"Level {rules.level.number}: {rules.level.name}",
            headers=headers,
            introduction=self.introduction,
            steps=tuple(steps),
            record=str(self.record),
            ending=_ending(self.game),
            shots=self.shots,
            seed=self.seed,
        )

    def last(self) -> LessonStep:
        """The last step; those of its phase are worked out for it."""
        events = self.game.events
        # The event before the last counts: an observation of the last phase is explained from its moves.
        starts = (i + 1 for i in range(len(events) - 2, -1, -1) if isinstance(events[i], Observation))
        start = next(starts, 0)
        for event in events[:start]:
            self.so_far.push(event)
        board = self.so_far.position if start else START
        steps = [self._step(number, event) for number, event in enumerate(events[start:], start + 1)]
        (last,) = self._judged(steps[-1:])
        return replace(last, board_before=steps[-2].board if len(steps) > 1 else board)

    def _judged(self, steps: list[LessonStep]) -> list[LessonStep]:
        """The steps, which end the game so far, with what `review` says of their choices and chances."""
        since = steps[0].number - 1 if steps else 0
        looked_back = review(self.game, budget=_BUDGET, since=since)
        told: dict[int, list[str]] = {}
        for entry in looked_back.entries:
            told.setdefault(entry.n, []).append(judgement(entry, exact=looked_back.exact))
        return [
            replace(step, judgements=tuple(told.get(step.number, ()) if step.token else ())) for step in steps
        ]

    def _step(self, number: int, event: Event) -> LessonStep:
        comments = self.comments[number - 1]
        if isinstance(event, Move):
            return self._move(number, event, comments)
        if isinstance(event, Measurement):
            return self._measurement(number, event, comments)
        return self._observation(number, event, comments)

    def _advance(self, event: Event) -> tuple[State, State]:
        before = self.so_far.state
        return before, self.so_far.push(event)

    def _phase(self) -> PhaseCircuit:
        """The circuit of the present phase, compiled to its end when its first event is met."""
        if self.circuit is None:
            self.circuit = PhaseCircuit(self._end_of_phase())
            self.circuit.begin(self.so_far)
            self.moves_in_phase = 0
        return self.circuit

    def _end_of_phase(self) -> Game:
        """The game just before the end of the present circuit.

        A measured square ends a circuit too: the next one starts from what it left.
        """
        whole = Game(rules=self.game.rules, first=self.game.first)
        begun = len(self.so_far.events)
        for number, event in enumerate(self.game.events):
            if number >= begun and isinstance(event, Observation | Measurement):
                break
            if not isinstance(event, Positions):
                whole.push(event)
        return whole

    def _move(self, number: int, move: Move, comments: tuple[str, ...]) -> LessonStep:
        circuit = self._phase()
        before, after = self._advance(move)
        physical = before.position.physical
        standing = before.position.switched() if move.before else before.position
        rules = [switch_rule(standing.view, physical=physical)] if move.before else []
        rules.append(move_rule(move, standing, before.turn, before.rules.level))
        if move.kind is Kind.CANCELLING:
            rules.append(interference_rule(standing, move, before.turn))
        if move.after:
            rules.append(switch_rule(after.position.view, physical=physical))
        in_circuit = circuit.move(self.moves_in_phase, self.so_far)
        self.moves_in_phase += 1
        switches = {(True, False): ", after a view switch", (False, True): ", then a view switch"}
        extra = (
            ", between two view switches"
            if move.switches == 2
            else switches.get((move.before, move.after), "")
        )
        return LessonStep(
            number,
            str(move),
            f"{before.turn} plays {move}: {move_name(move, standing)}{extra}",
            before.turn,
            comments,
            tuple(rules),
            before,
            after,
            after.position,
            marked=move.squares,
            changes=_changes(before.position, after.position),
            opens=after.open_squares() if after.rules.level.allows(Kind.ENTANGLING) else None,
            circuit=in_circuit,
        )

    def _measurement(self, number: int, event: Measurement, comments: tuple[str, ...]) -> LessonStep:
        self.circuit = None
        chance = self.so_far.state.measurement_odds(event.square)[event.cell]
        before, after = self._advance(event)
        found = "nothing" if event.cell == EMPTY else event.cell
        return LessonStep(
            number,
            str(event),
            f"{before.turn} looks at square {event.square} and finds {found}",
            before.turn,
            comments,
            (MEASURE_RULE,),
            before,
            after,
            after.position,
            marked=(event.square,),
            changes=_changes(before.position, after.position),
            opens=after.open_squares() if after.rules.level.allows(Kind.ENTANGLING) else None,
            chance=chance,
        )

    def _observation(
        self, number: int, event: Observation | Positions, comments: tuple[str, ...]
    ) -> LessonStep:
        circuit = self._phase()
        state = self.so_far.state
        rules: list[Rule] = []
        if state.position.view is View.ROTATED and state.positions is None:
            rules.append(VIEW_BACK_RULE)
        rolls = tuple(
            f"{step.question}: {'yes' if step.yes else 'no'}"
            for step in retrace(state, event)
            if step.question is not None
        )
        if isinstance(event, Positions):
            distribution = position_distribution(self.so_far, self.shots, self.rng)
            before, after = self._advance(event)
            shown = retrace(before, event)[-1].table.position
            return LessonStep(
                number,
                str(event),
                f"The positions are observed; {before.initiator} moved last and chooses the mode",
                before.initiator,
                comments,
                (*rules, POSITIONS_RULE),
                before,
                after,
                shown,
                emptied=_empty(event.filled),
                circuit=circuit.positions(),
                distribution=distribution,
                chance=distribution.dice[event.filled],
                rolls=rolls,
            )
        distribution = board_distribution(self.so_far, event.mode, self.shots, self.rng)
        in_circuit = circuit.observation(event.mode, positions_known=state.positions is not None)
        before, after = self._advance(event)
        rules += [observation_rule(before, event.mode), deciding_rule(before.rules)]
        if after.phase is Phase.MOVE and after.rules.level.observed_in_play:
            rules.append(IN_PLAY_RULE)
        self.circuit = None
        return LessonStep(
            number,
            str(event),
            f"The board is observed in {event.mode} mode",
            before.initiator,
            comments,
            tuple(rules),
            before,
            after,
            Position(observed=event.board) if after.phase is Phase.OVER else after.position,
            emptied=_empty(event.board),
            circuit=in_circuit,
            distribution=distribution,
            chance=distribution.dice[event.board],
            rolls=rolls,
            result=_standing(after, event.board),
        )

    def _look_ahead(self, number: int, mode: Mode) -> LessonStep:
        """What an observation in a mode would give now, for a game that stops before one."""
        state = self.game.state
        begin = "As if the board were observed now" if state.phase is Phase.MOVE else "The board is full"
        rule = EVERY_PIECE_RULE if state.position.full else _AS_IF
        shown = state.position
        emptied: tuple[int, ...] = ()
        if state.positions is not None:
            begin, rule = "Now that the positions are known", observation_rule(state, mode)
            shown, emptied = table_of(state).position, _empty(state.positions.filled)
        # The circuit so far, observed in this mode.
        circuit = PhaseCircuit(self._end_of_phase())
        return LessonStep(
            number,
            "",
            f"{begin}: what {mode} mode could give",
            state.initiator,
            (),
            (rule,),
            state,
            state,
            shown,
            emptied=emptied,
            circuit=circuit.observation(mode, positions_known=state.positions is not None),
            distribution=board_distribution(self.so_far, mode, self.shots, self.rng),
        )


_AS_IF = Rule(
    "The record stops here; the dice on the board say already what an observation would give, although it is "
    "made only once the board is full.",
    "Player Reference, “The Observation Phase”",
)


def _comments(record: Record) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The comments before the first token, and those after each."""
    found: list[list[str]] = [[]]
    for part in record.parts:
        if isinstance(part, Token):
            found.append([])
        elif isinstance(part, Comment):
            found[-1].append(" ".join(part.text.split()))
    first, *others = (tuple(comments) for comments in found)
    return first, others


def _changes(before: Position, after: Position) -> tuple[DiceChange, ...]:
    return tuple(
        DiceChange(square, _words(before, square), _words(after, square))
        for square in SQUARES
        if before.at(square) != after.at(square) or before.observed[square - 1] != after.observed[square - 1]
    )


def _words(position: Position, square: int) -> str:
    if position.is_observed(square):
        return f"observed {position.observed[square - 1]}"
    return draw_dice(position.at(square)).plain.replace("-", "−") or "empty"


def _empty(cells: str) -> tuple[int, ...]:
    return tuple(square for square in SQUARES if cells[square - 1] == EMPTY)


def _standing(state: State, board: str) -> str:
    """How the game stands after an observation that gave a board."""
    if state.phase is Phase.OVER:
        if decide(board, state.rules) is Result.CONTINUE:
            return f"{_lead(board)}, and no further observation was agreed on: the game is a tie."
        return _result_words(state.result, board)
    if state.phase is Phase.OBSERVATION:
        return f"{_lead(board)}: the board is observed again."
    return f"{_lead(board)}: the game goes on, and it is {state.turn}'s turn."


def _lead(board: str) -> str:
    """Who has more three-in-a-rows on an observed board."""
    lines = points(board)
    leader = max(Symbol, key=lambda symbol: lines[symbol])
    if lines[leader] == lines[leader.opponent]:
        return "Nobody leads"
    return f"{leader} leads {lines[leader]} to {lines[leader.opponent]}"


def _ending(game: Game) -> str:
    if game.settlement:
        said = end_words(game)
        return f"{said[0].upper()}{said[1:]}."
    if game.over:
        return _result_words(game.result, final_board(game))
    if game.state.phase is Phase.MOVE:
        return f"The game goes on: {game.turn} is to move."
    return f"The game goes on: it waits for {game.state.phase.value}."


def _result_words(result: Result, board: str | None) -> str:
    said = line_words(result, board) if board is not None else ""
    how = "The game is a tie" if result is Result.TIE else f"{result} has more three-in-a-rows and wins"
    return f"{how}: {said}." if said else f"{how}."
