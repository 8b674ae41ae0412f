"""Answers to what a page asks of a game. Each is worked out from its record alone, wherever that is done."""

import random
from collections.abc import Callable
from dataclasses import replace
from math import copysign, sqrt
from typing import Any, Final

from qttt.display.reports import odds_report
from qttt.errors import QtttError, UsageError
from qttt.game.game import Game, parse_event
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement
from qttt.game.roots import read_roots, root_state, rotated
from qttt.game.squares import EMPTY
from qttt.game.state import Phase
from qttt.game.surds import ZERO
from qttt.game.symbols import Mode, Symbol, View
from qttt.page.protocol import Message
from qttt.records.record import Record

LIGHT: Final = frozenset({"odds", "why", "record", "share"})
"""Questions that take a few milliseconds and neither numpy nor Qiskit: the others are for a worker."""

_LOOKING_BACK: Final = frozenset({"amplitudes", "circuit", "look"})


def answer(what: str, record: Record, question: Message) -> Message:
    """Answer a question.

    Args:
        what: its name, a key of ``ANSWERS``.
        record: the game.
        question: the page's message.

    Raises:
        QtttError: the question makes no sense here, or what it needs failed.
        CircuitsError: a backend failed.
    """
    at = question.get("at")
    if at is not None:
        if at > len(record.events):
            raise UsageError(f"the game has {len(record.events)} events, not {at}")
        record = record.until(at)
    elif what in _LOOKING_BACK and (phases := record.observed_phases()):
        # Of a game that has ended the last phase is meant, before its observation.
        record = record.until(phases[-1]) if record.game().state.phase is Phase.OVER else record
    return ANSWERS[what](record, question)


def _mode(game: Game, question: Message) -> Mode:
    return Mode.named(question.get("mode", str(game.state.modes[0])))


def _odds(record: Record, question: Message) -> Message:
    game = record.game()
    if "token" in question:
        event = parse_event(question["token"])
        if not isinstance(event, Move):
            raise UsageError(f"the odds after {event} are what it would have to say: ask about a move")
        game.push(event)
    return odds_report(game, _mode(game, question))


def _why(record: Record, question: Message) -> Message:
    """Why a token is not legal, and which choices are near it."""
    game = record.game()
    token = question.get("token", "")
    why, squares = "", frozenset[int]()
    try:
        event = parse_event(f"{token}=." if token.startswith("?") and "=" not in token else token)
        if not isinstance(event, Move | Measurement):
            raise UsageError("what an observation gives is not chosen")
        if isinstance(event, Move):
            squares = frozenset(event.squares)
            if event not in game.legal_moves():
                game.state.child(event)
        elif event.square not in game.state.measurable():
            squares = frozenset({event.square})
            game.state.child(event)
    except QtttError as error:
        why = str(getattr(error, "rule", None) or error)
    squares = squares or frozenset(int(mark) for mark in token if mark in "123456789")
    near = [
        (len(squares ^ set(move.squares)), str(move))
        for move in game.legal_moves()
        if squares & set(move.squares) and not move.switches
    ]
    return {"legal": not why, "why": why, "nearest": [name for _, name in sorted(near)[:5]]}


def _advise(record: Record, question: Message) -> Message:
    from qttt.players.advice import advise
    from qttt.players.reports import advice_report

    game = record.game()
    return advice_report(game, advise(game), question.get("top", 5))


def _evaluation(record: Record, question: Message) -> Message:
    from qttt.players.advice import standing
    from qttt.solver.boards import WORTH
    from qttt.solver.probe import Value

    game = record.game()
    if game.over:
        value, exact = Value.of(WORTH[game.result], Symbol.X), True
    else:
        value, exact = standing(game.state)
    return {"value": value.value, "X": value.x, "tie": value.tie, "O": value.o, "exact": exact}


def _review(record: Record, question: Message) -> Message:
    from qttt.players.reports import review_report
    from qttt.players.review import review

    return review_report(review(record.game()))


