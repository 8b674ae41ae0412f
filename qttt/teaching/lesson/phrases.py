"""How a lesson writes numbers, amplitudes and gates in words."""

from cmath import phase
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import isclose, isqrt, pi

from circuits.register import her, qubit_name
from qttt.display.pictures.circuits import gate_name
from qttt.display.text import percent, small
from qttt.game.roots import met_weight
from qttt.game.rules import Level
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol
from qttt.players.review import Entry
from qttt.teaching.lesson.steps import BoardPart, Box, LessonStep

_TOLERANCE = 1e-9
_LARGEST = 64


def signed_value(value: float) -> str:
    """A value or luck with four decimals, its sign, and a true minus."""
    return f"{value:+.4f}".replace("-", "−")


def judgement(entry: Entry, *, exact: bool) -> str:
    """What a choice gave away, or chance gave, in a sentence.

    Args:
        entry: of a review.
        exact: its values are proved.
    """
    # A search that does not see to the end may be far off: what it says is never said as a fact.
    by = "" if exact else "by the estimate of a search, "
    went = f"from {signed_value(entry.before)} to {signed_value(entry.after)}"
    if entry.player is None:
        return f"Luck: {by}P(X wins) − P(O wins) goes {went} ({entry.words})."
    if not entry.loss:
        return f"{entry.words}: {by}{entry.mark}, it gives nothing away."
    return (
        f"{entry.words}: {by}{entry.mark}, it gives {entry.loss:.4f} away against {entry.best}; with best "
        f"play P(X wins) − P(O wins) goes {went}."
    )


def is_real(amplitude: complex) -> bool:
    """Whether an amplitude is a real number, so that its phase is only a sign."""
    return abs(amplitude.imag) < _TOLERANCE


def sign_of(amplitude: complex) -> str:
    """The phase of an amplitude as one word: ``plus``, ``minus`` or ``turned``."""
    if not is_real(amplitude):
        return "turned"
    return "plus" if amplitude.real >= 0 else "minus"


def amplitude_text(amplitude: complex) -> str:
    """An amplitude with its sign, and as the root of a simple fraction where it is one.

    For example ``+0.7071 = √(1/2)``; a phase that is neither + nor − is written as an angle.
    """
    size = abs(amplitude)
    root = root_text(size)
    if is_real(amplitude):
        sign = "+" if amplitude.real >= 0 else "−"
        exact = f" = {'' if sign == '+' else '−'}{root}" if root else ""
        return f"{sign}{size:.4f}{exact}"
    return f"{size:.4f} at {phase(amplitude) * 180 / pi:.0f}°"


def row_amplitude(part: BoardPart, pattern: str) -> str:
    """The amplitude of one row of a part, and the sum of dice that it comes from where that says more.

    For example ``−0.1821 = (½ − √½)/√1.29``.
    """
    said = amplitude_text(part.amplitudes[pattern])
    return f"{said} = {part.sums[pattern]}" if pattern in part.sums else said


def root_text(size: float) -> str:
    """A positive number as ``1``, ``1/2`` or ``√(1/2)`` where its square is a simple fraction, else empty."""
    square = Fraction(size * size).limit_denominator(_LARGEST)
    if not square or not isclose(float(square), size * size, abs_tol=1e-10):
        return ""
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return str(Fraction(top, bottom))
    return f"√({square})" if square.denominator > 1 else f"√{square}"


def pattern_words(squares: tuple[int, ...], pattern: str) -> str:
    """What a pattern says, for example ``X in 1, 3 empty``."""
    return ", ".join(
        f"{square} empty" if cell == "." else f"{cell} in {square}"
        for square, cell in zip(squares, pattern, strict=True)
    )


def pattern_glyphs(pattern: str) -> str:
    """A pattern in symbols: △, □ and · for an empty square."""
    return "".join(Symbol(cell).glyph if cell != "." else "·" for cell in pattern)


def squares_words(squares: tuple[int, ...]) -> str:
    """``square 5``, ``squares 1 and 3`` or ``squares 1, 3 and 7``."""
    if len(squares) == 1:
        return f"square {squares[0]}"
    first = ", ".join(map(str, squares[:-1]))
    return f"squares {first} and {squares[-1]}"


def gates_words(box: Box) -> str:
    """The gates in a box, counted: ``2 x, 1 ry and 1 cx; 1 of 4 on two qubits``."""
    counts = Counter(gate.name for gate in box.gates)
    parts = [f"{count} {name}" for name, count in sorted(counts.items())]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    total = len(box.gates)
    return f"{listed} ({total} gate{'s' * (total != 1)}, {box.two_qubit_gates} of them on two qubits)"


