"""Seats, offers, takebacks, resigning and the clock; the log gives the sitting again."""

from random import Random

import pytest

from qttt.errors import IllegalMoveError, QtttError, UsageError
from qttt.game.result import Result
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.records.record import Record
from qttt.session.clock import Clock, Control
from qttt.session.entries import Act, Entry
from qttt.session.sitting import Offer, Sitting

X, O = Symbol.X, Symbol.O  # noqa: E741


def sat(record: str, *log: str) -> Sitting:
    return Sitting.begin(Record.parse(record), log)


def tokens(sitting: Sitting) -> str:
    return " ".join(map(str, sitting.game.events))


@pytest.mark.parametrize("text", ["5*6", "~1+3~@12", "X:undo", "O:accept@7", "=p:##.##.#.#", "?5=.@0"])
def test_entries_are_read_and_written(text: str) -> None:
    assert str(Entry.parse(text)) == text


@pytest.mark.parametrize("text", ["", "Z:undo", "X:fly", "5@", "5@-1", "X:undo@1@2", "10", "X:UNDO"])
def test_what_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="the log of a table has no line"):
        Entry.parse(text)


def test_a_computer_goes_back_at_once_and_a_person_is_asked() -> None:
    against = sat('[O "easy"] 5 5*6 1', "X:undo")
    assert (tokens(against), against.offer) == ("5 5*6", None)
    asked = sat("5 5*6 1 2", "X:undo")
    assert (tokens(asked), asked.offer) == ("5 5*6 1 2", Offer(Act.UNDO, X))
    assert tokens(asked.after(Entry.parse("O:accept"))) == "5 5*6"
    assert tokens(asked.after(Entry.parse("O:decline"))) == "5 5*6 1 2"
    assert asked.after(Entry.parse("3")).offer is None


@pytest.mark.parametrize(
    ("record", "by"),
    [
        ("", X),
        ("5", O),
        ('[Level "5"] 1 2 3 4 5 6 7 8 9 =p:#########', X),
        ('[Options "measure-turn"] 5 5*6 ?5=X', O),
    ],
)
def test_nothing_goes_back_past_an_observation_or_the_beginning(record: str, by: Symbol) -> None:
    with pytest.raises(IllegalMoveError, match="no move of yours since the last observation"):
        sat(record, f"{by}:undo")


def test_a_draw_by_agreement_and_a_rematch_with_the_other_side_starting() -> None:
    drawn = sat("5 5*6", "X:draw", "O:accept")
    assert (drawn.over, drawn.result, drawn.decides) == (True, Result.TIE, None)
    assert drawn.record.headers["Result"] == "tie"
    again = drawn.after(Entry.parse("O:rematch")).after(Entry.parse("X:accept"))
    assert (again.number, again.game.first, tokens(again), again.over) == (2, O, "", False)
    third = again.after(Entry.parse("5")).after(Entry.parse("O:resign"))
    assert (third.result, third.record.headers["Resigned"]) == (Result.X, "O")
    assert third.after(Entry.parse("X:rematch")).after(Entry.parse("O:accept")).game.first is X


def test_a_computer_plays_again_at_once_and_keeps_its_seat() -> None:
    again = sat('[Level "3"] [O "easy"] 5', "X:resign", "X:rematch")
    assert (again.number, again.is_computer(O), again.game.first, again.decides) == (2, True, O, O)
    assert again.record.headers["Level"] == "3"


def test_what_makes_no_sense_now_is_refused_and_says_why() -> None:
    for log, why in [
        (("O:accept",), "nothing is offered"),
        (("X:draw", "X:accept"), "your own offer"),
        (("X:draw", "O:undo"), "an offer waits"),
        (("X:rematch",), "the game goes on"),
        (("X:resign", "O:resign"), "the game is over"),
        (("X:resign", "6"), "the game is over"),
        (("X:flag",), "no clock runs"),
    ]:
        with pytest.raises(IllegalMoveError, match=why):
            sat("5", *log)
    with pytest.raises(IllegalMoveError, match="while a move is awaited"):
        sat("1 2 3 4 5 6 7 8 9", "X:draw")


def test_the_clock_runs_from_the_first_move_and_gives_the_increment() -> None:
    table = sat('[Clock "60+2"]', "5@10000", "5*6@13000", "X:draw@14000")
    assert table.clock is not None
    assert (table.clock.runs, table.clock.left_at(X, 15000), table.clock.left_at(O, 15000)) == (
        X,
        58_000,
        59_000,
    )
    with pytest.raises(IllegalMoveError, match="there is time left"):
        table.after(Entry.parse("X:flag@70000"))
    lost = table.after(Entry.parse("X:flag@73000"))
    assert (lost.result, lost.record.headers["Timeout"], lost.clock and lost.clock.runs) == (
        Result.O,
        "X",
        None,
    )


def test_with_a_clock_every_entry_has_a_time_and_without_none() -> None:
    for record, entry in [('[Clock "60+2"]', "5"), ("", "5@3")]:
        with pytest.raises(UsageError, match="time"):
            sat(record, entry)


@pytest.mark.parametrize("text", ["", "60", "0+1", "60+-1", "60+4000", "1e3+1", "100000+0"])
def test_no_such_clock(text: str) -> None:
    with pytest.raises(UsageError):
        Control.parse(text)


def test_time_never_runs_backwards() -> None:
    clock = Clock.of(Control(10, 0)).pressed(5000, X, moved=False)
    assert clock.left_at(X, 4000) == 10_000
    assert clock.left_at(X, 99_000) == 0


def test_two_computers_at_a_level_without_end_get_one() -> None:
    assert "max-observations=50" in sat('[Level "5"] [X "easy"] [O "greedy"]').record.headers["Options"]


@pytest.mark.parametrize(
    "header", ['[X "search:0"]', '[Clock "soon"]', '[Level "2"] [Options "measure-turn"] [O "perfect"]']
)
def test_a_table_that_cannot_be_set_up(header: str) -> None:
    with pytest.raises(QtttError):
        sat(header)


@pytest.mark.parametrize("level", range(6))
def test_the_log_gives_the_same_sitting_again(level: int) -> None:
    """Whatever is done at random, refusals left out."""
    rng, entries = Random(level), 0
    for _ in range(4):
        table = sat(f'[Level "{level}"] [Clock "900+3"]')
        for now in range(0, 60_000, 1000):
            acts = [Entry(act, by, now) for act in Act for by in Symbol]
            moves = [Entry(move, None, now) for move in table.game.legal_moves()]
            if table.game.phase in (Phase.OBSERVATION, Phase.MODE) and not table.over:
                mode = rng.choice(table.game.state.modes)
                board = table.game.state.odds(mode).draw(rng)
                moves = [Entry.parse(f"={'r' if mode == 'rotated' else 's'}:{board}@{now}")]
            entry = rng.choice(moves if moves and rng.random() < 0.8 else acts)
            before = table
            try:
                table = table.after(entry)
            except QtttError:
                assert table == before
        assert Sitting.begin(Record.parse(f'[Level "{level}"] [Clock "900+3"]'), map(str, table.log)) == table
        entries += table.n
    assert entries > 40
