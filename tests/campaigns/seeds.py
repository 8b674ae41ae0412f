"""What fuzzing starts from: good inputs of every kind, odd ones, and the words that both are made of."""

import json
import random
from functools import cache
from pathlib import Path

from qttt.game.rules import Rules

ROOT = Path(__file__).parents[2]

#: Pieces of text that the readers look for; both fuzzers put them into inputs.
WORDS: tuple[bytes, ...] = tuple(
    word.encode()
    for word in (
        *("5", "1+3", "5*6", "5-6", "~5", "5~", "~1+3~", "?5=X", "?5=.", "?5", "1.", "12."),
        *("=XO.XXO.OX", "=r:XO.XXO.OX", "=s:XO.XXO.OX", "=p:##.##.#.#", "=........."),
        *('[Level "5"]\n', '[Level "2"]', '[Options "', "quantum-only", "tally", "no-double-entanglement"),
        *("measure-turn", "no-ties", "view-switches=2", "view=physical", "view=tabletop"),
        *("max-observations=1", '[First "O"]', '[X "', '[Result "tie"]', '[Result "*"]', '[Job "', '"]'),
        *('\\"', "\\\\", "{", "}", "{a {b} c}", "\r\n", "\r", "\t", "\n", "\0", "\ufeff", "\u0665", "\u2212"),
        *("\uff15", "\u202e", "\u200f", "\u200b", "\u2028", "\x85", "\u0301", "\U0001f600", "−", "×"),
        *(
            "--json",
            "--level",
            "--options",
            "--first",
            "--mode",
            "rotated",
            "--rolls",
            "d6",
            "--depth",
            "--help",
        ),
        *("--help", "odds", "moves", "dice", "perft", "play", "--ascii", "--seed", "--backend"),
        *("--version", "-", "--"),
        *("help", "undo", "draw", "yes", "no", "quit", "why", "standard", "odds --mode rotated"),
        *("null", "true", "false", "[]", "{}", "[[", "]]", "1e999", "-1", "1E400", "NaN", '"', "9" * 400),
        *(
            '"qubits"',
            '"registers"',
            '"phase"',
            '"instructions"',
            '"measure"',
            '"if"',
            '"cx"',
            '"rz"',
            '"pos"',
        ),
        *(
            '"pos"',
            '"occupancy"',
            '"symbol"',
            '"heralds"',
            '"masked"',
            '"shots"',
            '"results"',
            '"data"',
            '"bits"',
        ),
    )
)

_ODD = (
    b"",
    b"\xef\xbb\xbf5 5*6",
    b"5\r\n5*6\r\n",
    b"5 {\xff}",
    b"\xff\xfe5\x00",
    "\u0665 5*\u0666".encode(),
    "5\u22126 5\u00d76".encode(),
    '[X "\u202eAda\u202c"] 5'.encode(),
    b"{" * 500 + b"}" * 500,
    b'[X "\\"\\\\"] {a} 5 {b\nc} 1. 5*6',
    b'[X "<script>alert(1)</script>"]\n5',
)


@cache
def good_records() -> tuple[bytes, ...]:
    """Records of every level: those of the examples, and random games with all options."""
    from tests.campaigns.readers import _rules
    from tests.campaigns.walks import random_record

    files = sorted((ROOT / "examples" / "games").glob("*.qttt"))
    rng = random.Random(20_261_130)
    games = [
        random_record(_rules(level, options), rng).encode()
        for level in range(6)
        for options in (0, 1, 2, 4, 8, 16, 32, 64, 128)
    ]
    return (*(file.read_bytes() for file in files), *games)


