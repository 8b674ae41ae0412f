"""Observers: whatever can look at the board of a game. One protocol, with circuits or dice behind it.

An observer takes a game, a mode and a number of shots and gives boards. When the positions are already known
(the game waits for the mode), every observer draws from the boards that agree with them, and never draws the
positions anew.
"""

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from qttt.errors import IllegalMoveError, ServiceError, UsageError
from qttt.game.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions, filled_squares
from qttt.game.state import Phase
from qttt.game.symbols import Mode
from qttt.observation.compiler import CompiledBoard, Style, compile_board
from qttt.observation.faults import find_fault
from qttt.observation.samples import Sample as Sample
from qttt.observation.samples import check_request, sample_of
from qttt.tabletop.rolls import Rolls, observe_by_rolls, roll_odds

if TYPE_CHECKING:
    import numpy as np

    from circuits.backends.base import Backend

DICE = "dice"
MAX_TRIES = 10_000


class Observer(Protocol):
    """Anything that can observe the board of a game."""

    @property
    def name(self) -> str:
        """The name by which ``get_observer`` finds it."""
        ...

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        """Observe the present board many times, without changing the game.

        Args:
            game: a game at any moment; the board need not be full.
            mode: standard or rotated.
            shots: how many shots, those that do not count included.
            rng: where every random number comes from.

        Raises:
            UsageError: fewer than one shot, or a mode that the level does not have.
            ServiceError: the backend failed.
        """
        ...

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        """Observe until the first shot that counts.

        Returns:
            A sample with exactly one board; the shots thrown away before it are counted.
        """
        ...


class DiceObserver:
    """Observes with dice: samples what the tabletop rolls give, and no circuit."""

    def __init__(self, rolls: Rolls = Rolls.EXACT) -> None:
        """Choose how the unlikely chances are rolled: exactly, or by the d6 tables of the reference."""
        self.rolls = Rolls.named(rolls)

    @property
    def name(self) -> str:
        """Always ``dice``."""
        return DICE

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        """Draw boards from the distribution of the rolls; every shot counts."""
        mode = check_request(game.state, mode, shots)
        odds = roll_odds(game.state, mode, self.rolls)
        return Sample(tuple(odds.draw(rng) for _ in range(shots)))

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        """Roll one observation from beginning to end."""
        mode = check_request(game.state, mode, 1)
        board, _ = observe_by_rolls(game.state, mode, rng, self.rolls)
        return Sample((board,))


class CircuitObserver:
    """Observes by running the board's circuit on a noiseless backend."""

    def __init__(self, backend: "Backend", style: Style = Style.MOVES) -> None:
        """Choose the backend, and how boards are compiled."""
        self.backend = backend
        self.style = style

    @property
    def name(self) -> str:
        """The backend's name, with the style if it is not move by move: ``aer-lean``."""
        return self.backend.name + ("" if self.style is Style.MOVES else f"-{self.style}")

    def compile(self, game: Game, mode: Mode) -> CompiledBoard:
        """The circuit that this observer runs."""
        return compile_board(game, mode, self.style)

    def sample(self, game: Game, mode: Mode, shots: int, rng: "np.random.Generator") -> Sample:
        """Run the circuit; given positions are post-selected component by component."""
        mode = check_request(game.state, mode, shots)
        return self._run(self.compile(game, mode), game, shots, rng)

    def _run(self, compiled: CompiledBoard, game: Game, shots: int, rng: "np.random.Generator") -> Sample:
        from circuits.decoding import decode
        from circuits.postselection import run_given

        assert compiled.readout is not None
        if game.state.positions is None:
            (run,) = self.backend.run([compiled.circuit], shots, rng)
        else:
            filled = [mark == "#" for mark in game.state.positions.filled]
            run = run_given(self.backend, compiled.circuit, compiled.readout, filled, shots, rng)
        return sample_of(decode(compiled.readout, run))

    def draw(self, game: Game, mode: Mode, rng: "np.random.Generator") -> Sample:
        """Run the circuit shot by shot until one counts."""
        mode = check_request(game.state, mode, 1)
        compiled = self.compile(game, mode)
        illegal = failed = 0
        kinds: Counter[str] = Counter()
        for _ in range(MAX_TRIES):
            found = self._run(compiled, game, 1, rng)
            if found.drawn:
                _check_possible(found.first, game, mode, self.name)
                return Sample(found.drawn, illegal, failed, dict(kinds))
            illegal += found.illegal
            failed += found.herald_failed
            kinds.update(found.kinds)
        raise ServiceError(f"backend {self.name!r} gave {MAX_TRIES} shots in a row that do not count")


def observe_board(
    game: Game, mode: Mode, observer: Observer, rng: "np.random.Generator", shots: int | None = None
) -> Sample:
    """Observe a full board; the game takes the first board that counts as its outcome.

    Args:
        game: a game that waits for an observation, or for the mode of one; it gets the outcome.
        mode: mode of observation.
        observer: who looks.
        rng: where every random number comes from.
        shots: how many shots; None for as many as it takes until one counts.

    Returns:
        Every shot.

    Raises:
        IllegalMoveError: the board is not to be observed now, or not in this mode.
        ServiceError: no shot counts, the position cannot give the first that does, or the backend failed.
    """
    check_observable(game)
    if mode not in game.state.modes:
        raise IllegalMoveError(
            f"the {mode} mode",
            f"this observation is in {game.state.modes[0]} mode whatever the players choose",
        )
    sample = observer.draw(game, mode, rng) if shots is None else observer.sample(game, mode, shots, rng)
    _check_possible(sample.first, game, mode, observer.name)
    game.push(Observation(sample.first, mode))
    return sample


