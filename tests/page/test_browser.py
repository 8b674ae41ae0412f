"""The page in a real browser, on a real server."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.page.driver import Hand, open_game, served
from tests.support.browser import IN_BROWSER, complaints_of, started_browser

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
