"""The page driven as a person does: with a mouse, keys alone, taps, or drags of a finger on the glass."""

import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page

#: What the page offers for a square that may be touched stands in the square's name.
PLAYABLE = re.compile("playable")


@contextmanager
def served(folder: Path, *more: str) -> Iterator[str]:
    """A server of its own, as a process: its address with the owner's token.

    Args:
        folder: where it keeps its games.
        more: further arguments.
    """
    command = [sys.executable, "-m", "qttt", "serve", "--no-open", *more]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "QTTT_DATA_DIR": str(folder)},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving on http://"), line
        yield line.removeprefix("Serving on ").strip()
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def square(page: Page, number: int) -> Locator:
    """One of the nine squares."""
    return page.get_by_role("group", name="Board").get_by_role("button", name=re.compile(f"^{number}, "))


def playable(page: Page) -> list[int]:
    """The squares that may be touched now."""
    names = (
        page.get_by_role("group", name="Board")
        .get_by_role("button")
        .evaluate_all("squares => squares.map(square => square.getAttribute('aria-label'))")
    )
    return [number for number, name in enumerate(names, 1) if PLAYABLE.search(name)]


def open_game(
    page: Page, address: str, level: int, options: str = "", game: str = "", first: str = "X"
) -> None:
    """A game between two people at one screen, by its address."""
    page.goto("about:blank")
    page.goto(f"{address.partition('#')[0]}#level={level}&options={options}&first={first}&game={game}")
    page.locator(f".qttt[data-level='{level}']").wait_for()


#: Views, each with a size and colours to see it in; ``make test`` has these, ``make browser`` the others too.
VIEWS = [
    ("play", 390, 800, "light"),
    ("play", 1280, 800, "dark"),
    ("chooser", 360, 640, "dark"),
    ("Circuit", 1280, 800, "light"),
    ("Odds", 390, 800, "dark"),
    ("over", 1280, 800, "light"),
    ("New game", 360, 640, "light"),
    ("Share", 390, 800, "light"),
    ("projector", 1920, 1080, "light"),
]
MORE_VIEWS = [
    ("Review", 1280, 800, "dark"),
    ("Open", 1280, 800, "dark"),
    ("Rules", 390, 800, "light"),
    ("Settings", 390, 800, "dark"),
    ("observe", 768, 1024, "dark"),
]
#: A game of Level 4 in which every kind of dice and link stands on the board.
RICH = "5 5*6 1+3 1-2"
FULL = "5 1 9 2 3 4 6 7 8"


def show_view(page: Page, address: str, view: str) -> None:
    """Bring the page to one of its views.

    Args:
        page: a page.
        address: of the server.
        view: ``play``, ``chooser``, ``over``, ``observe``, ``projector``, the name of a tab or of a window.
    """
    if view == "over":
        open_game(page, address, 0, game=FULL)
        page.get_by_role("button", name="Observe the board").click()
        page.get_by_role("button", name="Rematch").wait_for()
        return
    if view == "observe":
        open_game(page, address, 4, game="5 5*6 1+3 1-2 4+7 7*8 9")
        return
    if view == "chooser":
        open_game(page, address, 4, game="5")
        square(page, 5).click()
        square(page, 6).click()
        page.get_by_role("group", name="Which move?").wait_for()
        return
    open_game(page, address, 4, game=RICH)
    match view:
        case "play":
            square(page, 4).click()
            square(page, 7).hover()
            page.get_by_text("After 4+7").wait_for()
        case "projector":
            page.get_by_role("button", name="Settings").click()
            page.get_by_label(re.compile("^Projector")).check()
            page.get_by_role("button", name="Close").click()
            page.get_by_role("tab", name="Odds").click()
        case "Circuit" | "Odds" | "Review" | "Moves":
            sheet = page.get_by_role("button", name="Moves, circuit, odds, review")
            if sheet.is_visible():
                sheet.click()
            page.get_by_role("tab", name=view).click()
            if view == "Review":
                page.get_by_role("button", name="Review the game so far").click()
                page.get_by_role("table", name="Skill and luck").wait_for(timeout=60_000)
            if view == "Circuit":
                page.get_by_text("O entangles").last.click()
        case _:
            page.get_by_role("navigation", name="Game").get_by_role("button", name=view, exact=True).click()
            page.get_by_role("dialog").wait_for()


