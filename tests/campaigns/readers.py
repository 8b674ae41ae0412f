"""What is fuzzed: one function for each thing that reads, from bytes to a verdict.

Each takes any bytes and returns quietly if they are read rightly or refused rightly. A refusal is one error
of the program's own tree, on one line. What is read is held to more: printed and read again it is the same.
Everything else that happens is a fault, and raises.
"""

import hashlib
import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from circuits.errors import CircuitsError
from qttt.cli.main import main
from qttt.errors import QtttError
from qttt.game.game import Game, parse_event
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.rules import LEVELS, Rules, parse_level, parse_options
from qttt.game.state import Event, Phase
from qttt.game.symbols import Symbol
from qttt.records.files import names_file, read_record
from qttt.records.record import Record

#: What a fuzzed command line never gets: words that only ask for a traceback, or for minutes of work.
LEFT_OUT = frozenset({"--debug", "--recompute"})


class FaultError(AssertionError):
    """A reader misbehaved."""


def demand(holds: object, what: str) -> None:
    """Fail, also where assertions are off."""
    if not holds:
        raise FaultError(what)


def refused(error: Exception) -> None:
    """Hold a refusal to its form: one line that says something."""
    message = str(error)
    demand(message and "\n" not in message, f"a refusal is one line: {message!r}")
    demand(len(message) < 3000, f"a refusal of {len(message)} characters")


def read_tokens(data: bytes) -> None:
    """Single tokens, levels and options."""
    for word in data.decode("utf-8", "surrogateescape").split("\n"):
        with suppress(QtttError):
            event = parse_event(word)
            demand(parse_event(str(event)) == event, f"{event!r} is read back otherwise")
        for level in {LEVELS[-1], LEVELS[len(word) % len(LEVELS)]}:
            try:
                options = parse_options(word, level)
            except QtttError as error:
                refused(error)
            else:
                demand(parse_options(str(options), level) == options, f"{options!r} is read back otherwise")
        with suppress(QtttError):
            parse_level(word)


def read_records(data: bytes) -> None:
    """A whole record, as standard input gives it; then as an argument."""
    try:
        record = read_record("-", io.TextIOWrapper(io.BytesIO(data)))
    except QtttError as error:
        refused(error)
    else:
        same_again(record)
        try:
            game = record.game()
        except QtttError as error:
            refused(error)
        else:
            same_again(record.updated(game))
            demand(Record.of(game).events == game.events, "the record of a game has other events")
    argument = data.decode("utf-8", "surrogateescape")
    if argument != "-" and not names_file(argument):
        with suppress(QtttError):
            same_again(read_record(argument))


def same_again(record: Record) -> None:
    """Print a record and read it again: the parts must be the same, and the text must be too."""
    text = str(record)
    again = Record.parse(text)
    demand(again == record, f"read again {record!r} is {again!r}")
    demand(str(again) == text, f"printed again {text!r} is {str(again)!r}")


def read_games(data: bytes) -> None:
    """A game steered by bytes: mostly legal events, so that replaying gets beyond the first move."""
    choices = iter(data)
    rules = _rules(next(choices, 2), next(choices, 0))
    game = Game(rules=rules, first=Symbol.O if next(choices, 0) & 1 else Symbol.X)
    for choice in choices:
        if game.over:
            break
        if choice == 255:
            before = game.events
            try:
                game.undo()
            except QtttError as error:
                refused(error)
                demand(game.events == before, "a refused undo changed the game")
            continue
        events = _possible(game)
        game.push(events[choice % len(events)])
    record = Record.of(game)
    same_again(record)
    again = Record.parse(str(record)).game()
    demand(again.state == game.state and again.result == game.result, f"{record} is replayed otherwise")


@cache
def _rules(level: int, choice: int) -> Rules:
    """Rules chosen by two bytes; options that the level does not have are left out."""
    names = ["quantum-only", "tally", "no-double-entanglement", "measure-turn", "no-ties", "view-switches=2"]
    names += ["view=physical", "max-observations=2"]
    number = level % len(LEVELS)
    chosen = ""
    for place, name in enumerate(names):
        if choice >> place & 1:
            with suppress(QtttError):
                longer = f"{chosen},{name}" if chosen else name
                Rules.of(number, longer)
                chosen = longer
    return Rules.of(number, chosen)


def _possible(game: Game) -> list[Event]:
    state = game.state
    if state.phase is Phase.MOVE:
        odds = state.odds().squares() if state.measurable() else ()
        looks = [
            Measurement(square, cell)
            for square in state.measurable()
            for cell, chance in odds[square - 1].items()
            if chance > 0
        ]
        return [*state.legal_moves(), *looks]
    boards: list[Event] = [
        Observation(board, mode) for mode in state.modes for board in list(state.odds(mode).outcomes())[:8]
    ]
    if state.phase is Phase.OBSERVATION and len(state.modes) > 1:
        boards += [Positions(filled) for filled in state.odds().positions()]
    return boards


