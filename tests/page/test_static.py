"""The files of the page: made ones are fresh, all are small, and nothing is loaded from elsewhere."""

import re
from pathlib import Path

import pytest

import qttt.page
from qttt.display.pictures.svg import colour_rules, paint_classes

STATIC = Path(qttt.page.__file__).parent / "static"
#: What a page loads; the types are for the compiler.
LOADED = [path for path in sorted(STATIC.iterdir()) if path.suffix in {".html", ".css", ".js", ".svg"}]


def test_there_is_one_palette() -> None:
    """Written again with ``python -m tests.page.test_static``."""
    assert (STATIC / "palette.css").read_text(encoding="utf-8") == palette()


def palette() -> str:
    return colour_rules() + paint_classes() + "\n"


def test_the_page_is_small() -> None:
    assert {"index.html", "app.js", "style.css"} <= {path.name for path in LOADED}
    assert sum(path.stat().st_size for path in LOADED) <= 150_000


def test_every_file_that_is_named_is_there_and_none_is_anywhere_else() -> None:
    names = {path.name for path in LOADED}
    for path in LOADED:
        text = path.read_text(encoding="utf-8")
        for named in re.findall(r"""(?:from|src=|href=)\s*["']([^"'#]+\.(?:js|css|svg))["']""", text):
            assert named.removeprefix("/static/").removeprefix("./") in names, f"{path.name}: {named}"
        assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_widget_has_every_module_after_those_that_it_imports() -> None:
    modules = pytest.importorskip("qttt.page.widget").MODULES
    for place, name in enumerate(modules):
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        assert set(re.findall(r'from "\./([a-z]+)\.js"', text)) <= set(modules[:place]), name


def test_nothing_that_a_strict_policy_refuses() -> None:
    for path in LOADED:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bstyle=|\bon[a-z]+=\"|innerHTML|\beval\(|new Function|<style", text), (
            path.name
        )


if __name__ == "__main__":
    (STATIC / "palette.css").write_text(palette(), encoding="utf-8")
