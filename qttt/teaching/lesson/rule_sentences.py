"""Each rule in one sentence, with the text that it comes from.

The sentences are the project's own; the source names the rule text and its heading, where the rule can be
read in full. Numbers are not in them: a lesson takes those from the dice and the circuits.
"""

from dataclasses import dataclass
from typing import assert_never

from qttt.display.pictures.descriptions import signed_number, sum_words
from qttt.display.text import percent
from qttt.game.dice import amplitude_of
from qttt.game.moves import Kind, Move
from qttt.game.position import Position
from qttt.game.result import one_each_is_a_tie
from qttt.game.roots import read_roots, root_state
from qttt.game.rules import Level, Rules
from qttt.game.state import State
from qttt.game.symbols import Mode, Symbol, View

_REFERENCE = "Player Reference"
_MEANING = "this project's rules, “What the dice mean”"
_LEVEL_FIVE = "Fully Quantum TiqTaqToe"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as a lesson quotes it.

    Attributes:
        sentence: what it says, in one sentence.
        source: the rule text and the heading in it.
    """

    sentence: str
    source: str


def move_name(move: Move, position: Position) -> str:
    """What the rules call a move, half-moves included: ``half-entangling move``.

    Args:
        move: a legal move.
        position: the position on which it is made, its own switch before it already made.
    """
    if not move.kind.attacks:
        return f"{move.kind.word} move"
    return f"{'' if position.is_whole(move.squares[0]) else 'half-'}{move.kind.word} move"


def move_rule(move: Move, position: Position, player: Symbol, level: Level) -> Rule:
    """The rule by which a move places its dice, and by which the board adjusts itself.

    Args:
        move: a legal move.
        position: the position on which it is made, its own switch before it already made.
        player: who makes it.
        level: at which it is made.
    """
    match move.kind:
        case Kind.CLASSICAL:
            return Rule(
                "One die of the player's own shape goes into an empty square with the 4 up: all of the piece "
                "is there.",
                f"{_REFERENCE}, “The Classical Move”",
            )
        case Kind.SUPERPOSITION:
            return Rule(
                "Two dice of one colour go into two empty squares with the 2 up: the piece is half in each, "
                "and will be found in one of them.",
                f"{_REFERENCE}, “The Superposition Move”",
            )
        case Kind.ENTANGLING:
            return _entangling(position.is_whole(move.squares[0]), level)
        case Kind.CANCELLING:
            return _cancelling(position.is_whole(move.squares[0]), player)
        case _:
            assert_never(move.kind)


def _entangling(whole: bool, level: Level) -> Rule:
    if whole:
        return Rule(
            "The mover's two dice enter the opponent's square and an empty one; the opponent's die halves, "
            "its other half is dragged along, and the two pieces will be found one in each square"
            + (", opposite in both modes." if level.rotated_mode else "."),
            f"{_REFERENCE}, “The Entangling Move”",
        )
    return Rule(
        "The same attack on one half of a superposition: if the piece turns out to be in this half, the two "
        "pieces are entangled; if it is in the other half, the attacker's piece alone is in one of the two "
        "squares.",
        f"{_REFERENCE}, “The Half-Entangling Move”",
    )


def _cancelling(whole: bool, player: Symbol) -> Rule:
    kind = "plus" if player is Symbol.X else "minus"
    if whole:
        return Rule(
            "A die of the opponent's shape with a negative value enters the opponent's square, so that the "
            f"square sums to nothing and will be empty; the piece goes on in the other square in a {kind} "
            "state, and no piece is added.",
            f"{_REFERENCE}, “The Cancelling Move”",
        )
    return Rule(
        "The same attack on one half of a superposition: the negative die outweighs what is in the square, "
        "the piece may go on in the target with either symbol, and all weights are shared out anew; no piece "
        "is added.",
        f"{_REFERENCE}, “The Half-Cancelling Move”",
    )


def interference_rule(position: Position, move: Move, player: Symbol) -> Rule:
    """What the dice in the square that a cancelling move invades add up to.

    Args:
        position: the position on which it is made, its own switch before it already made.
        move: a cancelling move.
        player: who makes it.
    """
    square = move.squares[0]
    after = position.after(Move(move.kind, move.squares), player)
    dice = after.at(square)
    begin = f"Interference: in square {square} the amplitudes of the two dice are added, {sum_words(dice)}"
    root = next((root for root in read_roots(after) if square in root.squares), None)
    if root is None:
        return Rule(f"{begin} = 0, and so nothing will be found there.", _MEANING)
    left = amplitude_of(dice)
    weight = sum(float(amplitude) ** 2 for amplitude in root_state(root).values())
    return Rule(
        f"{begin} = {signed_number(left)}, and the sum is squared, {left**2:.4f}; all squares of "
        "the piece are then divided "
        f"by their sum, {weight:.2f}, which leaves {percent(left**2 / weight)} there.",
        _MEANING,
    )


def switch_rule(view: View, *, physical: bool) -> Rule:
    """The rule of a view switch.

    Args:
        view: the view that it leads to.
        physical: every occupied square is rotated (option ``view=physical``).
    """
    if physical:
        return Rule(
            f"The view token is flipped to the {view} view, and every occupied square is rotated; where the "
            "dice of a half-attacked piece cannot show that, they stay as they are.",
            "option view=physical, decision D5 of this project's rules",
        )
    return Rule(
        f"The view token is flipped to the {view} view: lone dice become plus or minus pairs, and plus or "
        "minus pairs become lone dice; attacked squares stay as they are.",
        f"{_LEVEL_FIVE}, “The Rotated View”",
    )


EVERY_PIECE_RULE = Rule(
    "No square is empty, so every piece is looked at: the dice say with which chance each board is found.",
    f"{_REFERENCE}, “The Observation Phase”",
)


def observation_rule(state: State, mode: Mode) -> Rule:
    """The rule of an observation.

    Args:
        state: the state before it.
        mode: the mode in which symbols were read.
    """
    if not state.rules.level.rotated_mode:
        return EVERY_PIECE_RULE
    how = (
        "△ and □ are read as they are, plus and minus by chance"
        if mode is Mode.STANDARD
        else "plus reads △ and minus reads □, while △ and □ are read by chance"
    )
    if state.repeats:
        return Rule(
            f"Nobody led and no square is empty, so the board is observed again, now in {mode} mode: {how}.",
            "option no-ties",
        )
    return Rule(
        f"The player who moved last chooses the mode, here {mode}: {how}.",
        f"{_REFERENCE}, “The Observation Phase”, step 3",
    )


POSITIONS_RULE = Rule(
    "No square is empty, so the positions come first: which squares hold a piece is found out, and no symbol "
    "yet.",
    f"{_REFERENCE}, “The Observation Phase”, step 2",
)

VIEW_BACK_RULE = Rule(
    "An observation begins by setting the view back to standard.",
    f"{_LEVEL_FIVE}, “The Observation Phase”, step 1",
)

IN_PLAY_RULE = Rule(
    "As the game goes on, every observed symbol becomes a lone die with the 4 up and can be played on.",
    f"{_LEVEL_FIVE}, “The Observation Phase”, step 4",
)


def deciding_sentence(rules: Rules) -> str:
    """How the game is decided, in one sentence for a level and its options; `verdict.decide` says the same.

    Args:
        rules: level and options.
    """
    options = rules.options
    full = "the board is observed again" if options.no_ties else "it is a tie"
    open_or_full = f"the game goes on while a square is empty, and with none empty {full}"
    begin = "After an observation, and only then, more three-in-a-rows win"
    if options.tally:
        said = (
            "After an observation every three-in-a-row is a point; while a square is empty the game goes on, "
            f"and with none empty more points win; with equal points {full}"
        )
    elif not rules.level.allows(Kind.SUPERPOSITION):
        # Every piece is found where it lies, so that no square is ever found empty.
        said = f"{begin}; with equal numbers {full}"
    elif one_each_is_a_tie(rules):
        said = f"{begin}; with one each it is a tie; with none {open_or_full}"
    else:
        said = f"{begin}; with equal numbers {open_or_full}"
    if options.max_observations is not None:
        many = "s" * (options.max_observations != 1)
        said += f"; if nobody has won after {options.max_observations} observation{many}, it is a tie"
    return said + "."


def deciding_rule(rules: Rules) -> Rule:
    """The rule by which an observed board is decided."""
    options = str(rules.options)
    return Rule(
        deciding_sentence(rules),
        f"{_REFERENCE}, “General Principles” 7 and 8" + (f", options {options}" if options else ""),
    )


MEASURE_RULE = Rule(
    "Instead of a move one square with dice is looked at; the rest of its piece adjusts to what was found. "
    "No gate is added: the next circuit prepares the dice that are left, which gives the same odds as "
    "measuring in the middle of the whole circuit and keeping only the shots with this result.",
    "option measure-turn, the online game's rule",
)
