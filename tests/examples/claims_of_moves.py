"""What the texts claim of dice, moves and views, with what the program says in the gaps."""

from collections.abc import Iterator
from functools import cache

from qttt.display.status import supply
from qttt.game import Game
from qttt.game.dice import COLOURS, amplitude_of
from qttt.game.moves import Kind, Move
from qttt.game.odds import distance
from qttt.game.roots import read_roots, root_state
from qttt.game.rules import LEVELS, Level, Options
from qttt.game.squares import NAMES, SQUARES
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.teaching.guide.pages import rules_of
from qttt.teaching.guide.sections import Diagram, played, share
from tests.examples.claims import (
    NUMBERS,
    Claim,
    O,
    X,
    after_observation,
    alone,
    at,
    attacked,
    cancels,
    entangles,
    has_modes,
    has_views,
    invader,
    kind_of,
    nobody_attacks,
    odds,
    plays_on,
    signed,
    superposes,
)
from tests.support.games import random_game


def only(found: set[str]) -> str:
    """The one word that is true everywhere."""
    (word,) = found
    return word


@cache
def games(level: int) -> tuple[Game, ...]:
    return tuple(random_game(level, seed) for seed in range(12))


def moves(level: int) -> Iterator[tuple[State, Move, State]]:
    """Every move of random games without view switches: the state before it, and after it."""
    for game in games(level):
        for event, before in zip(game.events, game.states, strict=False):
            if isinstance(event, Move) and not event.switches:
                yield before, event, before.child(event)


def new_pieces(before: State, after: State) -> set[tuple[Symbol, int]]:
    pieces = [{die.piece for dice in state.position.dice for die in dice} for state in (before, after)]
    return pieces[1] - pieces[0]


def colours_a_turn(level: Level) -> tuple[str, str]:
    assert all(after.turn is before.turn.opponent for before, _, after in moves(level.number))
    counts = {len(new_pieces(before, after)) for before, _, after in moves(level.number)}
    return "one", NUMBERS[max(counts)]


def its_colour(level: Level) -> str:
    """Whether the colour that a move takes lies on the board already."""
    found = set()
    for before, _, after in moves(level.number):
        mine = {die.colour for dice in before.position.dice for die in dice if die.owner is before.turn}
        for _, number in new_pieces(before, after):
            found.add("is" if COLOURS[number % len(COLOURS)] in mine else "is not")
    return only(found)


def after_looking(level: Level) -> str:
    """What a square with an observed symbol is in all that follows."""
    if not superposes(level):  # No square is ever found empty: nobody moves again.
        assert Game(level.number).play("1 2 3 4 5 6 7 8 9 =XOXOXOXOX").over
        return "closed"
    state = after_observation(level)
    seen = {square for square in SQUARES if state.position.is_observed(square)}
    used = {square for move in state.legal_moves() for square in move.squares}
    return "open" if seen & used else "closed"


@cache
def goes_into(kind: Kind, place: int) -> str:
    """What the squares of all legal moves of a kind are: empty, or open to the mover."""
    found = set()
    for state in (before for before, _, _ in moves(5)):
        for move in state.legal_here():
            if move.kind is kind:
                square = move.squares[place]
                opens = state.open_to(square) is state.turn
                found.add("empty" if state.position.is_empty(square) else "open" if opens else "closed")
    return only(found)


def whose(tokens: str, square: int, player: Symbol) -> str:
    """Whose shape a player's die in a square has."""
    (die,) = [die for die in at(tokens, square) if die.owner is player]
    return "own" if die.shape is player else "opponent"


def one_piece() -> tuple[str, str, str, str, str]:
    """Of a superposition: its pieces, its places, in how many it is found, how likely, and the other one."""
    state = played("1+3", 5).state
    pieces = {die.piece for dice in state.position.dice for die in dice}
    places = [square for square in SQUARES if state.position.at(square)]
    boards = state.odds().outcomes()
    found = {sum(cell != "." for cell in board) for board in boards}
    assert set(boards) == {"X........", "..X......"}
    each = set(boards.values())
    return NUMBERS[len(pieces)], NUMBERS[len(places)], NUMBERS[found.pop()], share(each.pop()), "empty"


def unattacked_half() -> str:
    """How much of a piece an attack on one of its squares touches."""
    same = at("1+3 1*2", 3) == at("1+3", 3)
    return "one half" if same else "all"