@cache
def seeds(reader: str) -> tuple[bytes, ...]:
    """Inputs for one of ``readers.READERS``."""
    if reader == "tokens":
        return WORDS
    if reader == "records":
        return (*good_records(), *_ODD)
    if reader == "games":
        rng = random.Random(1)
        return tuple(
            bytes([level, options, 0, *rng.randbytes(60)])
            for level in range(6)
            for options in range(0, 256, 17)
        )
    if reader == "commands":
        return _commands()
    if reader == "prompts":
        return _prompts()
    if reader == "tables":
        return _tables()
    if reader == "matches":
        return _matches()
    if reader == "counts":
        return _counts()
    values = {"jobs": _jobs, "stored": _stored, "pending": _pending, "archives": _archives}[reader]()
    return tuple(json.dumps(value).encode() for value in values)


def _commands() -> tuple[bytes, ...]:
    lines: list[bytes] = []
    for record in good_records()[::4]:
        for command in (b"odds", b"moves", b"dice"):
            lines += [
                command + b"\n-\0" + record,
                b"\n".join([command, record.replace(b"\n", b" "), b"--json"]),
            ]
    lines += [
        b"perft\n--level\n2\n--depth\n2",
        b"odds\n1+3 1-2\n--level\n5\n--mode\nrotated\n--rolls\nd6",
        b"moves\n\n--level\n0\n--first\nO\n--json",
        b"dice\n5 5*6\n--options\nquantum-only,tally",
        b"--version",
        b"--help",
        b"odds\n--help",
        b"play\n--backend\ndice\n--record\n/dev/null\0" + b"5\n5*6\nundo\n1+3\n",
        b"odds\nmissing.qttt",
    ]
    return tuple(lines)


def _prompts() -> tuple[bytes, ...]:
    rng = random.Random(3)
    words = [
        "help",
        "undo",
        "odds",
        "moves",
        "dice",
        "help moves",
        "draw\nno",
        "why",
        "?5",
        "odds --mode rotated",
    ]
    games = []
    for level in range(6):
        moves = [f"{a}+{b}" for a in range(1, 10) for b in range(a + 1, 10)] + [str(a) for a in range(1, 10)]
        moves += [f"{a}{sign}{b}" for a in range(1, 10) for b in range(1, 10) for sign in "*-"]
        lines = [rng.choice(moves if rng.random() < 0.8 else words) for _ in range(60)]
        lines += ["standard", "rotated"]
        games.append(bytes([level]) + "\n".join(lines).encode())
    return tuple(games)


def _tables() -> tuple[bytes, ...]:
    from qttt.solver.tables import FOLDER, FORMAT, pack_table

    about = {"level": 1, "least_empty": 3}
    small = {bytes([key, key]): (key / 7 - 1, 0.5) for key in range(5)}
    shipped = [min((file.read_bytes() for file in FOLDER.iterdir()), key=len)]
    counts = {"positions": 4, "pairs": 3, "bucket_bits": 1, "index_bytes": 1, "salt": 0}
    header = {**about, "format": FORMAT, **counts}
    plain = json.dumps(header).encode() + b"\n" + bytes([1, 3]) + bytes(range(12)) + bytes(34)
    return (plain, pack_table(small, about), *shipped)


def _job() -> "dict[str, object]":
    import numpy as np

    from circuits.backends import job_store
    from circuits.decoding import Shots
    from qttt.game import Game
    from qttt.game.symbols import Mode
    from qttt.observation.compiler import compile_moves

    game = Game(3)
    game.play("5 5*6 1+3 3-4")
    compiled = compile_moves(game, Mode.STANDARD)
    circuit = compiled.circuit.decompose().decompose()
    stored = job_store.StoredCircuit(circuit, "standard", compiled.readout)
    job = job_store.Job(
        "fake_torino", (stored,), 4, 7, "circuits-0123456789abcdef", payload={"record": "5 5*6"}
    )
    rng = np.random.default_rng(1)
    sizes = [
        next((len(register) for register in circuit.cregs if register.name == name), 0)
        for name in ("pos", "mark", "flag")
    ]
    shots = Shots(*(rng.random((4, size)) < 0.5 for size in sizes))
    return job_store.to_json(
        job.at(job_store.JobState.DONE, results=(shots,), job_id="local-1", quantum_seconds=2.5)
    )


