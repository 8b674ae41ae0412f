"""Where a process of ``qttt`` begins: ``python -m qttt``, and the script of that name."""

import sys


def main() -> int:
    """Run the process's own command line.

    Returns:
        The exit status. An interrupt while the command line is still being imported ends as a later one does.
    """
    try:
        try:
            import qttt.own_circuits  # noqa: F401
        except ImportError as error:
            return _refused(str(error), 2)
        from qttt.cli import main as run

        return run()
    except KeyboardInterrupt:
        return _refused("interrupted", 130)


def _refused(message: str, status: int) -> int:
    if sys.stderr is not None:
        sys.stderr.write(f"qttt: error: {message}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
