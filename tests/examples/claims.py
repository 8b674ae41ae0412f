"""What guide, lessons and glossary claim, held sentence by sentence against the code that decides.

A claim is a sentence with gaps. Wherever the texts say it, the words in the gaps have to be those that the
program computes; and it has to be said at every level where it belongs. So a number or a word that is
changed into something false fails, and so does a sentence that is no longer found. This module has what
claims are made of, and the first of them; more stand in `claims_of_moves`, `claims_at_the_table` and
`claims_of_physics`, and `test_claims` holds them all.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import cos, pi, sqrt
from random import Random

import numpy as np
import pytest
from qiskit.quantum_info import Operator

from qttt.game import Game
from qttt.game.configurations import Configuration, turned
from qttt.game.dice import COLOURS, Die, amplitude_of, die_of
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Observation, Positions
from qttt.game.position import Position
from qttt.game.roots import read_roots, root_state, rotated
from qttt.game.rules import DEFAULT_LEVEL, LEVELS, Level, Rules, options_at
from qttt.game.squares import NAMES, SQUARES, lines_of
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.observation.compiler import compile_moves
from qttt.players.matches import Match
from qttt.teaching.guide.sections import played, share
from qttt.teaching.lesson import rule_sentences
from qttt.teaching.lesson.circuit_steps import board_parts
from qttt.teaching.lesson.phrases import sign_note
from tests.support.games import random_game
from tests.teaching.lesson.test_lesson import value_of

Corpus = dict[int, str]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
X, O = Symbol  # noqa: E741 - the rules' own letter


def cleaned(text: str) -> str:
    """Text in one line, without the marks of Markdown."""
    return " ".join(text.replace("`", "").split())


def lesson_sentences(level: Level) -> Iterator[str]:
    """Every sentence that a lesson can say at a level."""
    for tokens in ("5", "1+3", "5 5*6", "1+3 1*2", "5 5-6", "1+3 1-2"):
        for first in Symbol:
            game = Game(rules=Rules.of(level.number), first=first)
            for token in tokens.split():
                move = Move.parse(token)
                if not level.allows(move.kind):
                    break
                yield rule_sentences.move_rule(move, game.state.position, game.turn, level).sentence
                if move.kind is Kind.CANCELLING:
                    rule = rule_sentences.interference_rule(game.state.position, move, game.turn)
                    yield rule.sentence
                game.push(move)
            yield sign_note(board_parts(game), level)
    for mode in Mode if level.rotated_mode else (Mode.STANDARD,):
        yield rule_sentences.observation_rule(State(Rules(level)), mode).sentence
        if "no-ties" in options_at(level):
            yield rule_sentences.observation_rule(State(Rules(level), repeats=1), mode).sentence
    yield rule_sentences.EVERY_PIECE_RULE.sentence
    if level.rotated_mode:
        yield rule_sentences.POSITIONS_RULE.sentence
    if level.rotated_view:
        yield rule_sentences.VIEW_BACK_RULE.sentence
        yield from (rule_sentences.switch_rule(view, physical=False).sentence for view in View)
        yield from (rule_sentences.switch_rule(view, physical=True).sentence for view in View)
    if level.observed_in_play:
        yield rule_sentences.IN_PLAY_RULE.sentence


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence with gaps.

    Attributes:
        text: a regular expression.
        truth: what stands in its gaps, computed for a level.
        levels: where it has to be said.
    """

    text: str
    truth: Callable[[Level], "tuple[str | None, ...] | str"]
    levels: Callable[[Level], bool] = lambda level: True

    def faults(self, corpus: Corpus) -> Iterator[str]:
        """What is wrong with it in some texts."""
        for level in LEVELS:
            found = [match.groups() for match in re.finditer(self.text, corpus[level.number])]
            if not found and self.levels(level):
                yield f"Level {level.number} does not say: {self.text}"
            for gaps in found:
                truth = _truth(self, level)
                if gaps != truth:
                    yield f"Level {level.number} says {gaps} and not {truth}: {self.text}"


@cache
def _truth(claim: Claim, level: Level) -> tuple[str | None, ...]:
    truth = claim.truth(level)
    return truth if isinstance(truth, tuple) else (truth,)


def superposes(level: Level) -> bool:
    return level.allows(Kind.SUPERPOSITION)


def entangles(level: Level) -> bool:
    return level.allows(Kind.ENTANGLING)


def cancels(level: Level) -> bool:
    return level.allows(Kind.CANCELLING)


def has_modes(level: Level) -> bool:
    return len(Game(level.number).state.modes) > 1


def has_views(level: Level) -> bool:
    return Rules.of(level.number).view_switches > 0


def plays_on(level: Level) -> bool:
    return level.observed_in_play


FIRST_WITH_MODES = next(level.number for level in LEVELS if has_modes(level))


def at(tokens: str, square: int, first: Symbol = X, level: int = 5) -> tuple[Die, ...]:
    """The dice in a square after some moves."""
    return played(tokens, level, first).state.position.at(square)


def odds(tokens: str, square: int, mode: Mode = Mode.STANDARD, first: Symbol = X) -> dict[str, float]:
    return dict(played(tokens, 5, first).state.odds(mode).square(square))


def shown(dice: Iterable[Die]) -> str:
    """Dice as the texts write them: ``△2 □−2``."""
    return " ".join(f"{die.shape.glyph}{die.value}" for die in dice).replace("-", "−")


