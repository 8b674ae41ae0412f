"""The page in a real browser, on a real server."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute

from qttt.display.reports import odds_report
from qttt.game.game import Game
from tests.page.driver import VIEWS, Hand, free_port, open_game, playable, served, show_view, square
from tests.support.browser import IN_BROWSER, check_axe, complaints_of, started_browser

pytestmark = IN_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that must not complain while a test uses it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    complaints = complaints_of(opened)
    yield opened
    assert complaints == []
    context.close()


def line(page: Page) -> str:
    return page.locator(".line").inner_text()


@pytest.mark.parametrize(
    ("level", "how", "options"),
    [
        (0, "mouse", ""),
        (1, "tap", "measure-turn"),
        (2, "keys", ""),
        (3, "drag", ""),
        (4, "mouse", "quantum-only"),
        (5, "tap", "max-observations=2,view-switches=2"),
    ],
)
def test_a_game_a_level(page: Page, address: str, level: int, how: str, options: str) -> None:
    open_game(page, address, level, options)
    hand = Hand(page, how, seed=level)
    hand.play()
    assert "The game is over" in line(page)


def test_only_the_accessibility_tree_is_needed(page: Page, address: str) -> None:
    """Somebody who is told names and roles alone, and presses what has a name, plays Level 2 to its end."""
    open_game(page, address, 2)
    entangled = False
    for _ in range(200):
        page.wait_for_function("() => document.querySelector('.qttt').dataset.busy === 'no'")
        tree = page.locator("body").aria_snapshot()
        if 'button "Rematch"' in tree:
            break
        buttons = re.findall(r'button "((?:[^"\\]|\\.)+)"', tree)
        offered = [name for name in buttons if "playable" in name]
        observe = [name for name in buttons if name.startswith("Observe ")]
        # Entangle where it is offered; else the first square that is.
        wanted = [name for name in offered if "playable: entangling" in name] or offered
        entangled = entangled or "playable: entangling" in wanted[0] if wanted else entangled
        name = (observe or wanted)[0].replace("''", "'")
        page.get_by_role("button", name=name, exact=True).press("Enter")
    assert entangled
    assert "The game is over" in page.get_by_role("status").first.inner_text()


def test_an_option_that_the_page_has_never_heard_of_is_played(page: Page, address: str) -> None:
    """A server with a new kind of move, told by its rows alone: the unchanged page offers and sends it."""
    sent: list[str] = []

    def between(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def from_page(text: str | bytes) -> None:
            message = json.loads(text)
            if message.get("type") == "play":
                sent.append(message["token"])
                # What the new move does is the server's: here it stands for another one.
                message["token"] = "1+2" if message["token"] == "1&2&3" else message["token"]
            server.send(json.dumps(message))

        def from_server(text: str | bytes) -> None:
            message = json.loads(text)
            row = {"word": "spreading", "sign": "&", "verb": "spreads over", "attacks": False, "fills": 3}
            if message["type"] == "welcome":
                message["kinds"].append({**row, "first_level": 1, "example": "1&2&3"})
                message["options"].append(
                    {
                        "written": "spread",
                        "name": "spread",
                        "takes": "",
                        "levels": [1],
                        "summary": "pieces in three squares",
                    }
                )
            if message["type"] == "state" and message["choices"] and len(message["events"]) == 0:
                message["options"] = "spread"
                move = {"kind": "spreading", "before": False, "after": False}
                message["choices"] += [
                    {**move, "token": "1&2&3", "squares": [1, 2, 3]},
                    {**move, "token": "7&8&9", "squares": [7, 8, 9]},
                ]
            line.send(json.dumps(message))

        line.on_message(from_page)
        server.on_message(from_server)

    page.route_web_socket(re.compile("/socket"), between)
    open_game(page, address, 1)
    square(page, 1).click()
    assert "superposition or spreading" in (square(page, 2).get_attribute("aria-label") or "")
    assert "classical" in (square(page, 1).get_attribute("aria-label") or "")
    # By its sign first, else 1 and 2 would be a superposition already.
    page.keyboard.press("&")
    square(page, 3).click()
    square(page, 2).click()
    page.get_by_role("button", name="1+2, X, superposition").wait_for()
    assert sent == ["1&2&3"]
    page.get_by_role("button", name="Rules").click()
    assert "pieces in three squares" not in page.get_by_role("dialog").inner_text()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="New game").click()
    page.get_by_label("Level", exact=True).select_option("1")
    page.get_by_text("Options and clock").click()
    assert page.get_by_label("spread pieces in three squares").is_visible()


def test_an_illegal_touch_says_why_and_offers_what_is_near(page: Page, address: str) -> None:
    open_game(page, address, 2, game="5 5*6")
    square(page, 6).click(force=True)
    page.get_by_text("Square 6 must be empty, and it holds X's △2 and O's □2.").wait_for()
    square(page, 1).click()
    square(page, 6).click(force=True)
    page.locator(".line button").first.wait_for()
    near = page.locator(".line button").all_inner_texts()
    assert near[0] == "1"
    page.locator(".line button").first.click()
    page.get_by_role("button", name="1, X, classical").wait_for()


def test_hovering_shows_the_odds_after_a_choice(page: Page, address: str) -> None:
    open_game(page, address, 2, game="5 1+9")
    square(page, 1).click()
    square(page, 4).hover()
    page.get_by_text("After 1*4").wait_for()
    odds = odds_report(Game(level=2).play("5 1+9 1*4"))
    shown = page.locator(".foresight").inner_text()
    assert f"goes on {100 * odds['result']['continue']:g} %" in shown
    bar = page.locator(".preview").nth(odds_place(odds, 9))
    assert float(bar.get_attribute("width") or 0) == pytest.approx(104 * odds["squares"][8]["X"])


def odds_place(odds: Mapping[str, Any], number: int) -> int:
    """The place of a square's first bar: two are shown for each square that may be filled."""
    return 2 * sum(int(row["empty"] < 1) for row in odds["squares"][: number - 1])


