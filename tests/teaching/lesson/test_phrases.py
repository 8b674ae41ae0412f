"""What a lesson says of each step is what the game says: titles, dice, open squares, rolls, results."""

import re
from collections.abc import Iterator

import pytest

from examples.make import FOLDER
from qttt.display.text import UNICODE
from qttt.game.game import Game, parse_event
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.result import Result, points
from qttt.game.squares import SQUARES, lines_in
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.records.files import load_record
from qttt.records.record import Record
from qttt.tabletop.d6 import FACES, RollRule
from qttt.teaching.lesson.building import make_lesson
from qttt.teaching.lesson.phrases import (
    box_words,
    herald_note,
    opens_words,
    pattern_glyphs,
    pattern_words,
    verdict_words,
)
from qttt.teaching.lesson.steps import Lesson, LessonStep
from qttt.teaching.lesson.text import LINE, step_text

NAMES = (
    "level-3-interference",
    "level-4-complementarity",
    "level-5-three-phases",
    "measure-turn-level2",
    "option-max-observations",
    "option-no-ties",
    "option-tally",
    "option-view-switches",
    "seed-level-2-balanced",
    "seed-level-5-upended",
    "seed-reference-half-switched",
)


@pytest.fixture(scope="module", params=NAMES)
def lesson(request: pytest.FixtureRequest) -> Lesson:
    return make_lesson(load_record(str(FOLDER / "games" / f"{request.param}.qttt")), shots=30)


@pytest.fixture(scope="module")
def events(lesson: Lesson) -> list[tuple[LessonStep, object]]:
    """Each step with the event that led to the state after it."""
    return [(step, parse_event(step.token)) for step in lesson.steps if step.token]