def signed(value: int) -> str:
    return str(value).replace("-", "−")


def certain(tokens: str, mode: Mode, first: Symbol = X) -> str:
    """The symbol that square 6 reads for certain."""
    (cell,) = [cell for cell, chance in odds(tokens, 6, mode, first).items() if chance > 1 - 1e-9]
    return Symbol(cell).glyph


@cache
def seen_dice(level: int) -> frozenset[tuple[Symbol, Symbol, int]]:
    """Owner, shape and value of the dice in random games that attack and switch where they can."""
    return frozenset((die.owner, die.shape, die.value) for dice in boards(level) for die in dice)


@cache
def boards(level: int) -> tuple[tuple[Die, ...], ...]:
    """The dice of each board in random games that attack and switch where they can."""
    found = []
    for seed in range(150):
        rng = Random(seed)
        game = Game(level)
        while moves := game.state.legal_moves():
            attacks = [move for move in moves if move.kind.attacks]
            game.push(rng.choice(attacks if attacks and rng.random() < 0.7 else moves))
            found.append(tuple(die for dice in game.state.position.dice for die in dice))
    return tuple(found)


def values_seen(level: Level, shape: Symbol) -> set[int]:
    return {value for _, of, value in seen_dice(level.number) if of is shape}


def most_dice(level: Level, *, own: bool) -> int:
    """The most dice of one colour, of the owner's shape or of the other, that a board ever shows."""
    most = 0
    for dice in boards(level.number):
        for owner, colour in {die.piece for die in dice}:
            mine = [die for die in dice if die.piece == (owner, colour) and (die.shape is owner) is own]
            most = max(most, len(mine))
    return most


def value_list(level: Level) -> tuple[str, str | None]:
    order = [4, 2, 1, -2, -1]
    both = [signed(v) for v in order if v in values_seen(level, X)]
    more = [signed(v) for v in order if v in values_seen(level, O) - values_seen(level, X)]
    return ", ".join(both), ", ".join(more) or None


def after_half_cancel(cell: str, square: int) -> str:
    return share(odds("1+3 1-2", square)[cell])


def weights() -> tuple[float, float, float]:
    """Sums of squares after half-cancelling: the piece met, missed, and half and half."""
    stay, move, take = sqrt(0.5) - 1, sqrt(0.5), 1.0
    met = stay**2 + move**2 + take**2
    return met, 1.0, (met + 1) / 2


def cards_meet() -> int:
    """The most of the four relations of a CHSH experiment that fixed answers can meet."""
    return max(
        sum((a[i] * b[j] == 1) is not (i == j == 1) for i, j in product((0, 1), repeat=2))
        for a in product((1, -1), repeat=2)
        for b in product((1, -1), repeat=2)
    )


def reading(options: str, cell: str) -> str:
    return share(played("~1+3 1-2", 5, options=options).state.odds().square(2)[cell])


def unattacked(shape: Symbol, value: int) -> str:
    return shown(turned((die_of(shape, 0, value),)))


def after_observation(level: Level) -> State:
    """A game that goes on after an observation."""
    rng = Random(1)
    while True:
        game = Game(level.number)
        while moves := game.state.legal_moves():
            game.push(rng.choice([move for move in moves if move.kind is Kind.SUPERPOSITION] or moves))
        before = game.state
        after = before.child(Observation(before.odds().draw(rng)))
        if after.phase is Phase.MOVE:
            assert after.turn is before.initiator.opponent
            return after


def goes_on(level: Level) -> str:
    return "lone die" if any(after_observation(level).position.dice) else "closed"


