"""The gallery's programs, read again by two OpenQASM 3 tools, give the distribution of the dice."""

import pyqasm
import pytest
from qiskit import qasm3
from qiskit.circuit import QuantumCircuit

from circuits.exact import exact_distribution
from examples.make import FOLDER
from qttt.game.configurations import Configuration
from qttt.game.moves import Kind
from qttt.game.odds import distance
from qttt.teaching.guide.gallery import Entry, entries

ENTRIES = tuple(entries())
NAMES = [entry.name for entry in ENTRIES]


def outcomes(entry: Entry, circuit: QuantumCircuit) -> dict[str, float]:
    readout = entry.compiled().readout
    assert readout is not None
    found = exact_distribution(circuit, readout)
    assert found.illegal == 0
    return found.outcomes


def program(entry: Entry) -> str:
    return (FOLDER / "gallery" / f"{entry.name}.qasm").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_qiskit_reads_a_program_back(entry: Entry) -> None:
    found = outcomes(entry, qasm3.loads(program(entry)))
    assert distance(found, entry.game().state.odds(entry.mode).outcomes()) < 1e-9


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_pyqasm_unrolls_a_program_to_the_same_distribution(entry: Entry) -> None:
    module = pyqasm.loads(program(entry))
    module.validate()
    module.unroll()
    flat = pyqasm.dumps(module)
    # All moves are opened: nothing is left but standard gates.
    assert "gate " not in flat
    found = outcomes(entry, qasm3.loads(flat))
    assert distance(found, entry.game().state.odds(entry.mode).outcomes()) < 1e-9


def test_every_kind_of_move_is_there_for_both_players() -> None:
    games = [entry.game() for entry in ENTRIES if entry.name.startswith("move-")]
    last = {
        (game.events[-1].kind, game.states[-2].turn, "half" in entry.name)  # type: ignore[union-attr]
        for game, entry in zip(games, ENTRIES, strict=False)
    }
    for player in "XO":
        for kind in Kind:
            assert any(k is kind and turn == player and not half for k, turn, half in last), (kind, player)
            if kind.attacks:
                assert any(k is kind and turn == player and half for k, turn, half in last), (kind, player)


def test_every_configuration_of_a_square_is_there() -> None:
    shown = {entry.game().state.position.configuration(entry.square) for entry in ENTRIES if entry.square}
    assert shown == set(Configuration) - {Configuration.EMPTY}


def test_names_are_distinct() -> None:
    assert len(set(NAMES)) == len(NAMES)
