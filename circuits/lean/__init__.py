"""x"""
from circuits.lean.pieces import Piece, PieceError, Site
from circuits.lean.synthesis import lean_circuit, wire
