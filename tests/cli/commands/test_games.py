"""The kept games on the command line, and how games at a terminal get there."""

import resource
from pathlib import Path

import pytest

from qttt.game.symbols import Symbol
from qttt.players.review import review
from qttt.records.files import load_record
from qttt.records.library import Keeper, Library
from qttt.records.record import Record
from tests.support.cli_runs import refusal, run, run_json
from tests.support.terminals import Conversation


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QTTT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "games"


def kept(*texts: str) -> list[str]:
    library = Library()
    for text in texts:
        Keeper(library).keep(Record.parse(text))
    return [game.id for game in library.games()]


def test_games_are_listed_shown_exported_and_deleted(folder: Path) -> None:
    assert "No game is kept yet" in run("games").out
    first, second = kept('[O "easy"] 5 5*6', '[Level "4"] [X "hard"] 1+3')
    listed = run_json("games")
    assert [game["id"] for game in listed["games"]] == [first, second]
    assert listed["folder"] == str(folder)
    text = run("games").out
    assert first in text and "easy" in text and str(folder) in text.replace("\n", "")
    assert run_json("games", "show", "last")["record"] == '[Level "4"]\n[X "hard"]\n\n1. 1+3'
    shown = run("games", "show", first).out
    assert "1. 5 5*6" in shown and f"qttt play {folder / first}.qttt" in shown
    assert f"qttt review {folder / first}.qttt" in shown
    assert Record.parse(run("games", "export", first).out) == Record.parse('[O "easy"] 5 5*6')
    assert run("games", "export", first, "--out", "a.qttt").status == 0
    assert load_record("a.qttt") == Record.parse('[O "easy"] 5 5*6')
    assert "a.qttt" in refusal("games", "export", first, "--out", "a.qttt")
    assert run("games", "delete", first).status == 0
    assert [game["id"] for game in run_json("games", "list")["games"]] == [second]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("show",), "games show needs the ID of a game"),
        (("list", "5"), "games list is about all games: leave out 5"),
        (("show", "nothing"), "'nothing': there is no such game"),
        (("show", "5", "--out", "x"), "--out goes with games export"),
        (("list", "--yes"), "--yes goes with games delete"),
        (("burn",), "invalid choice: 'burn'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(words: tuple[str, ...], why: str) -> None:
    assert why in refusal("games", *words)


def test_results_are_counted_by_level_and_opponent_for_the_person() -> None:
    assert run_json("games", "stats") == {"stats": []}
    won = "1 5 2 9 3 4 6 7 8 =XXXOOXOXO"
    kept(
        f'[Level "0"] [X "human"] [O "easy"] [Result "X"] {won}',
        f'[Level "0"] [X "easy"] [O "human"] [Result "X"] {won}',
        f'[Level "0"] [X "human"] [O "hard"] [Result "X"] {won}',
        '[Level "2"] [X "human"] [O "easy"] [Result "tie"] 5',
        '[Level "2"] [X "human"] [O "easy"] 5',
        '[Level "2"] [X "human"] [O "human"] [Result "tie"] 5',
        '[Level "2"] [X "easy"] [O "hard"] [Result "tie"] 5',
    )
    rows = run_json("games", "stats")["stats"]
    accurate = [row.pop("accuracy") for row in rows]
    assert rows == [
        {"level": 0, "against": "easy", "won": 1, "tied": 0, "lost": 1},
        {"level": 0, "against": "hard", "won": 1, "tied": 0, "lost": 0},
        {"level": 2, "against": "easy", "won": 0, "tied": 1, "lost": 0},
    ]
    # As X and as O in the same game against easy, as X against hard; one move by each in the other.
    looked_back = review(Record.parse(f'[Level "0"] {won}').game()).players
    assert accurate[0] == pytest.approx((looked_back[Symbol.X].accuracy + looked_back[Symbol.O].accuracy) / 2)  # type: ignore[operator]
    assert accurate[1] == looked_back[Symbol.X].accuracy
    assert f"{accurate[1]:.1%}" in run("games", "stats").out


def test_a_game_at_a_terminal_is_kept_and_goes_on_in_its_own_file(folder: Path) -> None:
    game = Conversation("play", "--level", "1", "--o", "easy", "--seed", "3")
    game.until("X>")
    game.send("5\r")
    # The line that was typed is drawn once more, with its prompt.
    game.until("(easy) plays")
    game.until("X>")
    game.send("\x04")
    status, said = game.end()
    assert status == 0
    (path,) = folder.glob("*.qttt")
    assert path.name in said.replace("\n", "")
    record = load_record(path)
    assert (record.headers["X"], record.headers["O"]) == ("human", "easy")
    assert len(record.headers["Date"]) == 10 and len(record.events) == 2
    assert not list(Path().glob("*.qttt"))
    again = Conversation("play", str(path))
    again.until("X>")
    again.send("3\r")
    again.until("(easy) plays")
    again.until("X>")
    again.send("\x04")
    assert again.end()[0] == 0
    assert len(list(folder.glob("*.qttt"))) == 1
    assert len(load_record(path).events) == 4


@pytest.mark.parametrize("words", [("--no-keep",), ("--x", "easy", "--o", "easy", "--fast"), ("--demo",)])
def test_what_is_not_kept(words: tuple[str, ...], folder: Path) -> None:
    game = Conversation("play", "--level", "0", "--backend", "dice", *words)
    if words == ("--no-keep",):
        game.until("X>")
        game.send("5\r")
        game.until("O>")
        game.send("\x04")
    game.end()
    assert not folder.exists()


def test_a_full_disk_does_not_stop_play(folder: Path) -> None:
    folder.parent.write_text("no folder can be made here")
    game = Conversation("play", "--level", "0")
    game.until("X>")
    game.send("5\r")
    game.until("O>")
    game.send("\x04")
    status, said = game.end()
    assert status == 0
    # It is kept in the present folder, as before there was a library.
    assert "not among those of qttt games" in said.replace("\n", " ")
    assert len(list(Path().glob("*.qttt"))) == 1


def test_a_disk_that_fills_up_stops_no_play_and_what_fits_again_is_kept(folder: Path) -> None:
    game = Conversation("play", "--level", "0", "--backend", "dice", "--fast")
    game.until("X>")
    game.send("1\r")
    game.until("O to move")
    resource.prlimit(game.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    game.send("2\r")
    game.until("X to move")
    (path,) = folder.glob("*.qttt")
    assert len(load_record(path).events) == 1
    resource.prlimit(game.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    game.send("3\r")
    game.until("O to move")
    assert len(load_record(path).events) == 3
    resource.prlimit(game.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    for square in "456879":
        game.send(f"{square}\r")
        game.until(">")
    game.until("over>")
    game.send("\x04")
    status, said = game.end()
    # The whole game is printed.
    assert (status, "Only its beginning is among those of qttt games" in said) == (0, True)
    assert "5. 9\n=X" in said
    assert len(load_record(path).events) == 3


def test_two_plays_at_once_are_two_games(folder: Path) -> None:
    games = [Conversation("play", "--level", "0"), Conversation("play", "--level", "1")]
    for game in games:
        game.until("X>")
    for game in games:
        game.send("5\r")
    for game in games:
        game.until("O>")
        game.send("\x04")
        assert game.end()[0] == 0
    assert sorted(load_record(path).level.number for path in folder.glob("*.qttt")) == [0, 1]
