"""Match files: nothing in them is believed, a change is named by its line, a stopped match goes on."""

import hashlib
import json
import re
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qttt.game.rules import Rules
from qttt.game.symbols import Symbol
from qttt.players.match_files import MatchFile, MatchFileError, match_lines, match_of, read_match
from qttt.players.matches import Match, Played, play_games
from qttt.records.record import Record
from tests.support.cli_runs import AtOnce, refusal, run, run_json

ROOT = Path(__file__).parents[2]
MATCH = Match("random", "greedy", Rules.of(2), seed=5, alternate=True)
GAMES = play_games(MATCH, range(6))
WHOLE = list(match_lines(MATCH, GAMES))
OLD = list(match_lines(MATCH, GAMES, chained=False))
WORDS = ("--x", "random", "--o", "greedy", "--alternate", "--seed", "5", "--games", "6", "--jobs", "1")


def saved(folder: Path, lines: list[bytes]) -> Path:
    file = folder / "match.jsonl"
    file.write_bytes(b"".join(lines))
    return file


def changed(lines: list[bytes], number: int, **changes: Any) -> list[bytes]:
    """The lines with one of them, counted from 1, changed by hand."""
    entry = json.loads(lines[number - 1]) | changes
    new = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
    return [*lines[: number - 1], new, *lines[number:]]


def other(result: str) -> str:
    return "O" if result == "X" else "X"


def refused(file: Path) -> MatchFileError:
    """How a file is refused, from Python and by both ways of the command line; nothing in it changes."""
    before = file.read_bytes()
    with pytest.raises(MatchFileError) as caught:
        read_match(file)
    with pytest.raises(MatchFileError, match=re.escape(str(caught.value))):
        MatchFile(file, MATCH)
    assert refusal("selfplay", *WORDS, "--records", str(file)) == str(caught.value)
    told = run("selfplay", "--verify", str(file))
    assert (told.status, told.out, told.err) == (1, f"{caught.value}\n", "")
    assert file.read_bytes() == before
    return caught.value


