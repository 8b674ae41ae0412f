"""Colours, in a light and a dark theme.

The five dice colours start from Okabe and Ito's set, which stays apart for colour-blind eyes. Whose die it is
shows in lightness, which no kind of colour blindness takes away: X's dice are pale with a dark number, O's
are strong. Letters on the dice say the same once more, so that nothing depends on colour. A test measures the
contrast of every text and the distances between the dice colours as colour-blind eyes see them.
"""

from enum import StrEnum

from qttt.game.dice import COLOURS, Die


class Theme(StrEnum):
    """What a picture is to be seen on."""

    LIGHT = "light"
    DARK = "dark"


#: Fill and text colour of the dice: five colours a player.
_DICE: dict[str, tuple[str, str]] = {
    "x0": ("#ffcdb8", "#5a1a00"),
    "x1": ("#bfeeda", "#003d2b"),
    "x2": ("#c6e4fb", "#002f52"),
    "x3": ("#fff3b0", "#4a3800"),
    "x4": ("#f3d3e8", "#4d0f3a"),
    "o0": ("#c2410c", "#ffffff"),
    "o1": ("#006b4f", "#ffffff"),
    "o2": ("#0b4f8a", "#ffffff"),
    "o3": ("#edb700", "#000000"),
    "o4": ("#9c3f80", "#ffffff"),
}

_COMMON: dict[str, str] = {}
for _name, (_fill, _text) in _DICE.items():
    _COMMON[_name] = _fill
    _COMMON[f"{_name}-text"] = _text

PALETTES: dict[Theme, dict[str, str]] = {
    Theme.LIGHT: {
        **_COMMON,
        "paper": "#ffffff",
        "square": "#f5f5f2",
        "ink": "#17181c",
        "muted": "#54565f",
        "faint": "#c3c5cc",
        "die-line": "#17181c",
        "link": "#3d3f47",
        "mark": "#8a1c4a",
        "box": "#dfe9f7",
        "box-line": "#1f4e8c",
        "dim-box": "#f4f4f4",
        "bar-dice": "#1f4e8c",
        "bar-circuit": "#6aa5de",
        "bar-shots": "#f0c674",
        "x-ahead-1": "#dcecf9",
        "x-ahead-2": "#a9d0f0",
        "x-ahead-3": "#6fb1e4",
        "o-ahead-1": "#fce6d2",
        "o-ahead-2": "#f6c393",
        "o-ahead-3": "#ee9c50",
    },
    Theme.DARK: {
        **_COMMON,
        "paper": "#15171c",
        "square": "#20232a",
        "ink": "#f1f2f5",
        "muted": "#b3b6c0",
        "faint": "#4b4f5a",
        "die-line": "#f1f2f5",
        "link": "#c9ccd6",
        "mark": "#ff9ec0",
        "box": "#223a5c",
        "box-line": "#8fc1ff",
        "dim-box": "#1d2026",
        "bar-dice": "#8fc1ff",
        "bar-circuit": "#3f78b5",
        "bar-shots": "#d9a441",
        "x-ahead-1": "#1c3247",
        "x-ahead-2": "#1f4870",
        "x-ahead-3": "#1f6099",
        "o-ahead-1": "#3d2c1c",
        "o-ahead-2": "#643f17",
        "o-ahead-3": "#8a5410",
    },
}


def die_colour(die: Die) -> str:
    """Name of the fill colour of a die; with ``-text`` added, of the number on it."""
    return f"{die.owner.lower()}{COLOURS.index(die.colour)}"