def half_entangled() -> tuple[str, str, str, str, str]:
    """Where the two pieces are, by the half in which the piece attacked is found."""
    boards = [board[:3] for board in played("1+3 1*2", 5).state.odds().outcomes()]
    attacked_half = {board for board in boards if board[2] == "."}
    assert attacked_half == {"XO.", "OX."}
    other = [board for board in boards if board[2] == "X"]
    counts = {board[:2].count("O") for board in other}
    return "that", "entangled", "other", "alone" if alone() else "entangled", NUMBERS[counts.pop()]


def takes_from(tokens: str, token: str) -> str:
    """Where the die comes from that an attack adds to the piece attacked."""
    before, after = (supply(played(said, 5)) for said in (tokens, f"{tokens} {token}"))
    key = (X, "red", X)
    assert before[0][key] == after[0][key]
    return "bank" if after[1][key] == before[1][key] - 1 else "hand"


def knows() -> tuple[str, str]:
    boards = [board[4:6] for board in played("5 5*6", 5).state.odds().outcomes()]
    return "one", "the other" if len({board[0] for board in boards}) == len(boards) else "nothing"


def weights_change() -> str:
    """How many of the weights that dice show are others when all is shared out anew."""
    found = odds("1+3 1-2", 3), odds("1+3 1-2", 2), odds("1+3 1-2", 1)
    raw = amplitude_of(at("1+3 1-2", 3)) ** 2, 0.25, amplitude_of(at("1+3 1-2", 1)) ** 2
    changed = [abs(odds_["X"] - weight) > 1e-3 for odds_, weight in zip(found, raw, strict=True)]
    changed.append(abs(found[1]["O"] - 0.5) > 1e-3)
    return "all" if all(changed) else "some"


def empties() -> str:
    return "not quite" if 0 < odds("1+3 1-2", 1)["X"] < 0.5 else "quite"


def before_sharing() -> str:
    """Whether a die's quarters hold before all is shared out anew, or after it."""
    (root,) = read_roots(played("1+3 1-2", 5).state.position)
    (die,) = at("1+3 1-2", 3)
    assert sum(float(value) ** 2 for value in root_state(root).values()) > 1
    return "after" if abs(odds("1+3 1-2", 3)["X"] - abs(die.value) / 4) < 1e-9 else "before"


def added_and(level: Level) -> tuple[str, str, str, str]:
    dice = at("1+3 1-2", 1)
    assert dice[0].shape is dice[1].shape
    total = sum(amplitude_of((die,)) for die in dice)
    assert amplitude_of(dice) == total
    (root,) = read_roots(played("1+3 1-2", 5).state.position)
    state = root_state(root)
    norm = sum(float(value) ** 2 for value in state.values())
    squared = abs(odds("1+3 1-2", 1)["X"] - total**2 / norm) < 1e-9
    return NUMBERS[len(dice)], "one", "added", "squared" if squared else "halved"


def left_there() -> tuple[str, ...]:
    """What the dice of a half-cancelled square come to, step by step."""
    total = amplitude_of(at("1+3 1-2", 1))
    (root,) = read_roots(played("1+3 1-2", 5).state.position)
    norm = sum(float(value) ** 2 for value in root_state(root).values())
    left = odds("1+3 1-2", 1)["X"]
    assert abs(left - total**2 / norm) < 1e-9
    size = f"{total:.4f}".replace("-", "−")
    return (
        "1", "two", "added", "½ − √½", size,
        "squared", f"{total**2:.4f}", "divided", f"{norm:.2f}", share(left),
    )  # fmt: skip


def open_means(level: Level) -> tuple[str, str]:
    """How many dice an open square holds, and of whose shape they are."""
    found = set()
    for before, _, _ in moves(level.number):
        for square, player in before.open_squares().items():
            dice = before.position.at(square)
            found.add((NUMBERS[len(dice)], "your" if dice[0].shape is player else "opponent"))
        for square in SQUARES:
            dice = before.position.at(square)
            if len(dice) == 1:
                assert before.open_to(square) is dice[0].shape.opponent
    (one,) = found
    return one


