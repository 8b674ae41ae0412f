"""The games in examples/games: each replays and explains itself; they cover every level, option and move."""

import json
from pathlib import Path

import pytest

from qttt.cli.commands.explain import FORMATS, explained
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.result import Result
from qttt.game.rules import SUMMARIES
from qttt.game.symbols import Mode
from qttt.records.files import load_record
from qttt.records.record import Comment, Record
from qttt.teaching.lesson.building import make_lesson
from qttt.teaching.lesson.figures import lesson_pages

GAMES = Path(__file__).parents[2] / "examples" / "games"
FILES = sorted(GAMES.glob("*.qttt"))
EXAMPLES = json.loads((Path(__file__).parents[1] / "data" / "seed_examples.json").read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_game_replays_and_is_kept_in_canonical_form(path: Path) -> None:
    record = load_record(path)
    game = record.game()
    assert game.events
    assert str(record) + "\n" == path.read_text(encoding="utf-8")
    if game.over:
        assert record.headers["Result"] == game.result
    assert any(isinstance(part, Comment) for part in record.parts)


def test_there_is_a_game_for_every_level_and_option() -> None:
    records = [load_record(path) for path in FILES]
    assert {record.level.number for record in records} == set(range(6))
    named = {part.partition("=")[0] for record in records for part in str(record.rules.options).split(",")}
    assert {name.partition("=")[0] for name in SUMMARIES} <= named


def test_every_worked_example_of_the_seeds_is_met_in_a_game() -> None:
    """Positions are compared, since a record may begin or end elsewhere than the example."""
    met = set()
    for path in FILES:
        game = load_record(path).game()
        met |= {(game.rules.level.observed_in_play, state.position, state.turn) for state in game.states}
    missing = []
    for example in EXAMPLES:
        if not example["record"] or example["options"] or example["source"].startswith("physics notes"):
            continue
        headers = f'[Level "{example["level"]}"]\n[First "{example["first"]}"]\n'
        game = Record.parse(headers + example["record"]).game()
        if (game.rules.level.observed_in_play, game.state.position, game.turn) not in met:
            missing.append(example["name"])
    assert missing == []


def test_every_kind_of_event_and_end_occurs() -> None:
    games = [load_record(path).game() for path in FILES]
    events = [event for game in games for event in game.events]
    moves = [event for event in events if isinstance(event, Move)]
    assert {move.kind for move in moves} == set(Kind)
    assert {(move.before, move.after) for move in moves} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert {event.mode for event in events if isinstance(event, Observation)} == set(Mode)
    assert any(isinstance(event, Positions) for event in events)
    assert any(isinstance(event, Measurement) for event in events)
    assert {game.result for game in games} == set(Result)
    assert max(game.state.observations for game in games) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_game_can_be_explained_in_every_form(path: Path) -> None:
    record = load_record(path)
    lesson = make_lesson(record, shots=1000)
    assert len(lesson.steps) >= len(record.game().events)
    for step in lesson.steps:
        assert step.distribution is None or step.distribution.report.ok, step.title
    # In a PDF of a seed example's record are the same kinds of figures as in those of the other games.
    for format in FORMATS:
        if format == "pdf" and path.stem.startswith("seed-"):
            assert all(page.shapes for page in lesson_pages(lesson))
            continue
        content = explained(lesson, format)
        assert content
        if isinstance(content, str):
            plain = content.replace("\\", "").replace("&#39;", "'")
            for step in lesson.steps:
                assert step.token in plain
