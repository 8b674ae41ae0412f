"""How the players stand, as a bar under the board."""

from qttt.display.text import Glyphs, draw_bar
from qttt.game.state import State
from qttt.players.choices import unlimited
from qttt.players.lookahead import Budget, look_ahead
from qttt.players.strategies import without_limit
from qttt.solver.probe import is_solved, prober_for

_POSITIONS = 2_000
"""What a search may weigh where the level is not solved: some tenths of a second."""
_BESIDE = 40
"""Columns of the longest text beside the bar."""


def evaluation_line(state: State, glyphs: Glyphs, columns: int) -> str:
    """The chances of both players with best play, for example ``X 56 % ███████████▎ O 40 %, tie 4 %``.

    Args:
        state: any state of a game that goes on.
        glyphs: the characters of the bar.
        columns: how wide the line may be; where there is little room it has no bar.
    """
    solved = is_solved(unlimited(state.rules))
    if solved:
        endless = without_limit(state)
        value = prober_for(endless.rules).value(endless)
    else:
        value = look_ahead(state, Budget(_POSITIONS), best_only=True).position
    room = min(20, columns - _BESIDE)
    bar = f" [{draw_bar(value.x + value.tie / 2, room, glyphs):{room}}]" if room >= 8 else ""
    estimated = "" if solved else " (estimated)"
    return f"X {value.x:.0%}{bar} O {value.o:.0%}, tie {value.tie:.0%}{estimated}".replace("%", " %")