#: A match as `qttt play --games` and `selfplay --alternate` play it.
REMATCH = Match("random", "random", Rules.of(2), seed=1, alternate=True)
CLAIMS = [
    # The board.
    Claim("The board has (.*?) squares", lambda level: NUMBERS[len(SQUARES)]),
    *(
        Claim(
            rf"[:,] {square} ((?:top|bottom|middle|left|right)[a-z ]*)",
            lambda level, square=square: NAMES[square - 1],  # type: ignore[misc]
        )
        for square in SQUARES
    ),
    Claim("Player X plays (.) with (.*?)-sided", lambda level: (X.glyph, "four")),
    Claim("player O plays (.) with (.*?)-sided", lambda level: (O.glyph, "six")),
    Claim("Both have dice in ([a-z, ]+);", lambda level: ", ".join(COLOURS)),
    Claim("(.) starts unless", lambda level: str(Game().turn)),
    Claim(
        "in a rematch (.*?) player starts",
        lambda level: "the same" if REMATCH.starts(1) is REMATCH.starts(0) else "the other",
    ),
    Claim(r"At this level the values are ([0-9−, ]+?)(?:, and on □ dice (.*?) too)?\. A value", value_list),
    Claim(
        r"\|v\| (\w+)(?: of the piece are there|\.)",
        lambda level: {0.5: "quarters", 0.25: "eighths"}[odds("1+3", 1)["X"] * at("1+3", 1)[0].value / 2],
    ),
    Claim("how many (.*?) of the piece are there", lambda level: "quarters"),
    Claim(r"No square ever holds more than (\w+) dice", lambda level: NUMBERS[most_in_a_square(5)]),
    Claim(r"Every move fills at least (\w+) empty square", lambda level: NUMBERS[fewest_filled(level)]),
    Claim("nobody attacks (.*?)\\.", lambda level: nobody_attacks(level), entangles),
    Claim(
        r"stands for an amplitude: the (\w+) of \|v\| quarters, with the (\w+) of v",
        lambda level: behind_a_die(),
        cancels,
    ),
    Claim(
        r"of each colour (\w+) dice of their own shape(?: and (\w+) of the other)? to place, "
        r"and (.*?) in the bank, (from which the board adjusts itself|which nothing takes at this level)",
        lambda level: dice_set(level),
        superposes,
    ),
    # Moves.
    Claim(r"own shape with the (\d) up in an empty", lambda level: signed(at("5", 5)[0].value)),
    Claim(r"own shape goes into an empty square with the (\d) up", lambda level: signed(at("5", 5)[0].value)),
    Claim(
        r"(\w+) dice of one colour with the (\d) up in two different empty",
        lambda level: ("two", signed(at("1+3", 1)[0].value)),
        superposes,
    ),
    Claim(
        r"(\w+) dice of one colour go into two empty squares with the (\d) up",
        lambda level: ("Two", signed(at("1+3", 1)[0].value)),
        superposes,
    ),
    Claim("each with a chance of (.*?),", lambda level: share(odds("1+3", 1)["X"]), superposes),
    Claim(r"it will be found in (\w+) of them", lambda level: "one", superposes),
    Claim(r"both with the (\d) up", lambda level: signed(at("5 5*6", 6)[1].value), entangles),
    Claim(
        r"the die that you met is (\w+), and a second die of its colour with the same (\w+) value",
        lambda level: (halved(), halved()),
        entangles,
    ),
    Claim(
        r"If you met a (\d), the two pieces are entangled: one of the two squares will hold (.) and the "
        r"other (.)",
        lambda level: (signed(at("5", 5)[0].value), *pair_reads(Mode.STANDARD)),
        entangles,
    ),
    Claim(
        r"move against a (\d) halves it to (\d)s, and only one half",
        lambda level: (signed(at("1+3", 1)[0].value), lone_value("1+3 1*2")),
        entangles,
    ),
    Claim(
        r"move against a (\d) halves it to (\d)s\. The (.*?) outweighs the (\d) that stays",
        lambda level: (signed(at("1+3", 1)[0].value), *(lone_value("1+3 1-2"),), "−2", "1"),
        cancels,
    ),
    Claim(r"then the piece shows (\w+) (\d)s", lambda level: double_half(), entangles),
    Claim(
        r"if it is found in the other half, your piece is (.*?), in one of the two",
        lambda level: "alone" if alone() else "entangled",
        entangles,
    ),
    Claim(
        r"if it is in the other half, the attacker's piece (.*?) is in one of the two",
        lambda level: "alone" if alone() else "?",
        entangles,
    ),
    Claim(
        "(?:found one in each square, |they |come out )?(opposite|alike) in both modes",
        lambda level: alike(),
        has_modes,
    ),
    Claim(
        "of your colour but of your (.*?)'s shape, with (.*?) up",
        lambda level: ("opponent", invader()),
        cancels,
    ),
    Claim(
        "die of your own shape: (.*?) if you are X, (.*?) if you are O",
        lambda level: (own_die(X), own_die(O)),
        cancels,
    ),
    Claim(
        "square now holds (.*?) and (.*?) of one shape, which sum to (.*?):",
        lambda level: cancelled_dice(),
        cancels,
    ),
    Claim(
        r"nothing: it will be (\w+) for certain, but it counts as (\w+) until",
        lambda level: cancelled_is(),
        cancels,
    ),
    Claim(
        r"in a plus state \((.*?)\) if (.) cancelled, in a minus state \((.*?)\) if (.) did",
        lambda level: (shown(at("5 5-6", 6, O)), "X", shown(at("5 5-6", 6, X)), "O"),
        cancels,
    ),
    Claim(r"O cancels X's piece in 5: a (\w+) in 6", lambda level: kind_of("5 5-6", 6, X), cancels),
    Claim(r"X cancels O's piece in 5: a (\w+) in 6", lambda level: kind_of("5 5-6", 6, O), cancels),
    Claim(
        r"The sign of this last die changes (\w+) at this level; it matters from Level (\d) on",
        lambda level: ("nothing", str(FIRST_WITH_MODES)),
        lambda level: cancels(level) and not has_modes(level),
    ),
    Claim(
        r"In (\w+) mode this sign will tell a minus from a plus",
        lambda level: sign_shows(),
        lambda level: cancels(level) and has_modes(level),
    ),
    Claim(
        r"X is in 3 with (.*? %), in 2 with (.*? %), still in 1 with (.*? %), and 2 holds O with (.*? %)",
        lambda level: (
            after_half_cancel("X", 3),
            after_half_cancel("X", 2),
            after_half_cancel("X", 1),
            after_half_cancel("O", 2),
        ),
        cancels,
    ),
    Claim(
        r"(\S+) and (\S+) give ([^.;]*?) = (.*?), squared (.*?); and as all such shares together are (.*?) "
        r"there, "
        "(.*?) are left",
        lambda level: shared_anew(),
        cancels,
    ),
    Claim("not quite empty: (.*?) is not 0", lambda level: "½ − √½", cancels),
    Claim("(No|A) piece is added to the board", lambda level: added_pieces(), cancels),
    Claim("state, and (no|a) piece is added", lambda level: added_pieces().lower(), cancels),
    Claim("shared out anew; (no|a) piece is added", lambda level: added_pieces().lower(), cancels),
    Claim(
        "The squares (need not|have to) be neighbours",
        lambda level: "need not" if Move.parse("1+9") in Game(1).state.legal_moves() else "have to",
        superposes,
    ),
    Claim(
        "each way round with (.*?) chance",
        lambda level: {True: "the same"}[odds("5 5*6", 5)["X"] == odds("5 5*6", 5)["O"]],
        entangles,
    ),
    Claim("Squares with two dice are (.*?) to both", lambda level: two_dice(), entangles),
    Claim("The other half (.*?) be attacked later", lambda level: both_halves(), entangles),
    Claim(r"values are (\w+) and dice are (\w+)[.]", lambda level: (halved(), "added"), entangles),
    Claim(
        r"the piece is ([\w ]+) in each, and will be found in (\w+) of them",
        lambda level: ({0.5: "half"}[odds("1+3", 1)["X"]], "one"),
        superposes,
    ),
    Claim(
        "if the piece turns out to be in this half, the two pieces are (.*?);",
        lambda level: "entangled" if not alone() or pair_reads(Mode.STANDARD) else "",
        entangles,
    ),
    # Views.
    Claim(
        "In (each|neither) view a lone die is (open|closed) to the opponent",
        lambda level: ("each", "open") if all(map(open_lone, View)) else ("", ""),
        has_views,
    ),
    Claim("attacked squares (stay as they are|turn)", lambda level: "stay as they are", has_views),
    Claim("physical`?,? rotates what is in (.*?) square, though", lambda level: "every occupied", has_views),
    Claim(
        "a lone △4 becomes a (.*?) (△.*?) and a lone □4 a (.*?) (△.*?), and back",
        lambda level: ("plus", unattacked(X, 4), "minus", unattacked(O, 4)),
        has_views,
    ),
    Claim(
        "half △2 becomes a (.*?)-half (△.*?), an unattacked half □2 a (.*?)-half (△.*?), and back",
        lambda level: ("plus", unattacked(X, 2), "minus", unattacked(O, 2)),
        has_views,
    ),
    Claim(
        "but only (.*?) between two observations, and (.*?) instead of a move",
        lambda level: ({1: "once", 2: "twice"}[Rules.of(5).view_switches], "never"),
        has_views,
    ),
    Claim(
        "(Entangled.*?), keep their (.*?)\\.",
        lambda level: (
            "Entangled, cancelled, half-entangled and half-cancelled squares, and the target of a half-cancel"
            if {kind for kind in Configuration if not kind.turns} - {Configuration.EMPTY}
            == {
                Configuration.ENTANGLED,
                Configuration.CANCELLED,
                Configuration.HALF_ENTANGLED,
                Configuration.HALF_CANCELLED,
                Configuration.TARGET,
            }
            else "",
            "dice",
        ),
        has_views,
    ),
    Claim(
        r"square 2 will hold O with (.*? %) and X with (.*? %) at the table, and O with (.*? %) and X with "
        r"(.*? %) physically",
        lambda level: (
            reading("", "O"),
            reading("", "X"),
            reading("view=physical", "O"),
            reading("view=physical", "X"),
        ),
        has_views,
    ),
    Claim(
        "differ where half of a piece was attacked in the (.*?) view, and nowhere else",
        lambda level: attacked_in(),
        has_views,
    ),
    Claim(
        "So a switch (.*?) plus and minus states to attack, and (.*?) lone dice",
        lambda level: opened_by_a_switch(),
        has_views,
    ),
    Claim("lone dice become (.*?) or (.*?) pairs", lambda level: ("plus", "minus"), has_views),
    Claim("setting the view back to (.*?)\\.", lambda level: viewed_back(), has_views),
    Claim("The view goes back to (.*?)\\.", lambda level: viewed_back(), has_views),
    Claim(r"\(default (\d)\)", lambda level: str(Rules.of(5).view_switches), has_views),
    # Observing.
    Claim(
        r"[Tt]he player who (?:moved|filled)? ?(last|first) (?:initiated it|chooses the mode)",
        lambda level: "last" if Game(5).state.initiator is O else "first",
    ),
    Claim("[Pp]lus reads (.) and minus reads (.)", lambda level: mode_reads(), has_modes),
    Claim(
        "so a plus reads (.) with (.*? %), and a minus reads (.)\\.",
        lambda level: (mode_reads()[0], share(odds("5 5-6", 6, Mode.ROTATED, O)["X"]), mode_reads()[1]),
        lambda level: level.number == FIRST_WITH_MODES,
    ),
    Claim(r"It reads (.) in (\w+) mode[.] - mode", lambda level: (mode_reads()[1], "rotated"), has_modes),
    Claim(r"It reads (.) in (\w+) mode[.] - root", lambda level: (mode_reads()[0], "rotated"), has_modes),
    Claim(
        "plus and minus states are read by chance, (.*?)\\. Rotated",
        lambda level: {0.5: "half and half"}[round(odds("5 5-6", 6)["X"], 9)],
        has_modes,
    ),
    Claim(
        "plus and minus states are read as △ or □ by chance, (.*?)\\.",
        lambda level: {0.5: "half and half"}[round(odds("5 5-6", 6)["X"], 9)],
        lambda level: cancels(level) and not has_modes(level),
    ),
    Claim(
        "Rotated: .*? while (.*?) pieces are read by chance",
        lambda level: {0.5: "classical"}[round(odds("5", 5, Mode.ROTATED)["X"], 9)],
        has_modes,
    ),
    Claim("becomes a ([\\w ]+?) (?:of value|with the) (.)", lambda level: after_value(), plays_on),
    Claim("ancelled squares are (.*?)\\.", lambda level: {1.0: "empty"}[odds("5 5-6", 5)["."]], cancels),
    Claim("Positions(?: first)?: which squares hold a (.*?)\\.", lambda level: "piece", cancels),
    Claim("The initiator, (.*?) seen the positions, chooses", lambda level: when_chosen(), has_modes),
    Claim("A square counts as filled if it holds (.*?) or (.*?)\\.", lambda level: fills()),
    Claim("(?<= )([\\w,-]+ [\\w, -]+) resolve here", lambda level: resolved(), has_modes),
    Claim(
        r"△ and □ are read ([\w ]+), plus and minus ([\w ]+)[.]",
        lambda level: ("as they are", "by chance"),
        has_modes,
    ),
    Claim(
        "while △ and □ are read (.*?)\\.",
        lambda level: {0.5: "by chance"}[round(odds("5", 5, Mode.ROTATED)["X"], 9)],
        has_modes,
    ),
    # Deciding.
    Claim(
        "the player who ((?:did not |did )?initiated?) the observation moves next",
        lambda level: "did not initiate",
        superposes,
    ),
    Claim(
        "(?:Observed symbols stay where they are, and their squares are (.*?)\\.)|(?:The pieces stay in "
        "play: they are (.*?) dice now)",
        lambda level: (None, "lone") if plays_on(level) else ("closed", None),
        superposes,
    ),
    # What is quantum.
    Claim(
        "names one of its (.*?) squares, (.*?) each",
        lambda level: ("two", share(odds("1+3", 1)["X"])),
        lambda level: level.number == 1,
    ),
    Claim(
        "like an (.) card and an (.) card",
        lambda level: pair_reads(Mode.STANDARD),
        lambda level: level.number == 2,
    ),
    Claim(
        "no look at this level can tell (that|the board) from (the cards|weighted coins)",
        lambda level: ("the board", "weighted coins") if cancels(level) else ("that", "the cards"),
        lambda level: superposes(level) and not has_modes(level),
    ),
    Claim(
        "it leaves (.*?) = (.*?) of a piece", lambda level: ("√½ − √½", "0"), lambda level: level.number == 3
    ),
    Claim(
        "makes it (.*?) if the piece is in the attacked half, (.*?) if it is in the other, and (.*?) after",
        lambda level: (f"{weights()[0]:.2f}", f"{weights()[1]:.0f}", f"{weights()[2]:.2f}"),
        lambda level: level.number == 3,
    ),
    Claim(
        r"(?<= )([\d.]+ %) of the runs of 1\+3 1-2 count",
        lambda level: share(weights()[2] / weights()[0]),
        lambda level: level.number == 3,
    ),
    Claim(
        "Hadamard gate (.*?) the amplitudes of △ and □ for the answer (.) and (.*?) them for the answer (.)",
        lambda level: hadamard(),
        lambda level: level.number == 4,
    ),
    Claim(
        r"rotated mode (\w+?)s amplitudes for (.) and (.*?)s them for (.)[.]",
        lambda level: (hadamard()[0][:-1], hadamard()[1], hadamard()[2][:-1], hadamard()[3]),
        has_modes,
    ),
    Claim(
        r"observed in (\w+) mode, your symbol will be found in that square; "
        r"in (\w+) mode it will be X or O, half",
        lambda level: tuple(
            mode.value
            for chance in (1, 1 / 2)
            for mode in Mode
            if odds("5", 5, mode)["X"] == pytest.approx(chance)
        ),
        has_modes,
    ),
    Claim(
        r"cancelling 1 into 2, in (\w+) mode: X is in 3 with (.*?),",
        lambda level: next(
            (mode.value, share(odds("1+3 1-2", 3, mode)["X"]))
            for mode in Mode
            if odds("1+3 1-2", 3, mode)["O"] == pytest.approx(0)
        ),
        has_modes,
    ),
    Claim(
        "classical △, certain in standard mode, reads △ with (.*?):",
        lambda level: share(odds("5", 5, Mode.ROTATED)["X"]),
        lambda level: level.number == 4,
    ),
    Claim(r"at (\d+)°, which", lambda level: "45", lambda level: level.number == 4),
    Claim(
        "cards can be right in (.*?) at most, and the pair is right in each with (.*? %)",
        lambda level: (str(cards_meet()), share(cos(pi / 8) ** 2)),
        lambda level: level.number == 4,
    ),
    # Lessons.
    Claim(
        "go on in the target with (.*?) symbol",
        lambda level: {True: "either", False: "one"}[
            min(odds("1+3 1-2", 2)["X"], odds("1+3 1-2", 2)["O"]) > 0.1
        ],
        cancels,
    ),
    Claim(r"the opponent's die (\w+), its other half", lambda level: "halves", entangles),
    Claim(
        "the negative die (.*?) what is in the square",
        lambda level: {True: "outweighs", False: "equals"}[amplitude_of(at("1+3 1-2", 1)) < 0],
        cancels,
    ),
    Claim("A die of the (.*?)'s shape with a (.*?) value", lambda level: ("opponent", "negative"), cancels),
    Claim("fill different squares signs mean (.*?):", lambda level: positions_apart(), has_modes),
    Claim(
        "A gate (.*?) the sum of the squared amplitudes",
        lambda level: a_gate_keeps(),
        lambda level: level.number == 3,
    ),
    Claim("a (plus|minus) or a (plus|minus) is a lone die", lambda level: ("plus", "minus"), has_views),
    # Words.
    Claim("Three squares in (.*?), (.*?) or (.*?);", lambda level: lines_are()),
    Claim(
        "A piece placed by a (.*?) or (.*?) move, together",
        lambda level: tuple(kind.word for kind in Kind if not kind.attacks),
        entangles,
    ),
    Claim(r"- colour: [^.]*?(\w+) piece", lambda level: one_piece_a_colour()),
    Claim("are added as (.*?)\\.", lambda level: "amplitudes" if shared_anew() else "", cancels),
    Claim(
        "- amplitude: The signed number behind a die: the (.*?) of its value times the (.*?) of (.*?)\\.",
        lambda level: ("sign", "root", "|value|/4"),
        cancels,
    ),
    Claim(
        "- cancelled: .*? sum to (.*?): it will be found (.*?)\\.",
        lambda level: ("nothing", "empty"),
        cancels,
    ),
    Claim("- minus: A symbol superposition (.*?):", lambda level: signs_of("5 5-6", X), cancels),
    Claim("- plus: A symbol superposition (.*?):", lambda level: signs_of("5 5-6", O), cancels),
    Claim("- symbol: (.) \\(X\\) or (.) \\(O\\)", lambda level: (X.glyph, O.glyph)),
    Claim(
        "- square: One of the (.*?) places of the board, (.) to (.) in",
        lambda level: ("nine", str(SQUARES[0]), str(SQUARES[-1])),
    ),
    Claim(
        "- superposition: A piece in (.*?) places at once, (.*?) in each",
        lambda level: ("two", {0.5: "half"}[odds("1+3", 1)["X"]]),
        superposes,
    ),
    Claim("- half: One of the (.*?) places", lambda level: NUMBERS[Kind.SUPERPOSITION.fills], superposes),
    Claim("- initiator: The player who filled the (.*?) empty square", lambda level: "last", superposes),
    Claim("- target: The (.*?) square into which", lambda level: "empty", entangles),
    Claim(
        "- entangled: Two pieces that share (.*?) squares, (.*?) in each",
        lambda level: ("two", "one"),
        entangles,
    ),
    Claim("- mode: How symbols are read: (.*?) or (.*?)\\.", lambda level: tuple(map(str, Mode)), has_modes),
    Claim(
        "- view: How the dice on the board are to be read: (.*?), or (.*?)\\.",
        lambda level: tuple(map(str, View)),
        has_views,
    ),
    Claim(
        "That is so in (.*?) mode; in (.*?) mode its symbol is read by chance",
        lambda level: coin_in(),
        has_modes,
    ),
    Claim(
        "- herald: In a circuit: a qubit that tells whether a (.*?) succeeded",
        lambda level: "half-cancel",
        cancels,
    ),
]


