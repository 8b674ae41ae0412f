"""Neighbouring gates put together."""

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar


class _OnQubits(Protocol):
    @property
    def qubits(self) -> tuple[int, ...]: ...


Item = TypeVar("Item", bound=_OnQubits)


class _Group(Generic[Item]):
    """Items that stay together, and their qubits."""

    def __init__(self) -> None:
        self.qubits: set[int] = set()
        self.items: list[Item] = []

    def take(self, other: "_Group[Item]") -> None:
        """Put a group in front of this one."""
        self.qubits |= other.qubits
        self.items[:0] = other.items
        other.qubits, other.items = set(), []


def neighbours(items: Iterable[Item], width: int) -> list[tuple[frozenset[int], list[Item]]]:
    """Put neighbouring gates together in groups of at most `width` qubits.

    A gate joins the last group that touches its qubits, together with those groups on its other qubits that
    nothing has touched since, as long as the result is narrow enough; otherwise it begins a group. So each
    group is connected, and one group after the other is the same circuit as one gate after the other.

    Args:
        items: gates in order, whatever has `qubits`; one wider than `width` is a group of its own.
        width: how many qubits a group may have.

    Returns:
        The groups in order, each with its qubits and its items in order.
    """
    groups: list[_Group[Item]] = []
    last: dict[int, _Group[Item]] = {}
    order: dict[_Group[Item], int] = {}
    for item in items:
        touched = {last[qubit] for qubit in item.qubits if qubit in last}
        group = max(touched, key=order.__getitem__, default=None)
        if group is None or len(group.qubits.union(item.qubits)) > width:
            group = _Group()
            order[group] = len(groups)
            groups.append(group)
        for other in sorted(touched - {group}, key=order.__getitem__):
            untouched = all(last[qubit] is other for qubit in other.qubits)
            if untouched and len(group.qubits.union(other.qubits, item.qubits)) <= width:
                last.update(dict.fromkeys(other.qubits, group))
                group.take(other)
        group.qubits.update(item.qubits)
        group.items.append(item)
        # Not all of the group's qubits: a later group may have touched some of them.
        last.update(dict.fromkeys(item.qubits, group))
    return [(frozenset(group.qubits), group.items) for group in groups if group.items]
