"""The gallery: every move and every square configuration with its circuit, drawn, in words, as OpenQASM 3."""

from collections.abc import Iterator
from dataclasses import dataclass

from circuits.drawing import to_qasm3
from qttt.display.pictures.boards import board_scene
from qttt.display.pictures.circuits import moves_scene
from qttt.display.pictures.descriptions import describe_square
from qttt.display.pictures.games import captioned
from qttt.display.pictures.scene import Scene, beside, stacked
from qttt.display.pictures.svg import svg
from qttt.game.game import Game
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode, Symbol
from qttt.observation.compiler import CompiledBoard, compile_moves
from qttt.teaching.guide.observation_rules import CONFIGURATIONS
from qttt.teaching.guide.pages import markdown_table
from qttt.teaching.guide.sections import Table, played, share
from qttt.teaching.lesson.circuit_steps import board_parts, boxes
from qttt.teaching.lesson.figures import box_gates
from qttt.teaching.lesson.phrases import (
    box_words,
    part_title,
    pattern_glyphs,
    pattern_words,
    row_amplitude,
    sign_note,
)

_LEVEL = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """One circuit of the gallery.

    Attributes:
        name: of its files.
        title: of its page.
        tokens: the moves, made at Level 5, which allows them all.
        first: who starts.
        mode: of the observation at the end.
        square: the square that the entry is about, if it is about one.
    """

    name: str
    title: str
    tokens: str
    first: Symbol = Symbol.X
    mode: Mode = Mode.STANDARD
    square: int | None = None

    def game(self) -> Game:
        """The game of the entry."""
        return played(self.tokens, _LEVEL, self.first)

    def compiled(self) -> CompiledBoard:
        """Its circuit, measured."""
        return compile_moves(self.game(), self.mode)


_MOVES = (
    ("classical", "5"),
    ("superposition", "4+5"),
    ("entangling", "5 5*6"),
    ("half-entangling", "4+5 5*6"),
    ("doubly-half-entangling", "4+5 5*6 9 4*1"),
    ("cancelling", "5 5-6"),
    ("half-cancelling", "4+5 5-6"),
    ("doubly-half-cancelling", "4+5 5-6 9 4-1"),
)
_SWITCHED = (
    ("classical", "5~"),
    ("superposition", "4+5~"),
    ("symbol-superposition", "5 5-6~"),
    ("entangled", "5 5*6~"),
    ("half-entangled", "4+5 5*6~"),
    ("half-cancelled", "4+5 5-6~"),
)
_ROTATED = (
    ("classical", "5"),
    ("superposition", "4+5"),
    ("entangled", "5 5*6"),
    ("symbol-superposition", "5 5-6"),
    ("half-cancelled", "4+5 5-6"),
)


def entries() -> Iterator[Entry]:
    """Every entry: moves by both players, view switches, the rotated mode, and the square configurations."""
    for kind, tokens in _MOVES:
        for player in Symbol:
            # An attack is the second move, so the other player starts.
            first = player.opponent if " " in tokens else player
            yield Entry(
                f"move-{kind}-by-{player.lower()}",
                f"The {kind} move by {player}",
                tokens,
                first,
            )
    for kind, tokens in _SWITCHED:
        for first in Symbol:
            title = f"A view switch: {kind}, {first} started"
            yield Entry(f"view-switch-{kind}-{first.lower()}", title, tokens, first)
    for kind, tokens in _ROTATED:
        for first in Symbol:
            title = f"The rotated mode: {kind}, {first} started"
            yield Entry(f"rotated-mode-{kind}-{first.lower()}", title, tokens, first, Mode.ROTATED)
    for configuration, tokens, square, first in CONFIGURATIONS:
        name = configuration.word.replace(" ", "-")
        title = f"Square configuration: {configuration.word}, {first} started"
        yield Entry(f"square-{name}-{first.lower()}", title, tokens, first, square=square)
    for first in Symbol:
        title = f"Square configuration: the free half of a half-cancelled piece, {first} started"
        yield Entry(f"square-free-half-{first.lower()}", title, "5+4 5-6", first, square=4)


def picture(entry: Entry) -> Scene:
    """The board and the circuit of an entry, and the gates inside its last move."""
    game, compiled = entry.game(), entry.compiled()
    last = max(block.move for block in compiled.blocks if block.move is not None)
    shown = [number for number, block in enumerate(compiled.blocks) if block.move in (last, None)]
    marked = (entry.square,) if entry.square else ()
    board = board_scene(game.state.position, entry.title, marked=marked, opens=game.state.open_squares())
    drawn = [captioned(moves_scene(compiled, shown, "The circuit, move by move"))]
    drawn += [captioned(box_gates(box)) for box in boxes(compiled, shown)]
    return beside([board, stacked(drawn, 12, "The circuit")], 16, entry.title, board.description)


def page(entry: Entry) -> str:
    """The text of an entry: what the dice say, the amplitudes, the gates and the distribution."""
    game, compiled = entry.game(), entry.compiled()
    position, opens = game.state.position, game.state.open_squares()
    lines = [
        f"# {entry.title}",
        "",
        f"Moves: `{entry.tokens}`, {entry.first} starts (Level {_LEVEL}). "
        f"[OpenQASM 3]({entry.name}.qasm), observed in {entry.mode} mode.",
        "",
        f"![{picture(entry).description}]({entry.name}.svg)",
        "",
    ]
    about = [entry.square] if entry.square else [s for s in SQUARES if not position.is_empty(s)]
    lines += [f"- square {square}: {describe_square(position, square, opens)}" for square in about]
    lines += ["", f"Amplitudes before the observation, in the {position.view} view:", ""]
    rows = tuple(
        (
            part_title(part),
            pattern_glyphs(pattern),
            pattern_words(part.squares, pattern),
            row_amplitude(part, pattern),
            share(abs(value) ** 2),
        )
        for part in board_parts(game)
        for pattern, value in part.amplitudes.items()
    )
    lines += [*markdown_table(Table(("part", "", "holds", "amplitude", "chance"), rows)), ""]
    note = sign_note(board_parts(game), game.rules.level)
    lines += [note, ""] if note else []
    numbers = range(len(compiled.blocks))
    lines += [f"- {box_words(box)}" for box in boxes(compiled, numbers)]
    lines += ["", f"Boards of an observation in {entry.mode} mode:", ""]
    odds = sorted(
        game.state.odds(entry.mode).outcomes().items(), key=lambda item: (-round(item[1], 12), item[0])
    )
    boards = tuple((f"`{board}`", share(chance)) for board, chance in odds)
    lines += markdown_table(Table(("board", "chance"), boards))
    return "\n".join(lines) + "\n"


def gallery_files() -> dict[str, str]:
    """The gallery by the names of its files."""
    files = {}
    index = [
        "# The gallery",
        "",
        "Every move and every square configuration as a circuit: a page with its dice, amplitudes and "
        "chances, its",
        "drawing, and an OpenQASM 3 program on the 27 qubits of a board. Made by `python -m examples.make`.",
        "",
    ]
    for entry in entries():
        files[f"{entry.name}.qasm"] = to_qasm3(entry.compiled().circuit)
        files[f"{entry.name}.svg"] = svg(picture(entry))
        files[f"{entry.name}.md"] = page(entry)
        index.append(
            f"- [{entry.title}]({entry.name}.md): [drawing]({entry.name}.svg), [program]({entry.name}.qasm)"
        )
    files["README.md"] = "\n".join(index) + "\n"
    return files