def test_titles_say_who_did_what(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        title = step.title
        if isinstance(event, Move):
            found = re.fullmatch(
                r"([XO]) plays (\S+): (half-)?(\w+) move"
                r"(, after a view switch|, then a view switch|, between two view switches)?",
                title,
            )
            assert found, title
            assert (found[1], found[2], found[4]) == (step.before.turn, step.token, event.kind.word)
            position = step.before.position.switched() if event.before else step.before.position
            half = bool(event.kind.attacks) and position.at(event.squares[0])[0].value == 2
            assert bool(found[3]) is half
            switches = {
                (False, False): None,
                (True, False): ", after a view switch",
                (False, True): ", then a view switch",
                (True, True): ", between two view switches",
            }
            assert found[5] == switches[event.before, event.after]
        elif isinstance(event, Measurement):
            cell = {".": "nothing"}.get(event.cell, event.cell)
            assert title == f"{step.before.turn} looks at square {event.square} and finds {cell}"
            assert len(step.after.position.observed.strip(".")) >= (event.cell != ".")
        elif isinstance(event, Positions):
            found = re.fullmatch(r"The (\w+) are observed; ([XO]) moved (\w+) and chooses the mode", title)
            assert found
            assert found.groups() == ("positions", step.before.initiator, "last")
            assert step.after.phase is Phase.MODE
        elif isinstance(event, Observation):
            assert title == f"The board is observed in {event.mode} mode"


def test_a_look_ahead_says_what_it_looks_at(lesson: Lesson) -> None:
    for step in lesson.steps:
        if step.token:
            continue
        found = re.fullmatch(r"(.*): what (\w+) mode could give", step.title)
        assert found
        assert step.distribution is not None
        assert found[2] == step.distribution.mode
        full = step.after.position.full
        assert found[1] == ("The board is full" if full else "As if the board were observed now")
        stops = re.search(
            r"record stops here; .* it is made only once the board is (\w+)", step.rules[0].sentence
        )
        assert bool(stops) is not full
        assert stops is None or (stops[1] == "full" and step.before.phase is not Phase.OBSERVATION)
        ending = re.fullmatch(
            r"The game goes on: (?:([XO]) is to move|it waits for an (\w+))\.", lesson.ending
        )
        assert ending
        assert (ending[1], ending[2]) == ((None, "observation") if full else (str(step.after.turn), None))


def dice_of(state: State, square: int) -> str:
    if state.position.is_observed(square):
        return f"observed {state.position.observed[square - 1]}"
    words = []
    for die in state.position.at(square):
        colour = die.colour[0].upper() if die.owner is Symbol.X else die.colour[0]
        words.append(f"{'△' if die.shape is Symbol.X else '□'}{die.value}{colour}".replace("-", "−"))
    return " ".join(words) or "empty"


def test_dice_and_open_squares_are_those_of_the_board(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        if not isinstance(event, Move | Measurement):
            continue
        said = {change.square: (change.before, change.after) for change in step.changes}
        for square in SQUARES:
            before, after = (dice_of(state, square) for state in (step.before, step.after))
            assert said.get(square, (before, before)) == (before, after)
        if step.before.rules.level.allows(Kind.ENTANGLING):
            words = opens_words(step)
            told = {
                int(square): player
                for squares, player in re.findall(r"squares? ([\d, and]+) to ([XO])", words)
                for square in re.findall(r"\d", squares)
            }
            assert told == {square: str(p) for square, p in step.after.open_squares().items()}
            assert words.startswith("Open to attack:" if told else "No square is open")


def test_results_say_who_leads_and_what_follows(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        if not isinstance(event, Observation):
            assert not step.result
            continue
        lines, state, said = points(event.board), step.after, step.result
        lead = re.match(r"(Nobody leads|([XO]) leads (\d) to (\d))", said)
        if lead:
            if lead[2]:
                leader = Symbol(lead[2])
                assert (lines[leader], lines[leader.opponent]) == (int(lead[3]), int(lead[4]))
                assert lines[leader] > lines[leader.opponent]
            else:
                assert lines[Symbol.X] == lines[Symbol.O]
            follows = {
                Phase.MOVE: f": the game goes on, and it is {state.turn}'s turn.",
                Phase.OBSERVATION: ": the board is observed again.",
                Phase.OVER: ", and no further observation was agreed on: the game is a tie.",
            }
            assert said == lead[0] + follows[state.phase]
            assert state.phase is not Phase.OVER or state.result is Result.TIE
            continue
        assert state.phase is Phase.OVER
        found = re.fullmatch(
            r"(?:The game is a (tie)|([XO]) has more three-in-a-rows and wins)(?:: (.*))?\.", said
        )
        assert found, said
        assert (found[1] or found[2]) == state.result
        if found[2]:
            winner = Symbol(found[2])
            assert lines[winner] > lines[winner.opponent]
            told = [tuple(map(int, line.split("-"))) for line in re.findall(r"\d-\d-\d", found[3])]
            assert set(told) <= set(map(tuple, lines_in(event.board, winner)))
            assert told


def yes_of(words: str) -> Iterator[bool | None]:
    """What each throw says, by the words said before it; one die's faces in order, or two dice's."""
    if found := re.fullmatch(r"(even|odd) means yes", words):
        yield from (face % 2 == (found[1] == "odd") for face in range(1, FACES + 1))
    elif found := re.fullmatch(
        r"(anything but )?(\d) or (\d) means? yes(?:, and a (\d) is rolled again)?", words
    ):
        for face in range(1, FACES + 1):
            again = found[4] and face == int(found[4])
            yield None if again else (str(face) in (found[2], found[3])) is not bool(found[1])
    else:
        found = re.fullmatch(r"two dice(?:, both showing (\d),)? mean yes(?: unless both show (\d))?", words)
        assert found, words
        face = int(found[1] or found[2])
        for one in range(1, FACES + 1):
            for other in range(1, FACES + 1):
                yield (one == other == face) is bool(found[1])


@pytest.mark.parametrize("rule", RollRule)
def test_throws_say_what_the_words_before_them_say(rule: RollRule) -> None:
    sides = range(1, FACES + 1)
    throws = [(face,) for face in sides] if rule.dice == 1 else [(a, b) for a in sides for b in sides]
    assert [rule.answer(throw) for throw in throws] == list(yes_of(rule.value))
    assert rule is not RollRule.EVEN or rule.answer((2,))  # the seeds: even is yes


def test_rolls_are_answered_by_what_was_found(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        for roll in step.rolls:
            found = re.fullmatch(r"([XO]) points at ([\d and]+): (.*\?) \((.*)\): (yes|no)", roll)
            assert found, roll
            squares = [int(square) for square in re.findall(r"\d", found[2])]
            cells = event.board if isinstance(event, Observation) else event.filled  # type: ignore[attr-defined]
            seen = [cells[square - 1] for square in squares]
            piece = found[1] if isinstance(event, Observation) and step.before.positions else "#"
            if step.before.rules.level.number < 3:
                piece = found[1]
            if piece == "#" or len(seen) > 1 or "is there a piece" in found[3]:
                yes = all(cell != "." for cell in seen)
            else:
                yes = seen == [piece]
            if isinstance(event, Observation) and step.before.positions is None and found[1] not in seen:
                # Positions and symbols in one event: a filled square may hold the other's symbol.
                continue
            assert (found[5] == "yes") is yes, roll
            asks = "is my piece in these two squares?" if len(squares) == 2 else "this square"
            assert asks in found[3]
            assert list(yes_of(found[4]))


def test_the_text_prints_chances_and_what_was_empty(lesson: Lesson) -> None:
    for step in lesson.steps:
        text = "\n".join(block.plain for block in step_text(step, UNICODE, LINE))
        said = re.search(r"^This outcome had a chance of ([\d.]+) %(?:: (\S+)|\.)$", text, re.MULTILINE)
        assert bool(said) is bool(step.token and (step.distribution or step.chance < 1))
        if said:
            assert float(said[1]) == pytest.approx(100 * step.chance, abs=0.0051)
            assert said[2] in (step.token, None)
        told = re.findall(r"square (\d): (.*?) becomes (.*)", text)
        assert told == [(str(one.square), one.before, one.after) for one in step.changes]
        if step.circuit and step.circuit.after:
            empty = "Amplitudes before: these squares were empty." in text
            assert empty is not bool(step.circuit.before)
            before, _, after = text.partition("Amplitudes after:")
            rows = [(before, part) for part in step.circuit.before]
            rows += [(after, part) for part in step.circuit.after]
            for side, part in rows:
                for pattern, value in part.amplitudes.items():
                    glyphs, holds = pattern_glyphs(pattern), pattern_words(part.squares, pattern)
                    row = re.search(rf"^ +{glyphs} +\S+.*? ([\d.]+) % .*{holds}$", side, re.MULTILINE)
                    assert row
                    assert float(row[1]) == pytest.approx(100 * abs(value) ** 2, abs=0.0051)


def test_rules_name_the_mode_and_the_view(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        sentences = [rule.sentence for rule in step.rules]
        views = re.findall(r"flipped to the (\w+) view", " ".join(sentences))
        if isinstance(event, Move):
            view, expected = step.before.position.view, []
            for _ in range(event.switches):
                view = view.other
                expected.append(view)
            assert views == expected
        if isinstance(event, Observation):
            modes = re.findall(r"(?:, here|, now in) (\w+)(?: mode)?: (.*?)\.", " ".join(sentences))
            assert [mode for mode, _ in modes] == [event.mode] * step.before.rules.level.rotated_mode
            for _, how in modes:
                assert how.startswith("plus reads △ and minus reads □") is (event.mode is Mode.ROTATED)
            in_play = any("can be played on" in sentence for sentence in sentences)
            dice = any(step.after.position.dice) and step.after.phase is Phase.MOVE
            assert in_play is (dice and step.before.rules.level.observed_in_play)


def test_chances_are_those_of_the_odds(events: list[tuple[LessonStep, object]]) -> None:
    for step, event in events:
        if isinstance(event, Observation):
            assert step.chance == pytest.approx(step.before.odds(event.mode).probability(event.board))
        elif isinstance(event, Positions):
            assert step.chance == pytest.approx(step.before.odds().positions()[event.filled])
        elif isinstance(event, Measurement):
            assert step.chance == pytest.approx(step.before.measurement_odds(event.square)[event.cell])
        else:
            assert step.chance == 1


def test_cross_checks_count_their_shots(lesson: Lesson) -> None:
    for step in lesson.steps:
        if step.distribution is None:
            continue
        report, said = step.distribution.report, verdict_words(step)
        assert ("do NOT agree" in said) is not report.ok
        assert f"the {report.sample.kept} shots that count" in " ".join(said.split())
        lost = re.search(r"(\d+) of (\d+) shots did not count.*expected: (\d+)", said)
        assert bool(lost) is (report.herald_expected > 0)
        if lost:
            assert int(lost[1]) == report.sample.herald_failed == report.sample.shots - report.sample.kept
            assert int(lost[2]) == lesson.shots
            assert int(lost[3]) == round(report.herald_expected * lesson.shots)
        assert step.distribution.mode in Mode


def test_boxes_count_their_gates_and_name_their_heralds(lesson: Lesson) -> None:
    for step in lesson.steps:
        for box in step.circuit.boxes if step.circuit else ():
            found = re.fullmatch(
                r"(.*) on (.*): (.*) \((\d+) gates?, (\d+) of them on two qubits\)\.", box_words(box)
            )
            assert found
            assert found[2].split(", ") == list(box.wires)
            counts = {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", found[3])}
            names = [gate.name for gate in box.gates]
            assert counts == {name: names.count(name) for name in names}
            assert int(found[4]) == len(names)
            assert int(found[5]) == sum(len(gate.qubits) == 2 for gate in box.gates)
        note = herald_note(step)
        if note:
            wire = re.search(
                r"the herald (her \d)( and .*)?, tells how it went: a run counts only if it reads (\d)", note
            )
            assert wire
            assert step.circuit
            assert any(wire[1] in box.wires for box in step.circuit.boxes)
            assert wire[3] == "0"


@pytest.mark.parametrize("options", ["", "view=physical"])
def test_a_switch_names_the_view_that_it_leads_to(options: str) -> None:
    step = make_lesson(Record.of(Game(5, options).play("5 ~1"))).steps[1]
    (said,) = re.findall(r"flipped to the (\w+) view", " ".join(rule.sentence for rule in step.rules))
    assert said == step.after.position.view == "rotated"
