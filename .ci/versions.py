"""Print the versions that this interpreter's environment has of what pyproject.toml names."""

import platform
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def named_packages(project: dict[str, object]) -> list[str]:
    """The distributions that a project's dependencies and extras name, each once, in alphabetical order."""
    extras = project.get("optional-dependencies", {})
    assert isinstance(extras, dict)
    lines = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]  # type: ignore[misc]
    names = {re.match(r"[A-Za-z0-9_.-]+", line)[0].lower() for line in lines}  # type: ignore[index]
    return sorted(names | {str(project["name"])})


def main() -> None:
    """Print a line for the interpreter and one for each distribution."""
    pyproject = Path(__file__).parent.parent / "pyproject.toml"
    print(f"{'python':24} {platform.python_version()} on {platform.platform()}")
    for name in named_packages(tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]):
        try:
            print(f"{name:24} {version(name)}")
        except PackageNotFoundError:
            print(f"{name:24} (not installed)")


if __name__ == "__main__":
    main()