def test_typed_moves_and_keys_on_the_board(page: Page, address: str) -> None:
    open_game(page, address, 3)
    page.get_by_label("Type a move").fill("5")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="5, X, classical").wait_for()
    square(page, 1).focus()
    for key in "5-6":
        page.keyboard.press(key)
    page.get_by_role("button", name="5-6, O, cancelling").wait_for()
    page.get_by_label("Type a move").fill("5*1")
    page.keyboard.press("Enter")
    page.get_by_text("5*1 by X is not allowed").wait_for()


def test_an_observation_is_revealed_and_can_be_skipped(page: Page, address: str) -> None:
    open_game(page, address, 1, game="1+2 3+4 5+6 7+8 9")
    page.get_by_role("button", name="Observe the board").click()
    page.locator(".board.revealing").wait_for()
    assert "not yet observed" in " ".join(
        square(page, number).get_attribute("aria-label") or "" for number in range(1, 10)
    )
    page.keyboard.press("x")
    page.locator(".board:not(.revealing)").wait_for(timeout=400)
    assert "This board had a chance of 6.25 %" in line(page)


def test_stepping_what_if_and_review(page: Page, address: str) -> None:
    open_game(page, address, 2, game="5 5*6 1+3")
    page.get_by_role("button", name="5*6, O, entangling").click()
    page.get_by_text("After event 2 of 3").wait_for()
    assert playable(page) == []
    assert "classical" not in (square(page, 1).get_attribute("aria-label") or "")
    page.get_by_role("button", name="What if? Play on from here").first.click()
    page.get_by_role("button", name="5*6, O, entangling").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    assert len(playable(page)) == 7
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Review the game so far").click()
    page.get_by_role("table", name="Skill and luck").wait_for(timeout=60_000)


