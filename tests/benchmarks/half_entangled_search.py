"""Look for a half-entangled root in four CX: `python -m tests.benchmarks.half_entangled_search`.

The standard mode reads five qubits of such a root (a piece over a and c, attacked in a, spread to b): whether
a, b and c are filled, and the symbols of a and b. `circuits.lean` needs five CX. All five bits hang together,
so four CX must join all five qubits: each of them is an edge of a tree, used once. This tries every tree and
every order of its edges that makes a difference, with general one-qubit gates before, between and after, from
many random starts at once, by gradient descent (Adam) on the distance of the four wanted outcomes from 1/4
each; what the symbol of an empty square says does not matter.

First the same search is made along the known circuit of five CX, to show that it finds what there is. A
distance below ``FOUND`` would be a circuit. Trees are tried again and again until the time is over.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

NAMES = ("occ a", "occ b", "occ c", "sym a", "sym b")
CLASSES = (
    {0: 1, 1: 1, 2: 0, 3: 0, 4: 1},
    {0: 1, 1: 1, 2: 0, 3: 1, 4: 0},
    {0: 1, 1: 0, 2: 1, 3: 1},
    {0: 0, 1: 1, 2: 1, 4: 1},
)
"""The wanted outcomes, 1/4 each, by the places of ``NAMES``: 0 is the piece's symbol, 1 its attacker's."""

KNOWN = ((3, 0), (3, 1), (0, 2), (1, 2), (3, 4))
"""The pairs of the circuit of five CX in `circuits.lean`, in their order."""

STARTS, STEPS, RATE = 48, 500, 0.05
FOUND = 1e-6

Edges = tuple[tuple[int, int], ...]
Array = npt.NDArray[np.complex128]
Reals = npt.NDArray[np.float64]


def class_masks() -> npt.NDArray[np.bool_]:
    """For each wanted outcome which of the 32 readings are it, axes in the order of ``NAMES``."""
    bits = np.indices((2,) * 5)
    masks = []
    for wanted in CLASSES:
        mask = np.ones((2,) * 5, dtype=np.bool_)
        for place, value in wanted.items():
            mask &= bits[place] == value
        masks.append(mask)
    return np.array(masks)


MASKS = class_masks()


def trees() -> list[Edges]:
    """The trees on five qubits; of two that differ by exchanging a and b, one."""
    found: dict[frozenset[frozenset[int]], Edges] = {}
    mirrored = {0: 1, 1: 0, 2: 2, 3: 4, 4: 3}
    for edges in combinations(combinations(range(5), 2), 4):
        joined = list(range(5))
        for one, two in edges:
            joined = [joined[one] if group == joined[two] else group for group in joined]
        if len(set(joined)) == 1:
            mirror = frozenset(frozenset(mirrored[end] for end in edge) for edge in edges)
            if mirror not in found:
                found[frozenset(map(frozenset, edges))] = edges
    return list(found.values())


def orders(edges: Edges) -> Iterator[Edges]:
    """The orders of a tree's edges; of those that differ by exchanging edges without a common qubit, one."""
    seen = set()
    for order in permutations(edges):
        before = frozenset(
            (one, two) for place, one in enumerate(order) for two in order[place + 1 :] if set(one) & set(two)
        )
        if before not in seen:
            seen.add(before)
            yield order


def turn(state: Array, gate: Array, qubit: int) -> Array:
    """Apply one gate each to a qubit of many states at once."""
    moved = np.moveaxis(state, qubit + 1, 1)
    shape = moved.shape
    done = np.einsum("sij,sjk->sik", gate, moved.reshape(shape[0], 2, -1))
    return np.moveaxis(done.reshape(shape), 1, qubit + 1)


def flip(state: Array, edge: tuple[int, int]) -> Array:
    """Apply a CZ, which is a CX but for one-qubit gates."""
    state = state.copy()
    place: list[Any] = [slice(None)] * 6
    place[edge[0] + 1] = place[edge[1] + 1] = 1
    state[tuple(place)] *= -1
    return state