def _check_possible(board: str, game: Game, mode: Mode, name: str) -> None:
    """Blame the backend, not the record, for a board that the position cannot give."""
    if fault := find_fault(board, game.state.position.standard(), mode):
        raise ServiceError(
            f"backend {name!r} gave {board}, which this position cannot give ({fault}): "
            "qttt check tells what it does wrong"
        )


def check_observable(game: Game) -> None:
    """Refuse a game that waits for something else.

    Raises:
        IllegalMoveError: with what it waits for.
    """
    if game.over:
        raise IllegalMoveError("observe", "the game is over")
    if game.state.phase is Phase.MOVE:
        empty = ", ".join(map(str, game.state.position.empty_squares))
        raise IllegalMoveError(
            "observe", f"a board is observed only once it is full, and this one is empty at {empty}"
        )


def get_observer(
    name: str = "aer", rolls: Rolls = Rolls.EXACT, *, style: Style | None = None, accept_noise: bool = False
) -> Observer:
    """Find an observer by name.

    Args:
        name: ``aer`` for the simulator, ``dice`` for rolls without a circuit, ``fake_<device>`` for a
            simulated device with its noise, ``ibm_<device>`` for a real one, ``ibm`` for the least busy one,
            or what other providers offer; a simulator's name may say the style: ``aer-lean``.
        style: how boards are compiled; None for move by move on a simulator, lean on a device.
        rolls: how ``dice`` rolls the chances that no single d6 gives.
        accept_noise: draw from a device even if its shots say nothing of the board.

    Raises:
        UsageError: no observer has this name, d6 rolls are asked of circuits, or a style of who has none.
        CircuitsError: the backend cannot be used.
    """
    if name == DICE:
        if style is not None:
            raise UsageError(f"--style {style} goes with circuits, and the backend 'dice' has none")
        return DiceObserver(rolls)
    refuse_rolls(rolls, name)
    from circuits.backends import Kind, get_backend, kind_of
    from circuits.errors import NoSuchBackendError
    from qttt.observation.devices import open_device

    simulator, _, suffix = name.rpartition("-")
    if suffix in (Style.LEAN, Style.COHERENT):
        with suppress(NoSuchBackendError):
            if kind_of(simulator) is Kind.IDEAL:
                if style not in (None, suffix):
                    raise UsageError(f"--style {style} contradicts the backend's name, {name!r}")
                return CircuitObserver(get_backend(simulator), Style(suffix))
    try:
        kind = kind_of(name)
    except NoSuchBackendError as error:
        raise UsageError(str(error.with_known("aer-lean", "aer-coherent", DICE))) from error
    if kind is Kind.IDEAL:
        return CircuitObserver(get_backend(name), style or Style.MOVES)
    encoding = (style or Style.LEAN).encoding()
    return open_device(name, encoding=encoding, accept_noise=accept_noise)


def named_in_file(name: str) -> str:
    """A backend's name as a file has it: code to be run is named by who runs it, never by a file.

    Raises:
        UsageError: the name is that of code.
    """
    from circuits.backends import names_code

    if names_code(name):
        raise UsageError(
            f"the file names the backend {name!r}, which is code to be run: say --backend {name} to run it"
        )
    return name


def refuse_rolls(rolls: Rolls, name: str) -> None:
    """Refuse d6 rolls of a backend that does not roll.

    Raises:
        UsageError: always, unless the rolls are exact.
    """
    if Rolls.named(rolls) is not Rolls.EXACT:
        raise UsageError(f"--rolls {rolls} goes with the backend 'dice', not {name!r}: circuits do not roll")


def measure_square(
    game: Game, square: int, observer: Observer, rng: "np.random.Generator"
) -> tuple[Measurement, Sample]:
    """Observe one square in the middle of a game (option ``measure-turn``), the others staying in play.

    The whole board is drawn and all but the one square forgotten, which leaves that square's own
    distribution; what its result means for the rest of its root is then a matter of the dice.
    """
    sample = observer.draw(game, Mode.STANDARD, rng)
    return measured(square, sample.first), sample


def measured(square: int, board: str) -> Measurement:
    """What a drawn board says of one square, all else forgotten."""
    return Measurement(square, board[square - 1])


def observe_positions(game: Game, observer: Observer, rng: "np.random.Generator") -> tuple[Positions, Sample]:
    """Make the first half of an observation: find which squares are filled, and forget the symbols.

    Forgetting is all it takes: occupancies have the same statistics in both modes, and the symbols will be
    drawn again from the state that these positions leave behind.
    """
    sample = observer.draw(game, Mode.STANDARD, rng)
    return Positions(filled_squares(sample.first)), sample
