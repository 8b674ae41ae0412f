"""``qttt decode``: counts from any provider turned into boards and held against the dice."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Final

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import add_flags, file_name
from qttt.cli.console.session import Session
from qttt.errors import ServiceError, UsageError
from qttt.storage import read_file, unreadable_input

if TYPE_CHECKING:
    from qttt.crosscheck.decode import DecodedCounts

_MOST_BYTES: Final = 16 * 2**20
"""A million shots of a circuit whose bits are listed one by one take no more."""

STATUS: Final = {True: 0, False: 1}


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "readout",
        metavar="READOUT",
        type=file_name,
        help="what the bits mean: the JSON of qttt circuit --json, or an OpenQASM file that qttt circuit has "
        "written; - for standard input",
    )
    parser.add_argument(
        "counts",
        metavar="COUNTS",
        type=file_name,
        help="how often which bits were read, as JSON: a file, - for standard input, or the JSON itself",
    )
    add_flags(parser, "--seed", "--json")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.crosscheck.decode import decode_counts
    from qttt.observation.exports import Export

    if arguments.readout == arguments.counts == "-":
        raise UsageError("READOUT and COUNTS cannot both come from standard input")
    export = Export.parse(_text(arguments.readout, session), _named(arguments.readout))
    inline = arguments.counts.lstrip()[:1] in ("{", "[")
    text = arguments.counts if inline else _text(arguments.counts, session)
    where = "COUNTS" if inline else _named(arguments.counts)
    try:
        counts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: this is not JSON: {str(error)[:100]}") from error
    try:
        found = decode_counts(export, counts, session.generator(arguments.seed))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    if arguments.json:
        session.write_json(found.to_json())
    else:
        _show(found, session)
    if found.ok is None:
        raise ServiceError(found.shots.sample().nothing)
    return STATUS[found.ok]


def _named(argument: str) -> str:
    return "standard input" if argument == "-" else argument


def _text(argument: str, session: Session) -> str:
    """What stands in a file, or comes from standard input.

    Raises:
        FileError: it cannot be read, or is too large.
        UsageError: it is no text.
    """
    try:
        if argument != "-":
            return read_file(argument, _MOST_BYTES).decode()
        text = session.stdin.read(_MOST_BYTES + 1)
    except OSError as error:
        raise unreadable_input(error) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{_named(argument)} is not UTF-8 text") from error
    if len(text) > _MOST_BYTES:
        raise UsageError(f"standard input has more than {_MOST_BYTES:,} characters, which are the most")
    return text


def _show(found: "DecodedCounts", session: Session) -> None:
    from qttt.cli.console.tables import MOST_BOARDS, left_out, plain_table
    from qttt.display.text import percent

    report = found.to_json()
    kept, counts, odds = report["kept"], report["boards"], report["odds"]
    session.show(
        f"{report['shots']:,} shots in {report['mode']} mode: {kept:,} count, {report['illegal']:,} are "
        f"illegal, {report['herald_failed']:,} have a failed herald."
    )
    if report["kinds"]:
        kinds = "; ".join(f"{kind} {count:,}" for kind, count in report["kinds"].items())
        session.show(f"Impossible: {kinds}.")
    if not kept:
        return
    table = plain_table("board", ">counted", ">share", ">exact")
    boards = sorted(counts.keys() | odds.keys(), key=lambda board: (-odds.get(board, 0.0), board))
    for board in boards[:MOST_BOARDS]:
        share = percent(counts.get(board, 0) / kept)
        table.add_row(board, f"{counts.get(board, 0):,}", share, percent(odds.get(board, 0.0)))
    session.show("", table, left_out(len(boards), MOST_BOARDS, "likeliest"), "")
    session.show(
        f"Distance of the shots that count from the exact odds {report['tvd']:.4f}, p-value "
        f"{report['p_value']:.4f} ({report['threshold']:g} or less would fail)."
    )
    if export_heralds := found.export.readout.heralds:
        of = ", ".join(map(str, export_heralds))
        session.show(f"p-value of the failed heralds (squares {of}) {report['herald_p_value']:.4f}.")
    if report["noise"] is not None:
        session.show(f"Note: {report['noise']}.")
    verdict = "The shots that count agree with the dice." if found.ok else "They do NOT agree with the dice."
    session.show("", verdict)


COMMAND = Command(
    explanation=(
        "Turns the counts of a circuit that anybody has run into boards. READOUT says what each bit means, "
        "as qttt circuit has written it; COUNTS are in Qiskit's bit order: in a register the first bit is "
        "rightmost, and the first register (pos) is the rightmost. Keys are binary, with the registers apart "
        "by a space or joined, or hexadecimal; also a list with the key of every shot, or such a list for "
        "each register. Impossible shots and failed heralds are counted and thrown away; the others are held "
        "against the dice's exact odds. A device with errors fails that with enough shots: the distance says "
        "by how much. The exit status is 1 if they do not agree, and 3 if no shot counts."
    ),
    examples=(
        "decode circuit.qasm counts.json",
        """decode circuit.json '{"01 01": 510, "10 10": 514}' --seed 1""",
    ),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
