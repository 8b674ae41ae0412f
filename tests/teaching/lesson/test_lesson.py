"""Lessons say what the dice and the circuits say, in every form, and nothing else."""

import re
from html.parser import HTMLParser
from math import sqrt
from time import perf_counter

import pytest
from qiskit.circuit import QuantumCircuit

from circuits import gates, program
from qttt.cli.commands.explain import explained
from qttt.display.pictures.scene import Text
from qttt.errors import UsageError
from qttt.game.moves import Kind, Move
from qttt.game.roots import kept_fraction, read_roots
from qttt.records.record import Record
from qttt.teaching.lesson.building import make_lesson
from qttt.teaching.lesson.figures import A4, lesson_pages
from qttt.teaching.lesson.html import lesson_html
from qttt.teaching.lesson.markdown import escaped, lesson_markdown
from qttt.teaching.lesson.phrases import amplitude_text, pattern_words, root_text, sign_of
from qttt.teaching.lesson.steps import Lesson, LessonStep
from qttt.teaching.lesson.text import LINE, lesson_text
from tests.display.pictures.test_pictures import random_game

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
    assert f"{100 * step.circuit.kept:.2f} % of\nthe runs" in words(lesson)


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
    assert rotated.circuit is not None
    assert [box.label for box in rotated.circuit.boxes] == ["view switch", "rotate mode"]


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