def _amplitudes(record: Record, question: Message) -> Message:
    """The exact state of every root, as the present view shows it, each term with the dice that say it."""
    game = record.game()
    position = game.position
    mode = question.get("mode")
    if mode is not None:
        position = position.standard()
    found = []
    for root in read_roots(position):
        state = root_state(root)
        if mode == Mode.ROTATED:
            state = rotated(state, range(len(root.squares)))
        total = sum((amplitude * amplitude for amplitude in state.values()), ZERO)
        dice = [[square, place] for square in root.squares for place in range(len(position.at(square)))]
        terms = []
        for cells, amplitude in state.items():
            if not amplitude:
                continue
            chance = float(amplitude * amplitude / total)
            placed = list(zip(root.squares, cells, strict=True))
            words = ", ".join(f"{cell} in {square}" for square, cell in placed if cell != EMPTY)
            terms.append(
                {
                    "cells": cells,
                    "amplitude": copysign(sqrt(chance), float(amplitude)),
                    "probability": chance,
                    "dice": [
                        [square, place]
                        for square, cell in placed
                        for place, die in enumerate(position.at(square))
                        if die.shape == cell
                    ],
                    "says": words or "nothing there",
                }
            )
        found.append({"squares": list(root.squares), "dice": dice, "terms": terms})
    view = "rotated" if mode == Mode.ROTATED or position.view is View.ROTATED else "standard"
    return {"view": view, "roots": found}


def _circuit(record: Record, question: Message) -> Message:
    """The circuit of the present phase as boxes with their gates, on the qubits that one of them touches."""
    from circuits.program import elementary_steps
    from circuits.register import qubit_name
    from qttt.display.pictures.circuits import angle_text
    from qttt.observation.compiler import compile_lean, compile_moves

    game = record.game()
    mode = _mode(game, question)
    lean = question.get("style") == "lean"
    compiled = compile_lean(game, mode) if lean else compile_moves(game, mode)
    index = {qubit: number for number, qubit in enumerate(compiled.circuit.qubits)}
    boxes = [item for item in compiled.circuit.data if item.name not in ("measure", "barrier")]
    touched = sorted(
        {index[qubit] for box in boxes for qubit in box.qubits}, key=lambda qubit: (qubit % 9, qubit)
    )
    wire = {qubit: number for number, qubit in enumerate(touched)}
    begin = game.phase_start()
    measured = [n for n, event in enumerate(game.events) if n >= begin and isinstance(event, Measurement)]
    begin = measured[-1] + 1 if measured else begin
    labels = [(block.label, block.move) for block in compiled.blocks]
    blocks = []
    for number, box in enumerate(boxes):
        on = [index[qubit] for qubit in box.qubits]
        label, move = labels[number] if number < len(labels) else (box.name, None)
        steps = (
            [(step.name, step.params, step.qubits) for step in elementary_steps(box.operation)]
            if getattr(box.operation, "definition", None) is not None and not box.is_standard_gate()
            else [(box.name, tuple(map(float, box.params)), tuple(range(len(on))))]
        )
        blocks.append(
            {
                "label": label,
                "event": None if move is None else begin + move + 1,
                "qubits": [wire[qubit] for qubit in on],
                "gates": [
                    {
                        "name": name,
                        "parameters": [angle_text(angle) for angle in params],
                        "qubits": [wire[on[place]] for place in places],
                    }
                    for name, params, places in steps
                ],
            }
        )
    return {
        "mode": str(mode),
        "qubits": [{"label": qubit_name(qubit), "square": qubit % 9 + 1} for qubit in touched],
        "blocks": blocks,
    }


def _look(record: Record, question: Message) -> Message:
    """Observe the present board many times, beside the exact odds; the game stays as it is."""
    import numpy as np

    from qttt.observation.observers import get_observer, named_in_file

    game = record.game()
    if game.over:
        raise UsageError("the game is over")
    mode = _mode(game, question)
    name = question.get("backend") or record.headers.get("Backend") or "aer"
    sample = get_observer(named_in_file(name), accept_noise=True).sample(
        game, mode, question.get("shots", 1000), np.random.default_rng()
    )
    return {
        "mode": str(mode),
        "backend": name,
        "shots": sample.shots,
        "kept": sample.kept,
        "illegal": sample.illegal,
        "herald_failed": sample.herald_failed,
        "impossible": sample.kinds,
        "boards": sample.counts(),
        "exact": game.odds(mode).outcomes(),
    }


