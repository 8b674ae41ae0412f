"""The board as a notebook's widget, by anywidget: the page's own modules, and messages through the kernel."""

import json
from importlib.resources import files
from typing import Any

import anywidget

from qttt.page.protocol import Message
from qttt.page.table import GameTable

#: The page's modules, each after those that it imports.
MODULES = (
    *("draw", "routes", "choose", "link", "arrows", "circuit", "board", "dialogs", "panel", "app", "widget"),
)
#: A notebook loads one module: it makes addresses for the page's, so that each finds those that it names.
_LOADER = """
const sources = %s;
const addresses = {};
for (const [name, source] of Object.entries(sources)) {
  const text = source.replace(/(from ")\\.\\/([a-z]+)\\.js(")/g, (_, a, name, b) => a + addresses[name] + b);
  addresses[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}
const { default: widget } = await import(addresses.widget);
export default widget;
"""


def _static(name: str) -> str:
    return files("qttt.page").joinpath("static", name).read_text(encoding="utf-8")


class BoardWidget(anywidget.AnyWidget):
    """A board to play on in a notebook; what is done there is done to the game."""

    _esm = _LOADER % json.dumps({name: _static(f"{name}.js") for name in MODULES})
    _css = _static("palette.css") + _static("style.css")

    def __init__(self, table: GameTable) -> None:
        """Show a game.

        Args:
            table: the game, and who observes it.
        """
        super().__init__()
        self.table = table
        self.on_msg(self._received)

    def refresh(self) -> None:
        """Show what was done to the game elsewhere, for example by ``game.play`` in a cell."""
        self.send(self.table.state())

    def _received(self, _widget: Any, message: Message, _buffers: Any) -> None:
        for told in self.table.handle(message):
            self.send(told)
