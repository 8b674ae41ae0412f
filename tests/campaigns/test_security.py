"""Files are data: nothing in them runs, names a place to write to, or reaches a page as code."""

import ast
import io
import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest

from circuits.errors import CircuitsError
from qttt.cli.main import main
from qttt.errors import QtttError
from qttt.records.files import load_record
from tests.support.cli_runs import run

ROOT = Path(__file__).parents[2]
FULL = "1 5 2 6 3+4 7 8 9"

#: Modules that run or build whatever the data says.
DANGEROUS_MODULES = frozenset(
    {
        "pickle",
        "cPickle",
        "dill",
        "cloudpickle",
        "marshal",
        "shelve",
        "yaml",
        "subprocess",
        "xml",
        "code",
        "runpy",
    }
)
DANGEROUS_NAMES = frozenset({"eval", "exec", "compile", "__import__", "input", "breakpoint"})
DANGEROUS_ATTRIBUTES = frozenset(
    {
        "system",
        "popen",
        "qpy",
        "read_pickle",
        "from_qasm_file",
        "from_qasm_str",
        "loadtxt",
        "extractall",
        "mktemp",
    }
)


def sources() -> list[Path]:
    return [path for folder in ("qttt", "circuits") for path in sorted((ROOT / folder).rglob("*.py"))]


def dangers(text: str) -> set[str]:
    """What in a module's text could run data."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import():
                found |= {alias.name for alias in node.names if alias.name.split(".")[0] in DANGEROUS_MODULES}
            case ast.ImportFrom(module=str(module)):
                found |= {module} if module.split(".")[0] in DANGEROUS_MODULES else set()
                found |= {alias.name for alias in node.names if alias.name in DANGEROUS_ATTRIBUTES}
            case ast.Call(func=ast.Name(id=name)) if name in DANGEROUS_NAMES:
                found.add(name)
            case ast.Attribute(attr=attribute) if attribute in DANGEROUS_ATTRIBUTES:
                found.add(attribute)
            case ast.Call() if any(
                keyword.arg == "allow_pickle"
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
                for keyword in node.keywords
            ):
                found.add("allow_pickle")
    return found


def test_no_module_can_run_what_a_file_says() -> None:
    # A simulation runs in this interpreter's own module, by its full path and without a shell.
    assert {path.name: found for path in sources() if (found := dangers(path.read_text()))} == {
        "simulation_process.py": {"subprocess"}
    }
    assert dangers("import pickle.x\nfrom os import system\neval('1')\nnp.load(f, allow_pickle=True)") == {
        "pickle.x",
        "system",
        "eval",
        "allow_pickle",
    }


def test_modules_are_imported_by_names_that_are_written_in_the_program() -> None:
    """``import_module`` takes a constant, an entry of the lists of commands and of names, or ``--backend``'s.

    That a file names no module is held by `tests.cli.test_foreign_backends`.
    """
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
                (named,) = node.args
                constant = isinstance(named, ast.Constant)
                listed = path in (
                    ROOT / "qttt" / "cli" / "commands" / "__init__.py",
                    ROOT / "qttt" / "__init__.py",
                    ROOT / "circuits" / "backends" / "providers.py",
                )
                assert constant or listed, f"{path}:{node.lineno}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    return inside


PLACES = ["../outside", "/tmp/outside", "..", "sub/outside", "~/outside", "outside\u2215x", "$HOME/outside"]


@pytest.mark.parametrize("place", PLACES)
def test_headers_name_no_place_to_write_to(folder: Path, place: str) -> None:
    """Every header of a record, as a place: only the record's own file is written."""
    keys = ("X", "O", "Date", "Event", "File", "Record", "Save", "Out", "Site")
    text = "\n".join(f'[{key} "{place}"]' for key in keys) + f'\n[Level "1"]\n{FULL}\n'
    Path("game.qttt").write_text(text)
    before = set(folder.parent.rglob("*"))
    run("play", "game.qttt", "--backend", "dice", "--seed", "1")
    run("observe", "game.qttt", "--backend", "dice", "--seed", "1")
    run("explain", "game.qttt")
    assert set(folder.parent.rglob("*")) == before
    assert load_record("game.qttt").headers["Site"] == place


@pytest.mark.ibm
@pytest.mark.parametrize("place", PLACES)
def test_job_files_name_no_place_outside_their_folder(folder: Path, place: str) -> None:
    from qttt.observation.job_file import find
    from tests.campaigns.seeds import seeds

    (folder.parent / "outside").write_text('[Job "fake_torino local-1 game.job"]\n5 5*6')
    job = json.loads(seeds("pending")[0])
    for value in (place, place + "\0"):
        Path("game.job").write_text(json.dumps({**job, "payload": {**job["payload"], "file": value}}))
        try:
            found = find("game.job")
        except (QtttError, CircuitsError):
            continue
        assert found.file is not None
        assert os.path.realpath(found.file).startswith(str(folder.resolve()))
    Path("game.qttt").write_text(f'[Job "fake_torino local-1 {place}"]\n5 5*6')
    with pytest.raises((QtttError, CircuitsError)):
        find("game.qttt")