def read_commands(data: bytes) -> None:
    """A command line: the words are the lines of the input, standard input is what follows a NUL."""
    words, _, typed = data.partition(b"\0")
    argv = [os.fsdecode(word) for word in words.split(b"\n")]
    if LEFT_OUT & set(argv) or not _affordable(argv):
        return
    out, err = io.StringIO(), io.StringIO()
    status = main(argv, stdin=io.TextIOWrapper(io.BytesIO(typed)), stdout=out, stderr=err)
    complaint = err.getvalue()
    demand(status in (0, 1, 2, 3, 130), f"exit status {status}")
    demand("Traceback" not in complaint, complaint)
    demand("fault of the program" not in complaint, complaint)
    last = complaint.rstrip("\n").rpartition("\n")[2]
    demand((status >= 2) == last.startswith("qttt: error: "), f"status {status} with {complaint!r}")
    if status == 0 and "--json" in argv and "--help" not in argv and "-h" not in argv:
        json.loads(out.getvalue() or "{}")


#: Commands that are cheap enough to be run by the hundred thousand, and one that can be made expensive.
CHEAP = frozenset({"odds", "moves", "dice", "perft", "play"})


def _affordable(argv: list[str]) -> bool:
    """Whether a command line is work for a fuzzer: not a count of sequences that takes an hour."""
    known = {
        "observe",
        "check",
        "circuit",
        "explain",
        "advise",
        "backends",
        "solve",
        "selfplay",
        "puzzle",
        "submit",
    }
    if (known | {"login"}) & set(argv):
        return False
    if "perft" in argv or "play" in argv:
        # Depth and a computer's seconds are numbers that a user may set to hours.
        return not any(word.isdigit() and word not in "012" for word in argv) and not any(
            word.startswith(("--demo", "--x", "--o=", "--games", "search", "hard", "medium")) or word == "--o"
            for word in argv
        )
    return True


def read_prompts(data: bytes) -> None:
    """Lines typed at the keyboard game, the first byte choosing the level; chance is by dice."""
    level = str(data[0] % 6) if data else "2"
    lines = data[1:].decode("utf-8", "surrogateescape")
    if any(word in lines for word in ("circuit", "check", "advise", "save")):
        return
    out, err = io.StringIO(), io.StringIO()
    argv = ["play", "--level", level, "--backend", "dice", "--seed", "1", "--record", os.devnull]
    status = main(argv, stdin=io.StringIO(lines), stdout=out, stderr=err)
    demand((status, err.getvalue()) == (0, ""), f"status {status}: {err.getvalue()}")
    demand("Traceback" not in out.getvalue(), out.getvalue())


def read_tables(data: bytes) -> None:
    """A solver table; then one whose checksum fits, so that what lies behind it is reached too."""
    _read_table(data)
    line, _, payload = data.partition(b"\n")
    from qttt.solver.tables import FORMAT

    with suppress(ValueError, RecursionError):
        about = json.loads(line)
        if isinstance(about, dict):
            forged = {**about, "format": FORMAT, "sha256": hashlib.sha256(payload).hexdigest()}
            _read_table(json.dumps(forged).encode() + b"\n" + payload)


def _read_table(data: bytes) -> None:
    from qttt.solver.tables import unpack_table

    try:
        table = unpack_table(data, Path("fuzzed.table"))
    except QtttError as error:
        refused(error)
    else:
        for key in (b"", b"x" * 21, *(bytes([number, number]) for number in range(50))):
            table.get(key)


def read_jobs(data: bytes) -> None:
    """A job file."""
    from circuits.backends import job_store

    path = _scratch() / "fuzzed.job"
    path.write_bytes(data)
    try:
        job = job_store.load(path)
    except CircuitsError as error:
        refused(error)
        return
    again = job_store.from_json(json.loads(json.dumps(job_store.to_json(job), allow_nan=False)))
    demand(job_store.to_json(again) == job_store.to_json(job), "a job is read back otherwise")


