"""What the bits of an exported circuit mean, so that counts from anywhere can be turned into boards.

A circuit that leaves this program, as OpenQASM or in another's hands, takes this with it: the game, the mode,
and for every square what its bits say or what is certain. It is an object of ``qttt circuit --json`` and,
with the same keys, a line of comment in OpenQASM.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import qttt.own_circuits  # noqa: F401
from qttt.errors import MALFORMED, QtttError, UsageError
from qttt.game.game import Game
from qttt.game.squares import SQUARES
from qttt.game.symbols import Mode, Symbol
from qttt.records.record import Record, Token

if TYPE_CHECKING:
    from circuits.measurement import Bit, Known, Readout, Source
    from qttt.observation.compiler import CompiledBoard

_LINE: Final = "// qttt readout: "
"""What the line of an OpenQASM file begins with that ``parse`` reads."""


@dataclass(frozen=True, slots=True)
class Export:
    """How the bits of a circuit make a board of a game.

    Attributes:
        record: the game, up to the moment at which it is observed.
        mode: the mode of observation that the circuit reads.
        readout: what each bit says.
    """

    record: Record
    mode: Mode
    readout: "Readout"

    @classmethod
    def of(cls, game: Game, mode: Mode, compiled: "CompiledBoard") -> Self:
        """What the bits of a compiled circuit of a game mean.

        Raises:
            UsageError: the circuit is not measured, or a mode that does not exist.
        """
        if compiled.readout is None:
            raise UsageError("a circuit without a measurement has no bits")
        return cls(Record.of(game), Mode.named(mode), compiled.readout)

    def to_json(self) -> dict[str, Any]:
        """The object ``readout`` of ``qttt circuit --json``."""
        return {**self._plain(), "bits": self.bits(), "squares": self.squares()}

    def _plain(self) -> dict[str, Any]:
        return {"record": str(self.record), "mode": str(self.mode), **self.readout.to_json()}

    def bits(self) -> dict[str, str]:
        """What each bit means, by its name in the circuit, in the order of the registers."""
        from circuits.measurement import HERALDS, POSITIONS, SYMBOLS, Bit

        found: dict[tuple[int, int], tuple[str, str]] = {}
        rows = (
            (POSITIONS, self.readout.occupancy, "whether a piece is in square {}"),
            (SYMBOLS, self.readout.symbol, "the symbol in square {}: 0 for X, 1 for O"),
        )
        for place, (register, sources, means) in enumerate(rows):
            for square, source in zip(SQUARES, sources, strict=True):
                if isinstance(source, Bit):
                    found[place, source.index] = f"{register}[{source.index}]", means.format(square)
        for index, square in enumerate(self.readout.heralds):
            means = f"1 if the half-cancel in square {square} did not succeed: the shot does not count"
            found[len(rows), index] = f"{HERALDS}[{index}]", means
        return dict(found[key] for key in sorted(found))

    def squares(self) -> dict[str, str]:
        """What each square holds, certain ones included, by its number."""
        pairs = zip(SQUARES, self.readout.occupancy, self.readout.symbol, strict=True)
        return {str(square): _holds(occupancy, symbol) for square, occupancy, symbol in pairs}

    def commented(self, program: str) -> str:
        """An OpenQASM program with the same as lines of comment after its first line."""
        moves = " ".join(str(part) for part in self.record.parts if isinstance(part, Token)) or "no move"
        lines = [
            f"TiqTaqToe, Level {self.record.level.number}, {self.mode} mode: {moves}",
            "How the bits of a shot make a board:",
            *(f"  square {square}: {holds}" for square, holds in self.squares().items()),
        ]
        if self.readout.heralds:
            named = " or ".join(name for name in self.bits() if name.startswith("flag"))
            lines.append(f"A shot does not count if {named} is 1: a half-cancel did not succeed.")
        if not self.readout.masked:
            lines.append("A mark bit that is 1 in an empty square tells a fault.")
        plain = json.dumps(self._plain())
        version, rest = program.split("\n", 1)
        return "\n".join([version, *(f"// {line}" for line in lines), f"{_LINE}{plain}", rest])

    @classmethod
    def parse(cls, text: str, name: str) -> Self:
        """Read what ``to_json`` or ``commented`` has written.

        Args:
            text: the JSON of ``qttt circuit --json``, its object ``readout`` alone, or an OpenQASM program
                with our comments.
            name: where it comes from, for messages.

        Raises:
            UsageError: it says nothing of a circuit's bits, or is damaged.
        """
        lines = text.splitlines()
        line = next((line for line in lines if line.startswith(_LINE)), None)
        if line is None and not text.lstrip().startswith("{"):
            raise UsageError(
                f"{name} says nothing of a circuit's bits: it is neither what qttt circuit --json prints nor "
                f"an OpenQASM file with the comment {_LINE.strip()}"
            )
        try:
            data = json.loads(text if line is None else line.removeprefix(_LINE))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name} is not JSON: {str(error)[:100]}") from error
        return cls.from_json(data.get("readout", data) if isinstance(data, dict) else data, name)

    @classmethod
    def from_json(cls, data: Any, name: str) -> Self:
        """Read what ``to_json`` has written, from where ``name`` says.

        Raises:
            UsageError: it is damaged.
        """
        from circuits.errors import CircuitsError
        from circuits.measurement import Readout

        try:
            return cls(Record.parse(data["record"]), Mode.named(data["mode"]), Readout.from_json(data))
        except (*MALFORMED, QtttError, CircuitsError) as error:
            raise UsageError(f"the readout in {name} is damaged: {error}") from error


def _holds(occupancy: "Source", symbol: "Source") -> str:
    """What a square holds, in words."""
    from circuits.measurement import Known

    if isinstance(occupancy, Known):
        if not occupancy.value:
            return "empty for certain"
        return f"{_symbol(symbol)} for certain" if isinstance(symbol, Known) else _either(symbol)
    there = f"pos[{occupancy.index}]"
    if isinstance(symbol, Known):
        return f"{_symbol(symbol)} if {there} is 1, else empty"
    return f"empty if {there} is 0, else {_either(symbol)}"


def _symbol(known: "Known") -> Symbol:
    return Symbol.O if known.value else Symbol.X


def _either(bit: "Bit") -> str:
    return f"X if mark[{bit.index}] is 0, O if it is 1"
