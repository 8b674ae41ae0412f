"""The front door: `import qttt` and nothing else, and one kind of error for every wrong value."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import qttt
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.state import Phase, State

ROOT = Path(__file__).parents[1]
FULL = "1+3 1*2 9 3*4 5+6 7+8"
OPEN = "1+3 1-2 4 5 6 7 8 9"
FOUND = "=p:.#.######"

# Importing anything that is not of the standard library fails.
ALONE = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {"qttt", "circuits", *sys.stdlib_module_names}:
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Blocked())
import qttt
game = qttt.Game(level=3, options=["quantum-only"]).play("1+3 1-2")
print(round(game.odds().square(1)["."], 4), len(game.legal_moves()), qttt.Record.of(game).game() == game)
print(sorted(name for name in sys.modules if name.startswith(("qttt.", "circuits."))).count("qttt.door"))
"""


def full(level: int = 2, moves: str = FULL) -> qttt.Game:
    return qttt.Game(level).play(moves)


def test_with_the_standard_library_alone_there_are_games_odds_and_moves() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout == "0.9668 15 True\n0\n"


def test_every_name_is_lazy_and_listed() -> None:
    assert set(qttt._MODULES) == set(qttt.__all__) <= set(dir(qttt))
    for name, module in qttt._MODULES.items():
        assert getattr(qttt, name) is getattr(import_module(module), name)
    # A module of this name would stand before the function as soon as it is imported.
    assert not [name for name in qttt.__all__ if (ROOT / "qttt" / f"{name}.py").exists()]
    with pytest.raises(AttributeError, match="module 'qttt' has no attribute 'boards'"):
        _ = qttt.boards  # type: ignore[attr-defined]
    loaded = "import sys, qttt; print(sorted(name for name in sys.modules if name.startswith('qttt')))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "['qttt']\n"


# A game


def test_a_game_forwards_what_is_asked_of_a_board() -> None:
    game = qttt.Game(4, first="O", options="tally").play("5 5*6")
    assert (game.turn, game.phase, str(game.result)) == ("O", Phase.MOVE, "continue")
    assert game.position is game.state.position
    assert game.legal_moves() == game.state.legal_moves() != []
    assert game.odds("rotated").outcomes() == game.state.odds(qttt.Mode.ROTATED).outcomes()
    assert game.agree_on_draw().legal_moves() == []
    assert (game.phase, str(game.result)) == (Phase.OVER, "tie")


def test_events_are_pushed_as_values_and_as_tokens() -> None:
    game, other = qttt.Game(), qttt.Game()
    assert isinstance(game.push("1+3"), State)
    other.push(qttt.Move.parse("3+1"))
    assert game.play(["2", qttt.Move.parse("4")]) == other.play("2 4") == qttt.Game().play(game.events)
    assert game is game.play("")


def test_options_may_be_a_list() -> None:
    by_list = qttt.Game(5, ["tally", "view-switches=2"])
    assert by_list == qttt.Game(5, "tally,view-switches=2") == qttt.Game(rules=by_list.rules)
    assert qttt.Game(5, []) == qttt.Game(5, ()) == qttt.Game(5)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, qttt.Game.copy])
def test_a_copy_is_a_game_of_its_own(make: Callable[[qttt.Game], qttt.Game]) -> None:
    game = qttt.Game(3, first="O").play("1+3 1-2")
    twin = make(game)
    assert twin == game
    twin.undo()
    game.play("4")
    assert (len(twin.events), len(game.events)) == (1, 3)
    assert len(twin.states) == 2
    drawn = make(game.agree_on_draw())
    assert drawn == game != twin
    assert drawn.over


GAMES = [
    qttt.Game(),
    full(),
    full(4, OPEN).play(FOUND),
    qttt.Game(5, ["view=physical", "view-switches=3"], "O").play("5~ 1+3"),
    qttt.Game(2, "measure-turn").play("1+3 ?1=X"),
    full().play("=XOO.X..OX"),
    qttt.Game(1).play("5").agree_on_draw(),
]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_game_can_be_written_and_read_back(game: qttt.Game) -> None:
    assert eval(repr(game), {"Game": qttt.Game}) == game
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert again.states == game.states
    assert game != "a game"
    assert [game == other for other in GAMES].count(True) == 1
    with pytest.raises(TypeError):
        hash(game)


def test_the_repr_says_what_is_not_the_default() -> None:
    assert repr(qttt.Game()) == "Game(level=2)"
    assert repr(GAMES[3]) == (
        "Game(level=5, options='view-switches=3,view=physical', first='O').play('5~ 1+3')"
    )
    assert repr(GAMES[-1]) == "Game(level=1).play('5').agree_on_draw()"


