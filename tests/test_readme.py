"""What the README and the guide print is what the program prints."""

import doctest
import io
import re
import shlex
from argparse import ArgumentParser
from pathlib import Path

import pytest

from qttt.cli.commands import COMMANDS
from qttt.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "examples" / "guide").glob("*.md"))]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def transcripts(page: Path) -> list[tuple[str, str]]:
    """Every ``$ qttt …`` of a page's console blocks, with the output printed below it."""
    found = []
    for block in CONSOLE.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


CASES = [(page, command, printed) for page in PAGES for command, printed in transcripts(page)]


@pytest.mark.parametrize(
    ("page", "command", "printed"), CASES, ids=[f"{page.name}: {command}" for page, command, _ in CASES]
)
def test_a_command_prints_what_the_page_says(
    page: Path, command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command, comments=True)
    assert words[0] == "qttt"
    out, err = io.StringIO(), io.StringIO()
    assert main(words[1:], stdin=io.StringIO(), stdout=out, stderr=err) == 0, err.getvalue()
    assert out.getvalue().rstrip() == printed.rstrip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_readme_lists_every_command() -> None:
    listed = set(re.findall(r"^\| `qttt (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE))
    assert listed == {entry.name for entry in COMMANDS}


def test_the_readme_says_which_commands_take_json() -> None:
    said = re.search(r"All but (.*) take `--json` for machines", (ROOT / "README.md").read_text())
    assert said is not None
    without = set()
    for entry in COMMANDS:
        parser = ArgumentParser()
        entry.load().add_arguments(parser)
        if "--json" not in parser.format_help():
            without.add(entry.name)
    assert without == set(re.findall(r"`(\w+)`", said[1]))


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "tests" / "README.md", *sorted((ROOT / ".github").glob("*.md"))], ids=str
)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_there_is_something_to_test() -> None:
    assert len(transcripts(ROOT / "README.md")) >= 4
