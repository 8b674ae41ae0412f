"""Which moves a player may make, and which rule forbids the others."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from operator import attrgetter

from qttt.errors import IllegalMoveError
from qttt.game.moves import Kind, Move
from qttt.game.outcomes import Measurement
from qttt.game.position import Position
from qttt.game.roots import Attack, read_roots
from qttt.game.rules import Rules
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol

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
    quantum = list(_quantum_moves(there, player, rules))
    if not _classical_allowed(position, player, rules, switches):
        return quantum
    return [*_moves(Kind.CLASSICAL, position.empty_squares), *quantum]


def _classical_allowed(position: Position, player: Symbol, rules: Rules, switches: int) -> bool:
    """Whether the option ``quantum-only`` lets the player make a classical move, in either view."""
    if not rules.options.quantum_only:
        return True
    views = (position, position.switched()) if switches else (position,)
    return not any(next(_quantum_moves(view, player, rules), None) for view in views)


def _quantum_moves(position: Position, player: Symbol, rules: Rules) -> Iterator[Move]:
    empty = position.empty_squares
    attacks = {square: _attacks(position, square, rules) for square in SQUARES}
    targets = [square for square in SQUARES if attacks[square] and position.attacker(square) is player]
    for kind in Kind:
        if kind is Kind.CLASSICAL or not rules.level.allows(kind):
            continue
        if not kind.attacks:
            yield from _moves(kind, empty)
            continue
        for invaded in targets:
            if kind in attacks[invaded]:
                yield from _moves(kind, empty, (invaded,))


def _attacks(position: Position, square: int, rules: Rules) -> list[Kind]:
    """How a square may be attacked, by the player whose shape can, where a square is empty to spread into."""
    if position.attacker(square) is None:
        return []
    return [
        kind
        for kind in Kind
        if kind.attacks
        and rules.level.allows(kind)
        and not (kind is Kind.ENTANGLING and _entangled_before(position, square, rules))
    ]


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
    return position.attacker(square) if _attacks(position, square, rules) else None


def legal_moves(position: Position, player: Symbol, rules: Rules, switches: int) -> list[Move]:
    """Every move of the player, those with view switches among them.

    Args:
        position: the position before the move.
        player: whose turn it is.
        rules: level and options.
        switches: how many view switches the player has left before the next observation.

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

    Args:
        move: the move to check.
        position: the position before it.
        player: who makes it.
        rules: level and options.
        switches: how many view switches the player has left before the next observation.

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
    before = position
    if move.before:
        position = position.switched()
    for square in move.filled:
        if not position.is_empty(square):
            return f"square {square} must be empty, and it holds {_contents(position, square)}"
    if move.kind.attacks:
        rule = _rule_against_attack(move, position, player, rules)
        if rule:
            return rule
    if move.kind is Kind.CLASSICAL and not _classical_allowed(before, player, rules, switches):
        either = ", in this view or after a switch" if switches else ""
        return (
            f"with the option quantum-only a classical move is allowed only when no quantum move is{either}"
        )
    return None


def _rule_against_attack(move: Move, position: Position, player: Symbol, rules: Rules) -> str | None:
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
    if move.kind is Kind.ENTANGLING and _entangled_before(position, invaded, rules):
        return "with the option no-double-entanglement a superposition may be entangled only once"
    return None


def measurable_squares(position: Position, rules: Rules, measured: frozenset[int]) -> tuple[int, ...]:
    """The squares that a turn may be spent on observing, ascending; none without the option ``measure-turn``.

    Args:
        position: the board.
        rules: level and options.
        measured: the squares measured since the last observation phase.
    """
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


def _entangled_before(position: Position, square: int, rules: Rules) -> bool:
    """Whether the option forbids to entangle the root in a square because its other half is entangled."""
    if not rules.options.no_double_entanglement:
        return False
    return any(
        site.attack is Attack.ENTANGLED
        for root in read_roots(position)
        if square in root.squares
        for site in root.sites
    )


def _contents(position: Position, square: int) -> str:
    if position.is_observed(square):
        return f"an observed {position.observed[square - 1]}"
    return " and ".join(f"{die.owner}'s {die}" for die in position.at(square))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
