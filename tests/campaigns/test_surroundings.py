"""What surrounds the program goes wrong: disks, folders, files, terminals, encodings, streams."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qttt.records.files import load_record
from qttt.storage import FileError, save_file
from tests.support.cli_runs import run
from tests.support.terminals import in_terminal

ROOT = Path(__file__).parents[2]
QTTT = [sys.executable, "-m", "qttt"]
FULL = "1 5 2 6 3+4 7 8 9"
NOBODY = 65534


def process(
    *argv: str,
    stdin: bytes = b"",
    before: Callable[[], None] | None = None,
    environment: "dict[str, str | None] | None" = None,
) -> "subprocess.CompletedProcess[bytes]":
    """The program as a process; None takes a variable out of its environment."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    return subprocess.run(
        [*QTTT, *argv],
        input=stdin,
        capture_output=True,
        env={name: value for name, value in variables.items() if value is not None},
        preexec_fn=before,
        timeout=120,
    )


def one_line(done: "subprocess.CompletedProcess[bytes]", status: int) -> str:
    """The one line of a problem."""
    assert done.returncode == status, done
    assert b"Traceback" not in done.stderr + done.stdout
    assert done.stderr.startswith(b"qttt: error: ")
    assert done.stderr.count(b"\n") == 1
    return done.stderr.decode()


def as_nobody(work: Callable[[], None]) -> None:
    """Do something in a child without root's powers, which ignore permissions."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def small_files() -> None:
    """Files may have 100 bytes: a full disk, for whoever writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def tiny_files() -> None:
    """Files may have no bytes at all, and yet be made."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_leaves_the_old_record(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    text = f'[Level "1"]\n[X "{"Ada " * 20}"]\n{FULL}\n'
    file.write_text(text)
    words = ("observe", str(file), "--save", str(file), "--backend", "dice", "--seed", "1")
    assert "cannot save" in one_line(process(*words, before=small_files), 2)
    assert file.read_text() == text
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_a_game_that_cannot_be_saved_any_more_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    file.write_text(f'[Level "1"]\n[X "{"Ada " * 20}"]\n1. 1\n')
    old = file.read_text()
    done = process("play", str(file), "--backend", "dice", stdin=b"5\n6\n", before=small_files)
    assert b"The record could not be kept" in done.stdout
    assert b"1. 1 5" in done.stdout
    assert b"Traceback" not in done.stdout + done.stderr
    assert file.read_text() == old
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_a_full_disk_leaves_no_empty_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a new game is taken before anything is written to it."""
    monkeypatch.chdir(tmp_path)
    done = process("play", "--backend", "dice", stdin=b"5\n6\n", before=tiny_files)
    assert b"The record could not be kept" in done.stdout
    assert os.listdir(tmp_path) == []


def test_a_full_disk_beside_a_game_that_somebody_else_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("1. 5 6")

    def fill() -> None:
        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        file.write_text("9 8 7")
        monkeypatch.setattr(os, "fsync", fail)

    _, said = play(file, "1", fill, "2")
    assert "no space left on device" in said
    assert "1. 5 6\n2. 1 2" in said
    assert os.listdir(tmp_path) == ["game.qttt"]


