"""Compare the skips of a pytest run with those that are known: `python .ci/skips.py LOG`.

Status 0 if each is on the list `.ci/known_skips.txt`; 1, naming the others, if not or if the log cannot tell.
"""

import re
import sys
from collections import Counter
from pathlib import Path

KNOWN = Path(__file__).with_name("known_skips.txt")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What `pytest -ra` prints: how many, where, why. Tests that are expected to fail count as well.
SKIP = re.compile(r"(?:SKIPPED \[(?P<count>\d+)\] (?P<place>\S+?): (?P<reason>.*)|XFAIL (?P<xfail>.*))")
TOTAL = re.compile(r"=+ (?:.*, )?\d+ (?:passed|failed|error|skipped|xfailed).* =+")
PART = re.compile(r"(\d+) (?:skipped|xfailed)")


def known_reasons(text: str) -> list[str]:
    """The reasons of the list, without what is said about them."""
    return [reason for line in text.splitlines() if (reason := line.partition("#")[0].strip())]


def unknown_skips(log: str, known: list[str]) -> list[str]:
    """What is wrong with a run: a line for each skip that is not known.

    Args:
        log: the output of a run with ``-ra``.
        known: reasons; one that ends in ``*`` stands for all that begin so.
    """
    lines = [COLOUR.sub("", line).rstrip() for line in log.splitlines()]
    totals = [line for line in lines if TOTAL.fullmatch(line)]
    if not totals:
        return ["pytest did not say how many tests ran"]
    found: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if (skip := SKIP.fullmatch(line)) is not None:
            if skip["xfail"] is not None:
                found[skip["xfail"], "expected to fail"] += 1
            else:
                found[skip["place"], skip["reason"].removeprefix("Skipped: ")] += int(skip["count"])
    problems = [
        f"{count} skipped at {place}: {reason}"
        for (place, reason), count in found.items()
        if not any(reason == name or (name.endswith("*") and reason.startswith(name[:-1])) for name in known)
    ]
    counted, listed = sum(map(int, PART.findall(totals[-1]))), sum(found.values())
    if counted != listed:
        problems.append(f"pytest counts {counted} skips and gives a reason for {listed}")
    return problems


def main() -> int:
    """Print what is wrong with the log that is named."""
    log = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    problems = unknown_skips(log, known_reasons(KNOWN.read_text(encoding="utf-8")))
    for problem in problems:
        print(f"not in .ci/known_skips.txt: {problem}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
