"""Which processes there are."""

import subprocess
import time


def alive_in_group(group: int) -> list[int]:
    """The processes of a process group; none that is dead and waits for its parent to notice.

    Args:
        group: the process id of its leader, dead or alive.
    """
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, leader, state in rows if leader == str(group) and not state.startswith("Z")]


def left_in_group(group: int, seconds: float = 30) -> list[int]:
    """The processes of a group that are alive after so many seconds; sooner if there are none."""
    deadline = time.monotonic() + seconds
    while (left := alive_in_group(group)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left