def test_an_outcome_that_cannot_be_saved_is_said(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    words = ("observe", FULL, "--level", "1", "--save", str(file), "--backend", "dice", "--seed", "1")
    said = one_line(process(*words, before=tiny_files), 2)
    assert "cannot save" in said
    assert "the record with what was observed is: " in said
    assert FULL.split()[-1] + " =" in said
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("limit", [10, 800])
def test_a_match_on_a_full_disk_keeps_whole_lines(tmp_path: Path, limit: int) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    file = tmp_path / "match.jsonl"
    words = ["selfplay", "--x", "random", "--o", "random", "--seed", "1", "--jobs", "1"]
    words += ["--records", str(file)]
    said = one_line(process(*words, "--games", "20", before=little), 2)
    assert "cannot write the games" in said
    if limit == 10:
        assert os.listdir(tmp_path) == []
        return
    lines = file.read_bytes().splitlines(keepends=True)
    assert 2 <= len(lines) < 20
    assert lines[-1].endswith(b"\n")
    done = process(*words, "--games", "20")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "argv",
    [
        ["odds", "PIPE"],
        ["play", "--record", "PIPE", "--backend", "dice"],
        ["selfplay", "--x", "random", "--o", "random", "--games", "1", "--records", "PIPE"],
        *(
            pytest.param(argv, marks=pytest.mark.slow)
            for argv in (
                ["play", "PIPE", "--backend", "dice"],
                ["observe", FULL, "--level", "1", "--backend", "dice", "--save", "PIPE"],
                ["draw", "5", "--out", "PIPE", "--format", "svg"],
                ["circuit", "5", "--format", "qasm3", "--out", "PIPE"],
                ["observe", "--resume", "PIPE"],
                ["observe", "--resume", "PIPE.job"],
                ["check", "--resume", "PIPE"],
            )
        ),
    ],
)
def test_a_pipe_that_nobody_opens_is_not_waited_for(argv: list[str], tmp_path: Path) -> None:
    pipe = tmp_path / ("pipe.job" if "PIPE.job" in argv else "pipe")
    os.mkfifo(pipe)
    began = time.monotonic()
    said = one_line(process(*(str(pipe) if word.startswith("PIPE") else word for word in argv)), 2)
    assert "it is a pipe" in said
    assert time.monotonic() - began < 20
    assert os.listdir(tmp_path) == [pipe.name]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.slow
def test_a_pipe_whose_writer_takes_its_time() -> None:
    line = f"{' '.join(QTTT)} odds <(sleep 3; echo 5) --json"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, timeout=60)
    assert b'"....X....": 1.0' in done.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that nobody can reach too: pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_a_read_only_folder(open_folder: Path) -> None:
    folder = open_folder / "shelf"
    folder.mkdir()
    file = folder / "game.qttt"
    file.write_text("5")
    folder.chmod(0o555)

    def work() -> None:
        for name in (file, folder / "new.qttt"):
            try:
                save_file(name, "6")
            except FileError as error:
                assert "ermission denied" in str(error)
            else:
                raise AssertionError(f"{name} was saved")
        assert load_record(file).events[0].__str__() == "5"

    try:
        as_nobody(work)
    finally:
        folder.chmod(0o755)
    assert file.read_text() == "5"
    assert os.listdir(folder) == ["game.qttt"]


def test_a_file_that_somebody_makes_read_only_is_not_replaced(open_folder: Path) -> None:
    file = open_folder / "game.qttt"
    file.write_text("5")
    file.chmod(0o444)

    def work() -> None:
        try:
            save_file(file, "6")
        except FileError:
            return
        raise AssertionError("it was replaced")

    as_nobody(work)
    assert file.read_text() == "5"
    assert stat.S_IMODE(file.stat().st_mode) == 0o444


def typing(*lines: str | Callable[[], None]) -> "Typed":
    return Typed(lines)


class Typed:
    """Standard input that does something between its lines."""

    encoding = "utf-8"

    def __init__(self, lines: tuple[str | Callable[[], None], ...]) -> None:
        self.lines = list(lines)

    def isatty(self) -> bool:
        return False

    def readline(self, limit: int = -1) -> str:
        while self.lines:
            line = self.lines.pop(0)
            if isinstance(line, str):
                return f"{line}\n"
            line()
        return ""


def play(file: Path, *lines: str | Callable[[], None]) -> tuple[int, str]:
    import io

    from qttt.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    status = main(["play", str(file), "--backend", "dice"], stdin=typing(*lines), stdout=out, stderr=err)  # type: ignore[arg-type]
    return status, out.getvalue() + err.getvalue()


def _put(file: Path, text: str) -> None:
    file.write_text(text)


@pytest.mark.parametrize("other", ["9 8 7", "this is no record", "5 6 7 8"])
def test_a_file_replaced_under_a_game_is_left_and_the_game_goes_on_beside_it(
    tmp_path: Path, other: str
) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("1. 5 6")
    status, said = play(file, "1", lambda: _put(file, other), "2", "3")
    assert status == 0
    assert f"Somebody else has changed {file}; this game goes on in {tmp_path / 'game-2.qttt'}." in said
    assert file.read_text() == other
    assert [str(event) for event in load_record(tmp_path / "game-2.qttt").events] == ["5", "6", "1", "2", "3"]


