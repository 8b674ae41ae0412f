"""Changing an input a little, without coverage: bytes, words and the nodes of JSON values."""

import json
import random
from copy import deepcopy
from typing import Any

from tests.campaigns.seeds import WORDS

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 26, 27, 64, 65, 2**31, 2**63, 2**64, 10**18, 10**400, -(10**400)),
    *(0.5, -0.0, 1e308, 5e-324, "", "x", "pos", "mark", "0", "é\u202e", "\ud800", "A" * 300, "AAAA"),
    *([], {}, [0], [[]], [0, 0], {"bits": 1, "data": "AA=="}, ["h", [0], []], ["pos", 2]),
)


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """One to four changes: bytes flipped, cut, doubled, or a word put in."""
    content = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content) + 1)
        end = min(len(content), place + rng.randint(1, 12))
        match rng.randrange(6):
            case 0:
                content[place:place] = rng.choice(WORDS)
            case 1:
                del content[place:end]
            case 2:
                content[place:place] = content[place:end]
            case 3:
                content[place:end] = rng.choice(WORDS)
            case 4 if place < len(content):
                content[place] ^= 1 << rng.randrange(8)
            case _:
                content[place:place] = bytes([rng.randrange(256)])
    return bytes(content)


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """A JSON value with one to three of its nodes replaced, dropped, doubled or swapped."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(data, rng)
    for _ in range(rng.randint(1, 3)):
        places = list(_places(value))
        if not places:
            value = deepcopy(rng.choice(_VALUES))
            continue
        container, key = rng.choice(places)
        other, from_key = rng.choice(places)
        match rng.randrange(5):
            case 0:
                del container[key]
            case 1 if isinstance(container, list):
                container.insert(key, container[key])
            case 2:
                container[key] = deepcopy(other[from_key])
            case _:
                container[key] = deepcopy(rng.choice(_VALUES))
    return json.dumps(value).encode()


def _places(value: Any) -> Any:
    """Every node below a value, as its container and its key."""
    stack = [value]
    while stack:
        container = stack.pop()
        if not isinstance(container, dict | list):
            continue
        for key in list(container) if isinstance(container, dict) else range(len(container)):
            yield container, key
            if isinstance(container[key], dict | list):
                stack.append(container[key])