def test_a_file_is_what_it_was_played_as(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    assert run("selfplay", *WORDS, "--records", str(file)).status == 0
    assert file.read_bytes() == b"".join(WHOLE)
    found = read_match(file)
    assert (found.match, found.played, found.cut) == (MATCH, GAMES, False)
    assert found.kept == len(file.read_bytes())
    assert match_of(file) == MATCH
    # Every hash is that of the line without it, behind the hash before.
    last = ""
    for line in WHOLE:
        text, given = re.fullmatch(r'(.*), "hash": "([0-9a-f]{64})"\}\n', line.decode()).groups()  # type: ignore[union-attr]
        last = hashlib.sha256(f"{last}{text}}}".encode()).hexdigest()
        assert given == last


@pytest.mark.parametrize("lines", [WHOLE, OLD], ids=["chained", "unchained"])
@pytest.mark.parametrize("number", [2, 4, 7])
def test_what_a_line_says_must_follow_from_its_moves(lines: list[bytes], number: int, tmp_path: Path) -> None:
    game = GAMES[number - 2]
    result, starts = other(game.result), game.first.opponent
    text = game.record
    cases: list[tuple[dict[str, Any], str]] = [
        ({"result": result}, f"result is {result} here, and {game.result} by the moves"),
        ({"result": "continue"}, f"result is continue here, and {game.result} by the moves"),
        ({"first": str(starts)}, f"first is {starts} here, and {game.first} by the moves"),
        ({"observations": game.observations + 1}, "observations is .* here, and .* by the moves"),
        ({"game": game.number + 1}, f"game {game.number} should be here, and {game.number + 1} is"),
        ({"record": text.replace('[X "random"]', '[X "easy"]')}, "the record is not as this match writes it"),
        ({"record": re.sub(r'Result ".*?"', f'Result "{result}"', text)}, "the header Result says"),
        ({"record": text.replace('[Level "2"]', '[Level "1"]')}, ""),
        ({"record": text + " {a comment}"}, "the record is not as this match writes it"),
        ({"record": text.rpartition("\n")[0]}, ""),
        ({"record": "?"}, "line 1, column 1: cannot read '\\?'"),
        ({"record": 5}, ""),
        ({"result": "Y"}, "this is no game of a match"),
    ]
    for changes, reason in cases:
        file = saved(tmp_path, changed(lines, number, **changes))
        error = refused(file)
        assert error.line == number, changes
        assert error.path == file
        assert str(error) == f"{file}, line {number}: {error.reason}"
        assert re.search(reason, error.reason), (changes, error.reason)


def test_a_game_that_has_not_ended_is_none_even_by_agreement(tmp_path: Path) -> None:
    """Where the header says tie, a record cut short is a draw by agreement, which computers never make."""
    game = next(game for game in GAMES if game.result != "tie")
    text = re.sub(r'\[Result ".*?"\]', '[Result "tie"]', game.record).rpartition("\n")[0]
    assert Record.parse(text).game().drawn
    for lines in (WHOLE, OLD):
        observations = Record.parse(text).game().state.observations
        file = saved(
            tmp_path,
            changed(lines, game.number + 2, record=text, result="tie", observations=observations),
        )
        assert refused(file).reason == "the moves do not come to the end of the game"


def test_who_starts_and_the_rules_are_those_of_the_match(tmp_path: Path) -> None:
    starts = replace(MATCH, alternate=False)
    file = saved(tmp_path, list(match_lines(MATCH, play_games(starts, range(2)))))
    error = refused(file)
    assert (error.line, error.reason) == (3, "X starts in the record, and O does in the match")
    rules = replace(MATCH, rules=Rules.of(2, "tally"))
    file = saved(tmp_path, list(match_lines(MATCH, play_games(rules, range(1)))))
    error = refused(file)
    assert (error.line, error.reason) == (2, "the game was played by other rules than those of the match")


def exchanged(number: int) -> Played:
    """A game that the match could have had, and did not."""
    game = play_games(replace(MATCH, seed=6), range(number, number + 1))[0]
    return replace(game, record=game.record.replace('[Seed "6"]', '[Seed "5"]'))


def test_the_chain_shows_what_the_moves_do_not(tmp_path: Path) -> None:
    games = [exchanged(game.number) if game.number == 3 else game for game in GAMES]
    line = json.loads(list(match_lines(MATCH, games))[4])
    hashed = line.pop("hash")
    for given in (json.loads(WHOLE[4])["hash"], hashed[:-1] + ("0" if hashed[-1] != "0" else "1"), hashed):
        file = saved(tmp_path, changed(WHOLE, 5, **line, hash=given))
        error = refused(file)
        # With a hash of its own the line holds, and the next one does not.
        assert error.line == (6 if given == hashed else 5)
        assert error.reason == "its hash does not follow: this line or one before it was changed"
    # Without a chain it goes unnoticed, which is why such a file is called unchained.
    file = saved(tmp_path, list(match_lines(MATCH, games, chained=False)))
    assert read_match(file).played[3] != GAMES[3]
    told = run("selfplay", "--verify", str(file))
    assert told.status == 0
    assert "Its lines are unchained" in told.out
    assert "chain of hashes is whole" not in told.out


def test_lines_out_of_place(tmp_path: Path) -> None:
    for lines in (WHOLE, OLD):
        assert refused(saved(tmp_path, lines[:3] + lines[4:])).line == 4
        assert refused(saved(tmp_path, [*lines[:3], lines[2], *lines[3:]])).line == 4
        assert refused(saved(tmp_path, [*lines[:3], lines[4], lines[3], *lines[5:]])).line == 4
        assert refused(saved(tmp_path, [*lines[:2], b"\n", *lines[2:]])).line == 3
        spaced = lines[2].replace(b'"first": ', b'"first":')
        assert refused(saved(tmp_path, [*lines[:2], spaced, *lines[3:]])).line == 3
        twice = lines[2].replace(b'{"game"', b'{"result": "O", "game"')
        assert refused(saved(tmp_path, [*lines[:2], twice, *lines[3:]])).line == 3
        assert refused(saved(tmp_path, [lines[0].replace(b": 2,", b":  2,", 1), *lines[1:]])).line == 1
    # A chain that stops, and one that begins in the middle.
    assert refused(saved(tmp_path, [*WHOLE[:3], *OLD[3:]])).line == 4
    assert refused(saved(tmp_path, [*OLD[:3], *WHOLE[3:]])).line == 4
    # The first line: its hash too.
    assert refused(saved(tmp_path, changed(WHOLE, 1, hash="0" * 64))).line == 1


def test_the_first_line_is_chained_to_the_games(tmp_path: Path) -> None:
    """The same games under another seed: their headers say the old one."""
    lines = list(match_lines(replace(MATCH, seed=6), []))
    file = saved(tmp_path, [*lines, *WHOLE[1:]])
    assert run("selfplay", "--verify", str(file)).out.startswith(f"{file}, line 2: ")


def test_verify(tmp_path: Path) -> None:
    file = saved(tmp_path, WHOLE)
    found = run_json("selfplay", "--verify", str(file))
    expected = run_json("selfplay", *WORDS)
    about = {"file": str(file), "ok": True, "chained": True, "cut": False, "line": None, "reason": None}
    assert found == expected | about
    told = run("selfplay", "--verify", str(file))
    first, _, rest = told.out.partition("\n\n")
    said = "holds 6 games, and what it says of them follows from the moves. The chain of hashes is whole."
    assert first == f"{file} {said}"
    assert rest == run("selfplay", *WORDS).out
    file = saved(tmp_path, OLD)
    assert run_json("selfplay", "--verify", str(file)) == expected | about | {"chained": False}
    # Cut while a line was written: what is whole holds.
    file = saved(tmp_path, [*WHOLE[:2], WHOLE[2][:-1]])
    found = run_json("selfplay", "--verify", str(file))
    assert (found["ok"], found["cut"], found["games"]) == (True, True, 1)
    told = run("selfplay", "--verify", str(file))
    assert "holds 1 game, and" in told.out
    assert "The last line was cut short when the match was stopped, and does not count." in told.out
    assert file.read_bytes() == b"".join(WHOLE[:3])[:-1]
    for lines, cut, games in (
        ([*WHOLE[:4], WHOLE[4][:-1]], True, 3),
        ([WHOLE[0], WHOLE[1][:9]], True, 0),
        (WHOLE[:2], False, 1),
    ):
        read = read_match(saved(tmp_path, lines))
        assert (read.cut, len(read.played), read.kept) == (cut, games, len(b"".join(WHOLE[: games + 1])))
    file = saved(tmp_path, WHOLE[:1])
    found = run_json("selfplay", "--verify", str(file))
    assert (found["ok"], found["games"], found["results"], found["seed"]) == (True, 0, None, 5)
    assert "holds 0 games" in run("selfplay", "--verify", str(file)).out
    file = saved(tmp_path, changed(WHOLE, 4, result="Y"))
    done = run("selfplay", "--verify", str(file), "--json")
    found = json.loads(done.out)
    assert done.status == 1
    assert set(found) == set(expected | about)
    assert (found["ok"], found["line"], found["results"], found["games"]) == (False, 4, None, None)
    assert found["reason"] == "this is no game of a match; the file is left as it is"


def test_verify_stands_alone(tmp_path: Path) -> None:
    file = str(saved(tmp_path, WHOLE))
    for words in (("--seed", "0"), ("--x", "easy"), ("--backend", "dice"), ("--records", file)):
        assert f"{words[0]} and --verify do not go together" in refusal("selfplay", "--verify", file, *words)
    assert "--alternate and --verify" in refusal("selfplay", "--verify", file, "--alternate")
    assert "say who plays O" in refusal("selfplay", "--x", "easy")
    assert "say who plays X" in refusal("selfplay")
    missing = str(tmp_path / "nosuch")
    assert "there is no such file" in refusal("selfplay", "--verify", missing)
    for path in (str(tmp_path), "/dev/null"):
        for line in (["--verify", path], [*WORDS, "--records", path]):
            said = refusal("selfplay", *line)
            assert path in said
            assert "must be a file" in said or "Is a directory" in said


def test_a_long_replay_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.cli.console.waiting.Timer", AtOnce)
    monkeypatch.setenv("TERM", "xterm")
    file = saved(tmp_path, WHOLE)
    for words in (("--verify", str(file)), (*WORDS, "--records", str(file))):
        assert "replaying games: 6 of 6" in run("selfplay", *words, terminal=True).err
    told: list[tuple[int, int]] = []
    read_match(file, lambda done, games: told.append((done, games)))
    assert told == [(number, 6) for number in range(1, 7)]


@pytest.mark.parametrize("whole", [WHOLE, OLD], ids=["chained", "unchained"])
def test_a_stopped_match_goes_on_and_leaves_no_trace(whole: list[bytes], tmp_path: Path) -> None:
    """Wherever in the file it was stopped. An old file goes on as it began, and that is said."""
    content = b"".join(whole)
    places = [0, 1, len(whole[0]) - 1, len(whole[0]), len(whole[0]) + 1, len(content) - 1, len(content)]
    for place in places:
        file = tmp_path / "match.jsonl"
        file.write_bytes(content[:place])
        done = run("selfplay", *WORDS, "--records", str(file))
        assert done.status == 0
        old = whole is OLD and place >= len(whole[0])
        assert file.read_bytes() == (b"".join(OLD) if old else b"".join(WHOLE)), place
        assert ("unchained" in done.err) == old
        assert done.out == run("selfplay", *WORDS).out


def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "games"
    for content in (
        b"a letter\n",
        b"[1, 2]\n",
        b'{"format": 2}\n',
        b"{}\n",
        b"\n",
        OLD[0].replace(b"1", b"3"),
    ):
        file.write_bytes(content)
        for words in (["--verify", str(file)], [*WORDS, "--records", str(file)]):
            assert "does not hold the games of a match" in refusal("selfplay", *words)
        assert file.read_bytes() == content
    unknown = OLD[0].replace(b"greedy", b"nobody")
    file.write_bytes(unknown)
    assert refusal("selfplay", "--verify", str(file)).startswith(
        f"{file}, line 1: player 'nobody' does not exist"
    )
    file = saved(tmp_path, WHOLE)
    named = ("--x", "random", "--o", "greedy", "--games", "6", "--records", str(file), "--jobs", "1")
    for others in (
        ("--seed", "5"),
        ("--seed", "6", "--alternate"),
        ("--seed", "5", "--alternate", "--level", "3"),
    ):
        assert "holds the games of another match" in refusal("selfplay", *named, *others)
    fewer = refusal("selfplay", *WORDS, "--games", "5", "--records", str(file))
    assert "holds 6 games already, and --games asks for 5" in fewer
    assert file.read_bytes() == b"".join(WHOLE)


def test_a_match_file_knows_its_match(tmp_path: Path) -> None:
    match = Match("easy", "hard", Rules.of(5, "view-switches=2"), 9, Symbol.O, True)
    path = tmp_path / "games"
    assert match_of(path) is None
    with MatchFile(path, match) as file:
        assert (file.played, file.chained) == ([], True)
    assert match_of(path) == match
    with MatchFile(path, match) as file:
        assert file.played == []
    with pytest.raises(MatchFileError):
        MatchFile(path, replace(match, alternate=False))


@pytest.mark.parametrize("level", range(6))
def test_games_of_every_level_replay(level: int, tmp_path: Path) -> None:
    match = Match("random", "random", Rules.of(level, "measure-turn" if level == 2 else ""), 3, Symbol.O)
    games = play_games(match, range(4))
    assert read_match(saved(tmp_path, list(match_lines(match, games)))).played == games


def small_files() -> None:
    """Files may have 1,000 bytes: a full disk, for whoever writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_full_disk_keeps_the_games_before_it(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "qttt", "selfplay", *WORDS, "--records", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, preexec_fn=small_files, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"qttt: error: cannot write the games to {file}: File too large\n"
    kept = file.read_bytes()
    assert b"".join(WHOLE).startswith(kept) and kept.endswith(b"\n") and len(kept) <= 1000
    assert run("selfplay", *WORDS, "--records", str(file)).status == 0
    assert file.read_bytes() == b"".join(WHOLE)


def test_a_file_that_could_not_be_begun_is_not_there_and_one_that_was_there_stays(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "qttt", "selfplay", *WORDS, "--records", str(file)]

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    done = subprocess.run(command, cwd=ROOT, capture_output=True, preexec_fn=no_room, timeout=60)
    assert done.returncode == 2 and done.stderr.startswith(b"qttt: error: cannot write the games to ")
    assert not file.exists()
    file.touch()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, preexec_fn=no_room, timeout=60)
    assert done.returncode == 2
    assert file.read_bytes() == b""


def test_a_game_is_on_its_way_to_the_disk_when_it_is_added(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    with MatchFile(file, MATCH) as opened:
        assert file.read_bytes() == WHOLE[0]
        opened.add(GAMES[0])
        assert file.read_bytes() == WHOLE[0] + WHOLE[1]


def match_line(**changes: Any) -> bytes:
    line = {"format": 1, "x": "random", "o": "random", "level": 2, "options": "", "first": "X", "seed": 1}
    return json.dumps({**line, "alternate": False, "backend": "dice", **changes}).encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        match_line(options=5),
        match_line(seed=[1]),
        match_line(first=None),
        match_line().replace(b'"seed": 1', b'"seed": 1e999'),
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_match_file_of_wrong_types_is_refused_and_left(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(line)
    with pytest.raises(
        MatchFileError,
        match=r"does not hold the games of a match, and is left as it is|line 1: options are text",
    ):
        match_of(file)
    assert file.read_bytes() == line
