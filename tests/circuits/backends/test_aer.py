"""The simulator: the right boards, in the right number, from a seed."""

import multiprocessing
import resource
import sys
from typing import NamedTuple

import numpy as np
import pytest
from qiskit.circuit import ClassicalRegister, Clbit, Parameter, QuantumCircuit, QuantumRegister
from qiskit_aer import AerSimulator
from scipy.stats import chisquare

from circuits.backends import Backend, get_backend
from circuits.backends.aer import AerBackend
from circuits.decoding import Decoded, Shots, decode
from circuits.errors import BackendError, BackendUsageError, CircuitShapeError, UnknownBackendError
from circuits.exact import exact_distribution
from circuits.gates import ClassicalGate, EntanglingGate, SuperpositionGate
from circuits.measurement import Readout, measure_board
from circuits.register import board_circuit
from tests.support.boards import level_five, level_two, place

SEED = 20_260_102
AER = AerBackend()


def sampled(circuit: QuantumCircuit, readout: Readout, shots: int) -> Decoded:
    """Run and decode with a fixed seed."""
    (bits,) = AER.run([circuit], shots, np.random.default_rng(SEED))
    assert len(bits) == shots
    return decode(readout, bits)


def assert_samples(decoded: Decoded, exact: dict[str, float]) -> None:
    """Compare counts with probabilities: the support, and a chi-square that one seed in a thousand fails."""
    counts = decoded.counts()
    assert counts.keys() <= exact.keys()
    boards = sorted(exact)
    expected = np.array([exact[board] for board in boards]) * decoded.kept
    observed = np.array([counts.get(board, 0) for board in boards])
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    assert chisquare(observed, expected).pvalue > 1e-3


NUMBERS = pytest.mark.parametrize("shots", [4_000, 20_000])


@NUMBERS
def test_level_two_board(shots: int) -> None:
    """Correlations inside the roots and independence between them."""
    circuit, readout = level_two()
    decoded = sampled(circuit, readout, shots)
    assert (decoded.illegal, decoded.herald_failed) == (0, 0)
    assert_samples(decoded, exact_distribution(circuit, readout).outcomes)


@NUMBERS
def test_level_five_board_with_heralds(shots: int) -> None:
    """Herald failures come as often as they should, and what is kept has the exact distribution."""
    circuit, readout = level_five()
    decoded = sampled(circuit, readout, shots)
    exact = exact_distribution(circuit, readout)
    assert decoded.illegal == 0
    spread = 4 * np.sqrt(shots * exact.herald_failed * (1 - exact.herald_failed))
    assert decoded.herald_failed == pytest.approx(shots * exact.herald_failed, abs=spread)
    assert_samples(decoded, exact.outcomes)


@NUMBERS
def test_equal_components_are_not_equal_shots(shots: int) -> None:
    """Four superpositions of one shape, in different packed circuits, must not repeat one another."""
    circuit = board_circuit()
    for square in (1, 3, 5, 7):
        place(circuit, SuperpositionGate("O"), square, square + 1)
    readout = measure_board(circuit, range(1, 9))
    decoded = sampled(circuit, readout, shots)
    exact = exact_distribution(circuit, readout).outcomes
    assert len(exact) == 16
    assert_samples(decoded, exact)


def same(first: Shots, second: Shots) -> bool:
    """Compare all bits."""
    pairs = ((first.pos, second.pos), (first.mark, second.mark), (first.flag, second.flag))
    return all(np.array_equal(*pair) for pair in pairs)


def test_seeds() -> None:
    """Equal generators give equal shots; one generator gives new shots every time, also within one call."""
    circuit, _ = level_two()
    rng = np.random.default_rng(SEED)
    first, second = AER.run([circuit, circuit], 64, rng)
    third = AER.run([circuit], 64, rng)[0]
    again = AER.run([circuit, circuit], 64, np.random.default_rng(SEED))
    assert same(first, again[0])
    assert same(second, again[1])
    assert not same(first, second)
    assert not same(second, third)


def _draw_in_a_child(shots: int) -> int:
    return len(AER.run([level_two()[0]], shots, np.random.default_rng(SEED))[0])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_can_observe_too() -> None:
    """Aer before 0.18.2 waits there for a thread that only its parent has."""
    sampled(*level_two(), 1)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_draw_in_a_child, (1,)).get(timeout=60) == 1


class Given(NamedTuple):
    """What is given to Aer in one run."""

    circuits: list[QuantumCircuit]
    simulator: AerSimulator
    options: dict[str, int]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Given]:
    seen: list[Given] = []
    run = AerSimulator.run

    def watched(self: AerSimulator, circuits: list[QuantumCircuit], **options: int) -> object:
        seen.append(Given(circuits, self, options))
        return run(self, circuits, **options)

    monkeypatch.setattr(AerSimulator, "run", watched)
    return seen


