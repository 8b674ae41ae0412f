"""What the prompts of a game say when they are asked for help."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "help": "these lines; help moves explains the notation",
    "moves": "the legal moves",
    "dice": "the dice in every square, and to whom it is open",
    "odds": "the exact odds if the board were observed now; odds --mode rotated, --rolls d6",
    "advise": "what every choice is worth, the best one and why; advise --top 3",
    "circuit": "the circuit of the moves since the last observation; circuit --style lean",
    "check": "hold dice, circuits and shots of this board against each other",
    "undo": "take the last move back (never an observation)",
    "draw": "offer a draw; the other player answers",
    "why": "ask a computer player for the reason of its last choice",
    "save FILE": "write the record to FILE, and from now on after every move",
    "quit": "keep the record and stop",
}
"""What the prompt of a game takes besides moves, each with what it does."""

MODES: Final = """\
standard  triangles and squares read as they are; plus and minus states are 50/50
rotated   plus reads X, minus reads O; classical pieces are 50/50
Entangled pairs are 50/50 and opposite in both. odds --mode rotated shows what a mode would give;
save FILE, check, advise and quit work here too."""
"""Help where the mode of observation is chosen."""

NOTATION: Final = """\
5      classical: your piece in square 5
1+3    superposition: your piece in 1 and 3 at once
5*6    entangle: invade the opponent's lone die in 5 and spread into empty 6
5-6    cancel: invade 5, your own die into empty 6 (Level 3 and up)
~5 5~  the same with a view switch before or after the move (Level 5; ~5~ with two switches allowed)
?5     observe square 5 as your turn (option measure-turn)
Squares are numbered 1 to 9 from left to right and top to bottom."""
"""How moves are typed."""


def listed_words() -> list[str]:
    """A line for each of ``WORDS``."""
    width = max(map(len, WORDS))
    return [f"  {name:{width}}  {text}" for name, text in WORDS.items()]
