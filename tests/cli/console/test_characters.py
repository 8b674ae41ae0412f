"""Text from outside on a terminal: shown, never obeyed."""

import os
import re
from pathlib import Path

import pytest
from rich.text import Text

from qttt.cli.console.characters import visible
from qttt.cli.console.session import Session
from qttt.cli.console.tables import plain_table
from qttt.cli.main import main
from tests.support.cli_runs import Terminal, run
from tests.support.terminals import in_terminal

OVERRIDE = "\u202e"
NAME = f"Ada{OVERRIDE}adA"
# All that our own programs send a terminal for colours; a text may hold nothing that looks like it.
_OURS = re.compile(r"\x1b\[[0-9;]*m")


def obeyed(seen: str) -> list[str]:
    """What a terminal would obey in an output, but for our colours."""
    rest = _OURS.sub("", seen)
    return re.findall(r"[^\n\t\x20-\x7e\u00a0-\uffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", rest)


@pytest.mark.parametrize(
    "character",
    [
        *map(chr, (0, 7, 8, 0x0B, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x9D, 0x61C, 0x200E, 0x200F, 0x2028)),
        *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xDC9B)),
    ],
    ids=lambda character: f"U+{ord(character):04X}",
)
def test_what_a_terminal_obeys_is_an_escape(character: str) -> None:
    escape = visible(f"a{character}b")[1:-1]
    assert escape.isascii() and escape.isprintable()
    assert escape.encode().decode("unicode_escape") == character


def test_everything_else_stays() -> None:
    text = "Łukasz △ □ – “x” \t\n \u05d0\u05d1 \u0639 \U0001f600 e\u0301 a\u200db \\x1b"
    assert visible(text) == text


def test_strings_texts_and_cells_are_shown_and_our_colours_stay() -> None:
    table = plain_table("board\x1b[2J", ">n")
    table.add_row(f"x{OVERRIDE}y", "\x9b31m")
    out, err = Terminal(), Terminal()
    session = Session(Terminal(), out, err)
    items = ("a\x1b]0;title\x07", Text(f"b{OVERRIDE}c", "bold"), Text("two\n\x1blines"), table)
    session.show(*items)
    session.show(*items, to_stderr=True)
    session.write("d\x1bc\n")
    for stream in (out, err):
        assert obeyed(stream.getvalue()) == []
        assert r"a\x1b]0;title\x07" in stream.getvalue()
        assert r"b\u202ec" in _OURS.sub("", stream.getvalue())
        assert "\x1b[1m" in stream.getvalue()
        # Cells are as wide as what they show, so nothing of them is cut off.
        for cell in (r"board\x1b[2J", r"x\u202ey", r"\x9b31m"):
            assert cell in stream.getvalue()
    assert r"d\x1bc" in out.getvalue()


@pytest.mark.parametrize(
    "argv",
    [
        ["odds", "\x1b[31mgame.qttt"],
        ["odds", f"game{OVERRIDE}.qttt"],
        ["odds", "5 {\x1b[31m} 5x"],
        ["odds", "5", f"--mode={OVERRIDE}"],
        ["\x9b31m"],
        ["play", "--x", "\x1b]0;title\x07"],
        ["circuit", "5", "--format", "png", "--out", "/no\u2066folder/\x1bx.png"],
        ["explain", "5", "--out", f"{OVERRIDE}.\x1b"],
        ["observe", "--resume", "\x1b[31m.job"],
        ["--debug", "odds", f"game\r{OVERRIDE}.qttt"],
    ],
    ids=ascii,
)
def test_problems_name_what_they_are_about_in_visible_characters(argv: list[str]) -> None:
    done = run(*argv)
    assert done.status == 2
    assert obeyed(done.err) == []
    assert "\\" in done.err


@pytest.mark.parametrize("command", [["explain"], ["observe", "--level", "1", "--backend", "dice"]])
def test_headers_and_comments_on_a_terminal(command: list[str]) -> None:
    record = f'[Level "1"] [X "{NAME}"] {{\u2067note\u2069}} 1 5 2 6 3+4 7 8 9'
    out = Terminal()
    words = [command[0], record, *command[1:]]
    assert main(words, stdin=Terminal(), stdout=out, stderr=Terminal()) == 0
    assert obeyed(out.getvalue()) == []
    assert r"Ada\u202eadA" in out.getvalue()


def test_a_record_in_a_pipe_is_as_it_was() -> None:
    """Marks of direction belong in texts of some languages; only a terminal is spared them."""
    record = f'[X "{NAME}"] {{\u200fnote\u200f}} 1 5 2 6 3+4 7 8 9'
    done = run("observe", record, "--level", "1", "--backend", "dice", "--seed", "1")
    assert f'[X "{NAME}"]' in done.out
    assert "{\u200fnote\u200f}" in done.out


def test_file_names_on_a_real_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that would clear the screen and turn the words after it."""
    monkeypatch.chdir(tmp_path)
    name = f"\x1b[2Jx{OVERRIDE}.svg"
    status, seen = in_terminal(["draw", "5", "--out", name], b"")
    assert status == 0
    assert os.listdir(tmp_path) == [name]
    assert obeyed(seen.replace("\r\n", "\n")) == []
    assert r"Wrote \x1b[2Jx\u202e.svg" in seen
