"""How the players stand, as a bar under the board."""

from qttt.display.text import Glyphs, draw_bar
from qttt.game.state import State
from qttt.players.advice import standing

_BESIDE = 40
"""Columns of the longest text beside the bar."""


def evaluation_line(state: State, glyphs: Glyphs, columns: int) -> str:
    """The chances of both players with best play, for example ``X 56 % ███████████▎ O 40 %, tie 4 %``.

    Args:
        state: any state of a game that goes on.
        glyphs: the characters of the bar.
        columns: how wide the line may be; where there is little room it has no bar.
    """
    value, exact = standing(state)
    room = min(20, columns - _BESIDE)
    bar = f" [{draw_bar(value.x + value.tie / 2, room, glyphs):{room}}]" if room >= 8 else ""
    estimated = "" if exact else " (estimated)"
    return f"X {value.x:.0%}{bar} O {value.o:.0%}, tie {value.tie:.0%}{estimated}".replace("%", " %")
