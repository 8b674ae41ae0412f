"""Make the guide and the gallery again: ``python -m examples.make``. A test fails while they are stale."""

from pathlib import Path

from qttt.files import save_file
from qttt.guide.gallery import gallery_files
from qttt.guide.pages import guide_files

FOLDER = Path(__file__).parent
#: Pages of the guide that are written by hand.
WRITTEN = frozenset({"guide/players.md"})


def made_files() -> dict[str, str]:
    """Every file that is made rather than written, by its path below this folder."""
    guide = {f"guide/{name}": text for name, text in guide_files().items()}
    return guide | {f"gallery/{name}": text for name, text in gallery_files().items()}


def main() -> None:
    """Write what has changed, and remove what is no longer made."""
    files = made_files()
    for name in ("guide", "gallery"):
        for path in sorted((FOLDER / name).rglob("*")):
            if path.is_file() and str(path.relative_to(FOLDER)) not in files.keys() | WRITTEN:
                path.unlink()
    for name, text in files.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            save_file(path, text)
            print(f"made {name}")


if __name__ == "__main__":
    main()
