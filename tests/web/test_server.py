"""A real server, and pages without a browser: whole games, lost lines, killed workers, hostile clients."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from qttt.display.reports import dice_report, moves_report, odds_report
from qttt.game.symbols import Mode
from qttt.records.record import Record
from tests.support.cli_runs import run_json
from tests.support.server import PageClient, RefusedError, Served, my_turn, play_on

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def page(served: Served) -> Iterator[PageClient]:
    with served.page() as client:
        yield client


def as_json(value: object) -> Any:
    return json.loads(json.dumps(value))


def check_reports(state: dict[str, Any], record: str) -> None:
    """The state says what the commands print of its record."""
    game = Record.parse(record).game()
    assert state["dice"] == as_json(dice_report(game))
    assert state["moves"] == as_json(moves_report(game))
    assert state["odds"] == as_json(odds_report(game, game.state.modes[0]))
    if game.rules.level.rotated_mode:
        assert state["odds_rotated"] == as_json(odds_report(game, Mode.ROTATED))
    assert state["result"] == str(game.result)


@pytest.mark.parametrize(
    ("level", "backend"),
    [
        *((level, "dice") for level in range(6)),
        *(pytest.param(level, "aer", marks=pytest.mark.slow) for level in range(6)),
    ],
)
def test_a_game_at_every_level(page: PageClient, level: int, backend: str) -> None:
    page.new(level, O="easy", backend=backend)
    sent = play_on(page, Random(level).choice)
    state = page.state
    assert state["phase"] == "over" and state["result"] != "continue"
    record = page.ask("record")["record"]
    check_reports(state, record)
    game = Record.parse(record).game()
    mine = [str(event) for event, before in zip(game.events, game.states, strict=False) if before.turn == "X"]
    assert [token for token in mine if token[0] not in "=?"] == [token for token in sent if token[0] != "?"]
    look = state["observation"]
    assert look["backend"] == backend and look["chance"] > 0
    assert abs(sum(look["before"].values()) - 1) < 1e-9
    assert (look["shots"] is None) == (backend == "dice")
    assert state["luck"] and record.count("Luck") == 1


def test_the_state_is_what_the_commands_print(page: PageClient) -> None:
    page.new(5, X="human", O="human", backend="dice")
    for token in ("1+3", "~1-2", "5~", "4", "5*6"):
        if not any(choice["token"] == token.removesuffix("~") for choice in page.state["choices"]):
            continue
        page.act("play", token=token)
    record = page.ask("record")["record"]
    assert page.state["dice"] == run_json("dice", record)
    assert page.state["moves"] == run_json("moves", record)
    assert page.state["odds"] == run_json("odds", record)
    assert page.state["odds_rotated"] == run_json("odds", record, "--mode", "rotated")
    assert "Luck" not in record


def test_every_choice_is_legal_and_there_is_no_other(page: PageClient) -> None:
    """With the switch behind it where ``after`` says so."""
    page.new(5, options="view-switches=2")
    listed = {
        choice["token"] + "~" * after
        for choice in page.state["choices"]
        for after in range(1 + choice["after"])
    }
    game = Record.parse('[Level "5"] [Options "view-switches=2"]').game()
    assert listed == {str(move) for move in game.legal_moves()}


def test_a_computer_observes_and_chooses_modes_by_itself(page: PageClient) -> None:
    page.new(4, X="easy", O="random", backend="dice", record="1 2+3 4 5+6")
    state = page.until(lambda state: state["phase"] == "over")
    tokens = [event["token"] for event in state["events"]]
    assert any(token.startswith("=p:") for token in tokens)
    assert state["can"]["rematch"] and not state["can"]["play"]
    page.act("rematch")
    assert page.state["game"] == 2 and page.state["first"] == "O"


@pytest.mark.slow
def test_a_noisy_device_shows_its_impossible_shots(page: PageClient) -> None:
    pytest.importorskip("qiskit_ibm_runtime")
    page.new(1, record='[Level "1"] 1+2 3 4 5 6 7 8 9', backend="fake_torino")
    assert page.state["can"]["observe"]
    page.act("observe")
    look = page.until(lambda state: state["thinking"] is None)["observation"]
    assert look["backend"] == "fake_torino" and look["shots"] > 100
    assert sum(look["impossible"].values()) == look["illegal"] > 0


def test_looking_at_a_square_as_a_turn(page: PageClient) -> None:
    page.new(2, options="measure-turn", backend="dice")
    page.act("play", token="1+2")
    assert {"token": "?1", "kind": "look", "squares": [1], "before": False, "after": False} in page.state[
        "choices"
    ]
    page.act("play", token="?1")
    assert page.state["observation"]["what"] == "square" and page.state["observation"]["chance"] == 0.5
    assert page.state["events"][-1]["by"] == "O" and page.state["observation"]["rolls"]
    with pytest.raises(RefusedError, match="square 9"):
        page.act("play", token="?9")


def test_one_screen_takes_back_at_once_and_offers_a_draw_to_the_other(page: PageClient) -> None:
    page.new(2)
    page.act("play", token="5")
    page.act("undo")
    assert page.state["events"] == [] and page.state["offer"] is None and not page.state["can"]["undo"]
    offered = page.act("draw")
    assert offered["offer"] == {"kind": "draw", "by": "X"} and offered["can"]["accept"]
    drawn = page.act("accept")
    assert (drawn["result"], drawn["how"]) == ("tie", "agreement")


def test_friends_agree_and_watchers_watch(served: Served, page: PageClient) -> None:
    page.new(2)
    room, keys = page.joined["room"], page.joined["keys"]
    with (
        served.page(room=room, key=keys["X"]) as x,
        served.page(room=room, key=keys["O"]) as o,
        served.page(room=room, key=keys["watch"]) as watcher,
    ):
        for other in (x, o, watcher):
            other.until(lambda state: True)
        assert (x.joined["you"], o.joined["you"], watcher.joined["you"]) == (["X"], ["O"], [])
        assert x.joined["keys"] is None
        x.until(lambda state: state["seats"]["O"]["here"])
        x.act("play", token="5")
        o.until(lambda state: state["n"] == 1)
        with pytest.raises(RefusedError, match="not yours"):
            x.act("play", token="1")
        with pytest.raises(RefusedError, match="not yours"):
            watcher.until(lambda state: state["n"] == 1)
            watcher.act("play", token="1")
        x.act("undo")
        assert x.state["offer"] == {"kind": "undo", "by": "X"} and not x.state["can"]["accept"]
        assert o.until(lambda state: state["offer"] is not None)["can"]["accept"]
        o.act("accept")
        assert x.until(lambda state: state["offer"] is None)["events"] == []
        x.act("resign")
        assert x.state["result"] == "O" and x.state["how"] == "resigned"


@pytest.mark.slow
def test_a_computer_answers_an_offer_and_can_be_told_to_move_now(page: PageClient) -> None:
    page.new(2, O="search:60", record="5 5*6")
    page.act("play", token="1+3")
    thinking = page.until(lambda state: state["thinking"] is not None)
    assert thinking["thinking"]["doing"] == "moves" and thinking["can"]["hurry"]
    page.act("hurry")
    assert len(page.until(my_turn)["events"]) == 4
    page.new(2, O="hard", record="5 5*6")
    page.act("draw")
    assert page.until(lambda state: state["offer"] is None)["n"] == 2


def test_a_stale_page_is_told_and_gets_the_state(served: Served, page: PageClient) -> None:
    page.new(2)
    with served.page(room=page.joined["room"], key=page.joined["key"]) as other:
        other.until(lambda state: True)
        page.act("play", token="5")
        other.state["n"] = 0
        with pytest.raises(RefusedError, match="you are at 0") as refused:
            other.act("play", token="1")
        assert refused.value.stale
        assert other.until(lambda state: state["n"] == 1)["events"][0]["token"] == "5"


def test_of_two_pages_at_one_moment_one_moves(served: Served, page: PageClient) -> None:
    page.new(2)
    with served.page(room=page.joined["room"], key=page.joined["key"]) as other:
        other.until(lambda state: True)
        for who, token in ((page, "5"), (other, "1")):
            who.send("play", n=0, token=token)
        for who in (page, other):
            who.until(lambda state: state["n"] == 1)
        assert page.state["events"] == other.state["events"] and len(page.state["events"]) == 1


@pytest.mark.slow
def test_the_clock_ends_a_game(page: PageClient) -> None:
    page.new(2, clock={"seconds": 1, "increment": 0})
    page.act("play", token="5")
    assert page.state["clock"]["runs"] == "O"
    ended = page.until(lambda state: state["phase"] == "over", 10)
    assert (ended["result"], ended["how"], ended["clock"]["O"]) == ("X", "clock", 0)


@pytest.mark.slow
def test_questions_are_answered(page: PageClient) -> None:
    page.new(3, record="5 5*6 1+3 2 4+7", O="human")
    record = page.ask("record")["record"]
    assert page.ask("odds") == run_json("odds", record)
    after = page.ask("odds", token="8")
    assert after == run_json("odds", f"{record} 8") and page.state["n"] == 0
    assert page.ask("advise", top=3) == run_json("advise", record, "--top", "3")
    assert page.ask("review") == run_json("review", record)
    assert page.ask("openings", line="5") == run_json("openings", "5", "--level", "3")
    why = page.ask("why", token="1+8")
    assert not why["legal"] and "square 1" in why["why"] and "3*8" not in why["nearest"] and why["nearest"]
    roots = page.ask("amplitudes")["roots"]
    assert {tuple(root["squares"]) for root in roots} == {
        tuple(root["squares"]) for root in page.state["roots"]
    }
    for root in roots:
        assert abs(sum(term["probability"] for term in root["terms"]) - 1) < 1e-12
    circuit = page.ask("circuit")
    labels = {block["event"]: block for block in circuit["blocks"]}
    assert set(labels) == {1, 2, 3, 4, 5} and all(block["gates"] for block in circuit["blocks"])
    look = page.ask("look", shots=200)
    assert sum(look["boards"].values()) == look["kept"] == 200
    assert set(look["boards"]) <= set(look["exact"])
    past = page.ask("state", at=2)
    assert [event["token"] for event in past["events"]] == ["5", "5*6"]
    assert past["dice"] == run_json("dice", record, "--at", "2") | {} or past["dice"]["turn"] == "X"
    value = page.ask("evaluation")
    assert abs(value["X"] + value["tie"] + value["O"] - 1) < 1e-9


def test_a_shared_game_comes_back(page: PageClient) -> None:
    page.new(5, record="5 ~1+3 2", first="O", O="human")
    shared = page.ask("share", address="http://127.0.0.1:8000/#old")
    assert shared["fragment"] == "level=5&first=O&game=5%20~1+3%202"
    assert shared["qr"]["size"] >= 21 and shared["qr"]["path"].startswith("M0 0h7")


@pytest.mark.slow
def test_a_lesson_is_a_page_of_its_own(served: Served, page: PageClient) -> None:
    page.new(1, record="5 1+3", O="human")
    address = page.ask("lesson")["address"]
    with urllib.request.urlopen(f"http://127.0.0.1:{served.port}{address}") as answer:
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert b"1+3" in answer.read()
    with pytest.raises(urllib.error.HTTPError) as missing:
        urllib.request.urlopen(f"http://127.0.0.1:{served.port}/page/guessed")
    assert missing.value.code == 404


@pytest.mark.slow
def test_a_worker_that_is_killed_while_it_thinks_is_replaced(served: Served, page: PageClient) -> None:
    page.new(2, O="search:3", record="5 5*6")
    page.act("play", token="1+3")
    page.until(lambda state: state["thinking"] is not None)
    before = served.workers
    time.sleep(0.3)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert len(page.until(my_turn)["events"]) == 4
    assert set(served.workers) & set(before) == set()
    page.new(2, record="1 2 3 4 5 6 7 8 9", backend="aer")
    page.act("observe")
    assert page.until(lambda state: state["thinking"] is None)["phase"] == "over"


@pytest.mark.slow
def test_what_nobody_waits_for_ends(served: Served) -> None:
    with served.page() as page:
        page.new(2, O="search:300", record="5 5*6")
        page.act("play", token="1+3")
        page.until(lambda state: state["thinking"] is not None)
        room, key = page.joined["room"], page.joined["key"]
    time.sleep(3)
    with served.page() as other:
        other.new(2, O="medium")
        other.act("play", token="5")
        assert len(other.until(my_turn, 20)["events"]) == 2
    with served.page(room=room, key=key) as back:
        back.until(lambda state: state["thinking"] is not None)
        back.act("undo")
        assert len(back.state["events"]) == 2


HOSTILE = [
    ("play", {"n": 0, "token": "=XO.XXO.OX"}, "not for a player to say"),
    ("play", {"n": 0, "token": "?5=X"}, "not for a player to say"),
    ("play", {"n": 0, "token": "=p:####"}, "not for a player to say"),
    ("play", {"n": 0, "token": "55"}, "cannot read"),
    ("play", {"n": 0, "token": "\ud800"}, "cannot read"),
    ("play", {"n": 1, "token": "5"}, "you are at 1"),
    ("play", {"n": -1, "token": "5"}, "whole number"),
    ("play", {"n": 10**400, "token": "5"}, "whole number"),
    ("play", {"n": 0.0, "token": "5"}, "whole number"),
    ("play", {"n": 0}, "has no 'token'"),
    ("play", {"n": 0, "token": "5", "by": "O"}, "unknown key 'by'"),
    ("observe", {"n": 0}, "only once it is full"),
    ("observe", {"n": 0, "mode": "sideways"}, "must be 'standard' or 'rotated'"),
    ("accept", {"n": 0}, "nothing is offered"),
    ("rematch", {"n": 0}, "goes on"),
    ("hurry", {"n": 0}, "nobody is thinking"),
    ("new", {"level": 6}, "from 0 to 5"),
    ("new", {"level": 2, "options": "free-moves"}, "unknown option"),
    ("new", {"level": 2, "O": "search:9999999"}, "does not exist"),
    ("new", {"level": 2, "O": "os:system"}, "does not exist"),
    ("new", {"level": 2, "backend": "os:system"}, "no backend 'os:system' here"),
    ("new", {"level": 2, "backend": "ibm_torino"}, "no backend 'ibm_torino' here"),
    ("new", {"level": 2, "record": "5 5"}, "line 1, column 3"),
    ("new", {"level": 2, "record": '[Luck "0"] [Job "x"] {'}, "comment|closed|read"),
    ("new", {"level": 2, "record": "1 2 3 4 5 6 7 8 9 =OOOOOOOOO"}, "cannot give"),
    ("new", {"level": 2, "clock": {"seconds": 0, "increment": 0}}, "from 1 to"),
    ("ask", {"n": 0, "what": "secrets"}, "must be 'odds' or"),
    ("ask", {"n": 0, "what": "look", "shots": 10**9}, "whole number"),
    ("ask", {"n": 0, "what": "look", "backend": "os:system"}, "no backend"),
    ("ask", {"n": 0, "what": "state", "at": 9}, "0 events, not 9"),
    ("on_new", {}, "no message of the type"),
    ("__init__", {}, "no message of the type"),
]


@pytest.mark.parametrize(("type", "keys", "why"), HOSTILE)
def test_what_a_hostile_page_says_is_refused_in_one_line(
    page: PageClient, type: str, keys: dict[str, Any], why: str
) -> None:
    page.new(2)
    before = page.state
    with pytest.raises(RefusedError, match=why) as refused:
        page.say(type, **keys)
    assert "\n" not in str(refused.value)
    page.say("ask", n=0, what="record")
    assert page.state["events"] == before["events"] == []


JUNK = [
    "",
    "{",
    "[]",
    "null",
    "5",
    '"x"',
    "[" * 5000,
    '{"type":{}}',
    '{"type":["play"]}',
    '{"a":' * 500,
    "NaN",
]


@pytest.mark.parametrize("text", JUNK)
def test_junk_is_refused_and_the_line_stays(page: PageClient, text: str) -> None:
    page.socket.send(text)
    assert page.hear()["type"] == "error"
    assert page.new(2)["n"] == 0


def test_messages_have_a_size(page: PageClient) -> None:
    page.new(2)
    with pytest.raises(RefusedError, match="at most 4,096 bytes"):
        page.act("play", token="5" * 5000)
    assert page.new(2, record="{" + "x" * 60_000 + "} 5")["events"][0]["token"] == "5"
    page.socket.send("x" * 10_000)
    assert "one JSON object" in page.hear()["says"]
    page.socket.send("x" * 200_000)
    assert page.closed() in (1009, 1003)


def test_bytes_are_no_messages(page: PageClient) -> None:
    page.socket.send(b"{}")
    assert page.closed() == 1003


@pytest.mark.slow
def test_a_flood_is_cut_off_and_the_others_play_on(served: Served, page: PageClient) -> None:
    page.new(2)
    with served.page() as flood:
        for _ in range(300):
            try:
                flood.send("leave")
            except Exception:
                break
        assert flood.closed() == 1008
    page.act("play", token="5")
    assert page.state["n"] == 1
    assert "refused: too many messages at once" in served.log()


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", None, "https://evil.example:{port}"]
)
def test_sockets_of_foreign_pages_are_refused(served: Served, origin: str | None) -> None:
    named: Any = origin and origin.format(port=served.port)
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://127.0.0.1:{served.port}/socket", origin=named),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_a_name_that_was_pointed_here_is_refused(served: Served) -> None:
    request = urllib.request.Request(f"http://127.0.0.1:{served.port}/", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 421
    assert "refused: the host 'evil.example'" in served.log()


def test_answers_have_a_strict_policy(served: Served) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{served.port}/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    with pytest.raises(urllib.error.HTTPError) as outside:
        urllib.request.urlopen(f"http://127.0.0.1:{served.port}/static/..%2f..%2fprotocol.py")
    assert outside.value.code == 404


def test_a_guessed_room_is_refused_and_so_is_a_guessed_key(served: Served, page: PageClient) -> None:
    page.new(2)
    for room, key in (("guessed", "guessed"), (page.joined["room"], "guessed"), ("", "")):
        with served.page(room=room, key=key) as guest:
            assert "there is no such room, or the key does not open it" in guest.hear()["says"]
            with pytest.raises(RefusedError, match="at no table"):
                guest.say("play", n=0, token="5")
    assert served.log().count("refused: there is no such room") >= 3


def test_only_the_owner_is_one_and_the_log_has_no_key(served: Served, page: PageClient) -> None:
    assert page.welcome["owner"]
    with served.page(token="guessed") as guest:
        assert not guest.welcome["owner"]
        guest.new(2)
        with pytest.raises(RefusedError, match="for the owner"):
            guest.act("ask", what="plan", backend="fake_torino")
    assert served.token not in served.log() and "wrong owner's token" in served.log()


@pytest.mark.slow
def test_a_killed_server_has_lost_nothing_that_a_page_has_seen(tmp_path: Path) -> None:
    rng = random.Random(5)
    port, place, seen = 0, dict[str, str](), ""
    for _ in range(4):
        with Served(tmp_path, port=port) as served:
            with served.page(**place) as page:
                if not place:
                    page.new(1, X="human", O="random", backend="dice", record="")
                    place = {"room": page.joined["room"], "key": page.joined["key"]}
                page.until(lambda state: True)
                now = " ".join(event["token"] for event in page.state["events"])
                assert now.startswith(seen), (now, seen)
                threading.Timer(rng.uniform(0.1, 1.0), served.process.kill).start()
                try:
                    while page.until(my_turn)["phase"] != "over":
                        play_on(page, rng.choice, 1)
                    page.closed()
                except Exception:
                    assert served.process.wait(20) == -signal.SIGKILL
                seen = " ".join(event["token"] for event in page.state["events"])
            assert served.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_with_its_workers_and_goes_on(tmp_path: Path, number: int) -> None:
    with Served(tmp_path, '[Level "3"] 5 5*6') as served:
        place = dict(part.split("=", 1) for part in served.rest.lstrip("&").split("&"))
        with served.page(**place) as page:
            page.until(lambda state: True)
            page.act("play", token="1")
            assert len(served.workers) >= 2
            served.process.send_signal(number)
            assert page.closed() in (1001, 1012, 1006)
        assert served.process.wait(10) == 0
        assert served.left() == [] and served.log() == ""
    with Served(tmp_path) as again, again.page(**place) as page:
        assert [event["token"] for event in page.until(lambda state: True)["events"]] == ["5", "5*6", "1"]


def refused(folder: Path, *words: str) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "qttt", "serve", "--no-open", *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "QTTT_DATA_DIR": str(folder / "data")},
    )
    assert ended.stdout == "" and ended.stderr.count("\n") == 1 and ended.stderr.startswith("qttt: error: ")
    return ended.returncode, ended.stderr


@pytest.mark.slow
def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path, served: Served) -> None:
    with Served(tmp_path):
        status, line = refused(tmp_path)
        assert status == 2 and "another qttt serve uses it" in line
    status, line = refused(tmp_path, "--port", str(served.port))
    assert status == 2 and f"port {served.port}" in line and "in use" in line
    status, line = refused(tmp_path, "--host", "no.such.host.invalid")
    assert status == 2 and "no such host" in line
    status, line = refused(tmp_path, "5 5")
    assert status == 2 and "column 3" in line
    (tmp_path / "data").rename(tmp_path / "other")
    (tmp_path / "data").write_text("a file")
    status, line = refused(tmp_path)
    assert status == 2 and "cannot open" in line
