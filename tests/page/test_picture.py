"""What a page draws beside the dice is what the pictures draw."""

import pytest

from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.scene import Curve
from qttt.game.game import Game
from qttt.page.picture import links_report, squares_report


@pytest.mark.parametrize(
    ("level", "tokens", "kinds"),
    [
        (2, "1+3 1*2", {"half": [1, 3], "entangled": [1, 2]}),
        (3, "5 5-6", {"cancelled": [5, 6]}),
        (3, "1+9 9-4", {"half": [1, 9], "cancelled": [9, 4]}),
        (0, "5", {}),
    ],
)
def test_links_are_those_of_the_picture(level: int, tokens: str, kinds: dict[str, list[int]]) -> None:
    game = Game(level=level).play(tokens)
    links = links_report(game)
    assert {link["kind"]: link["squares"] for link in links} == kinds
    drawn = board_scene(game.position, opens=game.open_squares(), legend=False).shapes
    assert sum(isinstance(shape, Curve) and shape.stroke == "link" for shape in drawn) == len(links)


def test_squares_say_what_they_hold() -> None:
    squares = squares_report(Game(level=2).play("5 5*6"))
    assert [square["label"] for square in squares] == ["", "", "", "", "entangled", "entangled", "", "", ""]
    assert squares[4]["name"] == "middle"
    assert squares[4]["says"] == "X's red triangle 2 and O's red square 2, entangled with square 6"
    assert squares[4]["dice"] == [{"paint": "x0", "letter": "R"}, {"paint": "o0", "letter": "r"}]
    assert squares[0] == {"name": "top left", "label": "", "says": "empty", "dice": []}