def _jobs() -> "list[object]":
    done = _job()
    return [
        done,
        {**done, "state": "prepared", "results": None},
        {**done, "quantum_seconds": None, "created": "x"},
    ]


def _stored() -> "list[object]":
    job = _job()
    circuits = job["circuits"]
    assert isinstance(circuits, list)
    small = {
        "qubits": 3,
        "registers": [["pos", 2], ["mark", 1]],
        "phase": 0.5,
        "instructions": [
            ["h", [0], []],
            ["rz", [1], [0.25]],
            ["cx", [0, 1], []],
            ["barrier", [0, 1], []],
            ["delay", [0], [16, "dt"]],
            ["measure", [0], [0]],
            ["if", [1, 2], [0, 1], [[["x", [0], []]], [["cx", [0, 1], []]]]],
            ["if", [2], ["pos", 2], [[["x", [0], []]]]],
        ],
    }
    return [small, circuits[0]["circuit"], circuits[0]["readout"]]


def _pending() -> "list[object]":
    payload = {
        "format": "qttt observation",
        "record": "5 5*6",
        "file": "game.qttt",
        "mode": None,
        "positions": None,
    }
    job = {**_job(), "state": "prepared", "results": None}
    alone = {**payload, "file": None, "mode": "standard", "positions": "##......."}
    policy = {**payload, "file": None, "record": '[Level "4"] 5 5-6 1+3 3*4', "policy": 6, "strict": True}
    check = {"format": "qttt check", "record": "5 5*6 1+3", "mode": "standard", "views": False}
    check |= {"faulty": 0.125, "readout": [[0.25, 0.5]]}
    batch = {"format": "qttt observations", "games": [{**payload, "circuits": 1}]}
    return [
        {**job, "payload": batch},
        {**_job(), "payload": batch},
        {**job, "payload": payload},
        {**job, "payload": alone},
        {**job, "payload": {**payload, "file": "../x"}},
        {**job, "payload": policy},
        {**job, "payload": check},
        *({**_job(), "payload": kind} for kind in (alone, policy, check)),
    ]


def _counts() -> tuple[bytes, ...]:
    from qttt.game import Game
    from qttt.game.symbols import Mode
    from qttt.observation.compiler import compile_moves
    from qttt.observation.exports import Export

    game = Game(3)
    game.play("1+3 1-2 4")
    export = Export.of(game, Mode.STANDARD, compile_moves(game))
    apart = {"pos": ["1001", "0xc"], "mark": ["0000", "1000"], "flag": ["0", "1"]}
    found = ({"0 1000 1010": 3, "1 0000 0000": 1}, {"0x8a": 4}, ["0 1000 1010"], apart)
    texts = (json.dumps(export.to_json()), export.commented("OPENQASM 3.0;\nqubit q;"))
    return tuple(f"{text}\0{json.dumps(counts)}".encode() for text in texts for counts in found)


def _archives() -> "list[object]":
    import tempfile

    from circuits.backends import job_store
    from qttt.crosscheck.archive import keep_archive

    payload = {
        "format": "qttt observation",
        "record": '[Level "3"] 5 5*6 1+3 3-4',
        "file": None,
        "mode": None,
    }
    gates = [{"name": "h", "qubits": [0], "error": 0.25, "seconds": None}]
    about = {"payload": payload, "calibration": {"reported": None, "qubits": {}, "gates": gates}}
    job = job_store.from_json({**_job(), **about})
    with tempfile.TemporaryDirectory() as folder:
        return [json.loads(keep_archive(job, Path(folder, "seed.job")).read_bytes())]


def _matches() -> tuple[bytes, ...]:
    from qttt.players.match_files import match_lines
    from qttt.players.matches import Match, play_games

    match = Match("random", "random", Rules.of(2), 1)
    games = play_games(match, range(3))
    content, old = (b"".join(match_lines(match, games, chained=chained)) for chained in (True, False))
    return (content, content[:-20], old, content.split(b"\n", 1)[0] + b"\n", b"{}\n", b"5 5*6\n")
