"""Files: read with a limit, saved whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import qttt.own_circuits  # noqa: F401
from circuits.opening import open_to_write, read_at_most
from circuits.storage import replace_file
from qttt.errors import QtttError

MAX_BYTES = 1 << 20


#: What names the folder of all that belongs to the user, instead of the system's own places.
VARIABLE = "QTTT_DATA_DIR"


def user_folder(kind: str) -> Path:
    """The folder of what belongs to the user: that of ``QTTT_DATA_DIR``, or the system's for such things.

    Args:
        kind: ``data``, or ``cache`` for what can be made again.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    import platformdirs

    path = platformdirs.user_cache_path if kind == "cache" else platformdirs.user_data_path
    return path("qttt", appauthor=False)


class FileError(QtttError):
    """A file that cannot be read or saved; what was on disk is as it was.

    Attributes:
        path: the file's name as it was given.
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        """Name the file and the reason."""
        self.path = str(path)
        super().__init__(reason)


def read_file(path: str | Path, limit: int = MAX_BYTES) -> bytes:
    """Read a file that is not larger than a limit; a larger one is refused unread.

    Args:
        path: a file, or a pipe such as the shell's ``<(…)`` makes.
        limit: the most bytes it may have.

    Raises:
        FileError: it is missing, too large, a folder, a pipe that nobody writes to, or cannot be read.
    """
    try:
        _refuse_no_name(path)
        size = os.stat(path).st_size
        # A pipe or a device shows no size, and a file may grow while it is read.
        content = b"" if size > limit else read_at_most(path, limit + 1)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot read {_shown(path)}: {_reason(error)}") from error
    if size > limit:
        raise FileError(path, f"{_shown(path)} has {size:,} bytes, and {limit:,} are the most")
    if len(content) > limit:
        raise FileError(path, f"{_shown(path)} has more than {limit:,} bytes, which are the most")
    return content


def save_file(path: str | Path, content: str | bytes) -> None:
    """Save a file so that a reader finds the old content or the new, never a part of either.

    The new content is written beside the old one, forced to disk, and renamed over it; what a killed process
    has left of doing so is removed (``circuits.storage``). Permissions and, where the system lets us, the
    owner stay. Through a symbolic link the file that it points to is replaced and the link stays. Pipes and
    devices (``/dev/stdout``) cannot be replaced and are written to directly.

    Args:
        path: the file's name.
        content: the whole new content; text is written as UTF-8.

    Raises:
        FileError: it cannot be saved, as it is a pipe that nobody reads for example; an old file is as it
            was.
    """
    try:
        _refuse_no_name(path)
        data = content.encode() if isinstance(content, str) else content
        target = os.path.realpath(path)
        old = os.stat(path) if os.path.exists(path) else None
        if old is not None and not stat.S_ISREG(old.st_mode):
            # By the given name: /dev/stdout, too, leads to a pipe without a name of its own.
            with open(path, "wb", opener=open_to_write) as file:
                file.write(data)
            return
        if old is not None and not os.access(target, os.W_OK):
            # Renaming over it would work, but whoever made it read-only did not want that.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        replace_file(target, data)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot save {_shown(path)}: {_reason(error)}") from error


def save_new_file(names: Iterable[str | Path], content: str | bytes) -> Path:
    """Save a file under the first name that nobody has; two processes never get the same.

    Args:
        names: names in the order of preference.
        content: the whole content; text is written as UTF-8.

    Returns:
        The name.

    Raises:
        FileError: it cannot be saved, or all names are taken; no file of these names is left behind.
    """
    path = _reserved(names)
    try:
        save_file(path, content)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    return path


def _reserved(names: Iterable[str | Path]) -> Path:
    """Make an empty file of the first name that nobody has."""
    path = Path()
    for name in names:
        path = Path(name)
        try:
            with open(path, "xb"):
                return path
        except FileExistsError:
            continue
        except (OSError, ValueError) as error:
            raise FileError(path, f"cannot save {_shown(path)}: {_reason(error)}") from error
    raise FileError(path, f"cannot save {_shown(path)}: all names like it are taken")


def unreadable_input(error: OSError) -> FileError:
    """The error for a standard input that cannot be read: closed, or open for writing only."""
    return FileError("standard input", f"cannot read standard input: {_reason(error)}")


def _refuse_no_name(path: str | Path) -> None:
    # An empty name would be taken for the present folder.
    if path == "":
        raise ValueError("the name is empty")


def _shown(path: str | Path) -> str:
    text = repr(str(path))
    return text if len(text) <= 200 else f"{text[:120]}…{text[-40:]}"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error)
