"""Games that several tests play: by their tokens, and at random."""

from random import Random

import numpy as np

from qttt.game import Game
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.state import Phase, State
from qttt.game.symbols import Mode, Symbol
from qttt.players import Choice, Look, choices


def game_of(record: str, level: int = 2, options: str = "", first: Symbol = Symbol.X) -> Game:
    game = Game(level, options, first=first)
    game.play(record)
    return game


def random_states(
    level: int, count: int, seed: int = 1, options: str = "", least_moves: int = 0
) -> list[State]:
    """States in which a player has to choose, from games of random choices."""
    rng = np.random.default_rng(seed)
    states: list[State] = []
    while len(states) < count:
        game = Game(level, options)
        while not game.over and len(game.events) < 60:
            state = game.state
            if state.phase is Phase.OBSERVATION:
                advance_by_chance(game, rng)
                continue
            if len(game.events) >= least_moves and rng.random() < 0.3:
                states.append(state)
            found = choices(state)
            make(game, found[int(rng.random() * len(found))], rng)
    return states[:count]


def advance_by_chance(game: Game, rng: np.random.Generator) -> None:
    state = game.state
    if len(state.modes) > 1:
        positions = list(state.odds().positions())
        game.push(Positions(positions[int(rng.random() * len(positions))]))
    else:
        game.push(Observation(state.odds(state.modes[0]).draw(rng), state.modes[0]))


def make(game: Game, choice: Choice, rng: np.random.Generator) -> None:
    """Carry a choice out, with the exact odds where chance decides."""
    if isinstance(choice, Mode):
        game.push(Observation(game.state.odds(choice).draw(rng), choice))
    elif isinstance(choice, Look):
        cells = list(game.state.measurement_odds(choice.square))
        game.push(Measurement(choice.square, cells[int(rng.random() * len(cells))]))
    else:
        game.push(choice)


def random_game(level: int, seed: int, events: int = 24) -> Game:
    """A random game with observations drawn from their odds."""
    rng = Random(seed)
    game = Game(level)
    while game.state.phase is not Phase.OVER and len(game.events) < events:
        state = game.state
        if state.phase is Phase.MOVE:
            game.push(rng.choice(state.legal_moves()))
            continue
        mode = rng.choice(state.modes)
        board = state.odds(mode).draw(rng)
        if len(state.modes) > 1 and state.positions is None and rng.random() < 0.5:
            game.push(Positions("".join("." if cell == "." else "#" for cell in board)))
        else:
            game.push(Observation(board, mode))
    return game