def box_words(box: Box) -> str:
    """A box in one sentence."""
    return f"{box.label} on {', '.join(box.wires)}: {gates_words(box)}."


def gate_list(box: Box) -> str:
    """Every gate of a box in order, for example ``x occ 5; ry(π/2) sym 5``."""
    return "; ".join(f"{gate_name(gate)} {' → '.join(map(qubit_name, gate.qubits))}" for gate in box.gates)


def opens_words(step: LessonStep) -> str:
    """Which squares are open, and to whom."""
    if step.opens is None:
        return ""
    squares = {player: tuple(sq for sq, to in step.opens.items() if to is player) for player in Symbol}
    said = [f"{squares_words(squares[player])} to {player}" for player in Symbol if squares[player]]
    return f"Open to attack: {'; '.join(said)}." if said else "No square is open to attack."


def part_title(part: BoardPart) -> str:
    """A heading for the amplitude table of a part."""
    return squares_words(part.squares).capitalize()


def verdict_words(step: LessonStep) -> str:
    """What the cross-check of an observation found, in one or two sentences."""
    assert step.distribution is not None
    report = step.distribution.report
    agree = "Dice, circuits and shots agree" if report.ok else "Dice, circuits and shots do NOT agree"
    lost = report.sample.herald_failed
    heralds = (
        f" {lost} of {report.sample.shots} shots did not count, because a half-cancel's herald fired "
        f"(expected: {report.herald_expected * report.sample.shots:.0f})."
        if report.herald_expected > 0
        else ""
    )
    boards = "" if step.distribution.results else ", compared as whole boards read in standard mode"
    return (
        f"{agree}{boards}: total variation distance {small(report.exact_tvd)} between the exact "
        f"distributions, and {report.sampled_tvd:.4f} between them and the {report.sample.kept} shots that "
        f"count; p-value {report.p_value:.3f}.{heralds}"
    )


def sign_note(parts: tuple[BoardPart, ...], level: Level) -> str:
    """What the signs in some tables mean at a level; empty where there is no sign to explain."""
    if all(sign_of(value) == "plus" for part in parts for value in part.amplitudes.values()):
        return ""
    notes = []
    if any(_holds_a_pair(part) for part in parts):
        notes.append(
            "The minus of the pair is in no die: the circuit makes the one pair that is opposite in both "
            "modes."
            if level.rotated_mode
            else "The minus of the pair is in no die, and no look at this level can show it: it matters from "
            "Level 4 on, where the board can be looked at in a second mode."
        )
    if level.rotated_mode:
        notes.append(
            "Where rows fill the same squares, their signs count: the rotated mode adds amplitudes for △ and "
            "subtracts them for □."
            + (" A change of view does so too, where it changes the dice." if level.rotated_view else "")
            + " Between rows that fill different squares signs mean nothing: no gate brings them together "
            "again."
        )
    elif not notes:
        notes.append(
            "Once the amplitudes are added, no look at this level shows their signs: they matter from "
            "Level 4 on."
        )
    return " ".join(notes)


def _holds_a_pair(part: BoardPart) -> bool:
    """Whether two rows differ by X and O exchanged between two squares, and by their signs."""
    return any(
        sign_of(part.amplitudes.get(_exchanged(pattern, one, other), value)) != sign_of(value)
        for pattern, value in part.amplitudes.items()
        for one, other in combinations(range(len(pattern)), 2)
        if {pattern[one], pattern[other]} == {"X", "O"}
    )


def _exchanged(pattern: str, one: int, other: int) -> str:
    cells = list(pattern)
    cells[one], cells[other] = cells[other], cells[one]
    return "".join(cells)


def herald_note(step: LessonStep) -> str:
    """Why a half-cancel needs a herald, and how often that lets a run count; empty where there is none."""
    if step.circuit is None or step.circuit.kept > 1 - _TOLERANCE:
        return ""
    heralds = {qubit_name(her(square)) for square in SQUARES}
    wires = [wire for box in step.circuit.boxes for wire in box.wires if wire in heralds]
    return (
        "A half-cancel is no gate: a gate keeps the sum of the squared amplitudes for every start, and this "
        f"rule makes it {float(met_weight()):.2f} if the piece is in the attacked half and leaves it at 1 if "
        "it is in the other. So the circuit can only try. One more qubit, the herald "
        f"{' and '.join(wires)}, tells how it went: a run counts only if it reads 0. "
        f"All heralds of these squares together let {percent(step.circuit.kept)} of the runs count."
    )
