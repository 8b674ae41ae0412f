"""The source archive holds the project, and the wheel made from it is the whole program."""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
PACKAGES = ("qttt", "circuits")
# What a wheel must hold beside modules, as patterns: each names at least one file.
DATA = (
    "*/py.typed",
    "*/level?.table",
    "*/lesson.html.j2",
    "*/lesson.js",
    "*/lesson.css",
    "*/static/app.js",
    "*/static/palette.css",
)
# Prints where the modules that are loaded come from.
ORIGINS = """
import json, sys
import {modules}
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in ("qttt", "circuits")]
print(json.dumps([module.__file__ for module in ours]))
"""


def kept(root: Path) -> set[str]:
    """The project's files below a folder: those that .gitignore does not name, as paths with slashes."""
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    ignored = [".git", *(line.rstrip("/") for line in lines if line and not line.startswith("#"))]
    files = set()
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not any(fnmatch.fnmatch(name, rule) for rule in ignored)]
        for name in names:
            if not any(fnmatch.fnmatch(name, rule) for rule in ignored):
                files.add((Path(folder) / name).relative_to(root).as_posix())
    return files


def checked(*words: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program that must succeed, without the settings that would let Python find the checkout."""
    kept_back = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    clean = {name: value for name, value in os.environ.items() if name not in kept_back}
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
    )
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def build(source: Path, target: str, folder: Path) -> Path:
    checked(sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder, cwd=source)
    (built,) = (path for path in folder.iterdir() if path.name != ".gitignore")
    return built


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the source archive unpacks to."""
    built = build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built) as packed:
        packed.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from the unpacked archive alone."""
    return build(archive, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and sees the dependencies, not the checkout."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, symlinks=os.name != "nt")
    bin_ = folder / ("Scripts" if os.name == "nt" else "bin")
    # Nothing else is there yet, so that pip has nothing to hold the wheel against.
    pip = (sys.executable, "-m", "pip", "--isolated", "--python", str(bin_ / "python"))
    checked(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    (packages,) = folder.rglob("site-packages")
    # In a folder that a .pth file names no other .pth file is read: editable installations stay out of sight.
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(others), "utf-8")
    return bin_


def test_the_archive_holds_every_file_of_the_project(archive: Path) -> None:
    # Under version control, where git can say so: a file that lies about is not the project's.
    git = None
    if (ROOT / ".git").exists() and shutil.which("git"):
        git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    tracked = git.stdout.split("\0") if git and git.returncode == 0 else kept(ROOT)
    assert {name for name in tracked if name and (ROOT / name).exists()} <= kept(archive)
    assert {"Makefile", ".ci/run", "tests/README.md", ".github/CONTRIBUTING.md", "LICENSE"} <= kept(archive)


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == {name for name in kept(ROOT) if name.partition("/")[0] in PACKAGES}
    for pattern in DATA:
        assert fnmatch.filter(names, pattern), pattern


def test_the_wheel_says_what_the_project_file_says(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (info,) = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" in name}
    about = PathDistribution(zipfile.Path(wheel, f"{info}/")).metadata.json
    assert (about["version"], about["author"]) == (project["version"], "TiqTaqToe developers")
    assert about["license_expression"] == "Apache-2.0"
    plain = [line for line in about["requires_dist"] if ";" not in line]
    assert len(plain) == len(project["dependencies"]) and "qiskit<3,>=2.3" in plain


def test_the_citation_names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_a_game_is_played_from_the_wheel(programs: Path, tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    qttt = programs / "qttt"
    assert checked(qttt, "--version", cwd=tmp_path) == f"qttt {version}\n"
    played = checked(qttt, "play", "--demo", "--seed", "1", cwd=tmp_path, PYTHONUTF8="1")
    assert "agrees" in played and "disagrees" not in played
    seen = json.loads(
        checked(qttt, "observe", "1+3 1*2 9 3*4 5+6 7+8", "--seed", "2", "--json", cwd=tmp_path)
    )
    assert seen["board"] == "XOO.X..OX"


def test_what_is_no_module_is_read_from_the_wheel(programs: Path, tmp_path: Path) -> None:
    qttt = programs / "qttt"
    for level in range(6):
        assert json.loads(checked(qttt, "solve", "--level", str(level), "--json", cwd=tmp_path))
    checked(qttt, "explain", "5 5*6", "--out", tmp_path / "lesson.html", cwd=tmp_path)
    page = (tmp_path / "lesson.html").read_text("utf-8")
    for name in ("lesson.js", "lesson.css"):
        (source,) = (ROOT / "qttt").rglob(name)
        assert source.read_text("utf-8").strip().splitlines()[-1] in page


def test_nothing_is_loaded_from_the_checkout(programs: Path, tmp_path: Path) -> None:
    modules = [name for name in kept(ROOT) if name.startswith("qttt/") and name.endswith("/__init__.py")]
    names = ", ".join(sorted(Path(name).parent.as_posix().replace("/", ".") for name in modules))
    script = ORIGINS.format(modules=f"{names}, circuits.backends.aer")
    origins = json.loads(checked(programs / "python", "-c", script, cwd=tmp_path))
    inside = programs.parent.resolve()
    assert len(origins) > 20
    assert [file for file in origins if not Path(file).resolve().is_relative_to(inside)] == []
