"""The oracle against the sources: worked examples, tables, counts, and laws that any correct model obeys."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import oracle as oracle_module
from tests.support.amplitudes import ConfigurationMap, JointState, NotIsometricError, put
from tests.support.oracle import IllegalTokenError, Oracle, lines_of, pattern, perft, random_game

DATA = Path(__file__).parents[1] / "data"
EXAMPLES = json.loads((DATA / "seed_examples.json").read_text(encoding="utf-8"))
ROLL_TABLE = json.loads((DATA / "roll_tables.json").read_text(encoding="utf-8"))
ODDS = [json.loads(line) for line in (DATA / "odds.jsonl").read_text(encoding="utf-8").splitlines()]
PERFT = json.loads((DATA / "perft.json").read_text(encoding="utf-8"))
EXACT = 1e-12


def distance(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Total variation distance."""
    return sum(abs(left.get(key, 0.0) - right.get(key, 0.0)) for key in {*left, *right}) / 2


def marginal(outcomes: Mapping[str, float], square: int, content: str) -> float:
    """Probability that a square holds X, O, anything (`filled`) or nothing (`empty`)."""
    wanted = {"filled": "XO", "empty": "."}.get(content, content)
    return sum(p for board, p in outcomes.items() if board[square - 1] in wanted)


def given(outcomes: Mapping[str, float], square: int, symbols: str) -> dict[str, float]:
    kept = {board: p for board, p in outcomes.items() if board[square - 1] in symbols}
    total = sum(kept.values())
    return {board: p / total for board, p in kept.items()}


def example(entry: Mapping[str, Any]) -> Oracle:
    return Oracle.replay(entry["record"], entry["level"], entry.get("options", ""), entry["first"])


def ids(entries: list[dict[str, Any]], key: str) -> list[str]:
    return [entry[key] for entry in entries]


@pytest.mark.parametrize("level", range(6))
def test_odds_computed_elsewhere(level: int) -> None:
    cases = [case for case in ODDS if case["level"] == level]
    assert len(cases) >= 14
    for case in cases:
        played = Oracle.replay(case["record"], level)
        assert played.full == case["full"], case["record"]
        assert distance(played.outcomes(case["mode"]), case["outcomes"]) < 1e-10, case["record"]


@pytest.mark.parametrize("entry", EXAMPLES, ids=ids(EXAMPLES, "name"))
def test_odds_of_the_rule_texts(entry: dict[str, Any]) -> None:
    played, expect = example(entry), entry["expect"]
    outcomes = played.outcomes(entry["mode"])
    tolerance = expect.get("tolerance", EXACT)
    assert sum(outcomes.values()) == pytest.approx(1, abs=EXACT)
    if "outcomes" in expect:
        assert set(outcomes) == set(expect["outcomes"])
    for board, probability in {**expect.get("outcomes", {}), **expect.get("some_outcomes", {})}.items():
        assert outcomes[board] == pytest.approx(probability, abs=tolerance), board
    if "board_count" in expect:
        assert len(outcomes) == expect["board_count"]
    if "each" in expect:
        assert all(abs(p - expect["each"]) < EXACT for p in outcomes.values())
    for square, contents in expect.get("squares", {}).items():
        for content, probability in contents.items():
            found = marginal(outcomes, int(square), content)
            assert found == pytest.approx(probability, abs=tolerance), (square, content)
    for verdict, probability in expect.get("result", {}).items():
        assert played.results(entry["mode"])[verdict] == pytest.approx(probability, abs=EXACT), verdict
    for board in expect.get("impossible_in_standard", []):
        assert board not in played.outcomes("standard")


@pytest.mark.parametrize("entry", EXAMPLES, ids=ids(EXAMPLES, "name"))
def test_turns_and_legal_moves_of_the_rule_texts(entry: dict[str, Any]) -> None:
    played, expect = example(entry), entry["expect"]
    legal = played.legal()
    plain = [token for token in legal if "~" not in token]
    for key, found in {
        "full": played.full,
        "turn": played.turn,
        "view": played.view,
        "legal": legal,
        "legal_plain": plain,
        "legal_after_switch": [token for token in legal if token.startswith("~")],
        "attacks": [token for token in plain if token[1:2] in ("*", "-")],
    }.items():
        if key in expect:
            assert found == expect[key], key
    assert set(expect.get("legal_contains", [])) <= set(legal)
    assert not set(expect.get("legal_lacks", [])) & set(legal)