class Hand:
    """Somebody who plays at random by one kind of gesture.

    Args:
        page: the page, at a game between people.
        how: ``mouse``, ``keys``, ``tap`` or ``drag``.
        seed: of the choices.
    """

    def __init__(self, page: Page, how: str, seed: int = 1) -> None:
        self.page, self.how, self.rng = page, how, random.Random(seed)
        self.touches = page.context.new_cdp_session(page) if how == "drag" else None

    def play(self, most: int = 400) -> None:
        """Play to the end of the game."""
        for _ in range(most):
            if self.page.get_by_role("button", name="Rematch").is_visible():
                return
            self.act()
        raise AssertionError(f"no end after {most} acts: {self.page.locator('.line').inner_text()}")

    def act(self) -> None:
        """Do the next thing that there is to do."""
        page = self.page
        page.wait_for_function("() => document.querySelector('.qttt').dataset.busy === 'no'", timeout=60_000)
        chooser = page.get_by_role("group", name="Which move?").get_by_role("button")
        if chooser.first.is_visible():
            self.press(chooser.nth(self.rng.randrange(chooser.count())))
            return
        observe = page.get_by_role("button", name=re.compile("^Observe "))
        if observe.count():
            self.press(observe.nth(self.rng.randrange(observe.count())))
            return
        coins = page.locator(".coin-button")
        if coins.count() and self.rng.random() < 0.15:
            self.press(coins.nth(self.rng.randrange(coins.count())))
            return
        squares = playable(page)
        if not squares:
            # A coin was turned for which there is no move.
            turned = page.locator(".coin-button[aria-pressed=true]")
            while turned.count():
                self.press(turned.first)
            return
        self.touch(self.rng.choice(squares))

    def press(self, button: Locator) -> None:
        """Press a button."""
        if self.how == "keys":
            for _ in range(60):
                if button.evaluate("button => button === document.activeElement"):
                    break
                self.page.keyboard.press("Tab")
            else:
                raise AssertionError(f"Tab does not reach {button}")
            self.page.keyboard.press("Enter")
        elif self.how == "mouse":
            button.click()
        else:
            button.tap()

    def touch(self, number: int) -> None:
        """Touch a square, or drag from it."""
        target = square(self.page, number)
        match self.how:
            case "mouse":
                target.click()
            case "tap":
                target.tap()
            case "keys":
                self.walk(number)
                self.page.keyboard.press("Enter")
            case _:
                self.drag(number)

    def walk(self, number: int) -> None:
        """Move the focus to a square with Tab and the arrow keys."""
        here = "Number(document.activeElement.dataset.square ?? 0)"
        for _ in range(60):
            if self.page.evaluate(here):
                break
            self.page.keyboard.press("Tab")
        at = int(self.page.evaluate(here))
        assert at, "Tab does not reach the board"
        (row, column), (to_row, to_column) = divmod(at - 1, 3), divmod(number - 1, 3)
        for key, times in (
            ("ArrowRight", to_column - column),
            ("ArrowLeft", column - to_column),
            ("ArrowDown", to_row - row),
            ("ArrowUp", row - to_row),
        ):
            for _ in range(max(times, 0)):
                self.page.keyboard.press(key)
        assert self.page.evaluate(here) == number

    def drag(self, number: int) -> None:
        """Drag a finger from one square to another that the page then offers, or out and back."""
        self.finger("touchStart", number)
        self.finger("touchMove", number % 9 + 1)
        offered = playable(self.page) or [number]
        goal = self.rng.choice(offered)
        self.finger("touchMove", goal)
        self.finger("touchEnd", None)

    def finger(self, kind: str, number: int | None) -> None:
        """A touch of the browser's own protocol."""
        assert self.touches is not None
        points = []
        if number is not None:
            box = square(self.page, number).bounding_box()
            assert box is not None
            points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
        self.touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
