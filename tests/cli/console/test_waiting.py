"""What a person sees while a command works, and that a pipe sees nothing."""

import io
import re
import shlex
import sys
import time

import pytest

from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.cli.main import main
from tests.support.cli_runs import AtOnce, Terminal

ERASED = "\x1b[2K"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, and a program without patience."""
    monkeypatch.setattr("qttt.cli.console.waiting.Timer", AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def session(stderr: io.StringIO) -> Session:
    return Session(io.StringIO(), io.StringIO(), stderr)


def test_long_work_is_shown_and_the_line_goes_away(screen: Terminal) -> None:
    with waiting(session(screen), "counting", 3) as wait:
        wait.step()
        wait.step()
        wait.tell("counting on")
    shown = screen.getvalue()
    assert "counting" in shown
    assert "counting on" in shown, "the last that was told is drawn once more before the line goes"
    assert re.search(r"2/3\b", re.sub(r"\x1b\[[0-9;]*m", "", shown))
    assert ERASED in shown.rpartition("counting on")[2]
    time.sleep(0.3)
    assert screen.getvalue() == shown, "nothing comes after it"


def test_the_real_timer_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.cli.console.waiting.PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    with waiting(session(screen), "counting"):
        until = time.monotonic() + 60
        while "counting" not in screen.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        assert "counting" in screen.getvalue()


def test_the_time_counts_from_the_beginning(screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not from when the line appeared."""
    began = time.monotonic() - 3661
    monkeypatch.setattr("qttt.cli.console.waiting.monotonic", lambda: began)
    with waiting(session(screen), "counting"):
        pass
    assert "1:01:01" in screen.getvalue()


def test_an_interrupt_takes_the_line_away(screen: Terminal) -> None:
    with pytest.raises(KeyboardInterrupt), waiting(session(screen), "counting"):
        raise KeyboardInterrupt
    assert ERASED in screen.getvalue().rpartition("counting")[2]


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.cli.console.waiting.PATIENCE", 60)
    screen = Terminal()
    with waiting(session(screen), "counting") as wait:
        wait.step()
    assert screen.getvalue() == ""


def test_nothing_is_shown_in_a_pipe_or_on_a_dumb_terminal(
    screen: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = io.StringIO()
    with waiting(session(pipe), "counting") as wait:
        wait.step()
    assert pipe.getvalue() == ""
    monkeypatch.setenv("TERM", "dumb")
    with waiting(session(screen), "counting") as wait:
        wait.tell("on")
    assert screen.getvalue() == ""


def test_the_line_is_ascii_and_says_what_it_is_told(screen: Terminal) -> None:
    """Whatever the terminal has, and square brackets too."""
    with waiting(session(screen), "[red]counting[/oops]", 45):
        pass
    assert screen.getvalue().isascii()
    assert "[red]counting[/oops]" in screen.getvalue()


def test_what_others_print_stays_where_they_print_it(screen: Terminal) -> None:
    before = sys.stdout, sys.stderr
    with waiting(session(screen), "counting"):
        assert (sys.stdout, sys.stderr) == before


def test_a_screen_that_cannot_be_written_to_disturbs_nothing(screen: Terminal) -> None:
    class Broken(Terminal):
        def write(self, text: str) -> int:
            raise OSError("gone")

    with waiting(session(Broken()), "counting") as wait:
        wait.step()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("perft --level 2 --depth 2", "counting"),
        ("check '1+3 1-2' --level 4 --mode rotated --seed 1", "checking with 4,096 shots"),
        ("observe '1+3 1*2 9 3*4 5+6 7+8' --seed 1", "observing on aer"),
        ("explain '1+3 1*2 9'", "explaining"),
        ("advise '1+3 1*2 9'", "thinking"),
        ("circuit '1+3'", "drawing"),
        ("circuit '1+3' --format stats", "counting gates"),
        ("puzzle --seed 1", "looking for a puzzle"),
        ("solve --level 0 --recompute", "solving"),
    ],
)
def test_commands_show_what_they_are_at(screen: Terminal, command: str, words: str) -> None:
    """On standard error alone: what a pipe on standard output gets is the same as without a terminal."""
    out, plain = io.StringIO(), io.StringIO()
    assert main(shlex.split(command), stdout=out, stderr=screen) == 0, screen.getvalue()
    assert main(shlex.split(command), stdout=plain, stderr=io.StringIO()) == 0
    assert out.getvalue() == plain.getvalue()
    assert words in screen.getvalue()
    assert ERASED in screen.getvalue()
