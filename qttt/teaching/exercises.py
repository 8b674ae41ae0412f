"""Checking answers in the notebooks without a traceback, which would print the checker and its solution."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_Answer = TypeVar("_Answer")


def gently(check: Callable[[_Answer], None]) -> Callable[[_Answer], None]:
    """A checker that prints "Not yet: …" where the given one raises, so that the cells below still run.

    Args:
        check: prints "Right" or raises; the message of an ``AssertionError`` is a hint.
    """

    @wraps(check)
    def checked(answer: _Answer) -> None:
        try:
            check(answer)
        except AssertionError as error:
            print(f"Not yet: {error}")
        except Exception as error:
            # Whatever a learner tried is an answer that is not right yet.
            print(f"Not yet: this answer cannot be checked ({type(error).__name__}: {error})")

    return checked
