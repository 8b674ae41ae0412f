"""Print pip constraints that pin every lower bound of the run-time dependencies in pyproject.toml."""

import re
import tomllib
from itertools import chain
from pathlib import Path


def lowest_versions(pyproject: Path) -> list[str]:
    """The lower bounds of the core dependencies and of the extras that run-time code uses, as exact pins.

    Args:
        pyproject: The project file to read.

    Returns:
        Lines `name==version`, in the order of the file.

    Raises:
        ValueError: A dependency has no lower bound.
    """
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    pins = []
    used = (extras[name] for name in ("ibm", "mitigation", "solve"))
    for requirement in chain(project["dependencies"], *used):
        bound = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)(?:,<[0-9.]+)?", requirement)
        if bound is None:
            raise ValueError(f"{requirement!r} has no plain lower bound")
        pins.append(f"{bound[1]}=={bound[2]}")
    return pins


if __name__ == "__main__":
    print("\n".join(lowest_versions(Path(__file__).parent.parent / "pyproject.toml")))