def test_states_are_small_and_few_and_idle_qubits_are_left_out(runs: list[Given]) -> None:
    """Never more than 10 qubits at once; and gates are multiplied."""
    # Components of 8, 5, 2, 1 and 1 qubits; and of 10, 6, 1, 1 and 1.
    for make, packs in ((level_two, [10, 7]), (level_five, [10, 9])):
        runs.clear()
        AER.run([make()[0]], 100, np.random.default_rng(SEED))
        (given,) = runs
        assert [part.num_qubits for part in given.circuits] == packs
        assert given.simulator.options.method == "statevector"
        for part in given.circuits:
            assert {qubit for item in part.data if item.name != "measure" for qubit in item.qubits} == set(
                part.qubits
            )
        assert sum(part.count_ops().get("unitary", 0) for part in given.circuits) > 3


def test_large_components_are_matrix_product_states(runs: list[Given]) -> None:
    circuit = QuantumCircuit(22)
    circuit.h(0)
    circuit.cx(range(21), range(1, 22))
    circuit.add_register(ClassicalRegister(1, "pos"))
    circuit.measure(0, 0)
    AER.run([circuit], 10, np.random.default_rng(SEED))
    (given,) = runs
    assert given.simulator.options.method == "matrix_product_state"
    assert given.circuits[0].count_ops() == {"cx": 21, "h": 1, "measure": 1}


def test_very_many_shots_are_drawn_in_turns(runs: list[Given], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with a seed of its own, and all of them in one array."""
    monkeypatch.setattr("circuits.backends.aer.SHOTS_AT_ONCE", 3_000)
    circuit, readout = level_two()
    decoded = sampled(circuit, readout, 10_000)
    assert [given.options["shots"] for given in runs] == [3_000, 3_000, 3_000, 1_000]
    assert len({given.options["seed_simulator"] for given in runs}) == 4
    assert_samples(decoded, exact_distribution(circuit, readout).outcomes)


def test_a_run_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Aer does not raise; it says so in its result, here because a state of 20 qubits needs 16 MB."""
    run = AerSimulator.run
    monkeypatch.setattr(
        AerSimulator, "run", lambda self, circuits, **options: run(self, circuits, max_memory_mb=1, **options)
    )
    circuit = QuantumCircuit(20)
    circuit.h(0)
    circuit.cx(range(19), range(1, 20))
    circuit.add_register(ClassicalRegister(1, "pos"))
    circuit.measure(19, 0)
    with pytest.raises(BackendError, match=r"the simulator failed: .*Insufficient memory"):
        AER.run([circuit], 1, np.random.default_rng(SEED))


def test_a_circuit_run_whole_may_measure_nothing() -> None:
    """Its bits are 0, as those that nobody writes are."""
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(2, "pos"))
    circuit.reset(0)
    (bits,) = AER.run([circuit], 3, np.random.default_rng(SEED))
    assert bits.pos.tolist() == [[False, False]] * 3


def test_more_bits_than_a_machine_word() -> None:
    """No board has them, but a chain of 70 qubits reads all alike."""
    circuit = QuantumCircuit(70)
    circuit.h(0)
    circuit.cx(range(69), range(1, 70))
    circuit.add_register(ClassicalRegister(70, "pos"))
    circuit.measure(range(70), range(70))
    (bits,) = AER.run([circuit], 40, np.random.default_rng(SEED))
    assert {tuple(row) for row in bits.pos} == {(False,) * 70, (True,) * 70}


def test_bits_land_where_the_registers_say() -> None:
    """Bits in no register, in two, or in another order; split or run whole because of a reset."""
    loose, one, two = Clbit(), Clbit(), Clbit()
    pos, mark = ClassicalRegister(bits=[two, one], name="pos"), ClassicalRegister(bits=[one], name="mark")
    for registers in ([pos], [pos, mark]):
        circuit = QuantumCircuit(QuantumRegister(3), [loose, one, two], *registers)
        circuit.x([0, 1])
        circuit.measure([1, 2], [one, two])
        whole = circuit.copy_empty_like()
        whole.reset(0)
        whole.compose(circuit, inplace=True)
        for each in (circuit, whole):
            (bits,) = AER.run([each], 5, np.random.default_rng(SEED))
            assert bits.pos.tolist() == [[False, True]] * 5
            assert bits.mark.tolist() == [[True] * (mark in registers)] * 5