def test_a_game_that_is_over_is_not_drawn_again() -> None:
    game = full().play("=XOO.X..OX")
    with pytest.raises(qttt.IllegalMoveError, match="a draw is not allowed: the game is over"):
        game.agree_on_draw()


# What a game is used for


def test_a_circuit_is_qiskits() -> None:
    game = qttt.Game(4).play("5 5-6")
    assert game.copy() == game
    assert [item.name for item in qttt.circuit(game).data] != []
    assert qttt.circuit(game, mode="rotated", lean=True).num_qubits == 0
    assert qttt.circuit(game).num_qubits > qttt.circuit(game, lean=True).num_qubits > 0
    assert "rotate mode" in {item.operation.label for item in qttt.circuit(game, mode="rotated").data}


@pytest.mark.parametrize("backend", ["aer", "aer-lean", "dice"])
def test_equal_seeds_give_equal_shots(backend: str) -> None:
    game = full()
    first, again, other = (qttt.sample(game, 100, seed=seed, backend=backend) for seed in (1, 1, 2))
    assert first.drawn == again.drawn != other.drawn
    assert (first.kept, len(game.events)) == (100, 6)
    assert set(first.counts()) <= set(game.odds().outcomes())


def test_numpys_numbers_are_numbers() -> None:
    few = qttt.sample(full(), np.int64(7), seed=np.uint8(1), backend="dice")  # type: ignore[arg-type]
    assert few.drawn == qttt.sample(full(), 7, seed=1, backend="dice").drawn
    assert full().position.at(np.int8(9)) == full().position.at(9)  # type: ignore[arg-type]
    assert full(np.int16(3)) == full(3)  # type: ignore[arg-type]


@pytest.mark.ibm
def test_a_simulated_device_is_sampled_and_checked() -> None:
    game = qttt.Game(1).play("1+2 3")
    assert qttt.sample(game, 200, seed=1, backend="fake_manila").shots == 200
    assert qttt.check(game, seed=1, shots=500, backend="fake_manila").modes[0].device is not None


@pytest.mark.parametrize("backend", ["aer", "dice"])
def test_an_observation_is_the_next_event(backend: str) -> None:
    game = full()
    event = qttt.observe(game, seed=3, backend=backend)
    assert game.events[-1] == event
    assert full().play([event]) == game
    twin = full()
    assert qttt.observe(twin, seed=3, backend=backend) == event


def test_a_mode_that_players_choose_has_to_be_given() -> None:
    game = full(4, OPEN)
    with pytest.raises(qttt.UsageError, match=r"^at Level 4 O chooses the mode: give mode="):
        qttt.observe(game, seed=1)
    assert str(qttt.observe(game.copy(), seed=1, mode="rotated")).startswith("=r:")
    game.play(FOUND)
    assert Positions(FOUND[3:]).agree(qttt.observe(game, mode="standard").board)


def test_a_check_agrees_in_both_modes() -> None:
    game = qttt.Game(4).play("5 5-6")
    both = qttt.check(game, seed=1, shots=300)
    assert both.ok and [each.mode for each in both.modes] == ["standard", "rotated"]
    (report,) = qttt.check(game, seed=1, shots=300, mode="rotated", backend="dice").modes
    assert (report.ok, report.mode, report.backend, report.sample.shots) == (True, "rotated", "dice", 300)


@pytest.mark.parametrize(("name", "begins"), [("b.svg", b"<svg"), ("b.PNG", b"\x89PNG"), ("b.pdf", b"%PDF")])
def test_a_board_is_drawn_as_its_name_says(name: str, begins: bytes, tmp_path: Path) -> None:
    qttt.draw(full(), tmp_path / name)
    qttt.draw(full(), f"{tmp_path}/2{name}")
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_record_is_read_from_text_and_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "game.qttt").write_text('[Level "3"] 5 5-6')
    (tmp_path / "-").write_text("7")
    monkeypatch.chdir(tmp_path)
    record = qttt.read('[Level "3"] 5 5-6')
    assert (
        record == qttt.read("game.qttt") == qttt.read(tmp_path / "game.qttt") == qttt.read(Path("game.qttt"))
    )
    assert record.game() == qttt.Game(3).play("5 5-6")
    assert qttt.read("-").game() == qttt.Game().play("7")


# Wrong values. None of these may be taken, or end otherwise than as one line of a QtttError.


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError


ANY: Any = qttt
Call = tuple[Callable[..., object], tuple[object, ...], dict[str, object]]
HUGE = 10**20


def _at_the_door() -> Iterator[Call]:
    shots = (1.5, "3", None, True, HUGE, 0, -1, float("nan"), [3], np.float64(3), 10**5000)
    seeds = ("1", 1.0, -1, True, 2**64, np.random.default_rng(1), [1, 2], Unspeakable())
    modes = ("sideways", 5, True, ["rotated"], "rotated", np.zeros(3), Unspeakable())
    backends = (5, None, "nowhere", "", b"aer", "fake_", "aer-lean-lean", Unspeakable())
    more: dict[str, dict[str, object]] = {"sample": {"shots": 3}, "draw": {"path": "board.svg"}}
    no_games = (None, "5 5*6", 5, qttt.Record.parse("5"), qttt.Position(), Unspeakable())
    for name in ("sample", "check", "observe", "circuit", "draw"):
        function = getattr(ANY, name)
        needed = more.get(name, {})
        yield from ((function, (value,), needed) for value in no_games)
        if name in ("sample", "check"):
            yield from _keyword(function, "shots", shots, backend="dice")
        if name in ("sample", "check", "observe"):
            yield from _keyword(function, "seed", seeds, **needed)
            yield from _keyword(function, "backend", backends, **needed)
        if name != "draw":
            yield from _keyword(function, "mode", modes, **needed)
    yield from _keyword(ANY.circuit, "lean", (1, "no", None))
    yield from _keyword(ANY.observe, "accept_noise", (1, "yes", None))
    names = (5, None, b"b.svg", "", "board", "board.jpg", ".svg", "no/such/folder/b.svg", "\0.svg")
    yield from _keyword(ANY.draw, "path", names)
    yield from _only(ANY.read, 5, None, b"5", ["5"], "no-such.qttt", "[Level", Path("/"), "\0", "x" * 9999)
    yield from _only(ANY.observe, qttt.Game(), full().play("=XOO.X..OX"), qttt.Game().agree_on_draw())


def _only(function: Any, *values: object) -> Iterator[Call]:
    yield from ((function, (value,), {}) for value in values)


def _keyword(function: Any, keyword: str, values: tuple[object, ...], **others: object) -> Iterator[Call]:
    yield from ((function, (full(),), {**others, keyword: value}) for value in values)


def _of_values() -> Iterator[Call]:
    rules, classical, superposition = qttt.Rules(), qttt.Move.parse("5").kind, qttt.Move.parse("1+3").kind
    yield from _only(ANY.Game, 2.5, "2", None, True, -1, 6, HUGE, rules, [2], rules.level, np.zeros(2))
    given: dict[str, tuple[object, ...]] = {
        "rules": (5, "tally", 0, False, qttt.Rules, rules.options),
        "options": (5, None, "nonsense", ["tally", 5], b"tally", ["tally", "tally"], rules, {"tally": False}),
        "first": (5, None, "Z", "x", ["X"], rules),
    }
    for keyword, values in given.items():
        yield from ((ANY.Game, (), {keyword: value}) for value in values)
    yield ANY.Game, (3,), {"rules": rules}
    yield ANY.Game, (), {"options": ["tally"], "rules": rules}
    events = ("x", 5, None, "", b"5", "5 6", "?0=X", "=bad", "~~5", ["5"], 5.0, Unspeakable(), "\u0665")
    yield from _only(ANY.Game().push, *events)
    yield from _only(ANY.Game().play, 5, None, [5], [None], b"5", True, ["5 6"], "5 x", qttt.Move.parse("5"))
    yield from _only(ANY.Game(4).odds, "sideways", 5, None, np.zeros(3))
    yield from _only(ANY.Game().odds, "rotated")
    yield from _only(ANY.Game().odds().square, "5", 0, 1.0)
    yield from _only(ANY.Game().odds().probability, "X", None, "?" * 9)
    yield from _only(ANY.Game().odds().given, 5, "#", "#########")
    yield from _only(ANY.Rules, 2, "2", None)
    yield from _only(ANY.Rules.of, "2", 1.0, None, rules)
    yield ANY.Rules, (), {"options": "tally"}
    squares = ("5", None, 5.0, True, 0, 10, -1, [5], HUGE, np.bool_(True), np.arange(3), Unspeakable())
    yield from _only(ANY.Position().at, *squares)
    yield ANY.Position().after, ("5", "X"), {}
    yield from _only(ANY.Position, 5, None, ((),) * 8, [()] * 9)
    yield ANY.Position, (), {"observed": None}
    yield ANY.Position, (), {"view": 3}
    yield from _only(ANY.Record.parse, b"5", None, 5, ["5"], "\x00", "{")
    yield from _only(ANY.Record, 5, ("5",), None)
    yield from _only(ANY.Record.of, "5", None, qttt.Record())
    yield ANY.Record.of, (full(), {"X": 5}), {}
    yield from ((ANY.Record().with_header, header, {}) for header in ((5, "x"), ("X", None), ("X", "\n")))
    yield ANY.Record().completed, (), {"level": 5}
    yield ANY.Record().completed, (), {"options": 5}
    yield ANY.Record().completed, (), {"first": 5}
    yield from _only(ANY.Move.parse, 5, None, b"5", "", "0", "5+5", ["5"], "5" * 5000)
    for named in ((), (1, 2), (0,), ("5",), [5], 5, None):
        yield ANY.Move, (classical, named), {}
    yield from ((ANY.Move, (kind, (3, 1)), {}) for kind in (superposition, "+", None))
    yield ANY.Move, (classical, (5,)), {"before": 2}
    for value in ((0, "X"), ("5", "X"), (5, "Z"), (5, None), (True, "X"), (5, "")):
        yield Measurement, value, {}
    yield from _only(Observation, "bad", 5, "XOX?XOXOX", None, ["X"] * 9)
    yield Observation, ("XOXOXOXOX", 5), {}
    yield from _only(Positions, "bad", None, "XXXXXXXXX")
    yield from _only(ANY.Mode, "sideways", 5, None, ["rotated"])
    yield from _only(ANY.Symbol, "Z", 5)