def test_the_same_game_at_an_earlier_moment_is_no_other_game(tmp_path: Path) -> None:
    file = tmp_path / "game.qttt"
    file.write_text("1. 5 6")
    status, _ = play(file, "1", "undo", "2", lambda: _put(file, "5"), "3", file.unlink, "4")
    assert status == 0
    assert os.listdir(tmp_path) == ["game.qttt"]
    assert [str(event) for event in load_record(file).events] == ["5", "6", "2", "3", "4"]


def test_a_folder_that_goes_away_prints_the_game(tmp_path: Path) -> None:
    folder = tmp_path / "shelf"
    folder.mkdir()
    file = folder / "game.qttt"
    file.write_text("5")

    def remove() -> None:
        file.unlink()
        folder.rmdir()

    _, said = play(file, "6", remove, "7")
    assert "cannot save" in said
    assert "1. 5 6\n2. 7" in said


def test_a_symbolic_link_stays_one_while_a_game_is_saved(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "game.qttt", tmp_path / "link.qttt"
    target.write_text("5")
    link.symlink_to(target)
    assert play(link, "6")[0] == 0
    assert link.is_symlink()
    assert [str(event) for event in load_record(target).events] == ["5", "6"]
    assert os.listdir(target.parent) == ["game.qttt"]
    dangling = tmp_path / "dangling.qttt"
    dangling.symlink_to(tmp_path / "missing" / "game.qttt")
    done = run("observe", FULL, "--level", "1", "--backend", "dice", "--save", str(dangling))
    assert done.status == 2
    assert "no such file or folder" in done.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_closed_window_or_a_shutdown_keeps_the_game(tmp_path: Path, number: signal.Signals) -> None:
    program = subprocess.Popen(
        [*QTTT, "play", "--backend", "dice"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write(b"5\n6\n")
    program.stdin.flush()
    seen = b""
    while seen.count(b" places ") < 2:
        seen += os.read(program.stdout.fileno(), 65536)
    program.send_signal(number)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (130, b"")
    (kept,) = tmp_path.iterdir()
    assert f"The record is kept in {kept.name}".encode() in out
    assert [str(event) for event in load_record(kept).events] == ["5", "6"]


@pytest.mark.slow
@pytest.mark.parametrize("home", [None, "/proc/no/home"])
def test_without_a_home_folder(tmp_path: Path, home: str | None) -> None:
    out = tmp_path / "circuit.png"
    for argv in (
        ["odds", "5"],
        ["observe", FULL, "--level", "1", "--seed", "1"],
        ["circuit", "5 5*6", "--format", "png", "--out", str(out)],
        ["backends"],
    ):
        folders = {"HOME": home, "MPLCONFIGDIR": None, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None}
        done = process(*argv, environment=folders)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_clock_that_jumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the clock says, names are new, saved games are the latest, and searches end."""
    monkeypatch.chdir(tmp_path)
    times = iter([2e9, 0.0, -1e9, 4e9, 1.0] * 10_000)
    monkeypatch.setattr(time, "time", lambda: next(times))
    for number in range(3):
        done = run("play", "--o", "search:0.01", "--backend", "dice", "--seed", "1", stdin="5\nquit\n")
        assert (done.status, done.err) == (0, "")
        assert len(os.listdir(tmp_path)) == number + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "columns"), [("odds", 1), ("dice", 20), ("moves", 20), ("circuit", 20), ("explain", 20)]
)
def test_a_narrow_terminal(command: str, columns: int) -> None:
    status, seen = in_terminal([command, "5 5*6 1+3"], b"", columns=columns)
    assert status == 0, seen
    assert "Traceback" not in seen


@pytest.mark.slow
def test_a_demonstration_in_a_narrow_terminal() -> None:
    status, seen = in_terminal(["play", "--demo", "--level", "3", "--backend", "dice"], b"", columns=20)
    assert status == 0, seen
    assert "Traceback" not in seen


@pytest.mark.slow
@pytest.mark.parametrize("term", ["xterm", "dumb", "nonsense"])
def test_a_game_in_a_narrow_terminal(tmp_path: Path, term: str) -> None:
    file = tmp_path / "game.qttt"
    argv = ["play", "--backend", "dice", "--record", str(file)]
    status, seen = in_terminal(argv, b"5\r6\rquit\r", columns=20, term=term)
    assert status == 0, seen
    assert "Traceback" not in seen
    assert [str(event) for event in load_record(file).events] == ["5", "6"]


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        *(pytest.param({"LC_ALL": name}, marks=pytest.mark.slow) for name in ("POSIX", "xx_YY.nonsense")),
    ],
)
def test_a_locale_without_utf_8(locale: dict[str, str], tmp_path: Path) -> None:
    environment: dict[str, str | None] = {
        **locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": None,
        "LANG": None,
    }
    file = tmp_path / "Spiel von Łukasz.qttt"
    file.write_text('[X "Łukasz"] {△ □} 5 5*6', encoding="utf-8")
    done = process("odds", str(file), environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    done = process(
        "play", str(file), "--backend", "dice", stdin="1 {Łukasz}\n7\n".encode(), environment=environment
    )
    assert (done.returncode, done.stderr) == (0, b"")
    record = load_record(file)
    assert record.headers["X"] == "Łukasz"
    assert [str(event) for event in record.events] == ["5", "5*6", "7"]
    assert "xyz" in one_line(process("odds", "5 {Łukasz} xyz", environment=environment), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "argv",
    [
        ["odds", "1+3 1*2 9 3*4 5+6 7+8"],
        ["moves", "5"],
        ["dice", "5 5*6"],
        ["observe", FULL, "--level", "1", "--backend", "dice"],
        ["check", "5 5*6"],
        ["explain", "5 5*6 1+3"],
        ["perft", "--level", "2", "--depth", "2"],
        ["backends"],
        ["play", "--x", "random", "--o", "random", "--backend", "dice", "--seed", "1"],
        ["advise", "5"],
        ["rules"],
        ["--help"],
    ],
    ids=lambda argv: argv[0],
)
def test_output_that_nobody_reads_to_its_end(argv: list[str], tmp_path: Path) -> None:
    """As in ``qttt odds … | head -1``: no complaint, whichever line is the last that is read."""
    program = subprocess.Popen(
        [*QTTT, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert program.stdout is not None and program.stderr is not None
    assert program.stdout.readline()
    program.stdout.close()
    complaint = program.stderr.read()
    assert program.wait(120) == 0, complaint
    assert complaint == b""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole program in a zip, as ``python -m zipapp`` makes it."""
    file = tmp_path_factory.mktemp("zip") / "qttt.pyz"
    with zipfile.ZipFile(file, "w") as made:
        for package in ("qttt", "circuits"):
            for path in sorted((ROOT / package).rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    made.write(path, path.relative_to(ROOT))
        made.writestr(
            "__main__.py",
            "import sys\nfrom qttt.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n",
        )
    return file


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["solve", "--level", "1"], "5"),
        *(
            pytest.param(argv, says, marks=pytest.mark.slow)
            for argv, says in (
                (["solve", "--level", "1", "--options", "measure-turn"], "measure-turn"),
                (["advise", "5"], "5*1"),
                (["explain", "5", "--out", "lesson.html"], "Wrote lesson.html."),
                (["draw", "5", "--out", "board.png"], "Wrote board.png."),
                (["check", "5 5*6", "--seed", "1"], "Everything agrees."),
                (
                    ["selfplay", "--x", "perfect", "--o", "medium", "--games", "2", "--jobs", "2"],
                    "perfect plays X",
                ),
            )
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_program_runs_from_a_zip(archive: Path, tmp_path: Path, argv: list[str], says: str) -> None:
    """What ships beside the modules, tables and templates, is found there too."""
    done = subprocess.run(
        [sys.executable, str(archive), *argv], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert says in done.stdout