def gates_of(parameters: Reals) -> Array:
    """Gates of SU(2) from unit vectors of four numbers, shape (starts, 4)."""
    a, b, c, d = (parameters / np.linalg.norm(parameters, axis=1, keepdims=True)).T
    rows = [[a + 1j * b, c + 1j * d], [-c + 1j * d, a - 1j * b]]
    return np.moveaxis(np.array(rows), 2, 0)


def descend(order: Edges, rng: np.random.Generator, starts: int = STARTS, steps: int = STEPS) -> float:
    """The smallest distance that a search along some CX has found: the sum of squares of four differences."""
    plan: list[tuple[int, ...]] = [(qubit,) for qubit in range(5)]
    for edge in order:
        plan += [edge, (edge[0],), (edge[1],)]
    places = [number for number, step in enumerate(plan) if len(step) == 1]
    parameters = rng.normal(size=(len(places), starts, 4))
    first, second = np.zeros_like(parameters), np.zeros_like(parameters)
    best = np.inf
    for count in range(1, steps + 1):
        gates = {place: gates_of(one) for place, one in zip(places, parameters, strict=True)}
        state = np.zeros((starts, *(2,) * 5), dtype=np.complex128)
        state[:, 0, 0, 0, 0, 0] = 1
        states = []
        for number, step in enumerate(plan):
            states.append(state)
            state = turn(state, gates[number], step[0]) if len(step) == 1 else flip(state, (step[0], step[1]))
        weights = abs(state) ** 2
        misses = np.einsum("sabcde,mabcde->sm", weights, MASKS.astype(float)) - 0.25
        loss = (misses**2).sum(axis=1)
        best = min(best, float(loss.min()))
        if best < FOUND:
            break
        slope = np.einsum("sm,mabcde->sabcde", 2 * misses, MASKS.astype(float))
        back = 2 * slope * state
        gradient = np.zeros_like(parameters)
        for number in reversed(range(len(plan))):
            step = plan[number]
            if len(step) == 2:
                back = flip(back, (step[0], step[1]))
                continue
            here = np.moveaxis(states[number], step[0] + 1, 1).reshape(starts, 2, -1)
            there = np.moveaxis(back, step[0] + 1, 1).reshape(starts, 2, -1)
            # The derivative by the entries of the gate, as the real part of a product.
            by_entry = np.einsum("sik,sjk->sij", there.conj(), here)
            w, x, y, z = by_entry[:, 0, 0], by_entry[:, 0, 1], by_entry[:, 1, 0], by_entry[:, 1, 1]
            free = np.array([(w + z).real, -(w - z).imag, (x - y).real, -(x + y).imag]).T
            place = places.index(number)
            vector = parameters[place]
            norm = np.linalg.norm(vector, axis=1, keepdims=True)
            unit = vector / norm
            gradient[place] = (free - unit * (free * unit).sum(axis=1, keepdims=True)) / norm
            back = turn(back, gates[number].conj().transpose(0, 2, 1), step[0])
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        rate = RATE * (0.5 * (1 + np.cos(np.pi * count / steps)) + 0.02)
        parameters = parameters - rate * (first / (1 - 0.9**count)) / (
            np.sqrt(second / (1 - 0.99**count)) + 1e-12
        )
    return best


def main() -> int:
    """Search, and print the best of every round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, end = np.random.default_rng(options.seed), time.monotonic() + 60 * options.minutes
    print(f"five CX, as known: {descend(KNOWN, rng):.1e}", flush=True)
    circuits = [order for edges in trees() for order in orders(edges)]
    print(f"{len(trees())} trees, {len(circuits)} circuits of four CX", flush=True)
    overall, tried = np.inf, 0
    while time.monotonic() < end:
        for order in rng.permutation(len(circuits)):
            found = descend(circuits[order], rng)
            tried += 1
            if found < overall:
                overall = found
                names = ", ".join(f"{NAMES[one]} – {NAMES[two]}" for one, two in circuits[order])
                print(f"circuit {tried}: {found:.6f} by {names}", flush=True)
            if overall < FOUND or time.monotonic() > end:
                break
        if overall < FOUND:
            break
    print(f"{tried} searches of {STARTS} starts: the smallest distance is {overall:.6g}", flush=True)
    return int(overall >= FOUND)


if __name__ == "__main__":
    sys.exit(main())