WRONG = [*_at_the_door(), *_of_values()]


@pytest.mark.parametrize("call", WRONG, ids=lambda call: getattr(call[0], "__name__", "call"))
def test_a_wrong_value_is_one_error(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    function, values, keywords = call
    with pytest.raises(qttt.QtttError) as caught:
        function(*values, **keywords)
    said = str(caught.value)
    assert said and "\n" not in said and len(said) < 400
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ANY.sample(full(), 1.5),
            "the number of shots must be a whole number from 1 to 1,000,000, not 1.5",
        ),
        (
            lambda: ANY.check(full(), seed="1"),
            "a seed must be a whole number from 0 to 18,446,744,073,709,551,615, not '1'",
        ),
        (
            lambda: ANY.sample(full(), 3, backend=5),
            "a backend is named by text, for example 'aer', not 5",
        ),
        (
            lambda: ANY.draw(full(), "b.jpg"),
            "a picture's name ends with .png, .svg or .pdf, not 'b.jpg'",
        ),
        (lambda: ANY.read(b"5"), "a file is named by text or a Path, not b'5'"),
        (lambda: ANY.Game().push(5), "a game takes events and tokens such as '5' or '1+3', not 5"),
        (lambda: ANY.Game(rules=5), "rules must be Rules, for example Rules.of(level=2), not 5"),
        (lambda: ANY.Game(2.5), "the level must be a whole number from 0 to 5, not 2.5"),
        (lambda: ANY.Game(qttt.Rules.of(3)), "a game takes Rules by name: Game(rules=...)"),
        (lambda: ANY.Position().at("5"), "a square must be a whole number from 1 to 9, not '5'"),
        (lambda: ANY.Record.parse(b"5"), "a record is text, not b'5'"),
        (lambda: Measurement(0, "X"), "square 0 does not exist: the squares are 1 to 9"),
        (lambda: Measurement(5, "Z"), "a square is found to hold 'X', 'O' or '.', not 'Z'"),
        (lambda: Observation("bad"), "a board must be nine of the characters 'XO.', not 'bad'"),
    ],
)
def test_the_error_says_what_is_right(call: Callable[[], object], said: str) -> None:
    with pytest.raises(qttt.QtttError) as caught:
        call()
    assert str(caught.value) == said


def test_errors_of_circuits_are_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    from circuits.backends import aer
    from circuits.errors import BackendError, BackendUsageError

    for raised, translated in ((BackendError, qttt.ServiceError), (BackendUsageError, qttt.UsageError)):

        def fail(*_: object, raised: type[Exception] = raised) -> None:
            raise raised("no")

        monkeypatch.setattr(aer.AerBackend, "run", fail)
        for act in (lambda: qttt.sample(full(), 3), lambda: qttt.observe(full()), lambda: qttt.check(full())):
            with pytest.raises(translated, match=r"^no$"):
                act()
