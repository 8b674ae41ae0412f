"""TiqTaqToe: quantum tic-tac-toe with dice, every move a circuit.

>>> import qttt
>>> game = qttt.Game(level=2).play("5 5*6 1+3")
>>> game.odds().square(5)
{'X': 0.5, 'O': 0.5, '.': 0.0}

Every name is loaded when it is first asked for: a game, its odds and its moves need the standard library
alone. What is wrong with a value that is given here is said by a `QtttError`.
"""

import sys as _sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qttt.door import board, check, circuit, draw, observe, read, sample
    from qttt.errors import (
        IllegalMoveError,
        MoveSyntaxError,
        QtttError,
        RecordError,
        ServiceError,
        UsageError,
    )
    from qttt.game.game import Game
    from qttt.game.moves import Move
    from qttt.game.position import Position
    from qttt.game.rules import Rules
    from qttt.game.symbols import Mode, Symbol
    from qttt.records.record import Record
    from qttt.storage import FileError
    from qttt.version import __version__

__all__ = [
    "FileError",
    "Game",
    "IllegalMoveError",
    "Mode",
    "Move",
    "MoveSyntaxError",
    "Position",
    "QtttError",
    "Record",
    "RecordError",
    "Rules",
    "ServiceError",
    "Symbol",
    "UsageError",
    "__version__",
    "board",
    "check",
    "circuit",
    "draw",
    "observe",
    "read",
    "sample",
]

_MODULES = {
    "FileError": "qttt.storage",
    "Game": "qttt.game.game",
    "IllegalMoveError": "qttt.errors",
    "Mode": "qttt.game.symbols",
    "Move": "qttt.game.moves",
    "MoveSyntaxError": "qttt.errors",
    "Position": "qttt.game.position",
    "QtttError": "qttt.errors",
    "Record": "qttt.records.record",
    "RecordError": "qttt.errors",
    "Rules": "qttt.game.rules",
    "ServiceError": "qttt.errors",
    "Symbol": "qttt.game.symbols",
    "UsageError": "qttt.errors",
    "__version__": "qttt.version",
    "board": "qttt.door",
    "check": "qttt.door",
    "circuit": "qttt.door",
    "draw": "qttt.door",
    "observe": "qttt.door",
    "read": "qttt.door",
    "sample": "qttt.door",
}


if not TYPE_CHECKING:  # Or a checker would believe in any name.

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'qttt' has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# A shell's pictures are registered once and for all types, whichever module is imported first.
if (_shell := getattr(_sys.modules.get("IPython"), "get_ipython", lambda: None)()) is not None:
    from qttt.notebook import register as _register

    _register(_shell)
