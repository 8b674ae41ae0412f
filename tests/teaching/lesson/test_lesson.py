"""Lessons say what the dice and the circuits say, in every form, and nothing else."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import combinations, pairwise, product
from math import copysign, sqrt
from random import Random
from time import perf_counter

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from qiskit.circuit import QuantumCircuit

from circuits import gates, program
from examples.make import FOLDER
from qttt.cli.commands.explain import explained
from qttt.display.pictures.games import captioned
from qttt.display.pictures.scene import Scene, Text
from qttt.errors import UsageError
from qttt.game.game import Game, parse_event
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Positions
from qttt.game.position import START
from qttt.game.result import Result, decide, points
from qttt.game.roots import kept_fraction, read_roots, rotated
from qttt.game.rules import LEVELS, Level, Rules, options_at
from qttt.game.squares import SQUARES, lines_of
from qttt.game.state import State
from qttt.game.surds import ONE
from qttt.game.symbols import Mode, Symbol
from qttt.records.files import load_record
from qttt.records.record import Record
from qttt.teaching.lesson.building import make_lesson
from qttt.teaching.lesson.circuit_steps import board_parts
from qttt.teaching.lesson.figures import A4, lesson_pages, outcomes_title
from qttt.teaching.lesson.html import lesson_html
from qttt.teaching.lesson.markdown import escaped, lesson_markdown
from qttt.teaching.lesson.phrases import (
    amplitude_text,
    herald_note,
    pattern_words,
    root_text,
    sign_note,
    sign_of,
)
from qttt.teaching.lesson.rule_sentences import deciding_sentence
from qttt.teaching.lesson.steps import Lesson, LessonStep
from qttt.teaching.lesson.text import LINE, lesson_text
from tests.support.games import random_game

GAMES = FOLDER / "games"

OBSERVED = '[Level "5"] 5 5-6 9 2 1+7 1*3 ~4 4*8 =p:####.#.## =r:XXOX.O.OX 5+7'


def lesson_of(text: str, shots: int = 200) -> Lesson:
    return make_lesson(Record.parse(text), shots=shots)


def amplitudes(step: LessonStep, squares: tuple[int, ...]) -> dict[str, complex]:
    assert step.circuit is not None
    return dict(next(part.amplitudes for part in step.circuit.after if part.squares == squares))


def words(lesson: Lesson) -> str:
    return "\n".join(block.plain for block in lesson_text(lesson))


def test_every_event_is_a_step_named_after_its_move() -> None:
    lesson = lesson_of(OBSERVED)
    assert [step.token for step in lesson.steps] == [
        "5", "5-6", "9", "2", "1+7", "1*3", "~4", "4*8", "=p:####.#.##", "=r:XXOX.O.OX", "5+7", "", "",
    ]  # fmt: skip
    assert [step.title for step in lesson.steps][4:8] == [
        "X plays 1+7: superposition move",
        "O plays 1*3: half-entangling move",
        "X plays ~4: classical move, after a view switch",
        "O plays 4*8: entangling move",
    ]


def test_a_step_gives_dice_gates_amplitudes_and_open_squares() -> None:
    step = lesson_of("5 5*6").steps[1]
    assert [(change.square, change.before, change.after) for change in step.changes] == [
        (5, "△4R", "△2R □2r"),
        (6, "empty", "△2R □2r"),
    ]
    assert step.circuit is not None
    (box,) = step.circuit.boxes
    assert box.label == "O entangles"
    assert box.wires == ("occ 5", "sym 5", "occ 6", "sym 6")
    assert [gate.name for gate in box.gates] == ["ry", "x", "x", "cx"]
    assert box.two_qubit_gates == 1
    assert amplitudes(step, (5, 6)) == pytest.approx({"XO": sqrt(0.5), "OX": -sqrt(0.5)})
    assert [part.squares for part in step.circuit.before] == [(5,)]
    assert step.opens == {}
    assert [rule.source for rule in step.rules] == ["Player Reference, “The Entangling Move”"]


def test_parts_that_a_move_leaves_alone_are_not_listed() -> None:
    step = lesson_of("1+3 5 2").steps[2]
    assert step.circuit is not None
    assert [part.squares for part in step.circuit.after] == [(2,)]


def test_a_view_switch_is_explained_where_it_is_made() -> None:
    step = lesson_of('[Level "5"] 5~').steps[0]
    assert [rule.source for rule in step.rules] == [
        "Player Reference, “The Classical Move”",
        "Fully Quantum TiqTaqToe, “The Rotated View”",
    ]
    assert step.circuit is not None
    assert [box.label for box in step.circuit.boxes] == ["X places", "view switch"]
    assert amplitudes(step, (5,)) == pytest.approx({"X": sqrt(0.5), "O": sqrt(0.5)})


def test_a_half_cancel_tells_how_many_runs_count() -> None:
    lesson = lesson_of('[Level "3"] 1+3 1-2')
    step = lesson.steps[1]
    (root,) = read_roots(step.after.position)
    assert step.circuit is not None
    assert step.circuit.kept == pytest.approx(float(kept_fraction(root)))
    assert f"{100 * step.circuit.kept:.2f} % of the runs count." in " ".join(words(lesson).split())


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("seed", range(2))
def test_amplitudes_of_the_circuit_weigh_what_the_dice_say(level: int, seed: int) -> None:
    game = random_game(level, seed, events=12)
    lesson = make_lesson(Record.of(game), shots=20)
    for step in lesson.steps:
        if step.circuit is None or not step.circuit.after:
            continue
        for part in step.circuit.after:
            assert sum(abs(value) ** 2 for value in part.amplitudes.values()) == pytest.approx(1)
        if step.after.position.view == "rotated":
            continue
        table = step.after.odds().squares()
        for part in step.circuit.after:
            for place, square in enumerate(part.squares):
                for cell in "XO.":
                    weight = sum(abs(v) ** 2 for p, v in part.amplitudes.items() if p[place] == cell)
                    assert weight == pytest.approx(table[square - 1][cell], abs=1e-9)


@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("seed", range(2, 5))
def test_every_move_points_at_its_own_boxes(level: int, seed: int) -> None:
    game = random_game(level, seed)
    for step, event in zip(make_lesson(Record.of(game), shots=20).steps, game.events, strict=False):
        if isinstance(event, Move):
            assert step.circuit is not None
            own = [box for box in step.circuit.boxes if box.label != "view switch"]
            assert [box.squares for box in own] == [event.squares]
            assert own[0].label.startswith(step.player)
            assert len(step.circuit.boxes) - len(own) <= event.switches


def test_observations_have_distributions_chances_rolls_and_a_verdict() -> None:
    positions, observed = lesson_of(OBSERVED, shots=2000).steps[8:10]
    assert positions.distribution is not None
    assert positions.chance == pytest.approx(0.5)
    assert positions.distribution.circuit == pytest.approx(positions.distribution.dice)
    assert positions.emptied == (5, 7)
    assert positions.rolls == ("X points at 7: is this square mine? (even means yes): no",)
    assert observed.distribution is not None
    # One of 32 boards in rotated mode, half of which the positions leave.
    assert observed.chance == pytest.approx(1 / 16)
    assert observed.distribution.results is not None
    assert observed.distribution.results["dice"] == pytest.approx(
        {"X": 0, "O": 0.25, "tie": 0, "continue": 0.75}
    )
    assert observed.distribution.report.ok
    assert len(observed.rolls) == 4
    assert observed.result == "Nobody leads: the game goes on, and it is X's turn."


def test_an_unfinished_game_ends_with_a_look_ahead() -> None:
    last = lesson_of("1+3").steps[-1]
    assert last.title == "As if the board were observed now: what standard mode could give"
    assert last.distribution is not None
    assert last.distribution.dice == pytest.approx({"X........": 0.5, "..X......": 0.5})
    assert [step.title for step in lesson_of(OBSERVED).steps[-2:]] == [
        "The board is full: what standard mode could give",
        "The board is full: what rotated mode could give",
    ]


def test_a_game_that_waits_for_its_mode_looks_ahead_in_both() -> None:
    standard, rotated = lesson_of(OBSERVED.partition(" =r:")[0]).steps[-2:]
    assert standard.title == "Now that the positions are known: what standard mode could give"
    assert standard.emptied == rotated.emptied == (5, 7)
    assert standard.distribution is not None
    assert rotated.distribution is not None
    assert len(standard.distribution.dice) == 8
    assert len(rotated.distribution.dice) == 16
    # The view went back when the positions were observed.
    assert rotated.circuit is not None
    assert [box.label for box in rotated.circuit.boxes] == ["rotate mode"]


def test_positions_are_observed_before_any_mode_is_drawn() -> None:
    positions, observed = lesson_of(OBSERVED).steps[8:10]
    assert positions.circuit is not None
    assert observed.circuit is not None
    assert [box.label for box in positions.circuit.boxes] == ["view switch"]
    assert "rotate mode" not in {block.label for block in positions.circuit.whole.blocks}
    assert [box.label for box in observed.circuit.boxes] == ["rotate mode"]
    assert positions.distribution is not None
    # One heading for both modes, because the filled squares are the same in both.
    assert not re.search("standard|rotated", outcomes_title(positions.distribution))
    assert positions.before.odds(Mode.ROTATED).positions() == pytest.approx(positions.distribution.dice)


RECORDS = [
    OBSERVED,
    '[Level "4"] 1+3 1-2 9 3-4 5 6 7 8 =p:.#..##### =s:.X..XOXOX',
    '[Level "4"] 1+3 1-2 9 3-4 5 6 7 8 =p:.#..#####',
    '[Options "measure-turn"] 1+3 ?1=X 5 2+4 4*6 7 ?4=. 4 8 9',
    *(path.read_text() for path in sorted(GAMES.glob("*.qttt"))),
    *(str(Record.of(random_game(level, seed))) for level in range(6) for seed in range(30, 33)),
]


@pytest.mark.parametrize("text", RECORDS, ids=lambda text: " ".join(text.split())[-30:])
def test_a_step_begins_with_the_board_that_the_one_before_it_left(text: str) -> None:
    lesson = lesson_of(text, shots=5)
    for before, step in pairwise(lesson.steps):
        assert step.board_before == before.board, step.title
    assert lesson.steps[0].board_before == START
    for step in lesson.steps:
        for square in SQUARES:
            # What is drawn is what the game holds, but for what an observation has found.
            found = not step.token or isinstance(parse_event(step.token), Positions)
            if not found and step.after.result is Result.CONTINUE:
                assert step.board.at(square) == step.after.position.at(square)
                assert step.board.observed == step.after.position.observed


def value_of(sum_in_signs: str) -> float:
    """A sum such as ``(½ − √½)`` as a number."""
    python = sum_in_signs.replace("−", "-").replace("√½", "sqrt(0.5)").replace("½", "0.5")
    assert re.fullmatch(r"[-+ ().0-9sqrt1]+", python)
    return float(eval(python, {"sqrt": sqrt}))


def cancelling_game(level: int, seed: int) -> Iterator[Game]:
    """A random game of attacks on halves, where there are any, after each of its moves."""
    rng = Random(seed)
    game = Game(level)
    while moves := game.state.legal_moves():
        wanted = [move for move in moves if move.kind in {Kind.CANCELLING, Kind.SUPERPOSITION}]
        game.push(rng.choice(wanted if wanted and rng.random() < 0.8 else moves))
        yield game


@pytest.mark.parametrize("level", [3, 4, 5])
def test_no_row_contradicts_the_dice_of_a_cancelled_square(level: int) -> None:
    rows = 0
    for game in (game for seed in range(12) for game in cancelling_game(level, seed)):
        position = game.state.position
        for part, (place, square) in product(board_parts(game), enumerate(SQUARES)):
            if square not in part.squares or "cancel" not in position.configuration(square).word:
                continue
            place = part.squares.index(square)
            for pattern, amplitude in part.amplitudes.items():
                own = [die for die in position.at(square) if die.shape == pattern[place]]
                if own:
                    by_dice = sum(copysign(sqrt(abs(die.value) / 4), die.value) for die in own)
                    assert amplitude.real * by_dice > 0, (str(Record.of(game)), part)
                    rows += 1
            for pattern, words in part.sums.items():
                over, norm = words.split("/√")
                value = part.amplitudes[pattern].real
                assert value == pytest.approx(value_of(over) / sqrt(float(norm)), abs=2e-3)
    assert rows > 100


def test_the_sum_of_dice_stands_beside_the_amplitude_in_every_form() -> None:
    lesson = lesson_of('[Level "4"] 1+3 1-2')
    forms = [words(lesson), lesson_markdown(lesson), lesson_html(lesson)]
    forms.append((FOLDER / "gallery" / "square-half-cancelled-x.md").read_text(encoding="utf-8"))
    for form in forms:
        found = re.findall(r"([+−]0[.]\d{4}) = (\S[^/]*)/√(\d[.]\d\d)", form)
        assert len(found) == 4
        for amplitude, over, norm in found:
            assert value_of(amplitude) == pytest.approx(value_of(over) / sqrt(float(norm)), abs=1e-3)
        # △1 and −2 leave less than nothing.
        assert any(value_of(over) == pytest.approx(0.5 - sqrt(0.5)) for _, over, _ in found)


def test_a_cancel_says_what_its_dice_add_up_to() -> None:
    def said(record: str, level: int) -> str:
        step = lesson_of(f'[Level "{level}"] {record}').steps[len(record.split()) - 1]
        return next(rule.sentence for rule in step.rules if "nterference" in rule.sentence)

    whole = re.search(r"added, (.*) = 0, and so nothing", said("5 5-6", 3))
    assert whole
    assert value_of(whole[1]) == 0
    for record, square in [("1+3 1-2", 1), ("1+3 1-2 9 3-4", 3), ("1+3 1*2 9 3-4", 3), ("9 1+3 3-4", 3)]:
        found = re.search(
            r"in square (\d) .*added, (.*) = (.*), and the sum is squared, (.*); .*, (.*), "
            r"which leaves (.*) %",
            said(record, 3),
        )
        assert found
        assert int(found[1]) == square
        number = value_of(found[2])
        assert value_of(found[3]) == pytest.approx(number, abs=1e-4)
        assert float(found[4]) == pytest.approx(number**2, abs=1e-4)
        odds = Record.parse(f'[Level "3"] {record}').game().state.odds().square(square)
        assert float(found[6]) / 100 == pytest.approx(1 - odds["."], abs=1e-4)
        assert float(found[4]) / float(found[5]) == pytest.approx(1 - odds["."], abs=1e-3)


def pair(sign: int, mode: Mode) -> dict[str, float]:
    """What a pair (XO + sign·OX)/√2 reads in a mode."""
    state = {"XO": ONE, "OX": ONE if sign > 0 else -ONE}
    turned = rotated(state, range(2)) if mode is Mode.ROTATED else state
    total = sum(float(value) ** 2 for value in turned.values())
    return {key: float(value) ** 2 / total for key, value in turned.items() if value}


@pytest.mark.parametrize("level", range(6))
def test_signs_are_explained_where_they_are_and_as_far_as_the_level_shows_them(level: int) -> None:
    modes = Game(level).state.modes
    seen = any(pair(1, mode) != pytest.approx(pair(-1, mode)) for mode in modes)
    notes = set()
    for seed in range(8):
        for step in make_lesson(Record.of(random_game(level, seed, events=8)), shots=5).steps:
            if step.circuit is not None:
                note = sign_note(step.circuit.after, step.after.rules.level)
                minus = any(
                    value.real < 0 for part in step.circuit.after for value in part.amplitudes.values()
                )
                assert bool(note) is minus
                notes.add(note)
    text = " ".join(notes)
    assert bool(text) is (level >= 2)
    # Both halves entangled: X's cell is exchanged with that of either attacker.
    if level >= 2:
        twice = make_lesson(Record.of(Game(level).play("1+3 1*2 9 3*4")), shots=5).steps[3]
        assert twice.circuit is not None
        assert "the pair" in sign_note(twice.circuit.after, LEVELS[level])
    # Below Level 3 no two dice of one shape ever meet.
    assert ("amplitudes are added" in text) is (level == 3)
    # Only the pair with the minus is opposite in both modes.
    assert {key for mode in Mode for key in pair(-1, mode)} == {"XO", "OX"}
    assert set(pair(1, Mode.ROTATED)) == {"XX", "OO"}
    if text:
        assert ("opposite in both modes" in text) is seen
        assert ("no look at this level" in text) is not seen
        first = next(n for n in range(6) if len(Game(n).state.modes) > 1)
        assert set(re.findall(r"from Level (\d)", text)) <= {str(first)}


@pytest.mark.parametrize("level", range(2, 6))
def test_a_pair_is_called_opposite_in_both_modes_where_there_are_two(level: int) -> None:
    text = words(lesson_of(f'[Level "{level}"] 5 5*6'))
    two = len(Game(level).state.modes) == 2
    assert ("both modes" in " ".join(text.split())) is two


def test_a_herald_is_explained_by_sums_of_squares() -> None:
    found = re.search(
        r"makes it ([\d.]+) if the piece is in the attacked half and leaves it at ([\d.]+) .*"
        r"herald (her \d), .* reads (\d)[.] .* ([\d.]+) % of the runs count",
        herald_note(lesson_of('[Level "3"] 1+3 3-2').steps[1]),
    )
    assert found
    stay, move, take = sqrt(0.5) - 1, sqrt(0.5), 1
    met = stay**2 + move**2 + take**2
    assert float(found[1]) == pytest.approx(met, abs=5e-3)
    assert float(found[2]) == 1
    assert found[3] == "her 3"
    assert found[4] == "0"
    assert float(found[5]) / 100 == pytest.approx((met + 1) / 2 / met, abs=5e-5)


def decided(sentence: str) -> Callable[[int, int, bool], str]:
    """A sentence about deciding, read as a pupil reads it: from lines of X, lines of O and a full board."""
    open_or_full = (
        "the game goes on while a square is empty, and with none empty (it is a tie|the board is .* again)"
    )
    ends = {"it is a tie": "tie", "the board is observed again": "continue"}
    first, *others = sentence.rstrip(".").split("; ")
    tally = others[0] if "every three-in-a-row is a point" in first else ""
    if tally:
        assert tally == "while a square is empty the game goes on, and with none empty more points win"
    else:
        assert first == "After an observation, and only then, more three-in-a-rows win"

    def decide_it(x: int, o: int, full: bool) -> str:
        if tally and not full:
            return "continue"
        if x != o:
            return "X" if x > o else "O"
        for clause in others:
            case = re.fullmatch(r"with (equal numbers|equal points|one each|none) (.*)", clause)
            if case is None or (case[1] in {"one each", "none"} and (x == 1) is (case[1] == "none")):
                continue
            if case[2] in ends:
                return ends[case[2]]
            goes_on = re.fullmatch(open_or_full, case[2])
            assert goes_on, clause
            return ends[goes_on[1]] if full else "continue"
        raise AssertionError(sentence)

    return decide_it


BOARDS = [
    (board, lines_of(board, Symbol.X), lines_of(board, Symbol.O), "." not in board)
    for board in map("".join, product("XO.", repeat=9))
]


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_the_deciding_sentence_says_what_decides_every_board(level: Level) -> None:
    offered = [name for name in ("tally", "no-ties", "measure-turn") if name in options_at(level)]
    for number in range(len(offered) + 1):
        for chosen in combinations(offered, number):
            rules = Rules.of(level.number, ",".join(chosen))
            said = decided(deciding_sentence(rules))
            for board, x, o, full in BOARDS:
                # Without superposition no square is found empty.
                if full or level.number:
                    assert said(x, o, full) == decide(board, rules), (deciding_sentence(rules), board)


@pytest.mark.parametrize("options", ["", "tally,", "no-ties,"])
@pytest.mark.parametrize("most", [1, 3])
def test_the_deciding_sentence_says_when_observations_run_out(options: str, most: int) -> None:
    rules = Rules.of(5, f"{options}max-observations={most}")
    found = re.search(
        r"; if nobody has won after (\d+) observation(s?), it is a (\w+)[.]", deciding_sentence(rules)
    )
    assert found
    assert bool(found[2]) is (found[1] != "1")
    for board in ("X........", "XXXOOOXOX", "XXXXXXOO."):
        for observations in range(int(found[1])):
            verdict = State(rules, observations=observations).verdict(board)
            ended = decide(board, rules) is Result.CONTINUE and observations + 1 == int(found[1])
            assert verdict == (found[3] if ended else decide(board, rules))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('[Level "1"]\n[Options "tally"] 1 4 2 5 3 7+8 6+9', "X leads 1 to 0: the game goes on"),
        ('[Level "1"]\n[First "O"]\n[Options "tally"] 1 4 2 5 3 7+8 6+9', "O leads 1 to 0: the game goes on"),
        ('[Level "1"] 1 4+5 2 6+7 3+8 9', "Nobody leads: the game goes on"),
    ],
)
def test_a_lead_is_told_even_if_the_game_goes_on(text: str, result: str) -> None:
    record = Record.parse(text)
    board = next(
        board
        for board in record.game().state.odds().outcomes()
        if record.game().state.verdict(board) is Result.CONTINUE
        and points(board) == {symbol: int(result.startswith(f"{symbol} leads")) for symbol in Symbol}
    )
    lesson = lesson_of(f"{record} ={board}")
    step = next(step for step in lesson.steps if step.token.startswith("="))
    assert step.result.startswith(result)


def test_a_finished_game_needs_no_look_ahead() -> None:
    lesson = lesson_of('[Level "1"] 1 5 2 6 3+4 7 8 9 =XXX.OOOXO')
    assert lesson.steps[-1].token == "=XXX.OOOXO"
    assert lesson.ending == lesson.steps[-1].result == "X has more three-in-a-rows and wins: 1-2-3."


def test_a_game_without_moves_is_a_lesson_without_steps() -> None:
    lesson = lesson_of("")
    assert lesson.steps == ()
    assert "No move has been made yet." in lesson_html(lesson)


def test_a_measured_square_is_a_step_with_its_chance() -> None:
    lesson = lesson_of('[Options "measure-turn"] 1+3 ?1=X')
    step = lesson.steps[1]
    assert step.title == "O looks at square 1 and finds X"
    assert step.chance == pytest.approx(0.5)
    assert [(change.square, change.after) for change in step.changes] == [(1, "observed X"), (3, "empty")]


def test_moves_after_a_measured_square_have_their_own_boxes() -> None:
    lesson = lesson_of('[Options "measure-turn"] 1+3 ?1=X 5 2+4 4*6 7 ?4=. 4 8 9')
    labels = [
        [(box.label, box.squares) for box in step.circuit.boxes] for step in lesson.steps if step.circuit
    ]
    assert labels == [
        [("X superposes", (1, 3))],
        [("X places", (5,))],
        [("O superposes", (2, 4))],
        [("X half-entangles", (4, 6))],
        [("O places", (7,))],
        [("O places", (4,))],
        [("X places", (8,))],
        [("O places", (9,))],
        [],
    ]


def test_the_same_seed_gives_the_same_lesson() -> None:
    record = Record.parse(OBSERVED)
    assert lesson_html(make_lesson(record, shots=300, seed=5)) == lesson_html(
        make_lesson(record, shots=300, seed=5)
    )
    assert lesson_html(make_lesson(record, shots=300, seed=5)) != lesson_html(
        make_lesson(record, shots=300, seed=6)
    )


def test_a_changed_gate_changes_the_lesson(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written down: with a plus sign in the entangling gate, amplitudes and verdict follow."""

    def triplet(gate: gates.EntanglingGate, circuit: QuantumCircuit) -> None:
        circuit.h(1)
        circuit.x(2)
        circuit.x(3)
        circuit.cx(1, 3)

    record = '[Level "4"] 5 5*6 1 2 3 4 7 8 9 =r:XXXXXOXXX'
    right = lesson_of(record)
    assert right.steps[-1].distribution is not None
    assert right.steps[-1].distribution.report.ok
    monkeypatch.setattr(gates.EntanglingGate, "_build", triplet)
    monkeypatch.setattr(program, "_known_moves", {})
    wrong = lesson_of(record)
    assert amplitudes(wrong.steps[1], (5, 6)) == pytest.approx({"XO": sqrt(0.5), "OX": sqrt(0.5)})
    assert wrong.steps[-1].distribution is not None
    assert not wrong.steps[-1].distribution.report.ok
    assert "do NOT agree" in words(wrong)
    assert 'class="verdict failed"' in lesson_html(wrong)


