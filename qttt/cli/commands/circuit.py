"""``qttt circuit``: the quantum circuit of a game, drawn, as OpenQASM 3, or what it costs."""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import (
    add_flags,
    add_moment_flags,
    add_record_arguments,
    file_name,
    game_of,
    mode_of,
    whole_number,
)
from qttt.cli.console.characters import in_ascii
from qttt.cli.console.session import Session
from qttt.cli.console.waiting import waiting
from qttt.errors import UsageError
from qttt.game.game import Game
from qttt.game.symbols import Mode
from qttt.storage import save_file

if TYPE_CHECKING:
    from qiskit.providers import BackendV2

    from circuits.drawing import Stats
    from circuits.lean import Shape
    from qttt.observation.compiler import CompiledBoard

FORMATS = ("text", "qasm3", "png", "svg", "pdf", "stats")
LAYOUTS = 20
"""How many layouts are tried on a device."""

PICTURES = ("png", "svg", "pdf")
_SUFFIXES = {
    ".txt": "text",
    ".qasm": "qasm3",
    ".qasm3": "qasm3",
    ".png": "png",
    ".svg": "svg",
    ".pdf": "pdf",
}


def circuit_text(
    game: Game,
    mode: Mode = Mode.STANDARD,
    *,
    style: str = "moves",
    format: str = "text",
    all_wires: bool = False,
    width: int = 80,
    opened: str | None = None,
    strict: bool = False,
) -> str | bytes:
    """The circuit of a game's present phase, its observation included, in one of the formats.

    Args:
        game: a game at any moment; the board need not be full.
        mode: mode of observation.
        style: ``moves``, a labelled block a move on 27 qubits, ``lean``, the cheapest one with the same
            statistics, or ``coherent``, the cheapest that both modes can share.
        format: ``text``, ``qasm3``, ``png``, ``svg`` or ``pdf``.
        all_wires: draw all wires, and not only those on which something happens.
        width: columns of a text drawing.
        opened: moves whose boxes are opened, by their number since the last observation, separated by commas,
            or ``all``.
        strict: of a lean circuit, the one that measures every square and in which a symbol on an empty square
            tells a fault.

    Raises:
        UsageError: the circuit cannot be drawn so.
    """
    from circuits.drawing import draw, to_qasm3
    from qttt.observation.compiler import with_opened
    from qttt.observation.exports import Export

    compiled = _compiled(game, mode, style, strict)
    circuit = compiled.circuit
    if opened is not None:
        circuit = with_opened(compiled, _numbers(opened, compiled))
    if format == "text" and not circuit.data:
        board = next(iter(game.state.odds(mode).outcomes()))
        return f"The board {board} is certain: no qubit is needed.\n"
    if format == "qasm3":
        return Export.of(game, mode, compiled).commented(to_qasm3(circuit))
    return draw(circuit, format, all_wires=all_wires, width=width)


def _compiled(game: Game, mode: Mode, style: str, strict: bool) -> "CompiledBoard":
    """The circuit of a style."""
    from qttt.observation.compiler import Style, compile_lean, compile_moves

    if style == Style.MOVES:
        return compile_moves(game, mode)
    return compile_lean(game, mode, encoding=Style(style).encoding(strict=strict))


def _numbers(opened: str, compiled: "CompiledBoard") -> set[int]:
    """The moves that ``--open`` names, counted from 0."""
    last = max((block.move + 1 for block in compiled.blocks if block.move is not None), default=0)
    if opened == "all":
        return set(range(last))
    numbers = opened.split(",")
    if not all(re.fullmatch("[0-9]{1,3}", number) and 1 <= int(number) <= last for number in numbers):
        kinds = f"1 to {last} since the last observation, or all" if last else "none, because none was made"
        raise UsageError(f"--open {opened!r}: the moves whose boxes it opens are {kinds}")
    return {int(number) - 1 for number in numbers}


def circuit_stats(
    game: Game,
    mode: Mode = Mode.STANDARD,
    *,
    style: str = "moves",
    backend: str | None = None,
    strict: bool = False,
) -> "Stats":
    """What the circuit costs, the object that ``qttt circuit --format stats --json`` prints.

    Args:
        game: a game at any moment.
        mode: mode of observation.
        style: ``moves``, ``lean`` or ``coherent``; on a device, of lean circuits the shape that costs least.
        backend: a device in whose gates to count, as the best of several layouts; None, or a simulator, for
            CX between any two qubits.
        strict: as in `circuit_text`.

    Raises:
        UsageError: no device has this name.
        ServiceError: the device's service failed.
    """
    from circuits.drawing import stats
    from circuits.lean import lean_circuit
    from qttt.observation.compiler import Style, compile_moves, lean_pieces

    device = _device(backend)
    if style == "moves":
        circuits = [compile_moves(game, mode).circuit]
    else:
        pieces, observed = lean_pieces(game)
        shapes: tuple[Shape, ...] = ("free",) if device is None else ("free", "line")
        encoding = Style(style).encoding(strict=strict)
        circuits = [
            lean_circuit(pieces, mode, observed=observed, shape=shape, encoding=encoding, measure_all=strict)[
                0
            ]
            for shape in shapes
        ]
    costs = [stats(circuit, device, seeds=LAYOUTS) for circuit in circuits]
    return min(costs, key=lambda cost: (cost["two_qubit_gates"], cost["two_qubit_depth"]))


