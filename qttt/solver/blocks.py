"""Positions as the solver sees them: independent blocks, and codes that know the eight symmetries.

A block is a root (``qttt.game.roots``), a cancelled square or an observed symbol. Nothing else about a
position matters to its value, so colours and the order of moves drop out. Blocks are interned: everywhere
else in the solver a block is a small integer, and a position is a tuple of them.

Codes are additive. Each block has one number a player, in which nine-square keys for all eight symmetries of
the board stand side by side; the code of a position is the sum over its blocks, and its canonical key the
smallest of the eight parts. A move changes one or two blocks, so a child's code costs one or two additions.
"""

from functools import cache
from typing import NamedTuple, assert_never

from qttt.game.configurations import Configuration
from qttt.game.moves import Kind, Move
from qttt.game.position import START, Position
from qttt.game.roots import Attack, Root, Site, read_roots
from qttt.game.squares import SQUARES
from qttt.game.symbols import Symbol

#: Kinds of one-square blocks, then the entangled pair, then split pieces, a letter for each half: ``h``
#: unattacked, ``r`` unattacked and rotated, ``e`` entangled, ``c`` half-cancelled.
LONE, ROTATED, CANCELLED, OBSERVED, PAIR = "L", "R", "D", "S", "P"
KINDS = (LONE, ROTATED, CANCELLED, OBSERVED, PAIR, "hh", "he", "hc", "rr", "re", "rc", "ee", "ec", "cc")
NOBODY = -1
#: The players by their numbers in blocks.
PLAYERS = tuple(Symbol)

_HALF_SIZE = {"h": 1, "r": 1, "e": 2, "c": 2}
_HALF_RANK = {"h": 0, "r": 1, "e": 2, "c": 3}
_TURNED = {
    LONE: ROTATED,
    ROTATED: LONE,
    "hh": "rr",
    "rr": "hh",
    "he": "re",
    "re": "he",
    "hc": "rc",
    "rc": "hc",
}


class Block(NamedTuple):
    """One independent part of a position.

    Attributes:
        kind: one of ``KINDS``.
        squares: its squares, half by half; within a half the invaded square before the one spread into,
            except that entangled squares, which are alike, come in ascending order.
        symbol: 0 for X, 1 for O; ``NOBODY`` for pairs and cancelled squares.
    """

    kind: str
    squares: tuple[int, ...]
    symbol: int


def halves(block: Block) -> list[tuple[str, tuple[int, ...]]]:
    """The two halves of a split piece, each as its letter and its squares."""
    cut = _HALF_SIZE[block.kind[0]]
    return [(block.kind[0], block.squares[:cut]), (block.kind[1], block.squares[cut:])]


def split(parts: list[tuple[str, tuple[int, ...]]], symbol: int) -> Block:
    """The split piece with the given halves, in the one order that equal pieces share."""
    tidy = [(letter, tuple(sorted(squares)) if letter == "e" else squares) for letter, squares in parts]
    tidy.sort(key=lambda half: (_HALF_RANK[half[0]], half[1]))
    return Block(tidy[0][0] + tidy[1][0], tidy[0][1] + tidy[1][1], symbol)


def image_of(block: Block, image: tuple[int, ...]) -> Block:
    """The block with its squares moved to others.

    Args:
        block: a block.
        image: where each square goes, entry 0 unused; a symmetry of the board for example.
    """
    squares = tuple(image[square] for square in block.squares)
    if len(block.kind) == 2:
        return split(halves(block._replace(squares=squares)), block.symbol)
    return Block(block.kind, tuple(sorted(squares)), block.symbol)


def _symmetries() -> tuple[tuple[int, ...], ...]:
    """The eight symmetries: the image of each square, entry 0 unused."""
    turn = (0, 3, 6, 9, 2, 5, 8, 1, 4, 7)
    mirror = (0, 3, 2, 1, 6, 5, 4, 9, 8, 7)
    images = [tuple(range(10))]
    for _ in range(3):
        images.append(tuple(turn[square] for square in images[-1]))
    images += [tuple(mirror[square] for square in image) for image in images]
    return tuple(images)


SYMMETRIES = _symmetries()

# A square's field holds the kind, symbol and squares of the block of which it is the smallest square:
# 28 kinds and symbols times 9^4 squares are fewer than 2^18.
_FIELD_BITS = 18
KEY_BYTES = 21
_CODE_BYTES = 8 * KEY_BYTES


def _key_part(block: Block) -> int:
    number = 2 * KINDS.index(block.kind) + max(block.symbol, 0)
    for index in range(4):
        number = 9 * number + (block.squares[index] - 1 if index < len(block.squares) else 0)
    return (number + 1) << _FIELD_BITS * (min(block.squares) - 1)


def _code(block: Block) -> int:
    return sum(
        _key_part(image_of(block, image)) << 8 * KEY_BYTES * index for index, image in enumerate(SYMMETRIES)
    )


#: Every block met so far; a block's number is its place here. Codes are as X and as O see the block: each
#: player sees their own symbol as 0, so that positions that differ by colours alone have one key.
BLOCKS: list[Block] = []
CODES: tuple[list[int], list[int]] = ([], [])
_numbers: dict[Block, int] = {}


