"""The program as a process of its own: start-up, pipes, encodings, terminals, signals."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tests.support.terminals import in_terminal

QTTT = [sys.executable, "-m", "qttt"]
FULL = "1 5 2 6 3+4 7 8 9"
PLUS = "1+3 1-2 4 5 6 7 8 9"
ROOT = Path(__file__).parents[2]


def qttt(*argv: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*QTTT, *argv],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=60,
    )


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["odds", "5", "--json"], 0),
        (["odds", "5 5"], 2),
        (["nonsense"], 2),
        (["--help"], 0),
        (["observe", FULL, "--level", "1", "--backend", "dice", "--seed", "1"], 0),
    ],
)
def test_exit_statuses(argv: list[str], status: int) -> None:
    done = qttt(*argv)
    assert done.returncode == status
    assert (done.stderr == b"") is (status == 0)
    assert done.stderr.count(b"\n") == (status != 0)
    assert (done.stdout == b"") is (status != 0)


def test_light_commands_import_nothing_heavy() -> None:
    code = (
        "import sys, io; from qttt.cli.main import main; "
        "status = main(sys.argv[1:], stdout=io.StringIO()); "
        "heavy = {'numpy', 'qiskit', 'qiskit_aer', 'matplotlib', 'rich', 'scipy'}; "
        "print(status, *sorted(heavy & set(sys.modules)))"
    )
    for command in ("odds", "moves", "dice"):
        argv = [sys.executable, "-c", code, command, "1+3 1*2", "--json"]
        done = subprocess.run(argv, capture_output=True, cwd=ROOT, check=True)
        assert done.stdout.split() == [b"0"]
        done = subprocess.run(argv[:-1], capture_output=True, cwd=ROOT, check=True)
        assert done.stdout.split() == [b"0", b"rich"]


@pytest.mark.parametrize(
    "command",
    [["odds", "1+3 1*2 9 3*4 5+6 7+8"], pytest.param(["circuit", "5"], marks=pytest.mark.slow), ["--help"]],
)
def test_a_reader_that_leaves_is_no_problem(command: list[str]) -> None:
    program = subprocess.Popen([*QTTT, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    assert program.wait(60) == 0


@pytest.mark.slow
def test_a_failed_check_says_so_even_if_nobody_reads() -> None:
    code = (
        "import sys; from qttt.cli import main as cli; from qttt.crosscheck import check as crosscheck; from "
        "qttt.game.symbols import Mode; "
        "true = crosscheck.compile_board; "
        "crosscheck.compile_board = lambda game, mode, style: true(game, Mode.ROTATED, style); "
        "sys.exit(cli.main())"
    )
    argv = [sys.executable, "-c", code, "check", "1+3 1-2", "--level", "4", "--shots", "50"]
    program = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    assert program.wait(60) == 1


def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*QTTT, "odds", "5"], stdout=full, stderr=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr == b"qttt: error: cannot write the output: No space left on device\n"


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("odds 5 <&-", 0, ""),
        ("odds - <&-", 2, "cannot read standard input: it is closed"),
        ("odds - 0>/dev/null", 2, "cannot read standard input: bad file descriptor"),
        ("odds /dev/stdin <&-", 2, "cannot read '/dev/stdin': no such file or folder"),
        ("play --backend dice <&-", 2, "cannot read standard input: it is closed"),
        ("odds 5 >&-", 2, "cannot write the output: it is closed"),
        ("odds 5 --json >&-", 2, "cannot write the output: it is closed"),
        ("--help >&-", 2, "cannot write the output: it is closed"),
        ("odds --help >/dev/full", 2, "cannot write the output: No space left on device"),
        ("odds 5 >&- 2>&- <&-", 2, ""),
        ("odds '5 5' 2>&-", 2, ""),
        ("odds '5 5' 2>/dev/full", 2, ""),
    ],
)
def test_closed_and_full_streams(line: str, status: int, said: str) -> None:
    done = subprocess.run(f"{' '.join(QTTT)} {line}", shell=True, cwd=ROOT, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr.decode()) == (status, f"qttt: error: {said}\n" if said else "")


def test_no_file_takes_the_place_of_a_closed_stream() -> None:
    """What compiled libraries write to standard output or standard error would land in it."""
    code = (
        "import os, sys; from qttt.__main__ import main; "
        "sys.argv[1:] = ['odds', '5']; status = main(); "
        "sys.exit(10 * status + os.open('/dev/null', os.O_RDONLY))"
    )
    done = subprocess.run(f'{sys.executable} -c "{code}" >&- 2>&-', shell=True, cwd=ROOT, timeout=60)
    assert done.returncode >= 23


@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(name, marks=pytest.mark.slow) for name in ("latin-1", "cp1252"))],
)
def test_encodings_without_the_glyphs(encoding: str) -> None:
    # What is drawn by Qiskit takes a second to import, and is the same text for all three.
    for argv in (["odds", "5 5*6"], *([["circuit", "1 1*2"]] if encoding == "ascii" else [])):
        done = qttt(*argv, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()
        assert b"\\u" not in done.stdout
    named = qttt(
        "observe", f'[X "\u0141ukasz"] {FULL}', "--level", "1", "--backend", "dice", PYTHONIOENCODING=encoding
    )
    assert named.returncode == 0
    assert b"\\u0141ukasz" in named.stdout


def test_an_encoding_with_the_glyphs() -> None:
    drawn = qttt("odds", "5 5*6", PYTHONIOENCODING="utf-8").stdout.decode()
    assert "△ 2R" in drawn


def test_an_argument_that_is_no_text_is_refused() -> None:
    done = subprocess.run([*QTTT, "odds", b"5 {\xff}"], capture_output=True, cwd=ROOT)
    assert done.returncode == 2
    assert b"line 1, column 4: a record is text, and the character U+DCFF has no place in it" in done.stderr


def test_output_does_not_depend_on_hash_seeds() -> None:
    outputs = {qttt("odds", "5 5*6 1+3", PYTHONHASHSEED=str(seed)).stdout for seed in (0, 1, 77)}
    assert len(outputs) == 1


QUESTION = b"[standard/rotated] "


@pytest.mark.parametrize(
    ("typed", "status"),
    [(b"rotated\n", 0), (b"\x04", 130), (b"\x03", 130)],
    ids=["answer", "end of input", "interrupt"],
)
def test_the_question_for_the_mode(tmp_path: Path, typed: bytes, status: int) -> None:
    file = tmp_path / "game.qttt"
    file.write_text(f'[Level "4"]\n{PLUS}\n')
    argv = ["observe", str(file), "--backend", "dice", "--seed", "1"]
    ended, seen = in_terminal(argv, typed, wait_for=QUESTION)
    assert ended == status
    assert "\x1b[" in seen
    assert "Traceback" not in seen
    if status:
        assert f"the observed positions are kept in {file}" in seen
        assert "=p:" in file.read_text()
    else:
        assert "Observed in rotated mode on dice" in seen
        assert "=p:" not in file.read_text()


def test_an_interrupt_ends_a_long_command_with_130() -> None:
    program = subprocess.Popen(
        [*QTTT, "perft", "--level", "2", "--depth", "6"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2)
    program.send_signal(signal.SIGINT)
    try:
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    assert (program.returncode, out, err) == (130, b"", b"qttt: error: interrupted\n")


def test_version_as_a_module() -> None:
    assert re.fullmatch(rb"qttt \S.*\n", qttt("--version").stdout)


@pytest.mark.parametrize(("command", "status"), [("explain", 2), ("observe", 2), ("odds", 0)])
def test_no_folder_for_temporary_files_is_no_fault_of_the_program(command: str, status: int) -> None:
    code = (
        "import sys, tempfile; tempfile._candidate_tempdir_list = lambda: ['/nonexistent']; "
        "from qttt.cli.main import main; sys.exit(main())"
    )
    argv = [sys.executable, "-c", code, command, FULL, "--level", "1"]
    done = subprocess.run(argv, capture_output=True, cwd=ROOT)
    assert done.returncode == status
    line = b"qttt: error: no folder for temporary files can be written to, and Qiskit needs one: "
    assert done.stderr.startswith(line if status else b"")
    assert done.stderr.count(b"\n") == (status == 2)


CHOSEN = '[Level "4"]\n1+3 1*2 4+6 4*5 7 8 9'
INTERRUPTED = [
    ["observe", "1+3 1*2 9 3*4 5+6 7+8", "--backend", "fake_torino", "--shots", "1000000"],
    ["check", "1+3 1*2 9 3*4 5+6 7+8", "--backend", "fake_torino", "--shots", "1000000"],
    ["check", "1+3 1*2 9 3*4 5+6 7+8", "--backend", "dice", "--shots", "1000000"],
    ["observe", CHOSEN, "--backend", "fake_torino", "--dynamic", "1", "--shots", "200000"],
    ["solve", "--level", "5", "--recompute"],
    ["selfplay", "--x", "random", "--o", "random", "--games", "100000"],
]


@pytest.mark.slow
@pytest.mark.ibm
@pytest.mark.parametrize("argv", INTERRUPTED, ids=lambda argv: " ".join((argv[0], *argv[2:4])))
def test_an_interrupt_at_a_random_moment_is_answered_soon(argv: list[str]) -> None:
    """Seconds allowed are many, because the machine may be busy; undisturbed it is about one."""
    random = np.random.default_rng(len(argv[0]))
    for _ in range(3):
        program = subprocess.Popen(
            [*QTTT, *argv], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with suppress(subprocess.TimeoutExpired):
            program.wait(1 + 9 * random.random())
            break  # Quicker than the signal.
        program.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, complaint = program.communicate(timeout=60)
        print(f"{time.monotonic() - began:.2f} s")
        assert time.monotonic() - began < 8
        assert (program.returncode, complaint) == (130, "qttt: error: interrupted\n")


def test_an_interrupt_after_everything_is_done_changes_nothing() -> None:
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    program = (
        f"{late}; import sys; sys.argv = ['qttt', '-V']; from qttt.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("qttt ")
