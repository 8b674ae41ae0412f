"""Tests of the ground floor, `circuits`."""