def number_of(block: Block) -> int:
    """The block's number, given to it when it is first met."""
    number = _numbers.get(block)
    if number is None:
        number = _numbers[block] = len(BLOCKS)
        BLOCKS.append(block)
        other = block if block.symbol == NOBODY else block._replace(symbol=1 - block.symbol)
        CODES[0].append(_code(block))
        CODES[1].append(_code(other))
    return number


def canonical(code: int) -> bytes:
    """The key that a code shares with its seven images under the symmetries."""
    text = code.to_bytes(_CODE_BYTES, "little")
    return min(
        text[0:21],
        text[21:42],
        text[42:63],
        text[63:84],
        text[84:105],
        text[105:126],
        text[126:147],
        text[147:168],
    )


@cache
def turned(number: int) -> int:
    """The block after a view switch: unattacked squares turn, all others stay."""
    block = BLOCKS[number]
    return number_of(block._replace(kind=_TURNED[block.kind])) if block.kind in _TURNED else number


def code_of(blocks: tuple[int, ...], player: int) -> int:
    """The code of a position as a player (0 for X, 1 for O) sees it."""
    codes = CODES[player]
    return sum(codes[number] for number in blocks)


def empty_squares(blocks: tuple[int, ...]) -> tuple[int, ...]:
    """The squares that no block covers."""
    covered = {square for number in blocks for square in BLOCKS[number].squares}
    return tuple(square for square in SQUARES if square not in covered)


def blocks_of(position: Position) -> tuple[int, ...]:
    """Read a position's blocks off its dice, in the view it stands in.

    Args:
        position: any position without the option ``view=physical``.
    """
    found = [_block(root) for root in read_roots(position)]
    for square in SQUARES:
        if position.is_observed(square):
            found.append(Block(OBSERVED, (square,), int(position.observed[square - 1] == Symbol.O)))
        elif position.configuration(square) is Configuration.CANCELLED:
            found.append(Block(CANCELLED, (square,), NOBODY))
    return tuple(number_of(block) for block in found)


def dice_of(block: Block) -> Position:
    """The dice of a block that nobody has turned, put on an empty board by the moves that make it."""
    owner = PLAYERS[max(block.symbol, 0)]
    if len(block.kind) == 1:
        position = START.after(Move(Kind.CLASSICAL, block.squares[:1]), owner)
        attacks = [("e", block.squares)] if block.kind == PAIR else []
    else:
        attacks = halves(block)
        places = tuple(sorted(squares[0] for _, squares in attacks))
        position = START.after(Move(Kind.SUPERPOSITION, places), owner)
    for letter, squares in attacks:
        if len(squares) == 2:
            kind = Kind.ENTANGLING if letter == "e" else Kind.CANCELLING
            position = position.after(Move(kind, squares), owner.opponent)
    return position


def _block(root: Root) -> Block:
    symbol = int(root.symbol is Symbol.O)
    if root.in_half:
        return split([(_letter(site), site.squares) for site in root.sites], symbol)
    site = root.sites[0]
    if site.attack is Attack.ENTANGLED:
        return Block(PAIR, tuple(sorted(site.squares)), NOBODY)
    return Block(ROTATED if site.rotated else LONE, site.squares, symbol)


def _letter(site: Site) -> str:
    match site.attack:
        case None:
            return "r" if site.rotated else "h"
        case Attack.ENTANGLED:
            return "e"
        case Attack.CANCELLED:
            return "c"
        case _:
            assert_never(site.attack)


def root_of(block: Block) -> Root:
    """The root that a block stands for.

    Raises:
        ValueError: for cancelled squares and observed symbols, which are none.
    """
    symbol = PLAYERS[max(block.symbol, 0)]
    if block.kind in (LONE, ROTATED):
        return Root(symbol, (Site(block.squares[0], rotated=block.kind == ROTATED),))
    if block.kind == PAIR:
        return Root(symbol, (Site(block.squares[0], attack=Attack.ENTANGLED, target=block.squares[1]),))
    if len(block.kind) != 2:
        raise ValueError(f"a block of kind {block.kind} is no root")
    return Root(symbol, tuple(_site(letter, squares) for letter, squares in halves(block)))


def _site(letter: str, squares: tuple[int, ...]) -> Site:
    if letter in "hr":
        return Site(squares[0], rotated=letter == "r")
    attack = Attack.ENTANGLED if letter == "e" else Attack.CANCELLED
    return Site(squares[0], attack=attack, target=squares[1])


def filled_squares(key: bytes) -> int:
    """How many squares the blocks of a canonical key cover."""
    fields, covered = int.from_bytes(key[:KEY_BYTES], "little"), 0
    while fields:
        if number := fields & ((1 << _FIELD_BITS) - 1):
            kind = KINDS[(number - 1) // 9**4 // 2]
            covered += sum(_HALF_SIZE[half] for half in kind) if len(kind) == 2 else 1 + (kind == PAIR)
        fields >>= _FIELD_BITS
    return covered