def most_in_a_square(level: int) -> int:
    return max(
        len(dice)
        for seed in range(20)
        for state in random_game(level, seed).states
        for dice in state.position.dice
    )


def fewest_filled(level: Level) -> int:
    counts = set()
    for seed in range(20):
        game = random_game(level.number, seed)
        for event, before in zip(game.events, game.states, strict=False):
            if isinstance(event, Move):
                after = before.child(event)
                counts.add(len(before.position.empty_squares) - len(after.position.empty_squares))
    return min(counts)


def pair_reads(mode: Mode) -> tuple[str, str]:
    boards_seen = {board[4:6] for board in played("5 5*6", 5).state.odds(mode).outcomes()}
    assert boards_seen == {"XO", "OX"}
    return ("X", "O")


def alike() -> str:
    for mode in Mode:
        pair_reads(mode)
    return "opposite"


def lone_value(tokens: str) -> str:
    return signed(next(die.value for die in at(tokens, 1) if die.owner is X))


def double_half() -> tuple[str, str]:
    dice = [die for square in SQUARES for die in at("3+7 3*6 9 7*1", square) if die.piece == (X, 0)]
    (value,) = {die.value for die in dice}
    return NUMBERS[len(dice)], signed(value)


def alone() -> bool:
    """Whether O's attacker is without X in the two attacked squares if X is found in the other half."""
    found = played("1+3 1*2", 5).state.odds().outcomes()
    return all("X" not in board[:2] and "O" in board[:2] for board in found if board[2] == "X")


def invader() -> str:
    (die,) = [die for die in at("5 5-6", 5) if die.owner is O]
    assert die.shape is X
    return signed(die.value)


def own_die(player: Symbol) -> str:
    return signed(next(die.value for die in at("5 5-6", 6, player.opponent) if die.owner is player))


def cancelled_dice() -> tuple[str, str, str]:
    one, other = at("5 5-6", 5)
    assert one.shape is other.shape
    assert amplitude_of((one, other)) == 0
    return signed(one.value), signed(other.value), "nothing"


def kind_of(tokens: str, square: int, first: Symbol) -> str:
    return played(tokens, 5, first).state.position.configuration(square).word


def sign_shows() -> str:
    """The mode in which plus and minus differ."""
    (mode,) = [mode for mode in Mode if odds("5 5-6", 6, mode, X) != odds("5 5-6", 6, mode, O)]
    return str(mode)


def shared_anew() -> tuple[str, ...]:
    one, other = at("1+3 1-2", 1)
    left = value_of("½ − √½")
    assert left == amplitude_of((one, other))
    total = 0.5 + 0.25 + 0.5 + left**2
    return (
        signed(one.value), signed(other.value), "½ − √½", f"{left:.4f}".replace("-", "−"),
        share(left**2), f"{total:.2f}", share(odds("1+3 1-2", 1)["X"]),
    )  # fmt: skip


def attacked_in() -> str:
    differ = [
        view
        for view, tokens in ((View.ROTATED, "~1+3 1-2"), (View.STANDARD, "1+3 1-2~"))
        if played(tokens, 5).state.odds().outcomes()
        != pytest.approx(played(tokens, 5, options="view=physical").state.odds().outcomes())
    ]
    (view,) = differ
    return str(view)


def opened_by_a_switch() -> tuple[str, str]:
    minus, lone = played("5 5-6", 5).state, played("5", 5).state
    assert not attacked(minus, 6)
    assert attacked(minus, 6, switched=True)
    assert attacked(lone, 5)
    assert not attacked(lone, 5, switched=True)
    return "opens", "closes"


def viewed_back() -> str:
    game = Game(5)
    game.play("~5+6 1+2 3+4 7+8 9")
    filled = next(iter(game.state.odds().positions()))
    return str(game.state.child(Positions(filled)).position.view)


def one_piece_a_colour() -> str:
    for tokens in ("1+3 2", "1+3 1*2 5"):
        position = played(tokens, 5).state.position
        pieces = {die.piece for dice in position.dice for die in dice}
        assert len(pieces) == len(tokens.split())
    return "one"


def behind_a_die() -> tuple[str, str]:
    """How its amplitude comes from a die's value."""
    for value in (4, 2, 1, -2, -1):
        amplitude = amplitude_of((die_of(O, 0, value),))
        assert amplitude**2 == pytest.approx(abs(value) / 4)
        assert (amplitude > 0) is (value > 0)
    return "root", "sign"


def dice_set(level: Level) -> tuple[str | None, ...]:
    """The dice of one colour in a set: own and other to place, what the bank holds, and what takes that.

    A set for Level 1 is that for Level 2 (decision D7).
    """
    used = most_dice(level, own=True) > Kind.SUPERPOSITION.fills
    level = max(level, LEVELS[DEFAULT_LEVEL], key=lambda level: level.number)
    own, other = most_dice(level, own=True), most_dice(level, own=False)
    placed = Kind.SUPERPOSITION.fills
    again = own == 2 * placed and other == 2
    return (
        NUMBERS[placed],
        NUMBERS[1] if other else None,
        ("the same again" if again else f"{NUMBERS[own - placed]} of their own shape"),
        "from which the board adjusts itself" if used else "which nothing takes at this level",
    )


def halved() -> str:
    """What becomes of the value of a die that is met, seen on a whole piece and on a half."""
    for before, after in (("5", "5 5*6"), ("5+4", "5+4 5*6"), ("5", "5 5-6"), ("5+4", "5+4 5-6")):
        (met,) = at(before, 5)
        left = [die.value for square in (5, 6) for die in at(after, square) if die.owner is X]
        assert left == [met.value // 2] * 2
    return "halved"


def added_pieces() -> str:
    """Whether a cancel adds a piece, counted by the symbols that are found."""
    for tokens in ("5 5-6", "4+5 5-6", "4+5 5-6 9 4-1"):
        placed = sum("-" not in token for token in tokens.split())
        found = played(tokens, 5).state.odds().outcomes()
        assert {sum(cell != "." for cell in board) for board in found} == {placed}
    return "No"


def both_halves() -> str:
    return "can" if Move.parse("7*1") in played("3+7 3*6 9", 5).state.legal_moves() else "cannot"


def attacked(state: State, square: int, *, switched: bool = False) -> bool:
    """Whether the player to move can attack a square in the present view, or in the other one."""
    moves = state.legal_here(switched=switched)
    return any(move.kind.attacks and move.squares[0] == square for move in moves)


def open_lone(view: View) -> bool:
    state = played("5" if view is View.STANDARD else "~5", 5).state
    assert state.position.view is view
    return attacked(state, 5)


def two_dice() -> str:
    """Whether a square with two dice is open to anybody in random games."""
    for seed in range(20):
        for state in random_game(5, seed).states:
            for square in SQUARES:
                if len(state.position.at(square)) == 2:
                    assert not attacked(state, square)
    return "closed"


def fills() -> tuple[str, str]:
    one_die_each = played("1+2 3+4 5+6 7+8 9", 1).state
    assert one_die_each.position.full
    assert all(len(dice) == 1 for dice in one_die_each.position.dice)
    assert Position(observed="X" * 9).full
    return "a die", "an observed symbol"


def resolved() -> str:
    """Which squares the positions settle: those that may be filled and may be empty."""
    names = {
        "Superpositions": ("5+6", 5),
        "half-attacked pieces": ("5+4 5*6", 5),
        "half-cancelled squares": ("5+4 5-6", 5),
    }
    for tokens, square in names.values():
        assert 0 < odds(tokens, square)["."] < 1
    assert odds("5 5-6", 5)["."] == 1
    assert odds("5 5*6", 5)["."] == 0
    one, two, three = names
    return f"{one}, {two} and {three}"


def lines_are() -> tuple[str, ...]:
    """Which kinds of three squares the program counts as a line."""
    kinds = {"a row": "XXX......", "a column": "X..X..X..", "a diagonal": "X...X...X"}
    return tuple(kind for kind, board in kinds.items() if lines_of(board, X) == 1)


def positions_apart() -> str:
    """Whether the sign between amplitudes of different filled squares changes anything in any mode."""
    (root,) = read_roots(played("1+3 1-2", 5).state.position)
    state = root_state(root)
    for here in range(3):
        other = {key: -value if key[here] != "." else value for key, value in state.items()}
        for places in (range(0), range(3)):
            one, two = rotated(state, places), rotated(other, places)
            assert {k: v * v for k, v in one.items()} == {k: v * v for k, v in two.items()}
    return "nothing"


def a_gate_keeps() -> str:
    gates = [
        instruction.operation
        for tokens in ("5", "4+5", "5 5*6", "4+5 5*6", "5 5-6", "4+5 5-6")
        for instruction in compile_moves(played(tokens, 3), measured=False).circuit.data
    ]
    assert all(Operator(gate).is_unitary() for gate in gates)
    return "keeps"


def nobody_attacks(level: Level) -> str:
    for seed in range(20):
        for state in random_game(level.number, seed).states:
            for move in state.legal_moves():
                if move.kind.attacks:
                    position = state.position.switched() if move.before else state.position
                    assert position.at(move.squares[0])[0].shape is not state.turn
    return "themselves"


def cancelled_is() -> tuple[str, str]:
    """What a cancelled square is when it is observed, and whether it has to be filled before that."""
    position = played("5 5-6", 5).state.position
    return {1.0: "empty"}[odds("5 5-6", 5)["."]], "filled" if not position.is_empty(5) else "empty"


def when_chosen() -> str:
    """Whether the mode is chosen after the positions are known, or before."""
    game = Game(FIRST_WITH_MODES)
    game.play("1+2 3+4 5+6 7+8 9")
    state = game.state.child(Positions(next(iter(game.state.odds().positions()))))
    return "having" if state.phase is Phase.MODE and len(state.modes) > 1 else "not having"


def mode_reads() -> tuple[str, str]:
    return certain("5 5-6", Mode.ROTATED, O), certain("5 5-6", Mode.ROTATED, X)


def after_value() -> tuple[str, str]:
    """What an observed symbol becomes."""
    squares = [dice for dice in after_observation(LEVELS[5]).position.dice if dice]
    ((number, value),) = {(len(dice), dice[0].value) for dice in squares}
    return {1: "lone die"}[number], signed(value)


def hadamard() -> tuple[str, str, str, str]:
    """What it does with the two amplitudes for each answer, from the program's own rotation."""
    plus, minus = (np.array([1, sign]) / sqrt(2) for sign in (1, -1))
    gate = np.array([plus, minus])
    words = {True: "adds", False: "subtracts"}
    said: list[str] = []
    for symbol, row in zip(Symbol, gate, strict=True):
        said += [words[bool(row[0] * row[1] > 0)], symbol.glyph]
    # The state that gives each answer for certain is the one whose amplitudes that row adds up to 1.
    assert (said[1], said[3]) == mode_reads()
    return said[0], said[1], said[2], said[3]


def signs_of(tokens: str, first: Symbol) -> str:
    (part,) = [part for part in board_parts(played(tokens, 5, first)) if part.squares == (6,)]
    same = part.amplitudes["X"].real * part.amplitudes["O"].real > 0
    return f"△ {'+' if same else '−'} □"


def coin_in() -> tuple[str, str]:
    sure, coin = sorted(Mode, key=lambda mode: -odds("5", 5, mode)["X"])
    assert odds("5", 5, coin)["X"] == pytest.approx(0.5)
    return str(sure), str(coin)


def with_coins(game: Game, mode: Mode) -> dict[str, float]:
    """The boards if all phases are lost after every box of the circuit, so that chances move by coins."""
    compiled = compile_moves(game, mode, measured=False)
    index = {qubit: place for place, qubit in enumerate(compiled.circuit.qubits)}
    chances: dict[frozenset[int], float] = {frozenset(): 1.0}
    for instruction in compiled.circuit.data:
        qubits = [index[qubit] for qubit in instruction.qubits]
        matrix = np.abs(Operator(instruction.operation).data) ** 2
        moved: dict[frozenset[int], float] = {}
        for ones, chance in chances.items():
            column = sum(1 << place for place, qubit in enumerate(qubits) if qubit in ones)
            for row in np.flatnonzero(matrix[:, column] > 1e-12):
                new = {qubit for place, qubit in enumerate(qubits) if int(row) >> place & 1}
                key = ones.difference(qubits) | new
                moved[key] = moved.get(key, 0.0) + chance * float(matrix[row, column])
        chances = moved
    found: dict[str, float] = {}
    for ones, chance in chances.items():
        if not any(qubit >= 18 for qubit in ones):
            board = "".join("." if s not in ones else "XO"[s + 9 in ones] for s in range(9))
            found[board] = found.get(board, 0.0) + chance
    total = sum(found.values())
    return {board: chance / total for board, chance in found.items()}
