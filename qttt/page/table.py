"""One game behind one page, in the same process: what a notebook's widget talks to."""

import json
from typing import TYPE_CHECKING, Any

from qttt.errors import QtttError, UsageError
from qttt.game.game import Game, check_game, parse_event
from qttt.game.moves import Move
from qttt.game.outcomes import Measurement, Observation
from qttt.game.state import Event, Phase
from qttt.game.symbols import Mode, Symbol
from qttt.observation.observers import (
    Observer,
    check_observable,
    measure_square,
    observe_board,
    observe_positions,
)
from qttt.page.answers import ANSWERS, answer
from qttt.page.protocol import Message, error_message, read_message
from qttt.page.states import Seen, Viewer, catalogue, table_state
from qttt.records.record import Record
from qttt.session.sitting import Sitting
from qttt.version import __version__

if TYPE_CHECKING:
    import numpy as np


class GameTable:
    """A game of two people at one page.

    What is done on the page is done to the game, and the page is told of what was done to the game
    elsewhere with the next message, or by `state`.
    """

    def __init__(self, game: Game, backend: str, observer: Observer, rng: "np.random.Generator") -> None:
        """Set a table up.

        Args:
            game: the game.
            backend: what the page calls who observes it.
            observer: who observes it.
            rng: where every random number comes from.

        Raises:
            UsageError: no game.
        """
        check_game(game)
        self.game, self.backend = game, backend
        self._observer, self._rng = observer, rng
        self._seen: dict[int, Seen] = {}
        self._known: tuple[tuple[Event, ...], bool] = (game.events, game.over)
        self._n = 0

    def handle(self, message: Message) -> list[Message]:
        """Do what a page asks.

        Args:
            message: one message of `qttt.page.protocol`, as an object.

        Returns:
            What the page is to be sent, in this order.
        """
        id = message.get("id")
        try:
            return self._handle(read_message(json.dumps(message)), id)
        except QtttError as error:
            return [error_message(str(error), id)]

    def state(self, id: int | None = None) -> Message:
        """The message ``state`` of the game as it is now."""
        self._notice()
        found = self._state(Record.of(self.game))
        return {**found, "id": id, "n": self._n}

    def _handle(self, message: Message, id: int | None) -> list[Message]:
        kind = message.get("type")
        if kind == "hello":
            return [
                {**self._welcome(), "id": id},
                {"type": "joined", "id": id, "room": "notebook", "key": "", "you": ["X", "O"]},
                self.state(),
            ]
        if kind not in ("play", "observe", "undo", "draw", "ask", "cancel"):
            raise UsageError(f"a board in a notebook has one game: the message {kind!r} is for qttt serve")
        if kind == "cancel":
            return []
        self._notice()
        if kind == "ask":
            found = self._answer(message)
            return [{"type": "answer", "id": id, "what": message["what"], "n": self._n, "answer": found}]
        if message.get("n") != self._n:
            stale = error_message("the game has gone on meanwhile", id, stale=True)
            return [stale, self.state()]
        match kind:
            case "play":
                self._play(message["token"])
            case "observe":
                self._observe(message.get("mode"))
            case "undo":
                self.game.undo()
            case _:
                self.game.agree_on_draw()
        return [self.state(id)]

    def _notice(self) -> None:
        """Count what was done to the game, here or elsewhere."""
        if (self.game.events, self.game.over) != self._known:
            self._known = (self.game.events, self.game.over)
            self._n += 1
            self._seen = {
                number: seen for number, seen in self._seen.items() if number <= len(self.game.events)
            }

    def _play(self, token: str) -> None:
        if token.startswith("?") and "=" not in token:
            square = parse_event(f"{token}=.")
            assert isinstance(square, Measurement)
            measurement, sample = measure_square(self.game, square.square, self._observer, self._rng)
            self.game.push(measurement)
            self._seen[len(self.game.events)] = Seen(self.backend, sample)
            return
        event = parse_event(token)
        if not isinstance(event, Move):
            raise UsageError("what an observation gives is not chosen")
        self.game.push(event)

    def _observe(self, mode: str | None) -> None:
        check_observable(self.game)
        modes = self.game.state.modes
        if mode is None and len(modes) > 1:
            if self.game.phase is Phase.MODE:
                raise UsageError("the mode is to be chosen: standard or rotated")
            positions, sample = observe_positions(self.game, self._observer, self._rng)
            self.game.push(positions)
        else:
            chosen = modes[0] if mode is None else Mode.named(mode)
            sample = observe_board(self.game, chosen, self._observer, self._rng)
            assert isinstance(self.game.events[-1], Observation)
        self._seen[len(self.game.events)] = Seen(self.backend, sample)

    def _answer(self, message: Message) -> Message:
        record, what = Record.of(self.game), message["what"]
        if what == "state":
            past = self._state(record.until(message["at"]))
            return {**past, "n": self._n, "can": dict.fromkeys(past["can"], False)}
        if what not in ANSWERS:
            raise UsageError(f"a board in a notebook does not answer {what!r}")
        return answer(what, record, message)

    def _state(self, record: Record) -> Message:
        viewer = Viewer(you=tuple(Symbol), here=tuple(Symbol), seen=self._seen)
        found = table_state(Sitting.begin(record), "notebook", viewer)
        # One who looks away from a game need not resign it, and another board is another game.
        return {**found, "backend": self.backend, "can": {**found["can"], "resign": False, "rematch": False}}

    def _welcome(self) -> dict[str, Any]:
        return {
            "type": "welcome",
            "version": __version__,
            "owner": True,
            **catalogue(),
            "players": [],
            "backends": [{"name": self.backend, "kind": "simulator", "summary": "", "owner": False}],
        }