def open_needs() -> tuple[str, str, str, str]:
    """Whether an open square is open out of turn, and what it needs beside its one die."""
    turn = "their" if any(before.open_to(s) is before.turn.opponent for before, _, _ in moves(5)
                          for s in SQUARES) else "your"  # fmt: skip
    full = played("1 2 3 4 5 6 7 8 9", 5).state
    assert full.phase is not Phase.MOVE
    return turn, *open_means(LEVELS[5]), "empty" if not full.open_squares() else "filled"


def switch_keeps() -> str:
    """What a switch does to what will be found in squares that it turns."""
    for tokens in ("5", "1+3"):
        for mode in Mode:
            before, after = (played(said, 5).state.odds(mode).outcomes() for said in (tokens, f"{tokens}~"))
            assert distance(before, after) < 1e-9
    return "not change"


def shared_colours() -> tuple[str, str, str, str]:
    """How many pieces share a colour after an observation that found many, and where one each would fail."""
    state = played("1 2 3 4 5 6 7 8+9 =r:OXXXOXXX.", 5).state
    pieces = [(dice[0].owner, dice[0].colour) for square in SQUARES if (dice := state.position.at(square))]
    found_of_x = sum(owner is X for owner, _ in pieces)
    empty = len(state.position.empty_squares)
    assert found_of_x + (empty + 1) // 2 > len(COLOURS)
    most = max(pieces.count(piece) for piece in pieces)
    in_order = [colour for owner, colour in pieces if owner is X]
    assert in_order == sorted(in_order, key=COLOURS.index)
    return {2: "pairs"}[most], "few", "empty", NUMBERS[most].capitalize()


def diagram(level: Level, name: str) -> tuple[Diagram, Move, Symbol]:
    """A diagram of a page, its last move, and who made it."""
    (found,) = [
        part
        for section in rules_of(level)
        for part in section.parts
        if isinstance(part, Diagram) and part.name == name
    ]
    game = found.game()
    last = game.events[-1]
    assert isinstance(last, Move)
    return found, last, game.turn.opponent


def where(level: Level, name: str) -> tuple[str, ...]:
    """Who made the last move of a diagram, and its squares."""
    _, last, player = diagram(level, name)
    return (str(player), *map(str, last.squares))


def met(level: Level, name: str) -> tuple[str, ...]:
    """Who had played what before the last move of a diagram."""
    found, *_ = diagram(level, name)
    before = found.game().events[-2]
    assert isinstance(before, Move)
    return str(diagram(level, name)[2].opponent), "+".join(map(str, before.squares))


def later_half(level: Level) -> tuple[str, str]:
    found, last, player = diagram(level, "doubly-half-entangled")
    events = [event for event in found.game().events if isinstance(event, Move)]
    attacks = [event.squares[0] for event in events if event.kind.attacks]
    assert set(attacks) == set(events[0].squares)
    return str(player), "other" if last.squares[0] == attacks[-1] != attacks[0] else "same"


def opened(level: Level) -> tuple[str, str, str, str]:
    """Who switched in the diagram after a switch, what they played, and what is open to them then."""
    _, last, player = diagram(level, "view-after")
    before, *_ = diagram(level, "view-before")
    state = before.game().state
    (square,) = [
        square for square in SQUARES if attacked(state, square, switched=True) and not attacked(state, square)
    ]
    return str(player), str(last.squares[0]), NAMES[square - 1], str(player)


def around() -> tuple[str, str]:
    """In which mode a piece placed in the rotated view is certain, beside one placed in the other view."""
    standard, rotated = (
        next(mode for mode in Mode if odds(tokens, 5, mode)["X"] > 0.9) for tokens in ("5", "~5")
    )
    return "rotated", "the other way round" if standard is not rotated else "the same"


def half_attacked_dice() -> str:
    """What a switch read physically does to dice that cannot show it."""
    twice = played("~1+3 1*2~", 5, options="view=physical")
    once = played("~1+3 1*2", 5, options="view=physical")
    same = twice.state.position.at(1) == once.state.position.at(1)
    assert twice.state.position.twisted != once.state.position.twisted
    return "stay as they are" if same else "turn"


def switch_when() -> tuple[str, str, str, str]:
    words = {True: "before", False: "after"}
    return (
        words[Move.parse("~5").before], "~5", words[not Move.parse("5~").after], "5~",
    )  # fmt: skip


