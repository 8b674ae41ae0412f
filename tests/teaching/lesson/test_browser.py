"""The lesson page in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from qttt.records.files import load_record
from qttt.records.record import Record
from qttt.teaching.lesson.building import make_lesson
from qttt.teaching.lesson.html import lesson_html
from qttt.teaching.lesson.steps import Lesson
from tests.support.browser import IN_BROWSER, check_axe, complaints_of, started_browser

GAMES = Path(__file__).parents[3] / "examples" / "games"
RECORD = (
    '[Level "5"]\n[X "Ada <i>"]\n[O "Born & Co"]\n'
    "5 {the middle} 5-6 9 2 1+7 1*3 ~4 4*8 =p:####.#.## =r:XXOX.O.OX 5+7"
)
WIDTHS = (360, 768, 1280, 1920)

pytestmark = IN_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return make_lesson(Record.parse(RECORD), shots=500)


@pytest.fixture(scope="module")
def address(lesson: Lesson, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lesson") / "lesson.html"
    path.write_text(lesson_html(lesson), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, which must neither complain nor ask for anything while a test uses it."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints = complaints_of(opened)
    requests: list[str] = []
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(address)
    yield opened
    assert complaints == []
    assert {url.partition("#")[0] for url in requests if not url.startswith("data:")} == {address}
    opened.close()


def heading(page: Page) -> str:
    """The heading of the one step that is shown."""
    shown = page.locator(".step:visible h2")
    assert shown.count() == 1
    return shown.inner_text()


def test_arrow_keys_reach_every_move_and_come_back(page: Page, lesson: Lesson) -> None:
    titles = [f"{step.number}. {step.title}" for step in lesson.steps]
    seen = [heading(page)]
    for _ in titles[1:]:
        page.keyboard.press("ArrowRight")
        seen.append(heading(page))
    assert seen == titles
    page.keyboard.press("ArrowRight")
    assert heading(page) == titles[-1]
    page.keyboard.press("ArrowLeft")
    assert heading(page) == titles[-2]
    page.keyboard.press("Home")
    assert heading(page) == titles[0]
    page.keyboard.press("End")
    assert heading(page) == titles[-1]
    assert page.url.endswith(f"#step-{len(titles)}")


def test_tab_and_enter_reach_every_move(page: Page, lesson: Lesson) -> None:
    reached: list[str] = []
    for _ in range(len(lesson.steps) + 8):
        page.keyboard.press("Tab")
        step = page.evaluate("document.activeElement.dataset.step ?? ''")
        if step and step not in reached:
            reached.append(step)
            page.keyboard.press("Enter")
            assert heading(page) == f"{step}. {lesson.steps[int(step) - 1].title}"
            assert page.locator("[aria-current=step]").get_attribute("data-step") == step
            assert page.locator("#announce").inner_text() == heading(page)
    assert reached == [str(step.number) for step in lesson.steps]


def test_buttons_step_and_stop_at_the_ends(page: Page, lesson: Lesson) -> None:
    back, forth = page.locator("#back"), page.locator("#next")
    assert back.get_attribute("aria-disabled") == "true"
    back.click(force=True)
    assert heading(page).startswith("1. ")
    for _ in lesson.steps:
        forth.click(force=True)
    assert heading(page).startswith(f"{len(lesson.steps)}. ")
    assert forth.get_attribute("aria-disabled") == "true"


def test_an_address_opens_at_its_step(browser: Browser, address: str, lesson: Lesson) -> None:
    opened = browser.new_page()
    opened.goto(f"{address}#step-6")
    assert heading(opened) == f"6. {lesson.steps[5].title}"
    opened.close()


def test_arrows_inside_a_drawing_scroll_it_and_do_not_step(page: Page) -> None:
    page.locator(".step:visible .scroll").first.focus()
    page.keyboard.press("ArrowRight")
    assert heading(page).startswith("1. ")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(page: Page, lesson: Lesson, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.locator("details summary").click()
    for step in lesson.steps:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), step.title
        # Whatever is wider than its place is inside something that scrolls.
        outside = page.evaluate(
            """() => [...document.querySelectorAll('body *')].filter(element => {
                const box = element.getBoundingClientRect();
                return box.width > 0 && box.right > window.innerWidth + 1
                    && !element.closest('.scroll, nav ol, .skip, .hidden');
            }).map(element => element.outerHTML.slice(0, 80))"""
        )
        assert outside == [], step.title
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("width", [360, 1920])
def test_no_button_is_cut_off_or_too_small_to_touch(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for button in page.locator("nav > button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 40
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_the_next_step_begins_in_view(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("window.scrollTo(0, 1500)")
    page.locator("#next").click()
    bar, box = page.locator("nav").bounding_box(), page.locator(".step:visible h2").bounding_box()
    assert bar is not None
    assert box is not None
    assert bar["y"] + bar["height"] <= box["y"] < 740 / 2


def test_the_names_of_wires_stay_while_a_circuit_scrolls(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.keyboard.press("End")
    region = page.locator(".step:visible .scroll").first
    region.evaluate("region => { region.scrollLeft = 1e6; }")
    assert region.evaluate("region => region.scrollLeft") > 50
    frame, names = region.bounding_box(), region.locator(".wires svg").bounding_box()
    circuit = region.locator(":scope > svg").bounding_box()
    assert frame is not None
    assert names is not None
    assert circuit is not None
    assert abs(names["x"] - frame["x"]) < 8
    assert names["y"] == circuit["y"]


def test_a_button_is_called_what_it_says(page: Page) -> None:
    """The rule label-content-name-mismatch of axe: who speaks to a page says what is seen."""
    for button in page.locator("button[data-step]").all():
        assert (button.get_attribute("aria-label") or "").startswith(button.inner_text())


def test_bars_are_printed_without_background_graphics(page: Page) -> None:
    page.emulate_media(media="print")
    kinds = page.locator(".length span, .axis span").evaluate_all(
        "spans => [...new Set(spans.map(span => getComputedStyle(span).printColorAdjust))]"
    )
    assert kinds == ["exact"]
    breaks = page.locator("h2, h3, caption, figcaption").evaluate_all(
        "heads => [...new Set(heads.map(head => getComputedStyle(head).breakAfter))]"
    )
    assert breaks == ["avoid"]


def test_print_wastes_no_page_and_splits_no_box(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(".stepwise:visible, details:visible").count() == 0
    steps = page.locator(".step").evaluate_all(
        "steps => steps.map(step => getComputedStyle(step).breakBefore)"
    )
    assert steps == ["auto"] + ["page"] * (len(steps) - 1)
    whole = page.locator("figure, table, ul, ol.rolls, .verdict, blockquote").evaluate_all(
        "parts => [...new Set(parts.map(part => getComputedStyle(part).breakInside))]"
    )
    assert whole == ["avoid"]
    # What may not be split must fit on a page: A4 less Chromium's own margins, at 96 pixels an inch.
    page.set_viewport_size({"width": 718, "height": 1000})
    heights = page.locator("figure:visible").evaluate_all("parts => parts.map(part => part.offsetHeight)")
    assert 0 < max(heights) < 1046
    widths = page.locator(".board svg.picture:visible").evaluate_all(
        "boards => boards.map(board => board.getBoundingClientRect().width)"
    )
    assert 0 < max(widths) < 718 / 2 + 1


@pytest.mark.parametrize("name", ["level-1-superposition", "option-no-ties"])
def test_moves_are_printed_on_one_page_each(browser: Browser, tmp_path: Path, name: str) -> None:
    """On A4 no circuit and no box of gates is left over for a page of its own."""
    lesson = make_lesson(load_record(str(GAMES / f"{name}.qttt")), shots=50)
    (tmp_path / "lesson.html").write_text(lesson_html(lesson), encoding="utf-8")
    opened = browser.new_page()
    opened.goto((tmp_path / "lesson.html").as_uri())
    printed = opened.pdf(format="A4")
    opened.close()
    observed = sum(step.distribution is not None for step in lesson.steps)
    assert len(re.findall(rb"/Type ?/Page\b", printed)) <= len(lesson.steps) + observed


def test_the_text_is_that_of_the_record(page: Page, lesson: Lesson) -> None:
    for step in lesson.steps:
        shown = page.locator(".step:visible").inner_text()
        assert step.token in shown
        for comment in step.comments:
            assert comment in shown
        for change in step.changes:
            assert f"square {change.square}: {change.before} → {change.after}" in shown
        for rule in step.rules:
            assert rule.sentence in shown
        page.keyboard.press("ArrowRight")
    page.locator("details summary").click()
    assert page.locator("h1").inner_text() == "Ada <i> against Born & Co"
    assert page.locator("pre").inner_text() == str(Record.parse(RECORD))


def test_light_and_dark_follow_the_system_and_the_button(page: Page) -> None:
    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))

    page.emulate_media(color_scheme="light")
    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    page.locator("#theme").click()
    assert ground() == light
    page.locator("#theme").click()
    assert ground() == dark


def test_print_shows_every_step_on_light_ground(page: Page, lesson: Lesson) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".step:visible").count() == len(lesson.steps)
    assert page.locator("nav:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"


def test_every_control_and_picture_has_a_name(page: Page) -> None:
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, svg, [role=region], nav, section')].filter(element =>
            !(element.getAttribute('aria-label') || element.getAttribute('aria-labelledby')
                || element.textContent.trim())).length"""
    )
    assert nameless == 0
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("main").count() == page.locator("h1").count() == 1


def test_the_lesson_can_be_read_without_scripts(browser: Browser, address: str, lesson: Lesson) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(address)
    assert opened.locator(".step:visible").count() == len(lesson.steps)
    context.close()


@pytest.mark.parametrize(
    ("width", "scheme", "steps"), [(390, "light", slice(0, 5)), (1280, "dark", slice(5, 99))]
)
def test_axe_finds_nothing_at_any_step(
    browser: Browser, address: str, lesson: Lesson, width: int, scheme: Literal["light", "dark"], steps: slice
) -> None:
    opened = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for step in lesson.steps[steps]:
        opened.goto(f"{address}#step-{step.number}")
        opened.reload()
        check_axe(opened)
    opened.close()


@pytest.mark.parametrize("name", ["level-2-entanglement", "level-4-complementarity", "option-no-ties"])
def test_axe_finds_nothing_in_other_records(browser: Browser, name: str, tmp_path: Path) -> None:
    path = tmp_path / "lesson.html"
    lesson = make_lesson(load_record(GAMES / f"{name}.qttt"), shots=200)
    path.write_text(lesson_html(lesson), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    opened.goto(f"{path.as_uri()}#step-{len(lesson.steps)}")
    check_axe(opened)
    opened.close()
