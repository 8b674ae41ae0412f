"""Kept games: saved move by move, found by their ids, and never in the way of play."""

from pathlib import Path

import pytest

from qttt.errors import UsageError
from qttt.records.files import load_record, save_record
from qttt.records.library import Keeper, Library
from qttt.records.record import Record
from qttt.storage import user_folder


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "kept")


def begun(library: Library, *texts: str) -> list[str]:
    """Games of these records; the ids they got."""
    ids = []
    for text in texts:
        keeper = Keeper(library)
        keeper.keep(Record.parse(text))
        assert keeper.path is not None and keeper.problem is None
        ids.append(keeper.path.stem)
    return ids


def test_the_folder_is_where_the_variable_says_or_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QTTT_DATA_DIR", "/somewhere/else")
    assert Library().folder == Path("/somewhere/else/games")
    monkeypatch.delenv("QTTT_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ada/data")
    assert user_folder("data").name == "qttt"


def test_a_game_is_kept_from_its_first_event_in_one_file(library: Library) -> None:
    keeper = Keeper(library)
    keeper.keep(Record.parse('[X "human"]'))
    assert not library.games() and not library.folder.exists()
    for text in ('[X "human"] 5', '[X "human"] 5 5*6', '[X "human"] 5'):
        keeper.keep(Record.parse(text))
        assert keeper.path is not None
        assert load_record(keeper.path) == Record.parse(text)
    assert len(library.games()) == 1


def test_two_games_that_begin_at_once_are_two(library: Library) -> None:
    assert len(set(begun(library, "5", "5", "6"))) == 3
    assert [str(game.record.events[0]) for game in library.games()] == ["5", "5", "6"]


def test_a_game_is_found_by_its_id_by_its_beginning_or_as_the_last(library: Library) -> None:
    for name, text in (("20261130-1", "1"), ("20261201-1", "2"), ("20261201-10", "3")):
        library.folder.mkdir(exist_ok=True)
        save_record(library.folder / f"{name}.qttt", Record.parse(text))
    for asked, move in (("20261130-1", "1"), ("20261130", "1"), ("20261201-1", "2"), ("last", "3")):
        assert str(library.find(asked).record.events[0]) == move
    for asked, why in (("20261201", "2 games begin so"), ("2025", "no such game"), ("", "no such game")):
        with pytest.raises(UsageError, match=why):
            library.find(asked)
    assert library.delete("20261130-1").id == "20261130-1"
    assert [game.id for game in library.games()] == ["20261201-1", "20261201-10"]


def test_what_is_no_record_is_passed_over(library: Library) -> None:
    begun(library, "5")
    (library.folder / "note.qttt").write_text("dear diary")
    (library.folder / "level.qttt").write_text('[Level "9"] 5')
    (library.folder / "picture.png").write_bytes(b"\x89PNG")
    assert len(library.games()) == 1


def test_what_stops_keeping_never_stops_play(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    keeper = Keeper(Library(tmp_path / "file"))
    keeper.keep(Record.parse("5"))
    assert "cannot make the folder" in str(keeper.problem)
    (tmp_path / "file").unlink()
    # The next move tries anew.
    keeper.keep(Record.parse("5 6"))
    assert len(keeper.library.games()) == 1


def test_a_summary_says_who_played_what_and_how_it_ended(library: Library) -> None:
    begun(library, '[Level "1"] [Options "tally"] [O "easy"] [Date "2026-12-01"] 5 1+3', '[Result "tie"] 5')
    first, second = (game.summary() for game in library.games())
    assert first == {
        "id": first["id"],
        "date": "2026-12-01",
        "level": 1,
        "options": "tally",
        "X": "human",
        "O": "easy",
        "result": "*",
        "events": 2,
    }
    assert second["result"] == "tie" and second["O"] == "human"


def test_who_resigned_has_lost(library: Library) -> None:
    begun(library, '[Resigned "X"] 5', '[Resigned "O"] [Result "*"] 5 6', '[Timeout "O"] [Result "X"] 5')
    assert [game.result for game in library.games()] == ["O", "X", "X"]
    # Nobody's doing, and no game of the library.
    (library.folder / "99990101-000000.qttt").write_text('[Resigned "Y"] 5')
    assert len(library.games()) == 3