def read_pending(data: bytes) -> None:
    """A job file whose payload is an observation or a check, with the record that waits for it beside it."""
    from qttt.crosscheck.by_job import find_check
    from qttt.observation import job_file

    folder = _scratch()
    (folder / "fuzzed.job").write_bytes(data)
    (folder / "game.qttt").write_text('[Level "2"]\n[Job "fake_torino local-1 fuzzed.job"]\n1. 5 5*6')
    for name in ("fuzzed.job", "game.qttt"):
        try:
            found = job_file.find(str(folder / name))
            demand(found.file is None or found.file.parent == folder, f"{found.file} is in another folder")
            game = found.record.game()
            if found.sent is not None and found.sent.results is not None:
                if found.policy is None:
                    found.readings(game, found.sent.results)
                else:
                    found.reading_of_policy(game, found.sent.results)
        except (QtttError, CircuitsError) as error:
            refused(error)
        try:
            find_check(str(folder / name)).record.game()
        except (QtttError, CircuitsError) as error:
            refused(error)
    try:
        for found in job_file.find_all(folder / "fuzzed.job"):
            demand(found.file is None or found.file.parent == folder, f"{found.file} is in another folder")
    except (QtttError, CircuitsError) as error:
        refused(error)


def read_counts(data: bytes) -> None:
    """An exported circuit's readout, and after a NUL the counts of it."""
    import numpy as np

    from qttt.crosscheck.decode import decode_counts
    from qttt.observation.exports import Export

    text, _, counts = data.decode("utf-8", "replace").partition("\0")
    try:
        export = Export.parse(text, "fuzzed")
        demand(Export.from_json(export.to_json(), "again") == export, "a readout is read back otherwise")
        with suppress(ValueError, RecursionError):
            report = decode_counts(export, json.loads(counts), np.random.default_rng(1)).to_json()
            json.dumps(report, allow_nan=False)
            demand(
                report["shots"] == report["kept"] + report["illegal"] + report["herald_failed"],
                "shots are lost",
            )
    except (QtttError, CircuitsError) as error:
        refused(error)


def read_archives(data: bytes) -> None:
    """The archive of a finished job."""
    from qttt.crosscheck.archive import recompute

    path = _scratch() / "fuzzed.archive.json"
    path.write_bytes(data)
    try:
        json.dumps(recompute(path).to_json(), allow_nan=False)
    except (QtttError, CircuitsError) as error:
        refused(error)


def read_matches(data: bytes) -> None:
    """The file of a self-play match."""
    from qttt.players.match_files import MatchFile, match_of

    path = _scratch() / "match.jsonl"
    path.write_bytes(data)
    try:
        match = match_of(path)
        if match is not None:
            with MatchFile(path, match) as file:
                demand(all(played.number >= 0 for played in file.played), "a game with a bad number")
    except (QtttError, CircuitsError) as error:
        refused(error)
        demand(path.read_bytes() == data, "a refused file was changed")


def read_stored(data: bytes) -> None:
    """Only the circuits and readouts of a job file, which is where its depth is."""
    from circuits.backends import job_circuits
    from circuits.measurement import Readout

    try:
        value: Any = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    for read in (job_circuits.from_json, Readout.from_json):
        if read == Readout.from_json and not isinstance(value, dict):
            continue
        try:
            made = read(value)
        except CircuitsError as error:
            refused(error)
        else:
            if isinstance(made, Readout):
                demand(Readout.from_json(made.to_json()) == made, "a readout is read back otherwise")
            else:
                plain = job_circuits.to_json(made)
                demand(job_circuits.to_json(job_circuits.from_json(plain)) == plain, "a circuit changed")


@cache
def _scratch() -> Path:
    """A folder for this process, in memory where there is one."""
    import tempfile

    memory = "/dev/shm"
    return Path(tempfile.mkdtemp(prefix="qttt-fuzz-", dir=memory if os.path.isdir(memory) else None))


READERS: dict[str, Callable[[bytes], None]] = {
    "tokens": read_tokens,
    "records": read_records,
    "games": read_games,
    "commands": read_commands,
    "prompts": read_prompts,
    "tables": read_tables,
    "jobs": read_jobs,
    "stored": read_stored,
    "pending": read_pending,
    "counts": read_counts,
    "archives": read_archives,
    "matches": read_matches,
}


def fence(scratch: Path) -> None:
    """Let this process write nowhere but in a folder: fuzzed command lines name files.

    It lasts until the process ends.
    """
    inside = os.path.realpath(scratch)
    free = (inside, "/dev/null", str(os.path.realpath(_scratch())))

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _mode, flags = arguments
            writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) if isinstance(flags, int) else False
            if writes and isinstance(path, str | bytes) and not _within(os.fsdecode(path), free):
                raise PermissionError(13, "the fuzzer may not write there")
        elif event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink"):
            places = [item for item in arguments if isinstance(item, str | bytes)]
            if not all(_within(os.fsdecode(place), free) for place in places):
                raise PermissionError(13, "the fuzzer may not change that")

    sys.addaudithook(guard)


def _within(path: str, folders: tuple[str, ...]) -> bool:
    real = os.path.realpath(path)
    return any(real == folder or real.startswith(folder + os.sep) for folder in folders)