def dice_of(played: Oracle, square: int) -> list[str] | None:
    """The dice of a square as the rules show an unattacked piece; None for a closed square."""
    piece = played.pieces[square]
    two, one = (2, 1) if piece.half else (4, 2)
    dice = {
        "X": [f"△{two}"],
        "O": [f"□{two}"],
        "+": [f"△{one}", f"□{one}"],
        "-": [f"△{one}", f"□-{one}"],
    }
    return dice[piece.look] if piece.look else None


@pytest.mark.parametrize("entry", EXAMPLES, ids=ids(EXAMPLES, "name"))
def test_pieces_match_the_dice_of_the_rule_texts(entry: dict[str, Any]) -> None:
    played, expect = example(entry), entry["expect"]
    back = played.copy()
    back._switch()
    for key, position in {"dice": played, "dice_standard_view": back}.items():
        for square, dice in expect.get(key, {}).items():
            found = dice_of(position, int(square))
            if found is None:
                assert len(dice) == 2, (key, square)
            else:
                assert found == dice, (key, square)


@pytest.mark.parametrize(
    "entry", [e for e in EXAMPLES if "rolls" in e["expect"]], ids=lambda entry: str(entry["name"])
)
def test_roll_by_roll(entry: dict[str, Any]) -> None:
    played, expect = example(entry), entry["expect"]
    outcomes = played.outcomes(entry["mode"])
    for roll in expect["rolls"]:
        yes = "XO" if roll["asks"] == "position" else roll["player"]
        no = "".join(set("XO.") - set(yes))
        square = roll["square"]
        p_yes = marginal(outcomes, square, "filled" if roll["asks"] == "position" else roll["player"])
        assert p_yes == pytest.approx(roll["p_yes"], abs=EXACT), roll
        outcomes = given(outcomes, square, yes if roll["answer"] else no)
        for content, squares in roll.get("then", {}).items():
            for other, probability in squares.items():
                found = marginal(outcomes, int(other), content)
                assert found == pytest.approx(probability, abs=EXACT), (roll, content, other)
    assert outcomes == pytest.approx({expect["final_board"]: 1.0}, abs=EXACT)
    if "final_verdict" in expect:
        assert played.verdict(expect["final_board"]) == expect["final_verdict"]


@pytest.mark.parametrize("row", ROLL_TABLE, ids=ids(ROLL_TABLE, "state"))
def test_roll_tables(row: dict[str, Any]) -> None:
    outcomes = example(row).outcomes(row["mode"])
    for square, symbol in row["given"].items():
        outcomes = given(outcomes, int(square), symbol)
    found = marginal(outcomes, row["square"], row["result"])
    assert found == pytest.approx(row["exact"], abs=EXACT)
    formula = row["formula"].replace("√2", "*2**0.5")
    assert found == pytest.approx(eval(formula, {"__builtins__": {}}), abs=EXACT)


@pytest.mark.parametrize(
    ("record", "mode", "square", "result", "percent"),
    [
        ("1+3 1-2", "standard", 1, "X", "3.318"),
        ("1+3 1-2 9 3-4", "standard", 1, "X", "2.705"),
        ("1+3 1-2 9 3-4", "standard", 3, "X", "2.705"),
    ],
)
def test_percentages_of_half_cancelled_squares(
    record: str, mode: oracle_module.Mode, square: int, result: str, percent: str
) -> None:
    assert f"{100 * marginal(Oracle.replay(record, 4).outcomes(mode), square, result):.3f}" == percent


def test_percentage_of_a_target_in_rotated_mode() -> None:
    outcomes = given(Oracle.replay("1+3 1-2", 4).outcomes("rotated"), 2, "XO")
    assert f"{100 * marginal(outcomes, 2, 'O'):.2f}" == "97.14"


@pytest.mark.parametrize("level", range(6))
def test_perft(level: int) -> None:
    counts = PERFT[str(level)]
    assert [perft(level, depth) for depth in range(1, len(counts) + 1)] == counts


# Laws that hold whatever the position


