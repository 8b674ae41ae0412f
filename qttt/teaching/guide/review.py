"""The guide's page on looking back: what losses, marks, accuracy and luck are, with a game as an example."""

from qttt.display.pictures.scene import Scene
from qttt.display.text import percent
from qttt.game.symbols import Symbol
from qttt.players.review import HALVING, MARKS, Review, accuracy, review
from qttt.records.record import Record
from qttt.teaching.guide.sections import Table, share
from qttt.teaching.lesson.phrases import signed_value
from qttt.teaching.lesson.review_page import SIGNS, review_scene

TITLE = "Looking back on a game"
FIGURE = "figures/review.svg"
EXAMPLE = "5 5*8 4+9 3+6 1+7 7*2 =.XOXO.OX."
"""A game of Level 2: a choice of every mark, and an unlucky observation."""


def example() -> Review:
    """The review of the example."""
    return review(Record.parse(EXAMPLE).game())


def example_scene() -> Scene:
    """The value of the example's game, as a picture."""
    return review_scene(example(), "The value of the game")


def marks_table() -> Table:
    """The marks, with the losses that they stand for and how accurate such a choice still is."""
    rows, least = [], 0.0
    for mark, most in MARKS:
        if mark == MARKS[0][0]:
            row = ("nothing", share(1.0))
        elif mark == MARKS[-1][0]:
            row = (f"more than {least:g}", f"under {share(accuracy(least))}")
        else:
            row = (f"up to {most:g}", f"{share(accuracy(most))} or more")
        rows.append((mark, SIGNS.get(mark, ""), *row))
        least = most
    return Table(("mark", "sign", "lost", "accuracy of such a choice"), tuple(rows))


def events_table() -> Table:
    """Choices and chances of the example."""
    rows = []
    for entry in example().entries:
        lost = f"{entry.loss:.4f}, best `{entry.best}`" if entry.loss else ""
        luck = "" if entry.luck is None or entry.chance is None else signed_value(entry.luck)
        chance = "" if entry.chance is None else percent(entry.chance)
        who = entry.player or "chance"
        rows.append(
            (who, f"`{entry.words}`", signed_value(entry.after), entry.mark or "", lost, chance, luck)
        )
    return Table(("who", "what", "value after", "mark", "lost", "chance", "luck"), tuple(rows))


def players_table() -> Table:
    """What the example comes to for each player."""
    rows = [
        (
            str(player),
            "" if side.accuracy is None else percent(side.accuracy),
            f"{side.lost:.4f}",
            signed_value(side.luck),
        )
        for player, side in example().players.items()
    ]
    return Table(("player", "accuracy", "lost", "luck"), tuple(rows))


def paragraphs() -> "tuple[str | Table, ...]":
    """The page's parts in order, without its picture."""
    looked_back = example()
    x, o = (looked_back.players[player] for player in Symbol)
    return (
        "`qttt review RECORD` tells skill from quantum luck. A value is P(X wins) − P(O wins) with best play "
        "by both: 1 if X wins for certain, −1 if O does. Where the solver has a table the values are exact; "
        "with options that it does not know they are those of a search, and where a game of computers would "
        "end after 50 observations they leave that limit out; the review says so.",
        "A choice is a move (with its view switches), a square to measure, the mode of an observation, or an "
        "end off the board: resigning, running out of time, or agreeing on a draw, which is the choice of "
        "the player who was ahead. It loses what the best choice would have been worth more to the player "
        "who chose, and is marked by that:",
        marks_table(),
        f"A player's accuracy is the mean over their choices of 2^(−loss/{HALVING:g}): every {HALVING:g} "
        "lost halves what a choice counts.",
        "Everything else is chance: the board of an observation, or its positions and then its symbols where "
        "a mode is chosen in between, and what a measured square held. The luck of a chance is the value "
        "after it minus the value before it, as X sees it, and in a player's own row as that player does. "
        "Over all that may come it is 0 on average, so luck favours nobody, and the value at the start, "
        "minus what X lost, plus what O lost, plus all luck as X sees it is the value of the result.",
        f"An example at Level 2: `{EXAMPLE}`.",
        events_table(),
        players_table(),
        f"{signed_value(looked_back.start)} at the start, −{x.lost:.4f} lost by X, +{o.lost:.4f} lost by O "
        f"and {signed_value(x.luck)} of luck make {signed_value(looked_back.end)}.",
    )
