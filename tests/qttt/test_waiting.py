"""What a person sees while a command works, and that a pipe sees nothing."""

import io
import shlex
import time

import pytest

from qttt.cli import main
from qttt.commands.session import Session
from qttt.commands.waiting import waiting


class Screen(io.StringIO):
    """Standard error on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal, and a program without patience."""
    monkeypatch.setattr("qttt.commands.waiting.PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def session(stderr: io.StringIO) -> Session:
    return Session(io.StringIO(), io.StringIO(), stderr)


def wait_for(screen: Screen, words: str) -> None:
    until = time.monotonic() + 30
    while words not in screen.getvalue() and time.monotonic() < until:
        time.sleep(0.01)
    assert words in screen.getvalue()


def test_long_work_is_shown_and_the_line_goes_away(screen: Screen) -> None:
    with waiting(session(screen), "counting", 3) as step:
        step()
        wait_for(screen, "counting")
        step()
        step()
    shown = screen.getvalue()
    assert "\x1b[2K" in shown.rpartition("counting")[2], "the line is erased"
    time.sleep(0.2)
    assert screen.getvalue() == shown, "and nothing comes after it"


def test_an_interrupt_takes_the_line_away(screen: Screen) -> None:
    with pytest.raises(KeyboardInterrupt), waiting(session(screen), "counting"):
        wait_for(screen, "counting")
        raise KeyboardInterrupt
    shown = screen.getvalue()
    assert "\x1b[2K" in shown.rpartition("counting")[2]
    time.sleep(0.2)
    assert screen.getvalue() == shown


def test_short_work_shows_nothing(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.commands.waiting.PATIENCE", 60)
    with waiting(session(screen), "counting") as step:
        step()
    assert screen.getvalue() == ""


def test_nothing_is_shown_in_a_pipe(screen: Screen) -> None:
    stderr = io.StringIO()
    with waiting(session(stderr), "counting") as step:
        step()
        time.sleep(0.1)
    assert stderr.getvalue() == ""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("perft --level 2 --depth 3", "counting"),
        ("check '1+3 1-2' --level 4 --mode rotated --seed 1", "checking with 4,096 shots"),
        ("observe '1+3 1*2 9 3*4 5+6 7+8' --seed 1 --shots 100000", "observing by aer"),
        ("explain '1+3 1*2 9'", "explaining"),
        ("circuit '1+3' --format stats", "counting gates"),
        ("puzzle --seed 1", "looking for a puzzle"),
    ],
)
def test_commands_show_what_they_are_at(screen: Screen, command: str, words: str) -> None:
    """On standard error alone: what a pipe on standard output gets is the same as without a terminal."""
    out, plain = io.StringIO(), io.StringIO()
    assert main(shlex.split(command), stdout=out, stderr=screen) == 0, screen.getvalue()
    assert main(shlex.split(command), stdout=plain, stderr=io.StringIO()) == 0
    assert out.getvalue() == plain.getvalue()
    assert words in screen.getvalue()