CLAIMS = [
    Claim(
        r"which dice belong to (\w+) piece, and each move takes a colour that (is(?: not)?) on the board",
        lambda level: ("one", its_colour(level)),
    ),
    Claim(r"Each turn is (\w+) move with (\w+) colour", colours_a_turn),
    Claim(
        r"A square with an observed symbol is (\w+) for the rest of the game",
        after_looking,
        lambda level: not plays_on(level),
    ),
    Claim(
        r"Place (\w+) die of your (\w+) shape with the (\d) up in an (\w+) square",
        lambda level: (
            NUMBERS[len(at("5", 5))],
            whose("5", 5, X),
            signed(at("5", 5)[0].value),
            goes_into(Kind.CLASSICAL, 0),
        ),
    ),
    Claim(
        r"One die of the player's (\w+) shape goes into an (\w+) square with the \d up: (\w+) of the piece",
        lambda level: (
            whose("5", 5, X),
            goes_into(Kind.CLASSICAL, 0),
            {1.0: "all"}[odds("5", 5)["X"]],
        ),
    ),
    Claim(
        r"when the board is observed, (\w+) symbol will be (\w+) in that square",
        lambda level: {1.0: ("your", "found")}[odds("5", 5)["X"]],
        lambda level: not has_modes(level),
    ),
    Claim(
        r"For a piece placed in the (\w+) view it is (the [\w ]+)\.",
        lambda level: around(),
        has_views,
    ),
    Claim(
        r"It is (\w+) piece in (\w+) places: it will be found in (\w+) of them, each with a chance of (.*?), "
        r"and then the other is (\w+)",
        lambda level: one_piece(),
        superposes,
    ),
    # Captions.
    Claim(
        r"([XO])'s classical move in the (\w+)\.",
        lambda level: (
            where(level, "classical")[0],
            NAMES[diagram(level, "classical")[1].squares[0] - 1],
        ),
    ),
    Claim(
        r"([XO])'s piece is half in (\d) and half in (\d)\.",
        lambda level: where(level, "superposition"),
        superposes,
    ),
    Claim(
        r"([XO]) had played (\d); ([XO]) entangles it into (\d)\.",
        lambda level: (*met(level, "entangling"), *where(level, "entangling")[::2]),
        entangles,
    ),
    Claim(
        r"([XO]) had played (\d\+\d); ([XO]) attacks the half in (\d)\.",
        lambda level: (*met(level, "half-entangling"), *where(level, "half-entangling")[:2]),
        entangles,
    ),
    Claim(r"Later ([XO]) attacks the (\w+) half too", later_half, entangles),
    Claim(
        r"([XO]) cancels ([XO])'s piece in 5: a minus in 6",
        lambda level: (where(level, "cancelling-by-o")[0], met(level, "cancelling-by-o")[0]),
        cancels,
    ),
    Claim(
        r"([XO]) half-cancels the half in (\d)",
        lambda level: where(level, "half-cancelling")[:2],
        cancels,
    ),
    Claim(
        r"After ([XO]) switches \(and plays (\d)\): the (\w+) is open to ([XO])",
        opened,
        has_views,
    ),
    Claim(
        r"A full board: the (\w+) begins",
        lambda level: diagram(level, "full-board")[0].game().state.phase.value.split()[-1],
    ),
    # Entangling.
    Claim(
        r"You may (\w+) place a die where you already have one: nobody attacks (\w+)",
        lambda level: ("not", nobody_attacks(level)),
        entangles,
    ),
    Claim(
        r"open to you when it holds exactly (\w+) die and that die has your (\w+)'s shape",
        open_means,
        entangles,
    ),
    Claim(
        r"Enter a square that is (\w+) to you with (\w+) die, and an (\w+) square with another of the (\w+) "
        r"colour",
        lambda level: (
            goes_into(Kind.ENTANGLING, 0),
            NUMBERS[sum(die.owner is O for die in at("5 5*6", 5))],
            goes_into(Kind.ENTANGLING, 1),
            "same" if at("5 5*6", 5)[1].colour == at("5 5*6", 6)[1].colour else "other",
        ),
        entangles,
    ),
    Claim(
        r"a second die of (\w+) colour with the same halved value comes from the (\w+) into the target, the "
        r"(\w+) square, beside (\w+)\.",
        lambda level: (
            "its" if at("5 5*6", 6)[0].piece == at("5 5*6", 5)[0].piece else "your",
            takes_from("5", "5*6"),
            goes_into(Kind.ENTANGLING, 1),
            "yours" if any(die.owner is O for die in at("5 5*6", 6)) else "theirs",
        ),
        entangles,
    ),
    Claim(r"To know (\w+) is to know (.*?)\.", lambda level: knows(), entangles),
    Claim(r"halves it to 1s, and only ([\w ]+?) of the piece is", lambda level: unattacked_half(), entangles),
    Claim(
        r"If the piece is found in (\w+) half, the two pieces are (\w+) as above; if it is found in the "
        r"(\w+) "
        r"half, your piece is (\w+), in (\w+) of the two squares",
        lambda level: half_entangled(),
        entangles,
    ),
    Claim(
        r"The same attack on ([\w ]+) of a superposition: if the piece turns out to be in (\w+) half, the "
        r"two "
        r"pieces are (\w+); if it is in the (\w+) half, the attacker's piece (\w+) is in (\w+) of the two",
        lambda level: (unattacked_half(), "this", *half_entangled()[1:]),
        entangles,
    ),
    Claim(
        r"The mover's (\w+) dice enter the (\w+)'s square and an (\w+) one; the (\w+)'s die (\w+), its other "
        r"half is dragged along, and the two pieces will be found (\w+) in each square",
        lambda level: (
            NUMBERS[sum(die.owner is O for square in SQUARES for die in at("5 5*6", square))],
            "opponent" if at("5", 5)[0].owner is O.opponent else "mover",
            goes_into(Kind.ENTANGLING, 1),
            "opponent",
            "halves" if 2 * at("5 5*6", 5)[0].value == at("5", 5)[0].value else "doubles",
            NUMBERS[1 if "." not in {b[4] for b in played("5 5*6", 5).state.odds().outcomes()} else 0],
        ),
        entangles,
    ),
    # Cancelling.
    Claim(
        r"Enter a square that is (\w+) to you with a die of (\w+) colour but of your (\w+)'s shape, with "
        r"(.*?) "
        r"up\. Into an (\w+) square goes a die of your (\w+) shape",
        lambda level: (
            goes_into(Kind.CANCELLING, 0),
            "your",
            whose("5 5-6", 5, O),
            invader(),
            goes_into(Kind.CANCELLING, 1),
            whose("5 5-6", 6, O),
        ),
        cancels,
    ),
    Claim(
        r"The die that you met is (\w+), and a second one of (\w+) colour joins yours in the (\w+) square",
        lambda level: (
            {2: "halved"}[at("5", 5)[0].value // at("5 5-6", 5)[0].value],
            "its" if at("5 5-6", 6)[0].piece == at("5 5-6", 5)[0].piece else "your",
            "other",
        ),
        cancels,
    ),
    Claim(
        r"The piece goes on in the (\w+) square, in a (\w+) state \(.*?\) if X cancelled, in a (\w+) state "
        r"\(.*?\) if O did: it is there for (\w+), and its symbol is (\w+)\.",
        lambda level: (
            "other",
            kind_of("5 5-6", 6, O),
            kind_of("5 5-6", 6, X),
            {0.0: "certain"}[odds("5 5-6", 6)["."]],
            "undecided" if 0.1 < odds("5 5-6", 6)["X"] < 0.9 else "certain",
        ),
        cancels,
    ),
    Claim(
        r"so that the square is (not quite|quite) empty: ½ − √½ is (not 0|0)\.",
        lambda level: (empties(), "not 0" if amplitude_of(at("1+3 1-2", 1)) else "0"),
        cancels,
    ),
    Claim(r"(\w+) weights are shared out anew\.", lambda level: weights_change().capitalize(), cancels),
    Claim(r"and (\w+) weights are shared out anew;", lambda level: weights_change(), cancels),
    Claim(
        r"With (\w) on (\d) and (\d), and (\w) cancelling (\d) into (\d)",
        lambda level: ("X", "1", "3", "O", "1", "2"),
        cancels,
    ),
    Claim(
        r"A die of the (\w+)'s shape with a (\w+) value enters the (\w+)'s square, so that the square sums "
        r"to "
        r"(\w+) and will be (\w+); the piece goes on in the (\w+) square",
        lambda level: (
            whose("5 5-6", 5, O),
            "negative" if invader().startswith("−") else "positive",
            "opponent",
            {0.0: "nothing"}[amplitude_of(at("5 5-6", 5))],
            {1.0: "empty"}[odds("5 5-6", 5)["."]],
            "other" if odds("5 5-6", 6)["."] == 0 else "same",
        ),
        cancels,
    ),
    Claim(
        r"the piece (may|cannot) go on in the target with",
        lambda level: "may" if odds("1+3 1-2", 2)["X"] > 0 else "cannot",
        cancels,
    ),
    Claim(
        r"A die that is (\w+) with its shape in a square so says that \|v\| quarters of the piece are there, "
        r"(\w+) anything is shared out anew",
        lambda level: ("alone", before_sharing()),
        cancels,
    ),
    Claim(
        r"Where (\w+) dice of (\w+) shape meet, their amplitudes are (\w+) first, and the sum is (\w+)",
        added_and,
        cancels,
    ),
    Claim(
        r"in square (\d) the amplitudes of the (\w+) dice are (\w+), \S+ − \S+ = 0, and so (\w+) will be "
        r"found",
        lambda level: ("5", "two", "added", {1.0: "nothing"}[odds("5 5-6", 5)["."]]),
        cancels,
    ),
    Claim(
        r"in square (\d) the amplitudes of the (\w+) dice are (\w+), (\S+ − \S+) = ([^0]\S+), and the sum is "
        r"(\w+), (\S+); all squares of the piece are then (\w+) by their sum, (\S+), which leaves (.*?) "
        r"there",
        lambda level: left_there(),
        cancels,
    ),
    Claim(r"If you met a (\d), its square now", lambda level: signed(at("5", 5)[0].value), cancels),
    Claim(r"(\w+) of the piece is there: when", lambda level: {1.0: "All"}[odds("5", 5)["X"]]),
    Claim(r"(\w+) colours always suffice", lambda level: NUMBERS[len(COLOURS)].capitalize(), superposes),
    # Views.
    Claim(
        r"after ~1\+3 1-2, read in (\w+) mode, square (\d) will hold O with ([\d.]+ %)",
        lambda level: next(
            (str(mode), str(square), "38.67 %")
            for mode in Mode
            for square in SQUARES
            if share(odds("~1+3 1-2", square, mode)["O"]) == "38.67 %"
        ),
        has_views,
    ),
    Claim(
        r"you may switch it (\w+) your move \((.*?)\) or (\w+) it \((.*?)\)",
        lambda level: switch_when(),
        has_views,
    ),
    Claim(r"What will be found there does (not change|change):", lambda level: switch_keeps(), has_views),
    Claim(
        r"read as they lie \(the (\w+) reading, which holds unless",
        lambda level: "physical" if Options().physical_view else "tabletop",
        has_views,
    ),
    Claim(r"and every (\w+) square is rotated", lambda level: "occupied", has_views),
    Claim(
        r"where the dice of a (\w+)-attacked piece cannot show that, they ([\w ]+)\.",
        lambda level: ("half", half_attacked_dice()),
        has_views,
    ),
    Claim(
        r"they are lone dice now, and (can|cannot) be attacked",
        lambda level: "can" if any(attacked(after_observation(level), s) for s in SQUARES) else "cannot",
        plays_on,
    ),
    Claim(
        r"every observed symbol becomes a lone die with the \d up and (can|cannot) be played on",
        lambda level: "can" if any(attacked(after_observation(level), s) for s in SQUARES) else "cannot",
        plays_on,
    ),
    Claim(
        r"(?:If|As) the game (goes on|ends), e\w+ observed symbol becomes",
        lambda level: "goes on" if after_observation(level).phase is Phase.MOVE else "ends",
        plays_on,
    ),
    Claim(
        r"take the colours in (\w+), in the order of their squares, where one each would leave too (\w+) "
        r"for the "
        r"(\w+) squares\. (\w+) pieces of one colour are told apart",
        lambda level: shared_colours(),
        plays_on,
    ),
    Claim(
        r"can be seen in the (\w+) or in the (\w+) view; the view token shows which",
        lambda level: tuple(map(str, View)),
        has_views,
    ),
]
