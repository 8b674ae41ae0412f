"""The circuit that chooses the mode: exact without noise, checked before it is sent, judged by its mode."""

import numpy as np
import pytest

from circuits.backends import get_backend
from circuits.backends.ibm.backend import get_simulated as ibm_backend
from circuits.backends.ibm.dynamic import dynamic_check
from circuits.errors import BackendUsageError
from qttt.errors import UsageError
from qttt.game import Game
from qttt.game.odds import distance
from qttt.game.outcomes import Positions, filled_squares
from qttt.game.symbols import Mode
from qttt.observation.dynamic import Policy, compile_dynamic, dynamic_odds, read_dynamic
from qttt.observation.samples import sample_of
from qttt.stats import p_value
from tests.support.cli_runs import refusal, run, run_json

pytestmark = pytest.mark.ibm

FULL = "1 2 3 4 5 6 7 8+9"


@pytest.fixture(autouse=True)
def _quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qttt.observation.devices.SEEDS", 1)


def game_of(tokens: str, level: int = 4) -> Game:
    game = Game(level=level)
    game.play(tokens)
    return game


def chosen(game: Game, policy: Policy) -> dict[str, float]:
    """The exact distribution under a policy, from the dice."""
    found: dict[str, float] = {}
    for filled, p in game.state.odds().positions().items():
        mode = policy.mode(Positions(filled))
        for board, q in game.state.odds(mode).given(filled).outcomes().items():
            found[board] = p * q
    return found


@pytest.mark.parametrize(
    ("tokens", "level", "square"),
    [
        ("1+3", 4, 1),
        ("1 1-2", 4, 2),
        ("1+3 1*2", 4, 3),
        ("1+3 1*2", 4, 1),
        ("1+3 1-2", 4, 2),
        ("5~ 1+3", 5, 3),
    ],
)
def test_the_circuit_chooses_as_the_policy_says(tokens: str, level: int, square: int) -> None:
    game, policy, rng = game_of(tokens, level), Policy(square), np.random.default_rng(5)
    compiled = compile_dynamic(game, policy)
    assert compiled.readout is not None
    (shots,) = get_backend("aer").run([compiled.circuit], 1500, rng)
    sample = sample_of(read_dynamic(game.state, policy, compiled.readout, shots))
    assert sample.illegal == 0
    expected = chosen(game, policy)
    assert distance(dynamic_odds(game.state, policy), expected) < 1e-12
    assert p_value(sample.counts(), expected, rng) > 0.001
    # Where the policy matters, always the same mode would be another distribution.
    for mode in Mode:
        always = game.state.odds(mode).outcomes()
        if distance(expected, always) > 0.1:
            assert p_value(sample.counts(), always, rng) < 0.001


def test_the_policy_matters() -> None:
    game, policy = game_of("1+3"), Policy(1)
    assert all(distance(chosen(game, policy), game.state.odds(mode).outcomes()) > 0.2 for mode in Mode)


def test_a_board_is_judged_in_the_mode_that_its_positions_chose() -> None:
    from circuits.decoding import Shots

    game, policy = game_of("1+3 2"), Policy(3)
    compiled = compile_dynamic(game, policy)
    assert compiled.readout is not None
    # With the piece in 1 the standard mode was chosen, where O in 2 cannot read X; in the rotated one it can.
    shots = Shots(
        np.array([[True, False], [False, True]]),
        np.array([[False, False], [False, True]]),
        np.zeros((2, 0), bool),
    )
    decoded = read_dynamic(game.state, policy, compiled.readout, shots)
    assert decoded.counts() == {".XO......": 1}
    assert decoded.illegal_kinds == {"a symbol that cannot be there": 1}


def test_what_is_certain_is_not_measured() -> None:
    compiled = compile_dynamic(game_of(FULL), Policy(9))
    # Whether 8 or 9 is filled, and the symbols that the rotated mode makes coins of; 8 is filled in standard.
    assert {register.name: len(register) for register in compiled.circuit.cregs} == {"pos": 2, "mark": 8}
    assert compiled.circuit.count_ops()["measure"] == 10
    # A square that is filled for certain may choose; its occupancy is measured, because the `if` reads it.
    certain = compile_dynamic(game_of("1 1-2"), Policy(2))
    assert {register.name: len(register) for register in certain.circuit.cregs} == {"pos": 1}


def test_what_the_hardware_takes_is_checked_with_the_policy_named() -> None:
    circuit = compile_dynamic(game_of(FULL), Policy(9)).circuit
    dynamic_check(circuit, ibm_backend("fake_torino").device)
    with pytest.raises(BackendUsageError, match="cannot act on measurements"):
        dynamic_check(circuit, ibm_backend("fake_mumbai").device)
    (block,) = (item.operation for item in circuit.data if item.name == "if_else")
    block.blocks[0].reset(0)
    with pytest.raises(BackendUsageError, match=r"block 1 \(rotated mode if 9 is filled\).*reset"):
        dynamic_check(circuit, ibm_backend("fake_torino").device)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="at Levels 4 and 5"):
        compile_dynamic(game_of("1", 3), Policy(1))
    with pytest.raises(UsageError, match="square 4 is empty for certain"):
        compile_dynamic(game_of("1"), Policy(4))
    with pytest.raises(UsageError, match="observed already"):
        compile_dynamic(game_of(f"{FULL} =p:########."), Policy(1))
    device = ("--level", "4", "--backend", "fake_mumbai", "--dynamic", "9")
    assert "fake_mumbai cannot act on measurements" in refusal("observe", FULL, *device)
    assert "so --mode cannot" in refusal("observe", FULL, *device, "--mode", "standard")
    assert "--dynamic goes with a device" in refusal("observe", FULL, "--level", "4", "--dynamic", "9")


def test_a_dry_run_names_the_policy() -> None:
    found = run_json(
        "observe", FULL, "--level", "4", "--backend", "fake_torino", "--dynamic", "9", "--dry-run"
    )
    assert found["circuits"][0]["mode"] == "rotated mode if 9 is filled"
    assert found["circuits"][0]["operations"]["if_else"] == 1


@pytest.mark.slow
def test_on_a_simulated_device() -> None:
    words = ("observe", FULL, "--level", "4", "--backend", "fake_torino", "--dynamic", "9", "--seed", "1")
    found = run_json(*words, "--shots", "20")
    assert found["policy"] == "rotated mode if 9 is filled"
    assert found["mode"] == ("rotated" if found["board"][8] != "." else "standard")
    assert found["shots"] == 20
    assert filled_squares(found["board"])[:7] == "#######"
    assert "The circuit chose: rotated mode if 9 is filled." in run(*words, "--shots", "5").out