def _record(record: Record, question: Message) -> Message:
    return {"record": f"{record}\n", "name": "tiqtaqtoe.qttt"}


def _share(record: Record, question: Message) -> Message:
    """The game as the fragment of an address, and as a QR code of the whole address."""
    from urllib.parse import quote

    import segno

    game = record.game()
    parts = {"level": str(game.rules.level.number), "options": str(game.rules.options)}
    if game.first != "X":
        parts["first"] = str(game.first)
    parts["game"] = " ".join(map(str, game.events))
    fragment = "&".join(f"{key}={quote(value, safe='*+:=')}" for key, value in parts.items() if value)
    address = f"{question.get('address', '').partition('#')[0]}#{fragment}"
    try:
        rows = [list(row) for row in segno.make(address, error="m", micro=False).matrix]
    except (segno.DataOverflowError, ValueError):
        return {"fragment": fragment, "qr": None}
    path = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            run = next((n for n in range(x, len(row)) if row[n] != row[x]), len(row)) - x
            if row[x]:
                path.append(f"M{x} {y}h{run}v1h-{run}z")
            x += run
    return {"fragment": fragment, "qr": {"size": len(rows), "path": "".join(path)}}


def _openings(record: Record, question: Message) -> Message:
    from qttt.players.reports import openings_report
    from qttt.solver.explorer import explore

    line = Record.parse(question.get("line", ""))
    rules = record.rules if "level" not in question else _rules(question["level"])
    moves = [event for event in line.events if isinstance(event, Move)]
    if len(moves) != len(line.events):
        raise UsageError("an opening is made of moves: the line ends where something is observed")
    found = explore(moves, Game(rules=rules, first=record.first))
    return openings_report(line.with_header("Level", str(rules.level.number)), found)


def _rules(level: int) -> Any:
    from qttt.game.rules import Rules

    return Rules.of(level)


def _puzzle(record: Record, question: Message) -> Message:
    from qttt.players.puzzles import find_puzzle

    rules = _rules(question["level"]) if "level" in question else replace(record.rules)
    found = find_puzzle(rules, random.SystemRandom())
    return {
        "record": found.record,
        "question": found.question,
        "solutions": [str(choice) for choice in found.solutions],
        "why": found.answer,
        "grade": str(found.grade),
    }


def _plan(record: Record, question: Message) -> Message:
    """What the job of an observation would be and cost, before anything is sent."""
    from qttt.observation.devices import open_device
    from qttt.observation.observers import check_observable

    game = record.game()
    check_observable(game)
    device = open_device(question.get("backend") or record.headers.get("Backend", ""))
    plan = device.plan(game, game.state.modes)
    cost = plan.prepared.cost
    gates = max(circuit.two_qubit_gates for circuit in cost.circuits)
    likely = min(circuit.faultless or 0.0 for circuit in cost.circuits)
    charged = "nothing is charged" if cost.plan is None else f"charged to the plan {cost.plan}"
    return {
        "backend": plan.prepared.backend,
        "says": [
            f"{len(cost.circuits)} circuits of at most {gates} two-qubit gates, {cost.shots:,} shots each.",
            f"A shot without any fault: about {likely:.0%} of them.".replace("%", " %"),
            f"About {cost.quantum_seconds:.0f} s of the device ({cost.basis}); {charged}.",
            *plan.prepared.warnings,
        ],
        "seconds": cost.quantum_seconds,
        "noise": plan.noise,
    }


ANSWERS: Final[dict[str, Callable[[Record, Message], Message]]] = {
    "odds": _odds,
    "why": _why,
    "advise": _advise,
    "evaluation": _evaluation,
    "review": _review,
    "amplitudes": _amplitudes,
    "circuit": _circuit,
    "look": _look,
    "record": _record,
    "share": _share,
    "openings": _openings,
    "puzzle": _puzzle,
    "plan": _plan,
}
"""Who answers what; ``state`` is the table's own to answer, and ``lesson`` that of a floor above."""
