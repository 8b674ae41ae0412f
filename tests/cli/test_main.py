"""The command line itself: backends, help that holds, bad input in one line, terminals of every kind."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from qttt.cli.commands import COMMANDS
from qttt.cli.commands.command_line import build_parser
from qttt.cli.main import main
from tests.support.cli_runs import Run, Terminal, refusal, run, run_json

FULL = "1 5 2 6 3+4 7 8 9"


# backends


def test_backends() -> None:
    names = [row["name"] for row in run_json("backends")["backends"]]
    assert names[:3] == ["aer", "aer-lean", "dice"]
    for name in names[:3]:
        assert run("observe", FULL, "--level", "1", "--backend", name, "--seed", "1").status == 0
        assert name in run("backends").out


def test_devices_are_listed_with_what_is_known_of_them() -> None:
    pytest.importorskip("qiskit_ibm_runtime")
    rows = {row["name"]: row for row in run_json("backends")["backends"]}
    torino = rows["fake_torino"]
    assert torino["qubits"] == 133
    assert 0 < torino["two_qubit_error"] < torino["readout_error"] < 0.1
    assert torino["dynamic_circuits"] is True
    assert torino["queue"] is None
    assert re.match(r"20\d\d-", torino["calibrated"])
    assert rows["aer"]["qubits"] is None
    shown = run("backends").out
    assert re.search(r"^fake_torino +133 +\d\.\d\d %", shown, re.M)
    # A chip of one qubit has no two-qubit gate; on this one none works.
    assert re.search(r"^fake_armonk +1 +none", shown, re.M)
    assert re.search(r"^fake_kyoto +127 +100\.00 %", shown, re.M)
    assert rows["fake_kyoto"]["two_qubit_error"] == 1.0


def test_without_the_extra_only_this_computer_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from circuits.backends import providers
    from qttt.cli.commands import backends

    for module in (backends, providers):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert [row["name"] for row in run_json("backends")["backends"]] == ["aer", "aer-lean", "dice"]
    assert "With the extra 'ibm'" in run("backends").out
    assert "install the extra 'ibm'" in refusal("backends", "--account")


# the line itself


def test_version() -> None:
    assert re.fullmatch(r"qttt \S.*\n", run("--version").out)


def test_help_goes_to_standard_output_and_explains() -> None:
    top = run("--help")
    assert (top.status, top.err) == (0, "")
    for entry in COMMANDS:
        assert re.search(rf"^ +{entry.name} +{re.escape(entry.summary[:40])}", top.out, re.M)
        done = run(entry.name, "--help")
        assert (done.status, done.err) == (0, "")
        assert " ".join(entry.load().explanation.split()[:6]) in " ".join(done.out.split())
        assert done.out.isascii()
        assert max(map(len, done.out.split("\n"))) <= 80
        for example in entry.load().examples:
            assert f"  qttt {example}\n" in done.out


@pytest.mark.parametrize("example", [example for entry in COMMANDS for example in entry.load().examples])
def test_examples_parse(example: str) -> None:
    words = shlex.split(example)
    assert build_parser(words[0]).parse_args(words).command == words[0]


OWN = {"odds", "moves", "dice", "observe", "check", "circuit", "backends", "perft"}


@pytest.mark.parametrize(
    "example",
    [example for entry in COMMANDS if entry.name in OWN for example in entry.load().examples],
)
def test_examples_run(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.qttt").write_text(f'[Level "1"]\n{FULL}\n')
    done = run(*shlex.split(example))
    assert done.err == ""
    assert done.status == 0
    assert done.out


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["nonsense"], "there is no command 'nonsense'; qttt help lists them"),
        (["plya"], "there is no command 'plya' (did you mean play?); qttt help lists them"),
        (["odds", "5", "--lvel", "2"], "unrecognized arguments: --lvel 2 (did you mean --level?)"),
        (["help", "odd"], "there is no command 'odd' (did you mean odds?)"),
        (["odds"], "the following arguments are required: RECORD"),
        (
            ["odds", "5", "5*6"],
            "unrecognized arguments: 5*6 (a record of several moves is one argument, in quotes",
        ),
        (["odds", "5", "--shots", "1"], "unrecognized arguments: --shots"),
        (["odds", "5", "--lev", "2"], "unrecognized arguments: --lev"),
        (["perft", "--level", "2"], "the following arguments are required: --depth"),
        (["perft", "--depth", "10"], "must be a whole number from 0 to 9, not '10'"),
        (["perft", "--depth", "-1"], "--depth"),
        (["perft", "--depth", "\u0662"], "must be a whole number from 0 to 9"),
        (["perft", "--depth", "1_0"], "must be a whole number"),
        (["perft", "--depth", "1", "--level", "7"], "level '7' does not exist: the levels are 0 to 5"),
    ],
)
def test_usage_errors(argv: list[str], reason: str) -> None:
    assert reason in refusal(*argv)


BAD_RECORDS = [
    ("5 0", "line 1, column 3: cannot read '0'"),
    ("5 6*7", "line 1, column 3: 6*7 by O is not allowed: square 6 is empty: there is nothing to attack"),
    ("5 6 5*7", "square 5 holds X's own die, and players cannot interact with themselves"),
    ("5 6 6*5", "6*5 by X is not allowed: square 5 must be empty, and it holds X's △4"),
    ("1+1", "square 1 is named twice"),
    ("5 5*6 1 5*7", "square 5 is closed: it already holds two dice"),
    (f'[Level "1"] {FULL} =XXX.OOOXO 4', "4 by X is not allowed: the game is over (X won)"),
    ("5 =....X....", "the board is observed only once it is full"),
    (f"{FULL} =OOOOOOOOO", "the position cannot give this board"),
    ('[Level "2] 5', "this header cannot be read"),
    ('[Level "2"] [Options "x"] 5', "line 1, column 13: unknown option 'x'"),
    ("missing.qttt", "cannot read 'missing.qttt': no such file or folder"),
    ("5\x00", "no such file or folder; and as a record"),
]


@pytest.mark.parametrize(("record", "reason"), BAD_RECORDS)
@pytest.mark.parametrize("command", ["odds", "moves", "dice", "observe", "check", "circuit"])
def test_bad_records(command: str, record: str, reason: str) -> None:
    if "\x00" in record:
        reason = "cannot read '5\\x00': embedded null byte"
    assert reason in refusal(command, record)


@pytest.mark.parametrize("command", ["odds", "moves", "dice", "observe", "check", "circuit"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x00\x01\x02\xff", "a record is text, and the character U+0000"),
        (b"5 \xff", "line 1, column 3: the byte 0xFF is not UTF-8 text"),
        (b"5 5", "line 1, column 3: 5 by O is not allowed"),
        (b"[Level", "this header cannot be read"),
        (b" " * (2**20 + 1), "has 1,048,577 bytes, and 1,048,576 are the most"),
    ],
)
def test_bad_files_stay_as_they_are(tmp_path: Path, command: str, content: bytes, reason: str) -> None:
    file = tmp_path / "game.qttt"
    file.write_bytes(content)
    flags = ["--save", str(file)] if command == "observe" else []
    found = refusal(command, str(file), *flags)
    if content.startswith(b"\x00\x01\x02\xff"):
        reason = "the byte 0xFF is not UTF-8 text"
    assert reason in found
    assert file.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["game.qttt"]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--shots", "0"], "argument --shots: it must be a whole number from 1 to 1000000, not '0'"),
        (["--shots", "-5"], "--shots"),
        (["--shots", "many"], "not 'many'"),
        (["--shots", "1e3"], "not '1e3'"),
        (["--shots", "9" * 40], "must be a whole number"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "x"], "not 'x'"),
        (["--backend", "nonsense"], "there is no backend 'nonsense'"),
        (["--backend", "dice-lean"], "there is no backend"),
        (["--backend", ""], "there is no backend ''"),
        (["--mode", "sideways"], "invalid choice: 'sideways'"),
        (["--mode", "rotated"], "the rotated mode"),
        (["--rolls", "d6", "--backend", "aer"], "circuits do not roll"),
        (["--level", "3"], '--level 3 contradicts the record\'s header [Level "1"]'),
    ],
)
@pytest.mark.parametrize("command", ["observe", "check"])
def test_bad_flags(command: str, flags: list[str], reason: str) -> None:
    assert reason in refusal(command, f'[Level "1"] {FULL}', *flags)


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["circuit", "5", "--out"], "--out"),
        (["draw", "5", "--out"], "--out"),
        (["explain", "5", "--out"], "--out"),
        (["solve", "--level", "0", "--out"], "--out"),
        (["observe", FULL, "--level", "1", "--save"], "--save"),
        (["observe", "--resume"], "--resume"),
        (["check", "--resume"], "--resume"),
        (["selfplay", "--x", "random", "--o", "random", "--records"], "--records"),
        (["play", "--record"], "--record"),
        (["play"], "FILE"),
    ],
)
def test_a_file_must_have_a_name(words: list[str], flag: str) -> None:
    assert refusal(*words, "") == f"argument {flag}: the name of the file is empty"


def test_a_long_word_is_cut_in_the_message() -> None:
    for words in (["odds", "5", "y" * 5000], ["odds", "5", "--mode", "y" * 5000]):
        reason = refusal(*words)
        assert "yyyyyyyy…" in reason and "y" * 41 not in reason
    folder = "/a/folder/with/a/name/of/some/length/and/one/more"
    assert folder in refusal("odds", "5", folder)


def test_the_record_may_come_from_standard_input() -> None:
    assert run_json("odds", "-", stdin='[Level "1"]\n' + FULL)["outcomes"] == {
        "XX.XOOOXO": 0.5,
        "XXX.OOOXO": 0.5,
    }
    assert run_json("moves", "-", stdin="")["turn"] == "X"


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in run("dice", "5 5*6").out
    assert "\x1b[31m" in run("dice", "5 5*6", terminal=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("dice", "5 5*6", terminal=True).out


def test_narrow_terminals_get_a_narrow_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    board = run("dice", "5 5-6", "--level", "3", terminal=True).out.split("\n")
    assert "├─────┼─────┼─────┤" in board
    monkeypatch.setenv("COLUMNS", "100")
    assert "├───────────┼───────────┼───────────┤" in run("dice", "5", terminal=True).out.split("\n")


def test_sentences_and_bars_fit_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("odds", "5 5*6", terminal=True).out.split("\n")
    assert max(map(len, lines)) <= 40
    assert "the game goes on  100.00 %  ███████████" in lines
    # The legend, wrapped between its words.
    at = lines.index("△ is X's shape, □ is O's shape, R red")
    assert lines[at + 1] == "(X's in capitals)"
    # A drawing keeps the width that was asked for.
    assert max(map(len, run("circuit", "5 5*6", "--width", "90", terminal=True).out.split("\n"))) > 40
    # Nothing is wrapped where it may be read by a program.
    assert "△ is X's shape, □ is O's shape, R red (X's in capitals)" in run("odds", "5 5*6").out.split("\n")


@pytest.mark.parametrize(
    "words",
    [
        ("check", "1+3 1-2", "--level", "3", "--rolls", "d6", "--seed", "1", "--shots", "100"),
        ("check", "5~ 1+3 1*2", "--level", "5", "--view", "both", "--seed", "1", "--shots", "100"),
        ("odds", "1+3 1*2 9 3*4"),
        ("observe", "1+2 3+4 5+6 7+8 9", "--level", "1", "--shots", "3000", "--seed", "1"),
        ("circuit", "1 1*2", "--format", "stats"),
        ("perft", "--level", "2", "--depth", "1"),
        ("advise", "1 2 3 4 5+6 7", "--level", "1"),
        ("backends",),
    ],
    ids=lambda words: words[0],
)
def test_a_narrow_terminal_has_every_cell_of_a_table_whole(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    wide = run(*words, terminal=True).out.split("\n")
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run(*words, terminal=True).out
    assert max(map(len, narrow.split("\n"))) <= 40
    # Rows have wide gaps, and sentences none; what is left out are bars and the rows of prose.
    rows = [
        line for line in wide if re.search(r"\S {2,}\S", line) and not re.search("[│█]|this computer", line)
    ]
    rows = [row for row in rows if re.search("[0-9]", row)]
    assert len(rows) >= 3
    said = re.sub(r"[,:]?\s+", " ", narrow)
    for row in rows:
        # As a row of a table or, with its headings, as a sentence.
        cells = re.split(" {2,}", row.strip())
        assert re.search(r"[^│]{0,20}?".join(map(re.escape, cells)), said), row
    assert "…" not in narrow


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "1+3 1-2 9", "--level", "5", "--shots", "50"),
        ("explain", "1 5 2 6 3+4 7 8 9 =XXX.OOOXO", "--level", "1", "--shots", "50"),
        ("explain", "1+2 1*4 5+6", "--shots", "50"),
        ("solve", "--level", "2"),
        ("play", "--demo", "--level", "3", "--backend", "dice"),
        ("dice", "1+3 1-2", "--level", "5", "--supply"),
        ("odds", "1 5 2 6 3+4 7 8 9", "--level", "1", "--lines"),
    ],
)
def test_forty_columns_are_enough(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    done = run(*words, terminal=True)
    assert done.status == 0
    assert max(map(len, done.out.split("\n"))) <= 40
    assert "…" not in done.out


def test_prose_in_a_table_is_wrapped_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    words = ("dice", "~3+4 3*2 5 4-1~", "--level", "5", "--view", "physical")
    monkeypatch.setenv("COLUMNS", "50")
    table = run(*words, terminal=True).out.split("\nsquare ")[1].split("\n")
    assert max(map(len, table)) <= 50
    first = table[1 : next(n for n, line in enumerate(table) if line.startswith("2"))]
    said = "1 △1R □-2g target of a half-cancel, rotated although the dice do not show it"
    assert " ".join(" ".join(first).split()) == said
    # With less room still each row is a sentence.
    monkeypatch.setenv("COLUMNS", "30")
    narrow = run(*words, terminal=True).out
    said = (
        "square 1: dice △1R □-2g, which is target of a half-cancel, rotated although the dice do not show it"
    )
    assert said in " ".join(narrow.split())


def test_a_fault_of_the_program_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.cli.commands import dice

    def fail(*_: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(dice, "game_of", fail)
    done = run("dice", "5")
    assert done == Run(3, "", done.err)
    assert done.err == (
        "qttt: error: this is a fault of the program, please report it with --debug: RuntimeError: first\n"
    )
    with_traceback = run("dice", "5", "--debug")
    assert with_traceback.err.startswith("Traceback")
    assert with_traceback.err.endswith("RuntimeError: first\n")
    assert run("--debug", "dice", "5").err.startswith("Traceback")


def test_an_interrupted_command_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from qttt.cli.commands import dice

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def hide(*_: object) -> None:
        try:
            interrupt()
        except KeyboardInterrupt as error:
            raise RuntimeError("initialising a class failed") from error

    for stop in (interrupt, hide):
        monkeypatch.setattr(dice, "game_of", stop)
        assert run("dice", "5") == Run(130, "", "qttt: error: interrupted\n")


def test_errors_for_terminals_without_the_glyphs() -> None:
    import io

    binary = io.BytesIO()
    stderr = io.TextIOWrapper(binary, encoding="latin-1")
    assert main(["odds", "5 6 6*5"], stdout=Terminal(), stderr=stderr) == 2
    assert b"it holds X's X4\n" in binary.getvalue()


def test_the_bare_command_says_what_there_is_and_where_to_begin() -> None:
    bare = run()
    assert bare.status == 0
    assert bare == run("--help") == run("help")
    for group in dict.fromkeys(entry.group for entry in COMMANDS):
        assert f"\n{group}:\n" in bare.out
    assert "qttt play --level 1 --o easy" in " ".join(bare.out.split())
    assert run("help", "odds").out == run("odds", "--help").out
    assert run("-V").out == run("--version").out


def test_ascii_is_offered_only_where_something_is_drawn_as_text() -> None:
    assert "--ascii" in run("odds", "--help").out
    assert "--ascii" not in run("draw", "--help").out


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_takes_the_completion(shell: str) -> None:
    script = run("completion", shell)
    assert script.status == 0
    for word in ("openings", "--backend", "--level"):
        assert word in script.out
    if (found := shutil.which(shell)) is not None:
        assert subprocess.run([found, "-n"], input=script.out, text=True, timeout=20).returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("qttt rev", ["review"]),
        ("qttt review --js", ["--json"]),
        ("qttt review my", ["mygame.qttt"]),
        ("qttt play my", ["mygame.qttt"]),
        ("qttt play --record my", ["mygame.qttt"]),
        ("qttt play --level ", ["0", "1", "2", "3", "4", "5"]),
        ("qttt play --o ha", ["hard"]),
        ("qttt games sh", ["show"]),
        ("qttt observe my --mode r", ["rotated"]),
        ("qttt draw my --what o", ["odds"]),
    ],
)
def test_bash_completes(line: str, completed: list[str], tmp_path: Path) -> None:
    (tmp_path / "mygame.qttt").write_text("5")
    (tmp_path / "completion").write_text(run("completion", "bash").out)
    ask = f"""
        . ./completion
        COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}
        read -ra COMP_WORDS <<< "$COMP_LINE"
        [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        $(complete -p qttt | sed 's/.*-F \\([^ ]*\\).*/\\1/') qttt "${{COMP_WORDS[COMP_CWORD]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    found = subprocess.run(["bash", "-c", ask], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert sorted(word.rstrip("/ ") for word in found.stdout.split()) == completed, found.stderr


@pytest.mark.parametrize("columns", [34, 80])
def test_help_and_rules_are_as_wide_as_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    texts = [run("help").out, run("rules", terminal=True).out, run("rules", "3", terminal=True).out]
    # Command lines stay in one piece;
    texts += [
        run("help", entry.name).out.partition("\n\n")[2].partition("\nexamples:")[0] for entry in COMMANDS
    ]
    # names of flags with their choices, and headings, too.
    widest = [
        max(len(line) for line in text.splitlines() if not line.startswith("  -") and line[-1:] != ":")
        for text in texts
    ]
    assert max(widest) <= columns
    assert min(widest[:3]) > columns - 6
