"""Dice, circuits and shots held against each other, from outside."""
