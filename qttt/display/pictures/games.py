"""A game in pictures: a strip of its boards, and the frames of its animations."""

from collections.abc import Sequence

from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.scene import Scene, Shape, Text, rectangle
from qttt.display.status import describe_game, shown_position
from qttt.game.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.position import Position
from qttt.game.squares import EMPTY, SQUARES
from qttt.game.state import Event, State
from qttt.tabletop.retrace import Retraced, retrace

_CAPTION = 26.0


def event_caption(number: int, before: State, event: Event) -> str:
    """What an event was, in a few words, for example ``3. X plays 5*6``.

    Args:
        number: of the event in the game, from 1.
        before: the state before it.
        event: the event.
    """
    if isinstance(event, Observation):
        return f"{number}. observed in {event.mode} mode"
    if isinstance(event, Positions):
        return f"{number}. positions observed"
    if isinstance(event, Measurement):
        found = "empty" if event.cell == EMPTY else event.cell
        return f"{number}. {before.turn} observes {event.square}: {found}"
    return f"{number}. {before.turn} plays {event}"


def event_scene(number: int, before: State, event: Event, after: State) -> Scene:
    """The board after an event, with what the event was above it.

    After an observation the symbols are shown as observed, also at Level 5, where they become dice again as
    the game goes on.
    """
    caption = event_caption(number, before, event)
    if isinstance(event, Observation):
        shown = Position(observed=event.board)
        empty = [square for square in SQUARES if event.board[square - 1] == EMPTY]
        return captioned(board_scene(shown, caption, emptied=empty, legend=False))
    if isinstance(event, Positions):
        settled = retrace(before, event)[-1].table.position
        empty = [square for square in SQUARES if event.filled[square - 1] == EMPTY]
        return captioned(board_scene(settled, caption, emptied=empty, legend=False))
    marked = (event.square,) if isinstance(event, Measurement) else event.squares
    opens = after.open_squares()
    return captioned(board_scene(after.position, caption, marked=marked, opens=opens, legend=False))


def game_board(game: Game) -> Scene:
    """The board of a game as it is now, with one sentence on how it stands."""
    positions = game.state.positions
    found = "" if positions is None else positions.filled
    return board_scene(
        shown_position(game),
        describe_game(game),
        emptied=[square for square, mark in enumerate(found, 1) if mark == EMPTY],
        opens=game.open_squares(),
    )


def captioned(scene: Scene) -> Scene:
    """A scene with its title written above it, as wide as both need."""
    # An average letter of bold DejaVu Sans is less than 0.6 of its size wide.
    wide = max(scene.width, 20 + 14 * 0.6 * len(scene.title))
    shapes: list[Shape] = [Text((10, 18), scene.title, 14, "ink", bold=True)]
    shapes += scene.placed(0, _CAPTION - 4)
    return Scene(wide, scene.height + _CAPTION - 4, tuple(shapes), scene.title, scene.description)


def game_frames(game: Game) -> list[Scene]:
    """One picture an event, all of one size."""
    states = game.states
    frames = [captioned(board_scene(states[0].position, "the start", legend=False))]
    frames += [
        event_scene(number, states[number - 1], event, states[number])
        for number, event in enumerate(game.events, 1)
    ]
    return even(frames)


def game_strip(game: Game, columns: int = 4, scale: float = 0.5) -> Scene:
    """A whole game as small boards in reading order."""
    frames = game_frames(game)[1:] or game_frames(game)
    gap = 14.0
    wide, high = frames[0].width * scale + gap, frames[0].height * scale + gap
    rows = -(-len(frames) // columns)
    shapes: list[Shape] = []
    for number, frame in enumerate(frames):
        row, column = divmod(number, columns)
        shapes += frame.placed(gap / 2 + column * wide, gap / 2 + row * high, scale)
    described = " ".join(f"{frame.title}: {frame.description}" for frame in frames)
    across = min(len(frames), columns)
    title = f"A Level {game.rules.level.number} game of {len(game.events)} events"
    return Scene(across * wide, rows * high, tuple(shapes), title, described)


def collapse_frames(state: State, outcome: Observation | Positions) -> list[Scene]:
    """An observation roll by roll, one picture a question, all of one size."""
    frames = []
    for number, step in enumerate(retrace(state, outcome)):
        position = step.table.position
        asked = step.question.squares if step.question else ()
        empty = [square for square in position.empty_squares if not state.position.is_empty(square)]
        words = _step_words(number, step)
        scene = board_scene(position, words, marked=asked, emptied=empty, legend=False)
        frames.append(captioned(scene))
    return even(frames)


def _step_words(number: int, step: Retraced) -> str:
    if step.question is not None:
        places = " and ".join(map(str, step.question.squares))
        return f"{step.question.asker} asks about {places}: {'yes' if step.yes else 'no'}"
    if number == 0:
        return "the observation begins"
    return f"{step.table.mode} mode is chosen"


def even(frames: Sequence[Scene]) -> list[Scene]:
    """The same pictures on sheets of one size, that of the largest."""
    width = max(frame.width for frame in frames)
    height = max(frame.height for frame in frames)
    sheet = rectangle(0, 0, width, height, fill="paper")
    return [Scene(width, height, (sheet, *frame.shapes), frame.title, frame.description) for frame in frames]
