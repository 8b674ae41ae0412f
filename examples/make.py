"""Make the guide and the gallery again: ``python -m examples.make``. A test fails while they are stale."""

from pathlib import Path

from examples.best_play.page import best_play_files
from qttt.display.pictures import animate
from qttt.display.pictures.games import game_frames
from qttt.display.pictures.palette import Theme
from qttt.records.files import load_record
from qttt.storage import save_file
from qttt.teaching.guide.gallery import gallery_files
from qttt.teaching.guide.pages import guide_files

FOLDER = Path(__file__).parent
#: Pages of the guide that are written by hand.
WRITTEN = frozenset({"guide/hardware.md", "guide/measure-turn.md", "guide/openspiel.md", "guide/players.md"})


def made_files() -> dict[str, str]:
    """Every file that is made rather than written, by its path below this folder."""
    rules, more = guide_files(), best_play_files()
    guide = {f"guide/{name}": text for name, text in (rules | more).items()}
    guide["guide/README.md"] += _more_pages(more)
    guide["guide/figures/a-game.svg"] = _game_in_motion()
    return guide | {f"gallery/{name}": text for name, text in gallery_files().items()}


def _game_in_motion() -> str:
    """The README's first picture: a game of Level 2 from its first move to its observation."""
    game = load_record(FOLDER / "games" / "level-2-entanglement.qttt").game()
    return animate(game_frames(game), "svg", Theme.LIGHT).decode()


def _more_pages(made: dict[str, str]) -> str:
    """Links to the pages of the guide that are about something else than one level's rules."""
    pages = {name: text for name, text in made.items() if name.endswith(".md")}
    for path in (FOLDER / name for name in WRITTEN):
        if path.exists():
            pages[path.name] = path.read_text(encoding="utf-8")
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in sorted(pages.items())}
    links = [f"- [{title}]({name})" for name, title in titles.items()]
    return "\n".join(["", "Beyond the rules:", "", *links, ""])


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
