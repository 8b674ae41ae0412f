"""Random games whose board is full, for tests of observations."""

from collections.abc import Iterator
from random import Random

from qttt.game import Game
from qttt.game.outcomes import Observation
from qttt.game.rules import Rules, parse_level, parse_options
from qttt.game.state import Phase


def full_games(level: int, count: int, seed: int, options: str = "", phases: int = 2) -> Iterator[Game]:
    """Games of random moves that wait for an observation, after up to so many phases of play."""
    random = Random(seed)
    for _ in range(count):
        chosen = parse_level(str(level))
        game = Game(rules=Rules(chosen, parse_options(options, chosen)))
        wanted = random.randrange(phases) + 1
        while True:
            while game.state.phase is Phase.MOVE:
                game.push(random.choice(game.state.legal_moves()))
            if game.state.observations + 1 == wanted:
                break
            mode = random.choice(game.state.modes)
            game.push(Observation(game.state.odds(mode).draw(random), mode))
            if game.over:
                break
        if not game.over:
            yield game
