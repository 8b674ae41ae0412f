"""The console that draws text, tables and moving lines, none of which can command the terminal."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from qttt.cli.console.characters import visible


class SafeConsole(Console):
    """Rich's console, in which strings are shown as they are, but for what a terminal would obey.

    Colours and the moves of the cursor come from Rich alone: whatever stands in a text is no more than text.
    """

    def __init__(self, **settings: Any) -> None:
        """Take Rich's own settings."""
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Make a string a text; cells of tables come here too, before they are measured."""
        return super().render_str(visible(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Draw something; texts that were never strings of ours are seen to here."""
        if isinstance(renderable, Text) and visible(renderable.plain) != renderable.plain:
            renderable = renderable.copy()
            renderable.plain = visible(renderable.plain)
        return super().render(renderable, options)
