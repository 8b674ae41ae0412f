"""Where a process of ``qttt`` begins: ``python -m qttt``, and the script of that name."""

import sys


def main() -> int:
    """Run the process's own command line.

    Returns:
        The exit status. An interrupt while the command line is still being imported ends as a later one does.
    """
    try:
        from qttt.cli import main as run

        return run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("qttt: error: interrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