def test_records_open_by_file_paste_and_address(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    page.locator(".square").first.wait_for()
    kept = tmp_path / "a.qttt"
    kept.write_text('[Level "3"]\n5 5-6', encoding="utf-8")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_label("or a file").set_input_files(kept)
    page.wait_for_function("() => document.querySelector('textarea').value.includes('5-6')")
    page.get_by_role("dialog").get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="5-6, O, cancelling").wait_for()
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData('text', '1+9 1*2');
            document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
        }"""
    )
    page.get_by_role("button", name="1*2, O, entangling").wait_for()
    page.get_by_role("button", name="Share").click()
    shared = page.get_by_label("Address of this game").input_value()
    assert shared.endswith("#level=2&game=1+9%201*2")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the record").click()
    assert "1+9 1*2" in Path(download.value.path()).read_text(encoding="utf-8")
    page.goto("about:blank")
    page.goto(shared)
    page.get_by_role("button", name="1*2, O, entangling").wait_for()
    page.reload()
    page.get_by_role("button", name="1*2, O, entangling").wait_for()


def test_a_first_visit_meets_an_easy_computer_and_each_hint_once(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_text("Hint: touch a glowing square twice").wait_for()
    assert "O easy (computer)" in page.locator(".players").inner_text()
    square(page, 5).click()
    square(page, 5).click()
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    page.reload()
    page.get_by_text("Level 1 (Superposition). X to move.").wait_for()
    assert "Hint" not in line(page)
    # The back button and an address by hand: the room is in the address.
    assert "#room=" in page.url


def test_a_puzzle_is_asked_and_judged(page: Page, address: str) -> None:
    answers: list[dict[str, Any]] = []

    def heard(text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "answer" and message["what"] == "puzzle":
            answers.append(message["answer"])

    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    open_game(page, address, 2)
    page.get_by_role("button", name="A puzzle").click()
    page.wait_for_function("() => document.querySelectorAll('.moves li').length > 0", timeout=60_000)
    (puzzle,) = answers
    page.get_by_text(puzzle["question"]).wait_for()
    page.get_by_label("Type a move").fill(puzzle["solutions"][0])
    page.keyboard.press("Enter")
    page.get_by_text(f"Found. {puzzle['why']}").wait_for()


def test_it_is_printed_on_light_ground_without_controls(page: Page, address: str) -> None:
    open_game(page, address, 2, game="5 5*6")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".actions:visible, .head:visible, .tabs:visible, .handle:visible").count() == 0
    # What can be touched on paper are the squares and the list of moves, and nothing tells how to type.
    assert page.locator(":is(button, input):visible:not(.square, .moves button)").count() == 0
    assert page.get_by_text("For example").is_hidden()
    assert page.locator(".board:visible, .panel .content:visible").count() == 2


def test_the_page_comes_back_by_itself(browser: Browser, tmp_path: Path) -> None:
    """A server that is killed and started again on its port: the game stands where it stood."""
    port = free_port()
    opened = browser.new_page()
    with served(tmp_path, "--port", str(port)) as address:
        open_game(opened, address, 2, game="5 5*6")
    opened.get_by_text("The line is lost").wait_for()
    assert playable(opened) == []
    with served(tmp_path, "--port", str(port)):
        opened.get_by_text("X to move").first.wait_for(timeout=30_000)
        square(opened, 1).click()
        square(opened, 2).click()
        opened.get_by_role("button", name="1+2, X, superposition").wait_for()
    opened.close()


@pytest.mark.parametrize(("view", "width", "height", "scheme"), VIEWS)
def test_every_view_is_whole_and_axe_finds_nothing(
    page: Page, address: str, view: str, width: int, height: int, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": height})
    show_view(page, address, view)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "scrolls sideways"
    check_axe(page)


@pytest.mark.parametrize(
    ("view", "parts"),
    [("play", (".board", ".actions", ".line", ".foresight")), ("chooser", (".board", ".chooser", ".line"))],
)
def test_a_small_phone_shows_board_buttons_and_words_at_once(
    page: Page, address: str, view: str, parts: tuple[str, ...]
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    show_view(page, address, view)
    if ".foresight" in parts:
        page.get_by_text("After 4+7").wait_for()
    handle = page.locator(".handle").bounding_box()
    assert handle is not None
    for part in parts:
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= handle["y"], part


def test_a_page_of_twice_the_size_is_whole(page: Page, address: str) -> None:
    """200 % of a page 1280 wide is a page 640 wide."""
    page.set_viewport_size({"width": 640, "height": 400})
    show_view(page, address, "play")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    board = page.get_by_role("group", name="Board").bounding_box()
    assert board is not None
    assert board["width"] >= 300


def test_the_policy_is_strict(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
