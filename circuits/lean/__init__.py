r"""Lean circuits: from a position straight to the cheapest circuit with the same measured statistics.

The circuit that a game compiles to, move by move, shows how a position came about. A device that errs in one
CX of a hundred had better run another: one that ends in the same statistics with as few CX as can be.
`lean_circuit` makes it.

**What has to come out.** A board is read once: which squares are occupied, and which symbols are there, along
one axis, the standard or the rotated one. So a circuit is right when the *probabilities of the boards* are
right. Everything else about the state may be changed where that saves gates. There is much else:

1. *Independent pieces never meet.* The board is a product, so every piece has a circuit of its own.
2. *What is certain needs no qubit.* The occupancy of a certain piece, the symbol of a piece read along its
   own axis, an observed square: they are `Known` in the readout. On today's devices reading a qubit is the
   most faulty step of all, and what is not read is not misread. Only what is beyond doubt is left out: both
   squares of a superposition are measured although the second is the opposite of the first, because a shot
   in which they agree is known to be wrong; and so are both symbols of a pair.
3. *Phases between positions are free.* Occupancies are read as 0 or 1 and never brought together again, so
   amplitudes of different positions cannot interfere. A cancelled half has a negative amplitude on its old
   square; here it is positive. A Toffoli may get a sign wrong on one state, and then takes three CX instead
   of six (`steer`). Nor is a herald needed: move by move, half-cancelling must throw shots away to make the
   weights right; here the final weights are prepared at once.
4. *The symbol of an empty square means nothing* (encoding `masked`). Nobody looks at it, so it need not be 0,
   and a symbol that depends on nothing but "if something is here" becomes a rotation of one qubit, with no
   CX. The target of a cancelled half holds (√½ q ± p) *if* it is occupied: a CX or two to say "if", none to
   say it always. In the encoding `strict` such a symbol takes one CX (`turn_if`), and in exchange a symbol on
   an empty square tells a faulty shot.
5. *The axis of reading is part of the preparation.* The rotated mode would be a Hadamard wherever a piece may
   be; it is folded into the rotations that are there anyway. A plus is then simply an X, an X simply a coin.
6. *Which correlations are left?* Positions among each other, always: a superposition is one common bit, one
   CX (`tie`). Dividing a half between two squares by a coin, fair or not, takes two more (`share`): the part
   to be moved on is turned under control, which for a qubit still in 0 takes one CX, and then the old place
   is cleared. The two symbols of an attacked pair: they are opposite along every axis, one CX. Symbols with
   positions: only in an entangled half, and only where a lone attacker's symbol is certain. Then an attacker
   X left alone has to be where the pair has its X. Where it is a coin instead (in the rotated mode, or in the
   standard mode if the attack is `twisted`), the positions do not depend on the symbols at all, and a piece
   with both halves entangled costs 7 CX instead of 10.
7. *The dependence that is left is used as a source.* Where symbols must tell positions, the pair's coin is
   tossed first. It says which of the two squares is in danger, and one `turn_if` on each empties it with the
   right probability; which half the piece is in can then be read off the two squares with two CX. With the
   pair's own that makes five for a half-entangled piece, for which Qiskit's generic state preparation takes
   more than fifty. A numerical search through circuits of four CX has found none, with any gates on one qubit
   and every tree of pairs (`tests/benchmarks/half_entangled_search.py`; the nearest is 0.016 away).
8. *A line is worth a gate.* Those five close a ring of four qubits. Where qubits sit on lines, as on
   heavy-hexagon devices, a ring needs SWAPs, of three CX each. There the common bit is made first, and the
   coin *steers* which square it empties (`steer`): six CX along the line other half, parent, child, symbol,
   symbol, in depth 4. (The same search has found no five CX that close no ring and give no qubit more than
   three neighbours.) Which of the two is better for a device is not guessed from its name: both
   are compiled, and the one that is more likely to come through is sent.

CX per piece at optimisation level 3 (`tests/benchmarks/lean_table.py` prints all of them and more); "certain"
and "coin" say what the symbol of an attacker left alone is, along the axis of reading:

    ==========================================  ====  ====  ==================
    piece                                       free  line  depth (free, line)
    ==========================================  ====  ====  ==================
    classical, plus, minus                      0     0     0, 0
    superposition                               1     1     1, 1
    entangled                                   1     1     1, 1
    half-entangled, certain                     5     6     3, 4
    half-entangled, coin                        4     4     3, 3
    both halves entangled, certain              10    11    6, 4
    both halves entangled, coin                 7     7     3, 3
    half-cancelled                              3     3     3, 3
    both halves cancelled                       5     5     3, 3
    one half entangled, one cancelled, certain  7     8     5, 4
    one half entangled, one cancelled, coin     6     6     3, 3
    ==========================================  ====  ====  ==================
"""

from circuits.lean.collapsed import collapsed_circuit
from circuits.lean.pieces import Attack, Piece, PieceError, Site
from circuits.lean.synthesis import Encoding, Role, Shape, lean_circuit, wire

__all__ = [
    "Attack",
    "Encoding",
    "Piece",
    "PieceError",
    "Role",
    "Shape",
    "Site",
    "collapsed_circuit",
    "lean_circuit",
    "wire",
]
