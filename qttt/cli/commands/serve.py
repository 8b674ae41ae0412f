"""``qttt serve``: the board in a browser."""

from argparse import ArgumentParser, Namespace

from qttt.cli.commands import Command
from qttt.cli.commands.arguments import whole_number
from qttt.cli.console.session import Session

_ANY = ("0.0.0.0", "::")


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a game to open: its moves in quotes, the name of a file, or - for standard input",
    )
    parser.add_argument(
        "--host",
        metavar="HOST",
        default="127.0.0.1",
        help="the address to serve on (default 127.0.0.1, for this computer alone)",
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        type=whole_number(0, 65535),
        default=0,
        help="the port (default: a free one)",
    )
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")


def _run(arguments: Namespace, session: Session) -> int:
    from qttt.records.files import read_record
    from qttt.storage import user_folder
    from qttt.web.server import Settings, run

    record = None if arguments.file is None else read_record(arguments.file, session.stdin)
    if record is not None:
        record.game()  # what cannot be played is refused at the place where it was written

    def ready(address: str) -> None:
        session.write(f"Serving on {address}\n")
        if arguments.host in _ANY:
            session.show(
                "Everybody in this network can reach it, without encryption; its owner is whoever has this "
                "address.",
                to_stderr=True,
            )
        if not arguments.no_open:
            _open(address)

    settings = Settings(user_folder("data") / "rooms.sqlite", arguments.host, arguments.port, record)
    run(settings, ready, lambda line: session.tell(f"{line}\n"))
    return 0


def _open(address: str) -> None:
    """Open a browser, where there is one that has a window."""
    import os
    import sys
    import threading
    import webbrowser

    windows = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if windows:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


COMMAND = Command(
    explanation=(
        "Serves the board as a page: play by mouse, touch or keyboard, against a person or a computer, see "
        "odds and circuits grow, observe, look back. The address that is printed holds the owner's token. "
        "Games are kept, and a page goes on by itself when the server is started again. Ctrl-C ends it."
    ),
    examples=("serve", "serve game.qttt", "serve '5 5*6' --port 8000 --no-open"),
    add_arguments=_add_arguments,
    run=_run,
    draws=False,
)