def _device(backend: str | None) -> "BackendV2 | None":
    """Qiskit's object for a device in whose gates to count; None for a simulator, which has all gates."""
    from circuits.backends import Kind, get_device, kind_of

    if backend is None or kind_of(backend) is Kind.IDEAL:
        return None
    device: BackendV2 | None = getattr(get_device(backend), "device", None)
    if device is None:
        raise UsageError(f"backend {backend!r} has no gates of its own to count in")
    return device


def _add_arguments(parser: ArgumentParser) -> None:
    add_record_arguments(parser)
    add_moment_flags(parser)
    add_flags(parser, "--mode")
    add_flags(
        parser,
        "--style",
        default="moves",
        help="moves: one box a move (the default); lean: the cheapest circuit with the same statistics; "
        "coherent: the cheapest whose modes differ in one Hadamard a symbol",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="with --style lean: measure every square, certain values too, and make symbols on empty squares "
        "tell a fault",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="what to make (default: what the name in --out ends with, else text)",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=file_name, help="write it to a file, which pictures need"
    )
    parser.add_argument("--all-wires", action="store_true", help="draw all 27 wires, idle ones too")
    parser.add_argument(
        "--open",
        metavar="LIST",
        help="open the boxes of these moves, numbered from 1 since the last observation (1,3), or all",
    )
    parser.add_argument(
        "--width",
        metavar="N",
        type=whole_number(20, 100_000),
        help="columns of a text drawing (default: those of the terminal, else 80)",
    )
    backend = "with --format stats: the device in whose gates to count (qttt backends)"
    add_flags(parser, "--backend", help=backend)
    add_flags(parser, "--json")


def _run(arguments: Namespace, session: Session) -> int:
    format = _format(arguments)
    game = game_of(arguments, session, looking_back=not arguments.json)
    mode = mode_of(arguments, game)
    if format == "stats":
        return _show_stats(game, mode, arguments, session)
    with waiting(session, "drawing"):
        content = circuit_text(
            game,
            mode,
            style=arguments.style,
            format=format,
            all_wires=arguments.all_wires,
            width=arguments.width or session.drawing_columns,
            opened=arguments.open,
            strict=arguments.strict,
        )
    if isinstance(content, str):
        if session.ascii or (arguments.out is None and not session.takes_unicode):
            content = in_ascii(content)
        content = "\n".join(line.rstrip() for line in content.rstrip("\n").split("\n")) + "\n"
    if arguments.out is not None:
        save_file(arguments.out, content)
        session.show(f"Wrote {arguments.out}.")
    else:
        assert isinstance(content, str)
        session.write(content)
    return 0


def _format(arguments: Namespace) -> str:
    format = arguments.format
    suffix = "" if arguments.out is None else Path(arguments.out).suffix.lower()
    named = _SUFFIXES.get(suffix)
    if format not in (None, "stats") and named not in (None, format):
        raise UsageError(f"--format {format} and --out {arguments.out} contradict each other")
    if format is None and suffix and named is None:
        raise UsageError(
            f"--out {arguments.out}: the name must end with {', '.join(_SUFFIXES)} or without a dot, "
            "or --format must say what to write"
        )
    if format is None and arguments.json:
        format = "stats"
    format = format or named or "text"
    if arguments.json and format != "stats":
        raise UsageError("--json goes with --format stats: the other formats are no JSON")
    if arguments.backend is not None and format != "stats":
        raise UsageError("--backend goes with --format stats: it says in whose gates to count")
    if arguments.open is not None and arguments.style != "moves":
        raise UsageError("--open goes with --style moves: a lean circuit has no boxes")
    if arguments.strict and arguments.style == "moves":
        raise UsageError("--strict goes with --style lean: move by move every square is measured anyway")
    if format in PICTURES and arguments.out is None:
        raise UsageError(f"a picture goes to a file: give its name, for example --out circuit.{format}")
    if format == "stats" and arguments.out is not None:
        raise UsageError("--format stats goes to standard output, not to --out")
    return str(format)


def _show_stats(game: Game, mode: Mode, arguments: Namespace, session: Session) -> int:
    from qttt.observation.exports import Export

    with waiting(session, "counting gates"):
        stats = circuit_stats(
            game, mode, style=arguments.style, backend=arguments.backend, strict=arguments.strict
        )
    if arguments.json:
        compiled = _compiled(game, mode, arguments.style, arguments.strict)
        readout = Export.of(game, mode, compiled).to_json()
        session.write_json({"level": game.rules.level.number, **stats, "readout": readout})
        return 0
    from qttt.cli.console.tables import plain_table

    table = plain_table("", ">")
    for key, value in stats.items():
        if key != "operations":
            table.add_row(key.replace("_", " ").replace("two qubit", "two-qubit"), str(value))
    for name, count in sorted(stats["operations"].items()):
        table.add_row(f"operation {name}", str(count))
    session.show(table)
    return 0


COMMAND = Command(
    explanation=(
        "Compiles the moves since the last observation, and the observation itself, to a quantum circuit. "
        "Each square has a qubit for its occupancy (occ), one for its symbol (sym) and one that tells "
        "whether a half-cancel succeeded (her). Every move is a box with a name; a text drawing shows only "
        "the wires on which something happens. The stats are those after optimisation, measurements "
        "included. --json and OpenQASM say too what each bit means and what every square holds, certain ones "
        "included: qttt decode reads either beside counts from any provider."
    ),
    examples=(
        "circuit '1 1*2'",
        "circuit '1 1*2' --open 2",
        "circuit '1 1*2' --format qasm3",
        "circuit '1+3 1-2' --level 4 --mode rotated --style lean --json",
        "circuit game.qttt --out circuit.svg",
    ),
    add_arguments=_add_arguments,
    run=_run,
)
