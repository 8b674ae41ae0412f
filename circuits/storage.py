"""Files replaced as a whole, and nothing left behind by a process that was killed while it did so.

The new content is written to a *temporary* beside the file, forced to disk, and renamed over it. A kill in
between leaves the temporary. Its name says which file it was for, and its writer holds an advisory lock on it
until it is renamed; the system drops the lock with its owner. So whoever replaces the same file next can tell
what the dead have left from what is being written, on any machine that shares the folder and its locks: what
can be locked is left over, and is removed.

Only the standard library is used.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import fcntl

_NAME = re.compile(r"\.qttt-([0-9a-f]{16}-)?[0-9a-f]{16}\.tmp")


def replace_file(target: str | os.PathLike[str], data: bytes, mode: int = 0o666) -> None:
    """Write a file so that a reader finds the old content or the new, whatever happens.

    What killed processes have left of earlier tries in its folder is removed first, which also makes room
    on a full disk. An old file's permissions stay, and its owner where the system lets us.

    Args:
        target: the file; a symbolic link is replaced, not followed. Its folder must exist.
        data: the whole new content.
        mode: the permissions of a new file, subject to the umask.

    Raises:
        OSError: it cannot be written; an old file is as it was.
    """
    with _replacement(target, mode) as (_, descriptor):
        if (old := _regular(target)) is not None:
            _keep_owner(descriptor, old)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)


@contextmanager
def private_replacement(target: str | os.PathLike[str]) -> Iterator[str]:
    """Replace a file by what somebody else's program writes, readable by its owner alone.

    No other user can open the new file at any moment, whatever the umask and the old file's permissions; an
    old file's owner stays where the system lets us.

    Args:
        target: the file; a symbolic link is replaced, not followed. Its folder must exist.

    Yields:
        The name of the new file, empty at first. It takes the place of the old one unless the body raises;
        a process that is killed before leaves the old one.

    Raises:
        OSError: it cannot be written; an old file is as it was.
    """
    with _replacement(target, 0o600) as (beside, descriptor):
        if (old := _regular(target)) is not None:
            _keep_owner(descriptor, old)
        yield beside


@contextmanager
def _replacement(target: str | os.PathLike[str], mode: int) -> Iterator[tuple[str, int]]:
    """A temporary, its name and its descriptor, that takes the place of a file once it is written."""
    remove_leftovers(_folder(target))
    beside, descriptor = _temporary(target, mode)
    try:
        # The lock lasts until the descriptor is closed, and so beyond the renaming.
        try:
            yield beside, descriptor
            os.fsync(descriptor)
            os.replace(beside, target)
        finally:
            os.close(descriptor)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(_folder(target))


def remove_leftovers(folder: str | os.PathLike[str]) -> int:
    """Remove the temporaries that dead processes have left in a folder; never one that is being written.

    Of any file: a job that never got its file is sent under another name the next time.

    Only regular files of the user's own with exactly the name of such a temporary are looked at, no link is
    followed, and one that cannot be locked is left alone. Nothing is removed where there are no such locks
    (Windows, some network file systems).

    Returns:
        How many were removed.
    """
    if sys.platform == "win32":
        return 0
    removed = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    removed += _removed(entry.path)
    return removed


def _folder(target: str | os.PathLike[str]) -> str:
    return os.path.dirname(os.fspath(target)) or os.curdir


def _regular(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _temporary(target: str | os.PathLike[str], mode: int) -> tuple[str, int]:
    """Make a temporary for a file, open for writing and locked."""
    while True:
        beside = os.path.join(_folder(target), f".qttt-{os.urandom(8).hex()}.tmp")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        if _locked(beside, descriptor):
            return beside, descriptor
        # Between making and locking it somebody else took it for left over: another, then.
        os.close(descriptor)


def _locked(path: str, descriptor: int) -> bool:
    """Lock a new temporary; False if it is being removed, or was."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # No locks here: then nobody removes it either.
        return True
    return _is_still(path, descriptor)


def _is_still(path: str, descriptor: int) -> bool:
    """Whether a path still names the open file, and not another or none."""
    named, opened = _regular(path), os.fstat(descriptor)
    return named is not None and os.path.samestat(named, opened)


if sys.platform != "win32":

    def _removed(path: str) -> bool:
        """Remove one temporary if it is ours and nobody writes it."""
        found = _regular(path)
        if found is None or found.st_uid != os.geteuid():
            return False
        # It may have become a link or a pipe since it was looked at: neither is followed or waited for.
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _is_still(path, descriptor):
                return False
            os.unlink(path)
            return True
        finally:
            os.close(descriptor)


def _keep_owner(descriptor: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        new = os.fstat(descriptor)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            # Only root may give a file away; the content matters more than its owner.
            with suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)


def _sync_folder(folder: str) -> None:
    """Make the rename itself last through a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
