"""Fuzzing with coverage guidance: ``python -m tests.campaigns.fuzz READER --runs N``.

It needs atheris (``pip install atheris``), which wraps libFuzzer. A fault ends the run with a traceback and
the input in a file; an input of more than a second of processor time is a fault, and so are 400 MB of memory.
``--regress FILE`` gives one input to the reader, without atheris.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

MOST_SECONDS = 1.0
MOST_MEGABYTES = 400
MOST_BYTES = {"tokens": 40, "games": 400, "tables": 4096, "jobs": 16384}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fuzz")
    parser.add_argument("reader")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--corpus", type=Path, default=None, help="a folder that keeps what was found")
    parser.add_argument("--regress", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.regress is not None:
        from tests.campaigns.readers import READERS

        READERS[arguments.reader](arguments.regress.read_bytes())
        return
    _fuzz(arguments.reader, arguments.runs, arguments.corpus)


def _fuzz(name: str, runs: int, corpus: Path | None) -> None:
    import atheris

    with atheris.instrument_imports(include=["qttt", "circuits"]):
        from tests.campaigns import readers
        from tests.campaigns.mutate import mutate_json
        from tests.campaigns.seeds import WORDS, seeds

        first = seeds(name)
    reader = readers.READERS[name]
    scratch = Path(tempfile.mkdtemp(prefix="qttt-fuzz-"))
    folder = corpus or scratch / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(first):
        (folder / f"seed-{number:04}").write_bytes(seed)
    words = scratch / "words"
    words.write_text("".join(f'"{_quoted(word)}"\n' for word in WORDS))
    places = scratch / "run"
    places.mkdir()
    slowest = [0.0]

    def one(data: bytes) -> None:
        began = time.process_time()
        reader(data)
        took = time.process_time() - began
        slowest[0] = max(slowest[0], took)
        readers.demand(took < MOST_SECONDS, f"{took:.2f} s of processor time")

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        # JSON changed byte by byte is seldom JSON: most changes are made to its nodes.
        if seed % 8 == 0:
            return bytes(atheris.Mutate(data, most))
        return mutate_json(data, random.Random(seed))[:most]

    longest = MOST_BYTES.get(name, 3000)
    atheris.Setup(
        [
            sys.argv[0],
            f"-runs={runs}",
            f"-max_len={longest}",
            f"-rss_limit_mb={MOST_MEGABYTES}",
            f"-dict={words}",
            f"-artifact_prefix={tempfile.gettempdir()}/fault-{name}-",
            # Wall-clock time on a busy machine says little: real work is limited by processor time above.
            "-timeout=60",
            "-print_final_stats=1",
            "-verbosity=1",
            str(folder),
        ],
        one,
        **({"custom_mutator": mutated} if name in ("jobs", "stored") else {}),
    )
    os.chdir(places)
    readers.fence(scratch)
    atheris.Fuzz()


def _quoted(word: bytes) -> str:
    """A word as libFuzzer's dictionaries have it."""
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
