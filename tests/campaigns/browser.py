"""The page played in Chromium: ``python -m tests.campaigns.browser [--games N] [--level L]… [--how H]…``.

On a server of its own, with its default backend, N whole games at each level by each kind of gesture: mouse,
keys alone, taps, and drags of a finger through the browser's debugging protocol; each gesture on a screen of
another size, from 360 × 640 to 1920 × 1080, one with 200 % zoom, one with reduced motion, one dark. After
each game axe-core looks at the page. It counts games, moves and complaints of the console, and tells how long
it takes from a click to the drawn answer, and how much the page's memory grows from its tenth game to its
last. Ends with 1 if anything is wrong. ``--pictures FOLDER`` writes the README's pictures instead.

Other browsers are not tried: Debian's Chromium is the one that is here.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.page.driver import MORE_VIEWS, VIEWS, Hand, open_game, served, show_view, square
from tests.support.browser import check_axe, complaints_of, started_browser

#: For each gesture, what the page is seen on.
SCREENS: dict[str, dict[str, Any]] = {
    "mouse": {"viewport": {"width": 1920, "height": 1080}},
    "keys": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    "tap": {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark", "has_touch": True},
    "drag": {"viewport": {"width": 768, "height": 1024}, "reduced_motion": "reduce", "has_touch": True},
}
OPTIONS = {1: "measure-turn", 2: "no-double-entanglement", 4: "quantum-only", 5: "max-observations=3"}
PICTURES: tuple[tuple[str, str, int, int, str], ...] = (
    ("play", "play", 1280, 800, "light"),
    ("observation", "reveal", 1280, 800, "light"),
    ("review", "Review", 1280, 800, "light"),
    ("phone", "play", 390, 844, "light"),
    ("projector", "projector", 1920, 1080, "light"),
    ("dark", "play", 1280, 800, "dark"),
)


def campaign(browser: Browser, address: str, levels: list[int], hows: list[str], games: int) -> int:
    """Play, print what was found, and say how much was wrong."""
    wrong = 0
    for how in hows:
        context = browser.new_context(**SCREENS[how])
        page = context.new_page()
        page.set_default_timeout(30_000)
        complaints = complaints_of(page)
        for level in levels:
            for number in range(games):
                open_game(page, address, level, OPTIONS.get(level, "") if number % 2 else "")
                try:
                    Hand(page, how, seed=100 * level + number).play()
                    check_axe(page)
                except Exception as error:
                    wrong += 1
                    print(f"level {level}, {how}, game {number}: {str(error)[:400]}")
        wrong += len(complaints)
        print(f"{how}: {games} games at each of Levels {levels}; complaints: {complaints}", flush=True)
        context.close()
    return wrong


def views(browser: Browser, address: str) -> int:
    """Look at every view with axe-core, and say how much was wrong."""
    wrong = 0
    for view, width, height, scheme in VIEWS + MORE_VIEWS:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
        try:
            show_view(page, address, view)
            check_axe(page)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        except Exception as error:
            wrong += 1
            print(f"{view}, {width} × {height}, {scheme}: {str(error)[:400]}")
        page.close()
    print(f"{len(VIEWS + MORE_VIEWS)} views seen by axe-core, {wrong} of them with faults", flush=True)
    return wrong


def waits(browser: Browser, address: str) -> list[float]:
    """Milliseconds from a click that makes a move to the drawn answer, sorted."""
    page = browser.new_page()
    page.emulate_media(reduced_motion="reduce")
    found: list[float] = []
    for _ in range(12):
        open_game(page, address, 2)
        for number in range(1, 9):
            square(page, number).click()
            found.append(
                page.evaluate(
                    """number => new Promise(done => {
                        const start = performance.now();
                        const count = () => document.querySelectorAll('.moves li').length;
                        const before = count();
                        const watch = new MutationObserver(() => {
                            if (count() === before) return;
                            watch.disconnect();
                            requestAnimationFrame(() => done(performance.now() - start));
                        });
                        watch.observe(document.body, {subtree: true, childList: true});
                        document.querySelector(`[data-square='${number}']`).click();
                    })""",
                    number,
                )
            )
    page.close()
    return sorted(found)


def growth(browser: Browser, address: str, games: int) -> float:
    """Megabytes that the page's memory grows by from its tenth game to its last."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    open_game(page, address, 2)
    sizes = []
    for number in range(games):
        page.get_by_role("button", name="New game").click()
        page.get_by_label("O, squares").select_option("human")
        page.get_by_role("button", name="Start", exact=True).click()
        page.wait_for_function("() => document.querySelector('.qttt').dataset.busy === 'no'")
        for touched in (1, 1, 5, 5):
            square(page, touched).click()
        # The server lets one page make 30 rooms a minute.
        page.wait_for_timeout(2050)
        if number in (9, games - 1):
            session.send("HeapProfiler.collectGarbage")
            sizes.append(page.evaluate("performance.memory.usedJSHeapSize"))
    page.close()
    return float(sizes[-1] - sizes[0]) / 1e6


def picture(page: Page, address: str, view: str, path: Path) -> None:
    """Write one view as a picture."""
    if view == "reveal":
        show_view(page, address, "observe")
        page.get_by_role("button", name="Observe which squares are filled").click()
        page.get_by_role("button", name="Observe in standard mode").click()
        page.locator(".board.revealing").wait_for()
        page.wait_for_timeout(900)
    else:
        show_view(page, address, view)
        page.wait_for_timeout(400)
    page.screenshot(path=path)
    # Flat colours need no more than 64 of them, a third of the bytes.
    with Image.open(path) as shot:
        shot.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> int:
    """Play, or write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--level", type=int, action="append", choices=range(6))
    parser.add_argument("--how", action="append", choices=SCREENS)
    parser.add_argument("--pictures", type=Path)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        started_browser() as browser,
    ):
        if chosen.pictures:
            chosen.pictures.mkdir(parents=True, exist_ok=True)
            for name, view, width, height, scheme in PICTURES:
                page = browser.new_page(viewport={"width": width, "height": height})
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                picture(page, address, view, chosen.pictures / f"{name}.png")
                page.close()
            return 0
        levels, hows = chosen.level or list(range(6)), chosen.how or list(SCREENS)
        wrong = campaign(browser, address, levels, hows, chosen.games) + views(browser, address)
        found = waits(browser, address)
        late = found[int(0.95 * len(found))]
        print(f"click to drawn: median {found[len(found) // 2]:.0f} ms, 95 % within {late:.0f} ms")
        grown = growth(browser, address, 100)
        print(f"memory: {grown:+.2f} MB from the tenth game to the hundredth")
        return 1 if wrong or late > 50 or grown > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