def test_bits_land_in_their_registers() -> None:
    """Certain boards, one bit at a time, so that a swapped bit shows."""
    for number in range(4):
        circuit = board_circuit()
        place(circuit, ClassicalGate("O"), 1 + 2 * number)
        readout = measure_board(circuit, range(1, 10))
        board = "." * (2 * number) + "O" + "." * (8 - 2 * number)
        assert sampled(circuit, readout, 3).counts() == {board: 3}


def test_nothing_to_measure() -> None:
    """A known board takes no simulator and still gives its shots."""
    circuit = board_circuit()
    readout = measure_board(circuit, (), known={9: "X"})
    assert sampled(circuit, readout, 5).counts() == {"........X": 5}


def test_a_component_too_large_for_a_dense_state() -> None:
    """A chain of 26 qubits: a dense state of it would take a gigabyte."""
    circuit = QuantumCircuit(26)
    circuit.h(0)
    for qubit in range(25):
        circuit.cx(qubit, qubit + 1)
    circuit.add_register(ClassicalRegister(26, "pos"))
    circuit.measure(range(26), range(26))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (bits,) = AER.run([circuit], 40, np.random.default_rng(SEED))
    assert {tuple(row) for row in bits.pos} == {(False,) * 26, (True,) * 26}
    if sys.platform == "linux":  # in KiB there
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_a_large_component_is_independent_of_a_small_one() -> None:
    """Both methods must not draw from equal streams: a chain and a lone qubit agree half the time."""
    circuit = QuantumCircuit(23)
    circuit.h([0, 22])
    for qubit in range(21):
        circuit.cx(qubit, qubit + 1)
    circuit.add_register(ClassicalRegister(2, "pos"))
    circuit.measure([0, 22], [0, 1])
    (bits,) = AER.run([circuit], 400, np.random.default_rng(SEED))
    agree = int((bits.pos[:, 0] == bits.pos[:, 1]).sum())
    assert agree == pytest.approx(200, abs=60)


def test_a_dynamic_circuit_is_run_whole() -> None:
    """Measure, and answer with a gate: the second square is filled exactly where the first is not."""
    qubits, pos, mark = QuantumRegister(2), ClassicalRegister(2, "pos"), ClassicalRegister(1, "mark")
    circuit = QuantumCircuit(qubits, pos, mark)
    circuit.h(0)
    circuit.measure(0, pos[0])
    with circuit.if_test((pos[0], 0)):
        circuit.x(1)
    circuit.measure(1, pos[1])
    circuit.measure(1, mark[0])
    (bits,) = AER.run([circuit], 200, np.random.default_rng(SEED))
    assert np.array_equal(bits.pos[:, 0], ~bits.pos[:, 1])
    assert np.array_equal(bits.mark[:, 0], bits.pos[:, 1])
    assert 60 < bits.pos[:, 0].sum() < 140


def test_requests_that_make_no_sense() -> None:
    """They are refused before anything runs."""
    circuit, _ = level_two()
    with pytest.raises(BackendUsageError, match="cannot run 0 shots: at least one is needed"):
        AER.run([circuit], 0, np.random.default_rng(SEED))
    free = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, "pos"))
    free.ry(Parameter("angle"), 0)
    free.measure(0, 0)
    with pytest.raises(CircuitShapeError, match="gate 'ry' has an angle without a value"):
        AER.run([free], 1, np.random.default_rng(SEED))
    with pytest.raises(CircuitShapeError, match="registers pos, mark, flag, not c"):
        AER.run([QuantumCircuit(1, 1)], 1, np.random.default_rng(SEED))


def test_get_backend() -> None:
    """Names lead to backends, and a wrong one to a list of those there are."""
    backend = get_backend("aer")
    assert isinstance(backend, Backend)
    assert backend.name == "aer"
    with pytest.raises(UnknownBackendError, match="there is no backend 'are': try aer, fake_<device>"):
        get_backend("are")


@pytest.mark.parametrize("name", ["ibm", "ibm_torino", "fake_torino"])
def test_the_extra_is_named_where_it_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without IBM's client its backends are unknown, and the message says what to install."""
    monkeypatch.setattr("circuits.backends.providers.find_spec", lambda _: None)
    with pytest.raises(UnknownBackendError, match=f"'{name}' needs qiskit-ibm-runtime: install the extra"):
        get_backend(name)


def test_one_shot_of_an_entangled_pair_is_one_of_two() -> None:
    """A single shot is a board like any other."""
    circuit = board_circuit()
    place(circuit, ClassicalGate("X"), 1)
    place(circuit, EntanglingGate("O"), 1, 2)
    readout = measure_board(circuit, [1, 2])
    rng = np.random.default_rng(SEED)
    seen = {decode(readout, AER.run([circuit], 1, rng)[0]).first() for _ in range(20)}
    assert seen == {"XO.......", "OX......."}