@pytest.mark.parametrize("code", [0x00, 0x07, 0x08, 0x1B, 0x7F, 0x9B, 0x9D])
def test_control_characters_never_reach_a_terminal_from_a_record(code: int) -> None:
    """An escape sequence in a name could rewrite the screen, or the title of the window."""
    for record in (f'[X "{chr(code)}[2J"] 5', f"5 {{{chr(code)}]0;title}}", f"5 {chr(code)}[31m"):
        done = run("explain", "-", stdin=record)
        assert done.status == 2
        assert chr(code) not in done.out + done.err


@pytest.mark.ibm
def test_control_characters_never_reach_a_terminal_from_a_job(folder: Path) -> None:
    """Neither from the file of somebody else's job, nor from what a service says of one."""
    from circuits.backends.ibm.errors import scrub
    from tests.campaigns.seeds import seeds

    escape = "\x1b[2J"
    check = next(json.loads(seed) for seed in seeds("pending") if b"qttt check" in seed and b"done" in seed)
    failed = {**check, "state": "failed", "results": None, "reason": f"a {escape} reason"}
    label = {**check, "circuits": [{**check["circuits"][0], "label": escape}]}
    record = {**check, "payload": {**check["payload"], "record": f'[X "{escape}"] 5'}}
    for job in (failed, label, record, {**check, "backend": f"fake_{escape}"}, {**check, "job_id": escape}):
        Path("a.job").write_text(json.dumps(job))
        done = run("check", "--resume", "a.job")
        assert done.status == 2
        assert "\x1b" not in done.out + done.err
    assert scrub(f"Too long{escape}\nindeed") == "Too long [2J indeed"


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag, *(name for name, _ in attrs)]
        self.found += [value or "" for name, value in attrs if name in ("href", "src", "style")]


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>"


def test_no_form_of_output_carries_a_header_or_a_comment_as_markup(folder: Path) -> None:
    Path("game.qttt").write_text(f'[Level "2"]\n[X "{HOSTILE}"]\n[Event "{HOSTILE}"]\n{{{HOSTILE}}} 5 5*6')
    done = run("explain", "game.qttt", "--format", "html", "--out", "page.html")
    assert done.status == 0, done.err
    found = Page(Path("page.html").read_text()).found
    assert found.count("script") == 1
    assert not {"img", "onerror"} & set(found)
    assert not any("javascript:" in value for value in found)


def test_notebooks_show_a_game_without_its_headers_as_markup() -> None:
    from qttt.notebook import game_html, position_svg
    from qttt.records.record import Record

    game = Record.parse(f'[X "{HOSTILE}"] {{{HOSTILE}}} 5 5*6').game()
    shown = game_html(game) + position_svg(game.position)
    assert not {"script", "img", "onerror"} & set(Page(shown).found)


TOKEN = "s3cret-t0ken-of-somebody-0123456789"


@pytest.mark.ibm
@pytest.mark.parametrize(
    "argv",
    [
        ["backends", "--account"],
        ["observe", FULL, "--level", "1", "--backend", "ibm_torino", "--yes", "--debug"],
        ["observe", FULL, "--level", "1", "--backend", "ibm", "--yes", "--save", "out.qttt"],
        ["check", "5", "--backend", "ibm_torino", "--debug"],
        ["play", "--backend", "ibm", "--record", "new.qttt"],
    ],
    ids=lambda argv: argv[0],
)
def test_a_token_is_in_nothing_that_is_said_or_saved(
    argv: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The service's answers repeat the key, as careless servers do; tracebacks are asked for too."""
    import requests

    monkeypatch.setenv("QISKIT_IBM_TOKEN", TOKEN)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setattr("circuits.backends.ibm.errors._WAIT", lambda _state: 0)

    def refuse(*_: object, **__: object) -> None:
        raise requests.exceptions.ConnectionError(f"no route, apikey={TOKEN}, Authorization: Bearer {TOKEN}")

    monkeypatch.setattr(requests.Session, "request", refuse)
    monkeypatch.setattr(requests.Session, "send", refuse)
    out, err = io.StringIO(), io.StringIO()
    status = main(argv, stdin=io.StringIO(f"{FULL}\n"), stdout=out, stderr=err)
    assert status in (0, 2, 3), err.getvalue()
    said = out.getvalue() + err.getvalue() + caplog.text
    assert said
    assert TOKEN not in said
    for file in folder.parent.rglob("*"):
        if file.is_file():
            assert TOKEN.encode() not in file.read_bytes(), file
