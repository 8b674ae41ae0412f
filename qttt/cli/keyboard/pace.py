"""Pauses, so that what happens by itself can be followed: at a terminal only, and never with ``--fast``."""

import os
import time
from dataclasses import dataclass

from qttt.cli.console.session import Session
from qttt.cli.console.signals import Ended

SQUARE = 0.25
"""Seconds between two squares of an observation."""
MOVE = 1.0
"""Seconds between the moves of two computers."""


@dataclass
class Pace:
    """How fast a game is shown.

    Attributes:
        session: where it is shown.
        fast: without any pause.
    """

    session: Session
    fast: bool = False

    def __post_init__(self) -> None:
        """Pause where somebody looks only, and where a terminal shows what comes bit by bit."""
        self.fast = self.fast or not self.session.stdout.isatty() or os.environ.get("TERM") == "dumb"

    def pause(self, seconds: float) -> bool:
        """Wait; False if Ctrl-C cut the pause short."""
        if not self.fast:
            try:
                time.sleep(seconds)
            except Ended:
                raise
            except KeyboardInterrupt:
                return False
        return True
