"""Pages in a real browser: Debian's chromium, driven by path; skipped by name where it is not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
#: The marks of a test file that needs the browser.
IN_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no browser at {CHROMIUM}"),
]
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
CHECKED = (
    "axe.run(document, {rules: {'label-content-name-mismatch': {enabled: true}}, runOnly: {type: 'tag', "
    "values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'experimental']}})"
)


@contextmanager
def started_browser() -> Iterator[Browser]:
    """A browser, closed at the end."""
    with sync_playwright() as playwright:
        # As root, as in CI, chromium refuses its own sandbox.
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def complaints_of(page: Page) -> list[str]:
    """What the page complains about from now on: messages of its console and errors of its scripts."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def check_axe(page: Page) -> None:
    """axe-core finds nothing in what is shown, and has looked."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(CHECKED)
    faults = [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]]
    assert faults == [], faults
    assert {"color-contrast", "button-name", "region"} <= {rule["id"] for rule in found["passes"]}
