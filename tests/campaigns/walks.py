"""Random games, every kind of event among them."""

import random

from qttt.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.rules import Rules
from qttt.game.state import Phase
from qttt.game.symbols import Symbol
from qttt.records.record import Record


def random_event(game: Game, rng: random.Random) -> Measurement | None:
    """A measured square now and then, where the rules allow one."""
    squares = game.state.measurable()
    if not squares or rng.random() > 0.2:
        return None
    square = rng.choice(squares)
    return Measurement(square, game.state.odds().draw(rng)[square - 1])


def step(game: Game, rng: random.Random) -> None:
    """Add one event: every kind of move equally often, every mode, positions half of the time."""
    state = game.state
    if state.phase is Phase.MOVE:
        measured = random_event(game, rng)
        if measured is not None:
            game.push(measured)
            return
        moves = state.legal_moves()
        kind = rng.choice(sorted({move.kind for move in moves}, key=lambda kind: kind.name))
        game.push(rng.choice([move for move in moves if move.kind is kind]))
        return
    mode = rng.choice(state.modes)
    board = state.odds(mode).draw(rng)
    if state.phase is Phase.OBSERVATION and len(state.modes) > 1 and rng.random() < 0.5:
        game.push(Positions("".join("." if cell == "." else "#" for cell in board)))
    else:
        game.push(Observation(board, mode))


def random_game(rules: Rules, rng: random.Random, most: int = 60, first: Symbol = Symbol.X) -> Game:
    """A random game, to its end or to so many events."""
    game = Game(rules=rules, first=first)
    while not game.over and len(game.events) < most:
        step(game, rng)
    return game


def random_record(rules: Rules, rng: random.Random, most: int = 60) -> str:
    """The record of a random game, with headers and a comment."""
    headers = {"X": 'Ada "A" <b>', "O": "Łukasz\\", "Date": "2026-11-30"}
    return str(Record.of(random_game(rules, rng, most), headers)) + " {the end}\n"
