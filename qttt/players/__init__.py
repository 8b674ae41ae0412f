"""Computer players: from random moves to perfect play, behind one protocol.

``get_player`` finds one by name. Nothing here runs a circuit: whoever arranges the game observes the board.
"""

from qttt.players.choices import Choice, Look, choices
from qttt.players.strategies import PLAYERS, Player, get_player

__all__ = ["PLAYERS", "Choice", "Look", "Player", "choices", "get_player"]