class Page(HTMLParser):
    """Collects the tags, the attributes and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)


HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'&{{7*7}}"


def hostile_record() -> str:
    value = HOSTILE.replace('"', '\\"')
    comment = HOSTILE.replace("{", "").replace("}", "")
    return f'[X "{value}"]\n[O "b"]\n[Note "{value}"]\n{{{comment}}} 5 {{<b>}} 5*6'


def test_everything_from_a_record_is_escaped_in_the_page() -> None:
    text = lesson_html(lesson_of(hostile_record()))
    page = Page(text)
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert "b" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "".join(page.words).count("<script>alert('x')</script>") >= 3
    assert "{{7*7}}" in text
    assert "49" not in re.sub(r"[\d.]{3,}", "", "".join(page.words))


def test_everything_from_a_record_is_escaped_in_markdown() -> None:
    text = lesson_markdown(lesson_of(hostile_record()))
    assert "<script" not in text
    assert "<img" not in text
    assert escaped("*a* [b](c) <d> `e`") == "\\*a\\* \\[b\\]\\(c\\) &lt;d\\> \\`e\\`"


def test_the_page_needs_nothing_but_itself() -> None:
    page = Page(lesson_html(lesson_of(OBSERVED)))
    links = [
        value
        for name, value in page.attributes
        if name in {"src", "href", "srcset", "data", "action", "poster"}
    ]
    assert [link for link in links if link and not link.startswith(("#", "data:,"))] == []
    assert "link" in page.tags
    assert "@import" not in "".join(page.words)
    assert "url(" not in "".join(page.words)
    policy = next(value for name, value in page.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'")


def test_every_picture_has_words_and_every_drawing_is_in_the_page() -> None:
    lesson = lesson_of(OBSERVED)
    text = lesson_html(lesson)
    pictures = re.findall(r"<svg [^>]*>", text)
    assert pictures
    for picture in pictures:
        assert re.search(r'role="img" aria-label="[^"]{20,}"', picture), picture[:200]
    # A board each, and a circuit each.
    assert text.count("The board after step") == 11
    assert text.count('aria-label="The circuit of this phase"') == 13


def test_signs_are_told_in_text_as_well_as_by_colour_and_side() -> None:
    text = lesson_html(lesson_of("5 5*6"))
    assert "−0.7071 = −√(1/2)" in text
    assert re.search(r'class="minus" style="width:35.36%;left:14.64%"', text)
    assert re.search(r'class="plus" style="width:35.36%;left:50.00%"', text)


def test_the_terminal_text_fits_its_columns() -> None:
    for line in words(lesson_of(OBSERVED)).splitlines():
        if not line.startswith("    ") and " becomes " not in line:
            assert len(line) <= LINE, line


def test_the_terminal_text_and_markdown_name_every_token() -> None:
    lesson = lesson_of(OBSERVED)
    text, markdown = words(lesson), lesson_markdown(lesson)
    for step in lesson.steps:
        assert step.token in text
        assert step.token in markdown.replace("\\", "")


def test_each_step_of_the_handout_begins_a_page() -> None:
    lesson = lesson_of("5 5*6 1+2")
    pages = lesson_pages(lesson)
    titles = [f"{step.number}. {step.title}" for step in lesson.steps]
    assert list(dict.fromkeys(page.title for page in pages)) == titles
    drawn = explained(lesson, "pdf")
    assert isinstance(drawn, bytes)
    assert drawn.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", drawn)) == len(pages)
    assert drawn == explained(lesson, "pdf")


@pytest.mark.parametrize(("name", "more"), [("level-1-superposition", 0), ("option-no-ties", 1)])
def test_few_steps_of_the_handout_take_a_second_page(name: str, more: int) -> None:
    lesson = make_lesson(load_record(str(GAMES / f"{name}.qttt")), shots=20)
    pages = lesson_pages(lesson)
    assert len(pages) == len(lesson.steps) + more
    for page in pages:
        lowest = max(shape.at[1] for shape in page.shapes if isinstance(shape, Text))
        assert A4[1] / 3 < lowest < A4[1]


def test_figures_of_a_game_without_moves_are_its_empty_board() -> None:
    drawn = explained(lesson_of(""), "pdf")
    assert isinstance(drawn, bytes)
    assert len(re.findall(rb"/Type /Page\b", drawn)) == 1


def test_unknown_forms_are_refused() -> None:
    with pytest.raises(UsageError, match="a lesson cannot be written as 'odt': there are html, md, pdf"):
        explained(lesson_of("5"), "odt")


@pytest.mark.parametrize(
    ("amplitude", "text", "sign"),
    [
        (1, "+1.0000 = 1", "plus"),
        (-0.5, "−0.5000 = −1/2", "minus"),
        (sqrt(0.5), "+0.7071 = √(1/2)", "plus"),
        (-sqrt(3) / 4, "−0.4330 = −√(3/16)", "minus"),
        (0.1821, "+0.1821", "plus"),
        (0.5j, "0.5000 at 90°", "turned"),
    ],
)
def test_amplitudes_are_written_with_sign_and_root(amplitude: complex, text: str, sign: str) -> None:
    assert amplitude_text(amplitude) == text
    assert sign_of(amplitude) == sign


def test_words_for_roots_and_patterns() -> None:
    assert root_text(sqrt(2)) == "√2"
    assert pattern_words((1, 3, 7), "XO.") == "X in 1, O in 3, 7 empty"


@pytest.mark.slow
def test_a_full_game_of_three_phases_makes_a_small_page_quickly() -> None:
    seed = next(seed for seed in range(200) if random_game(5, seed, events=60).state.observations >= 3)
    game = random_game(5, seed, events=60)
    begun = perf_counter()
    page = lesson_html(make_lesson(Record.of(game)))
    assert perf_counter() - begun < 10
    assert len(page.encode()) < 3_000_000


def test_every_kind_of_move_has_its_own_rule() -> None:
    sources = {
        step.rules[0].source
        for text in ("5 5*6", "1+3 1*2", '[Level "3"] 5 5-6', '[Level "3"] 1+3 1-2')
        for step in lesson_of(text).steps[:2]
    }
    assert len(sources) == 2 + 2 * len([kind for kind in Kind if kind.attacks])


def test_the_handout_is_a4_and_has_the_text() -> None:
    lesson = make_lesson(Record.parse('[Level "3"]\n1+3 {watch 2} 1-2 9 3-4'), shots=100)
    pages = lesson_pages(lesson)
    assert {(page.width, page.height) for page in pages} == {A4}
    for page in pages:
        points = [shape.at for shape in page.shapes if isinstance(shape, Text)]
        assert all(0 < x < A4[0] and 0 < y < A4[1] for x, y in points)
    said = " ".join(shape.text for page in pages for shape in page.shapes if isinstance(shape, Text))
    for step in lesson.steps:
        for rule in step.rules:
            assert rule.sentence in said
    assert "watch 2" in said


@cache
def text_width(text: str, bold: bool) -> float:
    """How wide a line is drawn, in sizes of its letters."""
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return float(TextPath((0, 0), text, size=100, prop=font).get_extents().x1) / 100


@pytest.mark.parametrize("title", ["Inside the box “X places”", "The circuit, move by move"])
def test_a_caption_wider_than_its_picture_is_not_cut_off(title: str) -> None:
    assert 10 + 14 * text_width(title, bold=True) < captioned(Scene(40, 20, (), title)).width
    assert captioned(Scene(900, 20, (), title)).width == 900


@pytest.mark.parametrize("name", ["level-4-complementarity", "level-5-three-phases"])
def test_no_line_of_the_handout_is_cut_off_or_runs_into_another(name: str) -> None:
    for page in lesson_pages(make_lesson(load_record(GAMES / f"{name}.qttt"), shots=50)):
        ends: dict[float, float] = {}
        lines = [shape for shape in page.shapes if isinstance(shape, Text) and shape.anchor == "start"]
        for line in sorted(lines, key=lambda line: line.at):
            end = line.at[0] + line.size * text_width(line.text, line.bold)
            assert end < A4[0], line.text
            assert ends.get(line.at[1], 0) < line.at[0], line.text
            ends[line.at[1]] = end


def test_every_page_of_the_handout_names_its_step() -> None:
    lesson = make_lesson(load_record(GAMES / "level-4-complementarity.qttt"), shots=50)
    # Only headings are bold, large and at the margin.
    headings = [
        " ".join(
            shape.text
            for shape in page.shapes
            if isinstance(shape, Text) and shape.bold and shape.size > 12 and shape.at[0] == 40
        )
        for page in lesson_pages(lesson)
    ]
    numbered = [f"{step.number}. {step.title}" for step in lesson.steps]
    assert [heading for heading in headings if not heading.endswith("(continued)")] == numbered
    continued = [
        heading.removesuffix(" (continued)") for heading in headings if heading.endswith("(continued)")
    ]
    assert continued
    assert set(continued) <= set(numbered)
