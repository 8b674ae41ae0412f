"""What `import qttt` offers to do with a game.

Plain texts and numbers go in, and what cannot be used is a `QtttError`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING

import qttt.own_circuits  # noqa: F401
from circuits.errors import BackendError, CircuitsError
from qttt.chance import MAX_SEED
from qttt.crosscheck.check import DEFAULT_SHOTS
from qttt.crosscheck.report import CheckReport
from qttt.errors import ServiceError, UsageError, shown, whole_number
from qttt.game.game import Game, check_game
from qttt.game.outcomes import Observation
from qttt.game.symbols import Mode
from qttt.observation.observers import Observer, check_observable, get_observer, observe_board
from qttt.observation.samples import Sample, check_request
from qttt.records.files import STANDARD_INPUT, load_record, read_record
from qttt.records.record import Record
from qttt.storage import save_file

if TYPE_CHECKING:
    import numpy as np
    from qiskit.circuit import QuantumCircuit

    from qttt.page.widget import BoardWidget


@contextmanager
def _one_kind_of_error() -> Iterator[None]:
    """Turn what ``circuits`` raises into the game's own errors, here and nowhere below.

    Raises:
        UsageError: the request made no sense, or no backend has the name.
        ServiceError: the backend failed.
    """
    try:
        yield
    except BackendError as error:
        raise ServiceError(str(error)) from error
    except CircuitsError as error:
        raise UsageError(str(error)) from error


@_one_kind_of_error()
def circuit(game: Game, *, mode: str | None = None, lean: bool = False) -> "QuantumCircuit":
    """The measured circuit of a game's present board.

    Args:
        game: a game at any moment; the board need not be full.
        mode: ``standard`` or ``rotated``; None for standard, where the game leaves a choice.
        lean: the cheapest circuit with the same statistics, instead of one gate a move.

    Raises:
        UsageError: no game, or a mode that does not exist or that the level does not have.
    """
    from qttt.observation.compiler import Style, compile_board

    chosen = _mode(game, mode)
    return compile_board(game, chosen, Style.LEAN if _truth(lean, "lean") else Style.MOVES).circuit


@_one_kind_of_error()
def board(game: Game, *, backend: str = "aer", seed: int | None = None) -> "BoardWidget":
    """A board to click on in a notebook (extra ``notebooks``); what is done there is done to the game.

    Args:
        game: a game at any moment. After a change in a cell, ``refresh`` of the board shows it.
        backend: who observes: ``aer``, ``aer-lean``, ``dice``, ``fake_<device>`` and what ``qttt backends``
            lists.
        seed: makes the observations repeat exactly, 0 to 2⁶⁴ - 1; None for others each time.

    Raises:
        UsageError: anywidget is not installed, a value that makes no sense, or no such backend.
    """
    try:
        from qttt.page.widget import BoardWidget
    except ModuleNotFoundError as error:
        if error.name != "anywidget":
            raise
        raise UsageError('a board in a notebook needs: pip install "tiqtaqtoe[notebooks]"') from None
    from qttt.page.table import GameTable

    return BoardWidget(GameTable(game, backend, _observer(backend), _generator(seed)))


@_one_kind_of_error()
def sample(
    game: Game,
    shots: int,
    *,
    seed: int | None = None,
    backend: str = "aer",
    mode: str | None = None,
) -> Sample:
    """Observe a game's present board many times; the game stays as it is.

    Args:
        game: a game at any moment; the board need not be full.
        shots: how many, 1 to 1,000,000, those that do not count included.
        seed: makes the shots repeat exactly, 0 to 2⁶⁴ - 1; None for others each time.
        backend: ``aer``, ``aer-lean``, ``dice``, ``fake_<device>`` and what ``qttt backends`` lists.
        mode: ``standard`` or ``rotated``; None for standard, where the game leaves a choice.

    Raises:
        UsageError: a value that makes no sense, or a backend that does not exist.
        ServiceError: the backend failed.
    """
    chosen = _mode(game, mode, shots)
    rng = _generator(seed)
    return _observer(backend).sample(game, chosen, shots, rng)


@_one_kind_of_error()
def observe(
    game: Game,
    *,
    seed: int | None = None,
    backend: str = "aer",
    mode: str | None = None,
    accept_noise: bool = False,
) -> Observation:
    """Observe a game's full board: the first shot that counts becomes the game's next event.

    Args:
        game: a game that waits for an observation, or for the mode of one; it gets the outcome.
        seed: makes the outcome repeat exactly, 0 to 2⁶⁴ - 1; None for another each time.
        backend: ``aer``, ``aer-lean``, ``dice``, ``fake_<device>`` and what ``qttt backends`` lists.
        mode: ``standard`` or ``rotated``; needed where the player who moved last chooses (Levels 4 and 5).
        accept_noise: take a device's outcome even if its shots say nothing of the board.

    Returns:
        The event.

    Raises:
        IllegalMoveError: the board is not to be observed now, or not in this mode.
        UsageError: a value that makes no sense, a mode that has to be chosen, or no such backend.
        ServiceError: the backend failed; the game is as it was.
    """
    chosen = _mode(game, mode)
    check_observable(game)
    if mode is None and len(game.state.modes) > 1:
        raise UsageError(
            f"at Level {game.rules.level.number} {game.state.initiator} chooses the mode: "
            "give mode='standard' or mode='rotated'"
        )
    rng = _generator(seed)
    observe_board(game, chosen, _observer(backend, accept_noise=_truth(accept_noise, "accept_noise")), rng)
    event = game.events[-1]
    assert isinstance(event, Observation)
    return event


@_one_kind_of_error()
def check(
    game: Game,
    *,
    seed: int | None = None,
    shots: int = DEFAULT_SHOTS,
    backend: str = "aer",
    mode: str | None = None,
) -> CheckReport:
    """Hold dice, circuits and shots of a game's present board against each other.

    Args:
        game: a game at any moment; the board need not be full.
        seed: makes the shots repeat exactly, 0 to 2⁶⁴ - 1; None for others each time.
        shots: how many in each mode, 1 to 1,000,000.
        backend: ``aer``, ``aer-lean``, ``dice``, ``fake_<device>`` and what ``qttt backends`` lists.
        mode: ``standard`` or ``rotated``; None for every mode that the board may be observed in.

    Returns:
        What was found; ``ok`` says whether everything agrees.

    Raises:
        UsageError: a value that makes no sense, or a backend that does not exist.
        ServiceError: the backend failed.
    """
    from qttt.crosscheck.by_device import check_by_observer

    chosen = _mode(game, mode, shots)
    rng = _generator(seed)
    return check_by_observer(game, None if mode is None else chosen, _observer(backend), rng, shots)


@_one_kind_of_error()
def draw(game: Game, path: str | os.PathLike[str]) -> None:
    """Save a picture of a game's present board.

    Args:
        game: a game at any moment.
        path: the file; its name ends with ``.svg``, ``.png`` or ``.pdf``.

    Raises:
        UsageError: no game, or a name that ends otherwise.
        FileError: the file cannot be saved.
    """
    from qttt.display import pictures
    from qttt.display.pictures.games import game_board

    check_game(game)
    name = _name(path)
    format = PurePath(name).suffix.lower().removeprefix(".")
    if format not in pictures.FORMATS:
        raise UsageError(f"a picture's name ends with .png, .svg or .pdf, not {shown(name)}")
    save_file(name, pictures.draw(game_board(game), format))


def read(source: str | os.PathLike[str]) -> Record:
    """Read a record.

    Args:
        source: a record, if it is a text of nothing but tokens, white space, headers and comments; else the
            name of a file.

    Raises:
        RecordError: text that is no record.
        FileError: a file that cannot be read.
        UsageError: neither text nor the name of a file.
    """
    name = _name(source)
    if name is source and name != STANDARD_INPUT:
        return read_record(name)
    return load_record(name)


def _name(path: object) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise UsageError(f"a file is named by text or a Path, not {shown(path)}")
    return name


def _mode(game: Game, mode: str | None, shots: int = 1) -> Mode:
    """The mode that is asked for, once game, mode and shots are found to make sense."""
    check_game(game)
    return check_request(game.state, game.state.modes[0] if mode is None else Mode.named(mode), shots)


def _truth(value: bool, what: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{what} must be True or False, not {shown(value)}")
    return value


def _observer(backend: str, *, accept_noise: bool = False) -> Observer:
    if not isinstance(backend, str):
        raise UsageError(f"a backend is named by text, for example 'aer', not {shown(backend)}")
    return get_observer(backend, accept_noise=accept_noise)


def _generator(seed: int | None) -> "np.random.Generator":
    import numpy as np

    return np.random.default_rng(None if seed is None else whole_number(seed, "a seed", 0, MAX_SEED))