@pytest.mark.parametrize("options", ["", "view=physical"])
@pytest.mark.parametrize("level", range(6))
def test_factors_multiply_to_the_joint_state(level: int, options: str) -> None:
    """The same games followed as one undivided state vector of nine squares."""
    rng = random.Random(f"joint {level} {options}")
    for _ in range(15):
        whole: Oracle | None = None
        for token, played in random_game(level, rng, options, phases=2, first="X"):
            whole = whole or Oracle(level, options)
            whole.play(token)
            whole.state = JointState((whole.state.merged()[0],))
            assert distance(whole.outcomes(), played.outcomes()) < EXACT


@pytest.mark.parametrize("options", ["", "view=physical", "quantum-only,view-switches=2"])
@pytest.mark.parametrize("level", range(6))
def test_random_games(level: int, options: str) -> None:
    """Probabilities are normalised, positions do not depend on the mode, and what is drawn is accepted."""
    rng = random.Random(f"games {level} {options}")
    ended = 0
    for _ in range(25):
        played = Oracle(level, options)
        for _token, played in random_game(level, rng, options, phases=6):
            outcomes = played.outcomes()
            assert sum(outcomes.values()) == pytest.approx(1, abs=EXACT)
            if level >= 4:
                rotated = patterns(played.outcomes("rotated"))
                assert distance(played.positions(), rotated) < EXACT
            if played.full:
                assert not played.legal()
            elif not played.over:
                assert played.legal()
        ended += played.over
    assert ended >= 15


