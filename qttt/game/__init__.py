"""The rules: dice, position, legal moves, exact odds, state and history. Standard library only.

`from qttt.game import Game` is enough to play one; the module behind the name is only then imported.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qttt.game.game import Game

__all__ = ["Game"]


def __getattr__(name: str) -> object:
    if name == "Game":
        from qttt.game.game import Game

        return Game
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
