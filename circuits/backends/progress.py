"""What a caller can be told while a backend works. Nothing in `circuits` prints: it calls back instead."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Status = Literal["submitting", "queued", "running", "retrying", "note", "done"]
"""What is going on: `note` is a remark of the service, `retrying` a pause after a failed request."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One piece of news.

    Attributes:
        status: what is going on.
        detail: a line for people, or an empty string.
        job_id: the service's name for the job, once it has one.
        queue: how many jobs wait for the device, while this one does; the service does not tell the position
            among them.
    """

    status: Status
    detail: str = ""
    job_id: str | None = None
    queue: int | None = None


Notify = Callable[[Progress], None]
"""What a caller passes to be told."""


def ignore(_news: Progress) -> None:
    """Take news and do nothing: the default of every function that has some."""
