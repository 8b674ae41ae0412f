"""Fuzzing: ``python -m tests.campaigns.fuzz READER --runs N``; READER is a key of ``readers.READERS``.

With coverage guidance it needs atheris (``pip install atheris``), which wraps libFuzzer; ``--plain`` changes
the seeds at random instead, and is what the ordinary tests run. A fault ends the run with a traceback and
leaves the input in a file; an input of more than a second of processor time is a fault, and so are 400 MB of
memory. ``--regress FILE`` gives one input to the reader.
"""

import argparse
import os
import random
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

MOST_SECONDS = 1.0
MOST_MEGABYTES = 400
#: Readers whose inputs are changed as JSON values rather than byte by byte.
JSON = frozenset({"jobs", "stored", "pending"})
#: The longest inputs of a reader; the others take 3,000 bytes.
MOST_BYTES = {"tokens": 40, "games": 400, "tables": 4096, "jobs": 16384}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fuzz")
    parser.add_argument("readers", nargs="+")
    parser.add_argument("--runs", type=int, default=1000, help="inputs for each reader")
    parser.add_argument("--plain", action="store_true", help="without coverage guidance")
    parser.add_argument("--seed", type=int, default=1, help="with --plain")
    parser.add_argument("--corpus", type=Path, help="a folder that keeps what was found, by reader")
    parser.add_argument("--regress", type=Path)
    arguments = parser.parse_args()
    if arguments.regress is not None:
        from tests.campaigns.readers import READERS

        READERS[arguments.readers[0]](arguments.regress.read_bytes())
    elif arguments.plain:
        _fuzz_plainly(arguments.readers, arguments.runs, arguments.seed)
    else:
        (name,) = arguments.readers
        _fuzz(name, arguments.runs, arguments.corpus)


def _limited(reader: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """A reader that may take a second of processor time. On a busy machine the clock would say little."""
    from tests.campaigns.readers import demand

    def limited(data: bytes) -> None:
        began = time.process_time()
        reader(data)
        took = time.process_time() - began
        demand(took < MOST_SECONDS, f"{took:.2f} s of processor time")

    return limited


def _apart() -> Path:
    """A folder of this run, in which alone it can write from now on."""
    from tests.campaigns.readers import fence

    scratch = Path(tempfile.mkdtemp(prefix="qttt-fuzz-"))
    (scratch / "run").mkdir()
    os.chdir(scratch / "run")
    fence(scratch)
    return scratch


def _fuzz_plainly(names: list[str], runs: int, seed: int) -> None:
    from tests.campaigns.mutate import mutate_bytes, mutate_json
    from tests.campaigns.readers import READERS, demand
    from tests.campaigns.seeds import seeds

    pools = {name: list(seeds(name)) for name in names}
    scratch = _apart()
    for name, pool in pools.items():
        rng = random.Random(seed * 1000 + zlib.crc32(name.encode()))
        change = mutate_json if name in JSON else mutate_bytes
        reader = _limited(READERS[name])
        for number in range(runs):
            data = pool[number] if number < len(pool) else change(rng.choice(pool), rng)
            data = data[: MOST_BYTES.get(name, 3000)]
            try:
                reader(data)
            except BaseException:
                fault = scratch / f"fault-{name}"
                fault.write_bytes(data)
                print(f"{name}: input {number} is a fault, see {fault}", file=sys.stderr)
                raise
            # What was changed once is changed again now and then, so that changes add up.
            if rng.random() < 0.1 and len(pool) < 1000:
                pool.append(data)
        print(f"{name}: {runs} inputs")
    used = _most_memory()
    demand(used < MOST_MEGABYTES, f"{used} MB of memory")


def _most_memory() -> int:
    """The most memory that this process has held, in MB."""
    # Not getrusage, which counts what the process was before it became this program.
    lines = Path("/proc/self/status").read_text().splitlines() if os.path.exists("/proc/self/status") else []
    peaks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return (peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) >> 10


def _fuzz(name: str, runs: int, corpus: Path | None) -> None:
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["qttt", "circuits"]):
        from tests.campaigns import readers
        from tests.campaigns.mutate import mutate_json
        from tests.campaigns.seeds import WORDS, seeds

        first = seeds(name)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        # JSON changed byte by byte is seldom JSON: most changes are made to its nodes.
        if seed % 8 == 0:
            return bytes(atheris.Mutate(data, most))
        return mutate_json(data, random.Random(seed))[:most]

    kept = None if corpus is None else corpus.resolve() / name
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
    scratch = _apart()
    begun = scratch / "corpus"
    begun.mkdir()
    for number, seed in enumerate(first):
        (begun / f"seed-{number:04}").write_bytes(seed)
    words = scratch / "words"
    words.write_text("".join(f'"{_quoted(word)}"\n' for word in WORDS))
    atheris.Setup(
        [
            sys.argv[0],
            f"-runs={runs}",
            f"-max_len={MOST_BYTES.get(name, 3000)}",
            f"-rss_limit_mb={MOST_MEGABYTES}",
            f"-dict={words}",
            f"-artifact_prefix={tempfile.gettempdir()}/fault-{name}-",
            # Only for an endless loop: on a busy machine an input may take long by the clock.
            "-timeout=60",
            "-print_final_stats=1",
            *([str(kept)] if kept is not None else []),
            str(begun),
        ],
        _limited(readers.READERS[name]),
        **({"custom_mutator": mutated} if name in JSON else {}),
    )
    atheris.Fuzz()


def _quoted(word: bytes) -> str:
    """A word as libFuzzer's dictionaries have it."""
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
