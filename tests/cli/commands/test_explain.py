"""``qttt explain``, ``qttt rules`` and ``qttt draw`` as commands."""

from io import StringIO
from pathlib import Path

import pytest

from qttt.cli.main import main


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    status = main(list(arguments), stdin=StringIO(), stdout=out, stderr=err)
    return status, out.getvalue(), err.getvalue()


def test_explain_prints_a_lesson() -> None:
    status, out, err = run("explain", "5 5*6")
    assert (status, err) == (0, "")
    assert "2. O plays 5*6: entangling move" in out
    assert "square 6: empty becomes △2R □2r" in out


@pytest.mark.parametrize(
    ("name", "start"), [("a.html", "<!doctype html>"), ("a.MD", "# A TiqTaqToe"), ("a.pdf", "%PDF")]
)
def test_explain_writes_what_the_name_says(tmp_path: Path, name: str, start: str) -> None:
    path = tmp_path / name
    status, out, _ = run("explain", "5 5*6", "--out", str(path), "--shots", "50")
    assert (status, out) == (0, f"Wrote {path}.\n")
    assert path.read_bytes().lstrip().startswith(start.encode())


def test_a_format_overrides_the_name(tmp_path: Path) -> None:
    path = tmp_path / "lesson.txt"
    assert run("explain", "5", "--out", str(path), "--format", "md")[0] == 0
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "lesson.odt"), "--out lesson.odt: the name must end with .html, .md or .pdf"),
        (("--format", "html"), "--format html needs --out FILE"),
        (("--shots", "0"), "it must be a whole number from 1 to 1000000, not '0'"),
        (("--level", "7"), "level '7' does not exist"),
    ],
)
def test_explain_refuses_what_makes_no_sense(arguments: tuple[str, ...], message: str) -> None:
    status, out, err = run("explain", "5 5*6", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_explain_says_where_a_record_is_wrong() -> None:
    status, _, err = run("explain", "5 5")
    assert status == 2
    assert "line 1, column 3" in err


def test_the_same_seed_prints_the_same_lesson() -> None:
    assert run("explain", "1+3", "--seed", "4") == run("explain", "1+3", "--seed", "4")


@pytest.mark.parametrize("command", [("explain", "1+3 1-2", "--level", "4"), ("rules", "5"), ("rules",)])
def test_ascii_output_is_ascii(command: tuple[str, ...]) -> None:
    status, out, _ = run(*command, "--ascii")
    assert status == 0
    assert out.isascii()


def test_rules_prints_the_levels_or_one_of_them() -> None:
    assert "3      Interference" in run("rules")[1]
    status, out, err = run("rules", "3")
    assert (status, err) == (0, "")
    assert out.startswith("TiqTaqToe, Level 3: Interference\n")
    assert "Half-cancelling move" in out


def test_rules_of_no_level() -> None:
    status, out, err = run("rules", "9")
    assert (status, out) == (2, "")
    assert "level '9' does not exist: the levels are 0 to 5" in err


OBSERVED = "1 5 2 6 3+4 7 8 9 =XXX.OOOXO"


@pytest.mark.parametrize(
    ("what", "name", "start"),
    [
        ("board", "a.svg", b"<svg"),
        ("board", "a.pdf", b"%PDF"),
        ("game", "a.png", b"\x89PNG"),
        ("game", "a.gif", b"GIF8"),
        ("rolls", "a.gif", b"GIF8"),
        ("rolls", "a.svg", b"<svg"),
        ("odds", "a.svg", b"<svg"),
    ],
)
def test_draw_writes_every_subject(tmp_path: Path, what: str, name: str, start: bytes) -> None:
    path = tmp_path / name
    status, out, err = run(
        "draw", OBSERVED, "--level", "1", "--what", what, "--out", str(path), "--theme", "dark"
    )
    assert (status, out) == (0, f"Wrote {path}.\n")
    # The odds of an ended game are those of its last phase.
    assert ("stood before its observation" in err) is (what == "odds")
    assert path.read_bytes().startswith(start)


def test_an_animated_game_has_a_picture_for_every_event(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    run("draw", "5 5*6 1", "--what", "game", "--animate", "--out", str(path))
    assert path.read_text(encoding="utf-8").count("<animate ") == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "a.bmp"), "the name must end with .png, .svg, .pdf or .gif"),
        (("--out", "a.gif"), "--what board is one picture, which cannot be animated"),
        (("--out", "a.pdf", "--what", "rolls"), "--what rolls is an animation: write a .gif or an .svg"),
        (("--out", "a.png", "--what", "game", "--animate"), "a png cannot be animated"),
        (("--out", "a.svg", "--what", "rolls"), "this game has no observation yet"),
        (
            ("--out", "a.svg", "--what", "odds", "--mode", "rotated"),
            "rotated mode of observation starts at Level 4",
        ),
    ],
)
def test_draw_refuses_what_makes_no_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run("draw", "5 5*6", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []
