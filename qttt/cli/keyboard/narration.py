"""What a move did to the dice, in sentences."""

from dataclasses import replace

from qttt.display.text import Glyphs, draw_die
from qttt.game.dice import Die
from qttt.game.moves import Move
from qttt.game.position import Position
from qttt.game.state import State


def narrate(move: Move, before: State, glyphs: Glyphs) -> str:
    """Say what a move did, switches included, in the order in which it happened."""
    after = before.child(move).position
    # Not turned back: what a switch makes of a plus or minus state forgets whose dice made it.
    settled = before.child(replace(move, after=False)).position
    player = before.turn
    sentences = []
    if move.before:
        sentences.append(f"{player} turns the view to {before.position.view.other}.")
    sentences.append(_placing(move, str(player), settled, glyphs))
    if move.after:
        sentences.append(f"{player} turns the view to {after.view}.")
    return " ".join(sentences)


def _placing(move: Move, player: str, after: Position, glyphs: Glyphs) -> str:
    def face(die: Die) -> str:
        return draw_die(die, glyphs).plain

    if not move.kind.attacks:
        (die,) = after.at(move.squares[0])
        if len(move.squares) == 1:
            return f"{player} {move.kind.verb} {face(die)} in {move.squares[0]}."
        where = " and ".join(map(str, move.squares))
        return f"{player} {move.kind.verb} one piece in {where} at once, {face(die)} in each."
    invaded, target = move.squares
    dragged = next(die for die in after.at(target) if die.piece in _pieces(after, invaded, player))
    own = next(die for die in after.at(target) if die is not dragged)
    invader = next(die for die in after.at(invaded) if die.piece == own.piece)
    half = "" if abs(dragged.value) == 2 else "half-"
    return (
        f"{player} {half}{move.kind.verb} {dragged.owner}'s piece in {invaded}: {face(invader)} goes into "
        f"{invaded} and {face(own)} into {target}; the {glyphs.symbol(dragged.shape)} that was there halves "
        f"to {face(dragged)}, and its other half follows into {target}."
    )


def _pieces(position: Position, square: int, player: str) -> set[tuple[object, int]]:
    """The pieces in an invaded square that are not the attacker's."""
    return {die.piece for die in position.at(square) if die.owner != player}
