"""Which moves a player may make, and which rule forbids the others."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from operator import attrgetter

from qttt.errors import IllegalMoveError
from qttt.game.configurations import Configuration
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement
from qttt.game.position import Position
from qttt.game.rules import Options, Rules
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol

_NO_OPTIONS = Options()
#: The one of 756 moves that there are; making one checks it, which takes ten times as long.
_move = cache(Move)


@cache
def _moves(kind: Kind, empty: tuple[int, ...], invaded: tuple[int, ...] = ()) -> tuple[Move, ...]:
    """The moves of a kind into empty squares; listed anew, legal moves take 1.3 to 2 times as long."""
    return tuple(_move(kind, (*invaded, *squares)) for squares in combinations(empty, kind.fills))


def legal_in_view(
    position: Position, player: Symbol, rules: Rules, switches: int, *, switched: bool = False
) -> list[Move]:
    """The player's moves without their view switches, in canonical order: by kind, then by squares.

    Args:
        position: the position before the move.
        player: whose turn it is.
        rules: level and options.
        switches: how many view switches the player has left before the next observation.
        switched: the moves after a view switch instead of those in the current view.
    """
    there = position.switched() if switched else position
    moves = _level_moves(there, rules, _targets(there, player))
    if rules.options == _NO_OPTIONS:
        return list(moves)
    return [move for move in moves if not _option_against(move, there, player, rules, switches)]


def _targets(position: Position, player: Symbol) -> list[int]:
    return [square for square in SQUARES if position.attacker(square) is player]


def _level_moves(position: Position, rules: Rules, targets: list[int]) -> Iterator[Move]:
    """The moves that a level has, the options apart; of attacks those on the given squares of one die."""
    empty = position.empty_squares
    for kind in Kind:
        if not rules.level.allows(kind):
            continue
        if not kind.attacks:
            yield from _moves(kind, empty)
            continue
        for invaded in targets:
            if position.dice[invaded - 1][0].value in kind.attacks:
                yield from _moves(kind, empty, (invaded,))


def _option_against(
    move: Move, position: Position, player: Symbol, rules: Rules, switches: int
) -> str | None:
    """The rule by which an option forbids a move that is legal without it; every option that does is here.

    Args:
        move: a move that the level allows; its own view switches do not matter.
        position: the position before it, in the view that it is made in.
        player: who makes it.
        rules: level and options.
        switches: how many view switches the player had before it.
    """
    options = rules.options
    if (
        options.no_double_entanglement
        and move.kind is Kind.ENTANGLING
        and _entangled_before(position, move.squares[0])
    ):
        return "with the option no-double-entanglement a superposition may be entangled only once"
    if (
        options.quantum_only
        and move.kind is Kind.CLASSICAL
        and _quantum_legal(position, player, rules, switches)
    ):
        where = ", in this view or after a switch" if switches else ""
        only = "a classical move is allowed only when no quantum move is"
        return f"with the option quantum-only {only}{where}"
    return None


def _quantum_legal(position: Position, player: Symbol, rules: Rules, switches: int) -> bool:
    """Whether the player has a quantum move, in this view or in the one that they may switch to."""
    quantum = (
        move
        for move in _level_moves(position, rules, _targets(position, player))
        if move.kind is not Kind.CLASSICAL
    )
    if any(not _option_against(move, position, player, rules, switches) for move in quantum):
        return True
    return bool(switches) and _quantum_legal(position.switched(), player, rules, 0)


def open_to(position: Position, square: int, rules: Rules) -> Symbol | None:
    """The player who would have a legal attack on a square, without a view switch, were it their turn.

    Args:
        position: the position before a move, so with an empty square to spread into.
        square: 1 to 9.
        rules: level and options.

    Returns:
        The player, or None if the square is not open.

    Raises:
        UsageError: there is no such square.
    """
    player = position.attacker(square)
    if player is None:
        return None
    attacks = (move for move in _level_moves(position, rules, [square]) if move.kind.attacks)
    return player if any(not _option_against(move, position, player, rules, 0) for move in attacks) else None


def legal_moves(position: Position, player: Symbol, rules: Rules, switches: int) -> list[Move]:
    """Every move of the player, those with view switches among them.

    Returns:
        Moves in canonical order, each followed by its variants ``~m``, ``m~`` and ``~m~`` as far as allowed.
        The same move before and after a switch is two moves.
    """
    plain = legal_in_view(position, player, rules, switches)
    if not switches:
        return plain
    there = legal_in_view(position, player, rules, switches, switched=True)
    moves = [variant for move in plain for variant in _variants(move, 0, 1)]
    moves += [variant for move in there for variant in _variants(move, 1, min(switches, 2) - 1)]
    return sorted(moves, key=attrgetter("order"))


@cache
def _variants(move: Move, before: int, after: int) -> tuple[Move, ...]:
    """A move with a switch before it or none, and without and with one after it if there may be one."""
    return tuple(_move(move.kind, move.squares, bool(before), bool(n)) for n in range(after + 1))


def check_move(move: Move, position: Position, player: Symbol, rules: Rules, switches: int) -> None:
    """Refuse an illegal move.

    Raises:
        IllegalMoveError: naming the rule that forbids the move.
    """
    rule = _rule_against(move, position, player, rules, switches)
    if rule:
        raise IllegalMoveError(str(move), rule, player)


def _rule_against(move: Move, position: Position, player: Symbol, rules: Rules, switches: int) -> str | None:
    if move.switches and not rules.level.rotated_view:
        return f"the view cannot be switched at Level {rules.level.number} (only at Level 5)"
    if move.switches > switches:
        return (
            f"a player may switch the view {_times(rules.view_switches)} between observations, "
            f"{player} has {switches or 'none'} left, and the move needs {move.switches}"
        )
    if not rules.level.allows(move.kind):
        first = move.kind.first_level
        return f"{move.kind.word} moves start at Level {first}, and this is Level {rules.level.number}"
    if move.before:
        position = position.switched()
    for square in move.filled:
        if not position.is_empty(square):
            return f"square {square} must be empty, and it holds {_contents(position, square)}"
    rule = _rule_against_attack(move, position, player) if move.kind.attacks else None
    return rule or _option_against(move, position, player, rules, switches)


def _rule_against_attack(move: Move, position: Position, player: Symbol) -> str | None:
    invaded = move.squares[0]
    if position.attacker(invaded) != player:
        contents = position.at(invaded)
        if position.is_observed(invaded):
            return f"square {invaded} holds an observed symbol and is closed"
        if not contents:
            return f"square {invaded} is empty: there is nothing to attack"
        if len(contents) == 2:
            return f"square {invaded} is closed: it already holds two dice"
        return f"square {invaded} holds {player}'s own die, and players cannot interact with themselves"
    if position.at(invaded)[0].value not in move.kind.attacks:
        met = "a whole piece" if position.is_whole(invaded) else "half of a piece"
        return f"square {invaded} holds {met}, and {move.kind.word} moves cannot attack that"
    return None


def measurable_squares(position: Position, rules: Rules, measured: frozenset[int]) -> tuple[int, ...]:
    """The squares, ascending, that a turn may be spent on observing (option ``measure-turn``)."""
    if not rules.options.measure_turn:
        return ()
    return tuple(square for square in SQUARES if position.at(square) and square not in measured)


def check_measurement(
    measurement: Measurement, position: Position, player: Symbol, rules: Rules, measured: frozenset[int]
) -> None:
    """Refuse to measure a square that the rules do not allow to measure now; its result is not looked at.

    Raises:
        IllegalMoveError: naming the rule.
    """
    square = measurement.square
    if square in measurable_squares(position, rules, measured):
        return
    if not rules.options.measure_turn:
        rule = "single squares are measured only with the option measure-turn"
    elif position.is_observed(square):
        rule = f"square {square} holds an observed symbol, and there is nothing left to measure"
    elif not position.at(square):
        rule = f"square {square} is empty: there is nothing to measure"
    else:
        rule = f"square {square} may be measured once between observations, and that has been done"
    raise IllegalMoveError(str(measurement), rule, player)


def _entangled_before(position: Position, square: int) -> bool:
    """Whether the other half of the piece in a square is entangled."""
    (lone,) = position.dice[square - 1]
    return any(
        die.piece == lone.piece and position.configuration(other) is Configuration.HALF_ENTANGLED
        for other in SQUARES
        for die in position.dice[other - 1]
    )


def _contents(position: Position, square: int) -> str:
    if position.is_observed(square):
        return f"an observed {position.observed[square - 1]}"
    return " and ".join(f"{die.owner}'s {die}" for die in position.at(square))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
