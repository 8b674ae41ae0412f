"""What others write into a record's file survives our saving it, and no other game is written over."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qttt.cli.main import main
from qttt.observation.job_file import Pending
from qttt.records.files import RecordChangedError, load_record, save_over
from qttt.records.merge import merged
from qttt.records.record import Record
from tests.support.cli_runs import run, run_json

FULL = "1 2 3 4 5 6 7 8+9"
JOB = '[Job "fake_manila - game-1.job"]'


def merge(ours: str, theirs: str, known: str) -> str | None:
    record = merged(Record.parse(ours), Record.parse(theirs), Record.parse(known))
    return None if record is None else " ".join(str(record).split())


@pytest.mark.parametrize(
    ("ours", "theirs", "known", "whole"),
    [
        # Headers: theirs come in, ours stay, and whoever changed one has it.
        ("5 6", '[Event "Club"] 5', "5", '[Event "Club"] 1. 5 6'),
        ('[Seed "1"] 5 6', '[X "Ada"] 5', "5", '[X "Ada"] [Seed "1"] 1. 5 6'),
        ('[X "easy"] 5 6', '[X "Ada"] 5', '[X "easy"] 5', '[X "Ada"] 1. 5 6'),
        ('[X "hard"] 5 6', '[X "easy"] 5', '[X "easy"] 5', '[X "hard"] 1. 5 6'),
        ("5 6", '[X "easy"] 5', '[X "easy"] 5', "1. 5 6"),
        ('[Level "2"] 5 6', "5", '[Level "2"] 5', '[Level "2"] 1. 5 6'),
        # Comments: theirs up to the event at which the records part, ours after it.
        ("5 6", "{a} 5 {b}", "5", "{a} 1. 5 {b} 6"),
        ("5 {mine} 6 {end} 7", "{theirs} 5", "5 {mine} 6", "{theirs} 1. 5 6 {end} 2. 7"),
        ("5 7", "5 {why} 6 {undone}", "5 6", "1. 5 {why} 7"),
        ("5", "{a} 5 {b} 6 {c}", "5 6", "{a} 1. 5 {b}"),
        # They part where they first differ, also if a later event is the same.
        ("5 7 {mine} 9", "5 {why} 6 {undone} 9 {more}", "5 6 9", "1. 5 {why} 7 {mine} 2. 9"),
        ('[A "1"] 5 6', '{first} [A "1"] {second} [B "2"] 5', '[A "1"] 5', None),
        # The result is ours: the game goes on, or has ended.
        ("5 6", '[Result "tie"] 5', "5", '[Result "*"] 1. 5 6'),
        ('[Result "tie"] 5 6', '[Result "*"] 5 6', "5 6", '[Result "tie"] 1. 5 6'),
        # So is the job, which comes and goes and is renamed while it is sent.
        (f"{JOB} 5", '[A "b"] 5', "5", f'[A "b"] {JOB} 1. 5'),
        (
            JOB.replace("-", "id1", 1) + " 5",
            f'{JOB} [A "b"] 5',
            JOB + " 5",
            '[Job "fake_manila id1 game-1.job"] [A "b"] 1. 5',
        ),
        ("5 6", f'{JOB} [A "b"] 5', f"{JOB} 5", '[A "b"] 1. 5 6'),
    ],
)
def test_what_both_have_written(ours: str, theirs: str, known: str, whole: str | None) -> None:
    if whole is None:
        whole = '{first} [A "1"] {second} [B "2"] 1. 5 6'
    assert merge(ours, theirs, known) == whole


@pytest.mark.parametrize(
    ("ours", "theirs", "known"),
    [
        ("5 6", "5 7", "5"),
        ("5 6", "9", "5"),
        ("5 6", "5 6 7", "5"),
        ("5 6", '[Level "3"] 5', "5"),
        ('[Level "3"] 5 6', '[Level "2"] 5', '[Level "3"] 5'),
        ("5 6", '[First "O"] 5', "5"),
        ("5 6", '[Options "tally"] 5', "5"),
        ("5 6", '[Options "nonsense"] 5', "5"),
        ("5 6", f"{JOB} 5", "5"),
        (f"{JOB} 5", '[Job "fake_manila - game-2.job"] 5', "5"),
        ('[Job "fake_manila - my game.job"] 5', '[Job "fake_manila - your game.job"] 5', "5"),
    ],
)
def test_another_game_is_no_earlier_moment_of_ours(ours: str, theirs: str, known: str) -> None:
    assert merge(ours, theirs, known) is None


def test_a_record_that_finds_another_in_its_place_is_in_the_message(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    ours = Record.parse('[X "Ada"] 5 6')
    for content in ("9", "milk"):
        file.write_text(content)
        with pytest.raises(RecordChangedError, match=r'the record is: \[X "Ada"\] 1\. 5 6$'):
            save_over(file, ours, ours)
        assert file.read_text() == content
    file.write_text("")
    assert save_over(file, ours, Record()) == ours == load_record(file)


# With the commands themselves; between two typed lines somebody else writes.


class Typing(io.StringIO):
    """Lines that are typed, and what happens between them."""

    def __init__(self, *lines: str | Callable[[], object], terminal: bool = False) -> None:
        super().__init__()
        self._lines: Iterator[str | Callable[[], object]] = iter(lines)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        for line in self._lines:
            if isinstance(line, str):
                return f"{line}\n"
            line()
        return ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def typed(*words: str, lines: Typing) -> tuple[int, str, str]:
    out, err = io.StringIO(), Terminal()
    return main(words, stdin=lines, stdout=out, stderr=err), out.getvalue(), err.getvalue()


def annotate(file: str = "game.qttt") -> None:
    """Another program adds a header and comments."""
    path = Path(file)
    tokens = path.read_text().rpartition("]")
    path.write_text(
        f'{tokens[0]}{tokens[1]}\n[Event "Club"]\n{{the start}}\n{tokens[2].rstrip()} {{a fine move}}\n'
    )


def annotated(file: str = "game.qttt") -> bool:
    record = load_record(file)
    comments = [str(part) for part in record.parts if str(part).startswith("{")]
    return record.headers.get("Event") == "Club" and comments == ["{the start}", "{a fine move}"]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", [["game.qttt"], ["--record", "game.qttt"]])
def test_play_keeps_what_came_into_its_file(words: list[str]) -> None:
    if words[0] == "game.qttt":
        Path("game.qttt").write_text('[Level "2"]\n5 6')
    lines = Typing("1", annotate, "2", "undo", "3")
    status, out, _ = typed("play", *words, "--backend", "dice", "--seed", "1", lines=lines)
    assert status == 0
    assert "changed" not in out
    assert annotated()
    assert load_record("game.qttt").headers["Seed"] == "1"
    assert os.listdir() == ["game.qttt"]


def test_play_keeps_what_came_before_the_observation() -> None:
    Path("game.qttt").write_text(f'[Level "1"]\n{FULL.rpartition(" ")[0]}')
    status, _, _ = typed("play", "game.qttt", "--backend", "dice", lines=Typing(annotate, "8+9"))
    assert status == 0
    assert annotated()
    assert "=" in Path("game.qttt").read_text()


def test_options_that_play_itself_adds_do_not_make_it_another_game() -> None:
    """Two computers get a limit where a game can go on for ever."""
    Path("game.qttt").write_text('[Level "5"]\n[Options "view-switches=2"]\n5 6')
    words = ("play", "game.qttt", "--backend", "dice", "--seed", "1", "--x", "easy", "--o", "easy")
    status, out, _ = typed(*words, lines=Typing())
    assert status == 0
    assert "changed" not in out
    assert load_record("game.qttt").headers["Options"].startswith("view-switches=2,")
    assert os.listdir() == ["game.qttt"]


def test_the_demonstration_keeps_what_came_into_its_file() -> None:
    class Watched(io.StringIO):
        def write(self, text: str, /) -> int:
            if "3. " in text and not annotated():
                annotate()
            return super().write(text)

    words = ["play", "--demo", "--level", "0", "--seed", "1", "--record", "game.qttt", "--backend", "dice"]
    assert main(words, stdin=io.StringIO(), stdout=Watched(), stderr=io.StringIO()) == 0
    assert annotated(), Path("game.qttt").read_text()
    assert len(load_record("game.qttt").events) == 10


def test_play_leaves_a_file_of_other_rules() -> None:
    Path("game.qttt").write_text('[Level "2"]\n5 6')
    other = '[Level "3"]\n5 6'
    status, out, _ = typed(
        "play", "game.qttt", lines=Typing(lambda: Path("game.qttt").write_text(other), "1")
    )
    assert status == 0
    assert "this game goes on in game-2.qttt" in out
    assert Path("game.qttt").read_text() == other


def test_saving_by_name_keeps_what_the_file_has() -> None:
    Path("game.qttt").write_text('[Event "Club"]\n{the start} 5 {a fine move}')
    assert typed("play", lines=Typing("5", "6", "save game.qttt", "1"))[0] == 0
    assert annotated()
    assert len(load_record("game.qttt").events) == 3


@pytest.mark.parametrize("answer", ["standard", None])
def test_observe_keeps_what_came_into_the_file(answer: str | None) -> None:
    """Also where the question is not answered and the positions are kept."""
    Path("game.qttt").write_text(f'[Level "4"]\n{FULL}')
    lines = Typing(annotate, *([answer] if answer else []), terminal=True)
    words = ["--save", "game.qttt"] if answer else []
    status, _, err = typed("observe", "game.qttt", *words, "--backend", "dice", lines=lines)
    assert status == (0 if answer else 130), err
    record = load_record("game.qttt")
    assert annotated(), record
    assert len(record.events) == (10 if answer else 9)


def test_observe_writes_over_no_other_game_that_came_into_its_file() -> None:
    Path("game.qttt").write_text(f'[Level "4"]\n{FULL}')
    lines = Typing(lambda: Path("game.qttt").write_text("9 8"), "standard", terminal=True)
    status, _, err = typed("observe", "game.qttt", "--save", "game.qttt", "--backend", "dice", lines=lines)
    assert status == 2
    assert Path("game.qttt").read_text() == "9 8"
    assert 'the record is: [Level "4"] [Result' in err
    assert "1. 1 2 2. 3 4 3. 5 6 4. 7 8+9 =p:" in err


def test_observe_saves_into_a_file_named_as_before() -> None:
    Path("game.qttt").write_text('[Event "Club"]\n{the start} 1 {a fine move} 2 3')
    assert run_json("observe", FULL, "--level", "1", "--backend", "dice", "--save", "game.qttt")
    assert annotated()
    # Another game there is written over, as --save says.
    Path("game.qttt").write_text("9 8 7")
    found = run_json("observe", FULL, "--level", "1", "--backend", "dice", "--save", "game.qttt")
    assert str(load_record("game.qttt")) == found["record"]


def test_a_rule_said_beside_the_record_does_not_make_it_another() -> None:
    Path("game.qttt").write_text(FULL)
    done = run("observe", "game.qttt", "--level", "1", "--backend", "dice", "--save", "game.qttt")
    assert done.status == 0
    assert load_record("game.qttt").headers["Level"] == "1"


@pytest.mark.ibm
def test_resume_keeps_what_came_into_the_file_while_the_job_waited() -> None:
    Path("game.qttt").write_text(f'[Level "4"]\n{FULL}')
    # The question for the mode is not answered: the job and the positions wait on disk.
    words = ("--backend", "fake_hanoi", "--seed", "1", "--shots", "20")
    status, _, err = typed("observe", "game.qttt", *words, lines=Typing(terminal=True))
    assert status == 130, err
    assert "Job" in load_record("game.qttt").headers
    annotate()
    found = json.loads(run("observe", "--resume", "game.qttt", "--mode", "rotated", "--json").out)
    assert found["mode"] == "rotated"
    assert annotated()
    assert "Job" not in load_record("game.qttt").headers


def test_a_job_is_noted_in_the_file_as_it_is_now() -> None:
    Path("game.qttt").write_text(FULL)
    waiting = Pending(Record.parse(FULL), Path("game.qttt"), Path("game-1.job"), None)
    annotate()
    waiting.keep()
    assert annotated()
    assert load_record("game.qttt").headers["Job"] == "- - game-1.job"
    Path("game.qttt").write_text(f'[Job "- - game-2.job"] {FULL}')
    with pytest.raises(RecordChangedError):
        waiting.keep()
    assert "game-2" in Path("game.qttt").read_text()


@pytest.mark.ibm
def test_a_job_s_outcome_is_not_written_over_another_game() -> None:
    Path("game.qttt").write_text(f'[Level "4"]\n{FULL}')
    words = ("--backend", "fake_hanoi", "--seed", "1", "--shots", "20")
    lines = Typing(lambda: Path("game.qttt").write_text("9 8"), "standard", terminal=True)
    status, _, err = typed("observe", "game.qttt", *words, lines=lines)
    assert status == 2, err
    assert Path("game.qttt").read_text() == "9 8"
    assert "8+9 =p:" in err.partition("the record is:")[2]


# A record that cannot be kept


def test_a_game_whose_record_cannot_be_kept_is_printed_and_says_so_by_its_status() -> None:
    folder = Path.cwd() / "shelf"

    def remove() -> None:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    for words in (["--record", "game.qttt"], []):
        folder.mkdir()
        os.chdir(folder)
        try:
            status, out, err = typed("play", *words, lines=Typing("5", "6", remove, "quit"))
        finally:
            os.chdir(folder.parent)
        assert status == 2
        assert "The record could not be kept." in out
        assert "1. 5 6" in out
        assert err.startswith("qttt: error: cannot save")
        assert err.count("\n") == 1
