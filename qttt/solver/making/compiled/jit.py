"""Numba's decorators, typed: a compiled function has the signature of its source."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Ints = NDArray[np.int64]
Links = NDArray[np.int32]
Floats = NDArray[np.float64]

prange: Callable[..., Any] = numba.prange


def compiled(function: Function) -> Function:
    """Compile a function when it is first called; the machine code is kept on disk."""
    return cast(Function, numba.njit(cache=True)(function))


def compiled_parallel(function: Function) -> Function:
    """The same, with the iterations of ``prange`` spread over the threads."""
    return cast(Function, numba.njit(cache=True, parallel=True)(function))