def patterns(outcomes: Mapping[str, float]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for board, p in outcomes.items():
        totals[pattern(board)] = totals.get(pattern(board), 0.0) + p
    return totals


@pytest.mark.parametrize("level", [4, 5])
def test_observing_positions_first_changes_nothing(level: int) -> None:
    rng = random.Random(f"positions {level}")
    for _ in range(10):
        for _token, played in random_game(level, rng, phases=1):
            if not played.full or played.pending_positions is not None:
                continue
            for mode in played.modes():
                two_steps: dict[str, float] = {}
                for filled, p in played.positions().items():
                    later = played.copy()
                    later.play(f"=p:{filled}")
                    for board, chance in later.outcomes(mode).items():
                        two_steps[board] = two_steps.get(board, 0.0) + p * chance
                assert distance(two_steps, played.outcomes(mode)) < EXACT


@pytest.mark.parametrize("level", [1, 2])
def test_measuring_a_square_early_changes_nothing(level: int) -> None:
    """Averaged over its results, a measurement leaves the distribution of the final board as it was."""
    rng = random.Random(f"measure {level}")
    checked = 0
    for _ in range(20):
        for _token, played in random_game(level, rng, "measure-turn", phases=2):
            for question in played.measurable():
                averaged: dict[str, float] = {}
                for symbol, p in played.measurement(int(question[1:])).items():
                    later = played.copy()
                    later.play(f"{question}={symbol}")
                    for board, chance in later.outcomes().items():
                        averaged[board] = averaged.get(board, 0.0) + p * chance
                assert distance(averaged, played.outcomes()) < EXACT
                checked += 1
    assert checked > 200


HALF_ENTANGLED = "1+3 1*2"  # X over 1 and 3, entangled with O from 1 into 2
DOUBLY = "1+3 1*2 9 3*4"


@pytest.mark.parametrize(
    ("record", "measured", "opened"),
    [
        ("1", "?1=X", {}),
        ("1+3", "?1=X", {3: "empty"}),
        ("1+3", "?1=.", {1: "empty", 3: "O"}),
        ("1 1*2", "?1=X", {2: "X"}),
        ("1 1*2", "?1=O", {2: "O"}),
        (HALF_ENTANGLED, "?3=X", {1: "X", 2: "X"}),
        (HALF_ENTANGLED, "?3=.", {3: "empty", 1: None, 2: None}),
        (HALF_ENTANGLED, "?1=X", {3: "empty", 2: "X"}),
        (HALF_ENTANGLED, "?1=O", {2: "O", 3: "O"}),
        (HALF_ENTANGLED, "?1=.", {1: "empty", 2: "X", 3: "O"}),
        (HALF_ENTANGLED, "?2=X", {1: "X", 3: "empty"}),
        (HALF_ENTANGLED, "?2=O", {1: "O", 3: "O"}),
        (HALF_ENTANGLED, "?2=.", {2: "empty", 1: "X", 3: "O"}),
        (DOUBLY, "?1=X", {2: "X", 3: "X", 4: "X"}),
        (DOUBLY, "?1=O", {2: "O", 3: None, 4: None}),
        (DOUBLY, "?1=.", {1: "empty", 2: "X", 3: None, 4: None}),
    ],
)
def test_squares_after_a_measurement(record: str, measured: str, opened: dict[int, str | None]) -> None:
    """Who may attack what is left of a root, by hand from the roll rules (1s double or vanish)."""
    played = Oracle.replay(f"{record} {measured}", 2, "measure-turn")
    for square, player in opened.items():
        if player == "empty":
            assert square in played.empty()
        else:
            assert square not in played.empty()
            assert played.open_to(square) == player
    assert f"?{measured[1]}" not in played.measurable()


def test_a_collapsed_root_may_be_entangled_again() -> None:
    """To `no-double-entanglement` a root collapsed to a plain superposition is new; a spread one is not."""
    options = "measure-turn,no-double-entanglement"
    collapsed = Oracle.replay(f"{HALF_ENTANGLED} ?1=O", 2, options)
    assert collapsed.turn == "O"
    assert "2*4" in collapsed.legal()
    still_spread = Oracle.replay(f"{HALF_ENTANGLED} 9", 2, options)
    assert "3*4" not in still_spread.legal()
    assert "3*4" in Oracle.replay(f"{HALF_ENTANGLED} 9", 2).legal()


# Options and ends


def test_one_all_is_final_at_level_2_only() -> None:
    board = "XXX.OOO.."
    assert Oracle(2).verdict("XXXOOO...") == "tie"
    assert Oracle(1).verdict("XXXOOO...") == "continue"
    assert Oracle(2, "measure-turn").verdict("XXXOOO...") == "continue"
    assert Oracle(2).verdict(board) == "X"


def test_majority_of_lines() -> None:
    assert lines_of("XXXXOOXOO", "X") == 2
    assert Oracle(3).verdict("XXXOOOX.X") == "continue"
    assert Oracle(3).verdict("XXXOOOXXX") == "X"


def test_tally_plays_on_until_the_board_is_filled() -> None:
    played = Oracle.replay("1 5 2 6 3+4 7 8 9 =XXX.OOOXO 4", 1, "tally")
    assert played.results() == pytest.approx({"X": 1, "O": 0, "tie": 0, "continue": 0})


def test_quantum_only_falls_back_to_classical_moves() -> None:
    played = Oracle.replay("1+2 3+4 5+6 7+8", 1, "quantum-only")
    assert played.legal() == ["9"]


def test_entangling_a_root_twice_can_be_forbidden() -> None:
    played = Oracle.replay("1+2 1*3 9", 3, "no-double-entanglement")
    assert "2*4" not in played.legal()
    assert "2-4" in played.legal()
    cancelled_first = Oracle.replay("1+2 1-3 9", 3, "no-double-entanglement")
    assert "2*4" in cancelled_first.legal()


def test_view_switches() -> None:
    assert not any("~" in token for token in Oracle.replay("5~ 1", 5).legal())
    assert "~1" in Oracle.replay("5~", 5).legal()
    assert not any(token.startswith("~") and token.endswith("~") for token in Oracle(5).legal())
    twice = Oracle.replay("~5~", 5, "view-switches=2")
    assert twice.view == "standard"
    twice.play("1")
    assert not any("~" in token for token in twice.legal())
    assert Oracle(5, "view-switches=0").legal() == Oracle(4).legal()


def test_max_observations_end_a_game_as_a_tie() -> None:
    record = "1+2 3+4 5+6 7+8 9 =X.O..XO.X"
    assert Oracle.replay(record, 5, "max-observations=1").result == "tie"
    assert not Oracle.replay(record, 5, "max-observations=2").over


def test_no_ties_observes_a_full_board_again() -> None:
    board = "XOXXOOOXX"
    record = "1 2 3 5 4 6 8 7 9 =" + board
    assert Oracle.replay(record, 5).result == "tie"
    played = Oracle.replay(record, 5, "no-ties")
    assert played.full
    assert played.modes() == ["rotated"]
    assert len(played.outcomes("rotated")) == 512
    played.play("=r:" + board)
    assert played.modes() == ["standard"]
    played.play("=" + board)
    played.play("=r:XXXOOXOXO")
    assert played.result == "X"


def test_physical_view_rotates_what_half_entangling_left_behind() -> None:
    """O spreads over 1 and 3 if X is in 2; only the physical reading turns O back with the view."""
    record = "~1+2 1*3"
    tabletop = given(Oracle.replay(record, 5).outcomes(), 2, "XO")
    physical = given(Oracle.replay(record, 5, "view=physical").outcomes(), 2, "XO")
    assert marginal(tabletop, 1, "O") == pytest.approx(0.5, abs=EXACT)
    assert marginal(tabletop, 1, "X") == 0
    assert marginal(physical, 1, "O") == pytest.approx(0.25, abs=EXACT)
    assert marginal(physical, 1, "X") == pytest.approx(0.25, abs=EXACT)


def test_the_two_views_agree_unless_a_half_was_attacked_in_the_rotated_view() -> None:
    rng = random.Random("views")
    games = differing = 0
    for _ in range(60):
        tabletop, physical = Oracle(5), Oracle(5, "view=physical")
        attacked_there = False
        for token, _played in random_game(5, rng, phases=1, first="X"):
            if token.startswith("="):
                break
            move = token.strip("~")
            in_rotated_view = tabletop.rotated_view != token.startswith("~")
            if move[1:2] in ("*", "-") and tabletop.pieces[int(move[0])].half and in_rotated_view:
                attacked_there = True
            tabletop.play(token)
            physical.play(token)
            assert tabletop.legal() == physical.legal()
        apart = max(distance(tabletop.outcomes(mode), physical.outcomes(mode)) for mode in tabletop.modes())
        if not attacked_there:
            assert apart < EXACT
        games += not attacked_there
        differing += apart > 1e-9
    assert games >= 20
    assert differing >= 5


@pytest.mark.parametrize(
    ("level", "record", "token"),
    [
        (0, "", "1+2"),
        (1, "1", "1*2"),
        (2, "1", "1-2"),
        (2, "1", "1"),
        (2, "", "1+1"),
        (2, "", "0"),
        (2, "1 1*2", "1*3"),
        (2, "1 2", "1*3"),
        (4, "", "~1"),
        (2, "1", "=X........"),
        (1, "1 2 3 4 5 6 7 8+9", "=XOXOXOX.."),
        (1, "1 2 3 4 5 6 7 8+9", "=r:XOXOXOXO."),
        (1, "1 2 3 4 5 6 7 8+9", "=p:########."),
        (1, "1 2 3 4 5 6 7 8+9", "9"),
        (2, "1", "?1=X"),
    ],
)
def test_illegal_tokens(level: int, record: str, token: str) -> None:
    played = Oracle.replay(record, level)
    before = dict(played.__dict__)
    with pytest.raises(IllegalTokenError, match=r".+: "):
        played.play(token)
    assert played.__dict__ == before


# The data can tell a wrong model


def test_the_triplet_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Had the entangling move made the symmetric pair, symbols would come out alike in the rotated mode."""
    half = 0.5**0.5

    def triplet(p: str, a: int, b: int) -> ConfigurationMap:
        q = oracle_module.OPPONENT[p]

        def rule(c: str) -> list[tuple[str, float]]:
            if c[a - 1] == ".":
                return [(put(c, a, p), half), (put(c, b, p), half)]
            return [(put(c, b, p), half), (put(put(c, a, p), b, q), half)]

        return rule

    def wrong(case: Mapping[str, Any]) -> bool:
        try:
            played = Oracle.replay(case["record"], case["level"])
        except IllegalTokenError:
            return True  # the record holds an observation this model calls impossible
        return distance(played.outcomes(case["mode"]), case["outcomes"]) > 1e-9

    assert not any(wrong(case) for case in ODDS)
    monkeypatch.setattr(oracle_module, "entangling", triplet)
    assert {case["level"] for case in ODDS if wrong(case)} == {4, 5}


def test_maps_outside_their_domain_are_refused() -> None:
    state = JointState().apply([1], lambda c: [(put(c, 1, "X"), 1.0)])
    with pytest.raises(NotIsometricError, match="norm 2"):
        state.apply([1], lambda c: [(c, 1.0), (put(c, 1, "O"), 1.0)])
    with pytest.raises(AssertionError, match="square 1 is not O's"):
        state.apply([1, 2], oracle_module.entangling("X", 1, 2))
