"""Colours: every text can be read, and dice stay apart for colour-blind eyes."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from qttt.display.pictures.palette import PALETTES, Theme

Triple = npt.NDArray[np.float64]

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(colour: str) -> Triple:
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.asarray(np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4))


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: Triple) -> Triple:
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = matrix @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = [np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(one: str, other: str, sight: Triple) -> float:
    return float(np.linalg.norm(lab(sight @ linear(one)) - lab(sight @ linear(other))))


@pytest.mark.parametrize("theme", Theme)
def test_texts_have_the_contrast_that_wcag_asks_for(theme: Theme) -> None:
    palette = PALETTES[theme]
    pairs = [(name, ground) for name in ("ink", "muted", "mark") for ground in ("paper", "square")]
    pairs += [("ink", ground) for ground in ("box", "dim-box")]
    pairs += [("muted", "dim-box")]
    pairs += [(f"{die}-text", die) for die in palette if die[0] in "xo" and die[1:].isdigit()]
    for text, ground in pairs:
        assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("theme", Theme)
def test_lines_and_outlines_can_be_told_from_their_ground(theme: Theme) -> None:
    palette = PALETTES[theme]
    for name in ("link", "die-line", "box-line", "mark"):
        for ground in ("paper", "square"):
            assert contrast(palette[name], palette[ground]) >= 3, (name, ground)


@pytest.mark.parametrize("sight", BLINDNESS)
@pytest.mark.parametrize("owner", "xo")
def test_a_players_colours_stay_apart_for_every_kind_of_sight(owner: str, sight: str) -> None:
    palette = PALETTES[Theme.LIGHT]
    for one, other in combinations(range(5), 2):
        distance = apart(palette[f"{owner}{one}"], palette[f"{owner}{other}"], BLINDNESS[sight])
        # 2.3 is a just noticeable difference in this measure.
        assert distance >= 2 * 2.3, (owner, one, other, sight, distance)


def test_whose_die_it_is_shows_in_lightness() -> None:
    palette = PALETTES[Theme.LIGHT]
    for colour in range(5):
        pale, strong = luminance(palette[f"x{colour}"]), luminance(palette[f"o{colour}"])
        assert pale > 1.5 * strong, colour


def test_both_themes_name_the_same_colours() -> None:
    assert PALETTES[Theme.LIGHT].keys() == PALETTES[Theme.DARK].keys()
