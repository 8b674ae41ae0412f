r"""The protocol between a page and the table that it plays at: every message, and the state, in words.

The page holds no rule. The server sends the whole state after every change; the page draws it, narrows the
list of choices by the squares touched, and sends back a token from that list. The same messages go over a
WebSocket (``qttt serve``), a notebook's widget and a worker of a static page.

**Where things are.** ``GET /`` is the page (``static/index.html``), ``GET /static/NAME`` every other file of
``qttt/page/static``, ``GET /page/TICKET`` a lesson that was asked for. The socket is ``/socket`` on the same
host (``ws:`` for ``http:``, ``wss:`` for ``https:``). The fragment of the page's address never leaves the
browser; it holds what the page sends in ``hello`` or ``new``:

- ``#token=T``: the owner's token, as ``qttt serve`` prints it. The page keeps it (sessionStorage) and sends
  it with every ``hello``. ``qttt serve FILE`` prints ``#token=T&room=R&key=K``.
- ``#room=R&key=K``: a room and the key of what one may do there. A page that made a room writes this into
  its own address (``history.replaceState``), so that a reload and the back button find the game.
- ``#level=3&options=tally&first=O&game=5%205*6``: a record to open, sent as ``new`` with ``record`` (its
  tokens), ``level``, ``options`` and ``first``.
- nothing: the page sends ``hello`` and then ``new`` as its form says.

**Messages.** One JSON object each, at most 4 kB from a page (a record to open may have 64 kB). A page's
message has ``type`` and ``id``, a whole number of its own that the answer repeats. What changes or asks
about a game has ``n`` too: the number of entries in the table's log as the page knows it (``state.n``). A
stale ``n`` is refused with ``"stale": true``, and the state comes along. Unknown keys and types are refused.

From the page, with what it is answered by:

=============================================================  ==============================================
``{"type": "hello", "id": 1, "token": "T",``                   ``welcome``; with ``room`` and ``key`` then
``"room": "R", "key": "K"}`` (the last three optional)         ``joined`` and ``state``
``{"type": "new", "id": 2, "level": 2, "options": "",``        ``joined``, ``state``. All but level optional;
``"first": "X", "X": "human", "O": "easy",``                   ``X``, ``O``: ``human`` or a name of
``"backend": "aer", "clock": {"seconds": 300,``                ``welcome.players``; ``backend``: a name of
``"increment": 5}, "record": "5 5*6", "at": 1}``               ``welcome.backends``; ``record`` with headers
                                                               or without; ``at``: only its first so many
                                                               events (what if?)
``{"type": "play", "id": 3, "n": 4, "token": "5*6"}``          ``state``. Tokens of ``state.choices`` (with
                                                               ``~`` behind where ``after``), or ``?5``: look
                                                               at square 5 as the turn
``{"type": "observe", "id": 4, "n": 9}``                       ``state``; where ``state.modes`` has two, the
``{"type": "observe", "id": 5, "n": 10, "mode": "rotated"}``   first gives the positions, the second, with a
                                                               mode, the board
``{"type": "undo", "id": 6, "n": 4}``                          ``state``: at once against a computer or on one
                                                               screen, else an offer
``{"type": "draw", …}``, ``{"type": "resign", …}``             ``state``: a draw is an offer (a computer
                                                               answers it soon); ``resign`` on one screen is
                                                               by whoever is to choose
``{"type": "accept", …}``, ``{"type": "decline", …}``          ``state``: to the offer that stands;
                                                               ``decline`` by who made it takes it back
``{"type": "rematch", "id": 7, "n": 30}``                      ``state``: the other side starts; an offer
                                                               between people on two pages
``{"type": "hurry", "id": 8, "n": 4}``                         ``state``: the computer moves now
``{"type": "ask", "id": 9, "n": 4, "what": "odds",``           ``answer`` (questions below). One question of
``…}``                                                         a kind at a time: a newer one cancels an older,
                                                               which gets no answer
``{"type": "cancel", "id": 10, "of": 9}``                      nothing: the question needs no answer any more
``{"type": "leave", "id": 11}``                                ``left``: the page is at no table any more
=============================================================  ==============================================

From the server (``id`` where it answers; ``state`` also comes unasked, to every page at the table):

- ``{"type": "welcome", "id": 1, "version": "0.2.0", "owner": true, "levels": […], "options": […],
  "kinds": […], "players": […], "backends": […]}``: everything that a page offers.
  ``levels``: ``{"number": 2, "name": "Entanglement", "kinds": ["classical", …], "modes": ["standard"],
  "views": false}``; ``options``: ``{"written": "view-switches=N", "name": "view-switches", "takes": "N" |
  "physical" | "", "levels": [5], "summary": …}``; ``kinds``: ``{"word": "entangling", "sign": "*", "verb":
  "entangles with", "first_level": 2, "attacks": true, "fills": 1, "example": "5*6"}``; ``players``:
  ``{"name": "easy", "summary": …, "levels": [0, …]}``; ``backends``: ``{"name": "aer", "kind":
  "simulator" | "dice" | "noisy" | "device", "summary": …, "owner": false}`` (``owner``: only the owner may
  choose it).
- ``{"type": "joined", "id": 2, "room": "R", "key": "K", "you": ["X", "O"], "keys": {"table": …, "X": …,
  "O": …, "watch": …}}``: ``you``: the seats that this page may play. ``keys``: only for who holds ``table``
  (both seats: one screen) or made the room.
- ``{"type": "state", "id": 3, …}``: see below.
- ``{"type": "answer", "id": 9, "what": "odds", "n": 4, "answer": {…}}``
- ``{"type": "progress", "id": 9, "says": "queued, place 3"}``: for what takes long (devices).
- ``{"type": "error", "id": 3, "says": "5*6: square 5 is empty", "stale": false}``: one line; nothing changed.
- ``{"type": "left", "id": 11}``

**The state** (all keys always there; ``dice``, ``moves`` and ``odds`` are the objects that ``qttt dice``,
``qttt moves`` and ``qttt odds`` print with ``--json``):

- ``n``: entries in the table's log; grows with everything, takebacks and offers too. ``room``, ``you``,
  ``game``: number of this game at the table, 1 and up (a rematch is the next).
- ``level``, ``level_name``, ``options`` (as written in a record), ``first``, ``backend``.
- ``phase``: ``"move"``, ``"observation"`` (the board is full), ``"mode"`` (positions known) or ``"over"``.
  ``turn``: who moves, null after the end; ``initiator``: who moved last; ``decides``: who is to do something
  now (the turn, or the initiator), null after the end.
- ``says``: one line on how the game stands. ``asks``: one line on what is asked of ``decides``, ``""`` after
  the end.
- ``result``: ``"X"``, ``"O"``, ``"tie"`` or ``"continue"``; ``how``: ``"board"``, ``"agreement"``,
  ``"resigned"``, ``"clock"`` or null; ``lines``: ``{"X": [[1, 5, 9]], "O": []}`` after the end, else null.
- ``seats``: ``{"X": {"player": "human", "computer": false, "here": true}, "O": {"player": "easy",
  "computer": true, "here": true}}``; ``here``: a page with this seat is connected, or it is a computer's.
- ``dice``, ``moves``, ``odds`` (standard mode, unless the next look is a repeated one);
  ``odds_rotated``: the odds in rotated mode, null below Level 4.
- ``choices``: ``[{"token": "5*6", "kind": "entangling", "squares": [5, 6], "before": false, "after":
  true}]``: every legal move; ``before``: it begins with a view switch; ``after``: ``~`` may be added
  behind it (a view switch after the move). Moves that measure:
  ``{"token": "?5", "kind": "look", "squares": [5], …}``.
  The same for every page: what this one may do is in ``can``.
- ``modes``: the modes to choose from now, ``[]`` unless the board is full.
- ``events``: ``[{"token": "5*6", "by": "O", "kind": "entangling", "squares": [5, 6]}]``: the game so far.
  ``by``: the player, for an observation its initiator; ``kind``: a move's, ``"look"``, ``"positions"`` or
  ``"observation"``; ``squares``: those that it named.
- ``links``: ``[{"kind": "entangled" | "half" | "cancelled", "squares": [1, 3]}]``: pairs and halves that
  belong together, and from a cancelled square to its target.
- ``picture``: nine of ``{"name": "middle", "label": "half here", "says": …, "dice": [{"paint": "x0",
  "letter": "R"}]}``: what stands in each square beside its dice (`qttt.page.picture.squares_report`).
- ``roots``: ``[{"squares": [1, 3, 6], "dice": [[1, 0], [3, 0]]}]``: the dice that belong together, each as
  square and place among ``dice.squares[square - 1].dice``.
- ``observation``: the last look if it is the last event, else null: ``{"event": 12, "what": "board" |
  "positions" | "square", "mode": "standard", "cells": "XO.XXO.OX" (or ``##.##.#.#``), "chance": 0.125,
  "order": [4, 6, 1, …] (the squares in the order of the reveal, those known before left out), "lines":
  {"X": …, "O": …}, "before": {"X": 0.5, "O": 0.25, "tie": 0.25, "continue": 0} (odds of the results as they
  were; null for a square), "backend": "aer", "shots": 3, "illegal": 2, "herald_failed": 0, "impossible":
  {"an entangled pair alike": 2} (the illegal shots by kind), "rolls": [{"says": "X points at 7: is this
  square mine? (even means yes) 3: no", "squares": [7], "throws": [3], "yes": false}] (by dice, else [])}``.
  ``backend`` to ``herald_failed`` are null, and ``rolls`` empty, for a look of which only the result is
  known: of an opened record, or from before the server was started anew. ``mode`` is null for positions and
  a square, ``lines`` and ``before`` too.
- ``luck``: after the end the table's seed in hexadecimal, with which its chances can be drawn again;
  else null.
- ``offer``: null or ``{"kind": "draw" | "undo" | "rematch", "by": "X"}``.
- ``thinking``: null or ``{"by": "O", "seconds": 1.4, "doing": "moves" | "observes" | "answers"}`` (how
  long so far; ``answers``: an offer).
- ``clock``: null or ``{"X": 291.5, "O": 300.0, "increment": 5, "runs": "X" | null}``: seconds left now.
- ``can``: ``{"play": true, "observe": false, "undo": true, "draw": true, "resign": true, "accept": false,
  "decline": false, "rematch": false, "hurry": false}``: what this page may send now.

**Questions** (``what``, further keys, ``answer``); none changes the game:

- ``odds``: ``token`` (optional: after this choice), ``mode`` (default standard), ``at`` → the object of
  ``qttt odds --json``.
- ``why``: ``token`` → ``{"legal": false, "why": "square 5 is empty", "nearest": ["5+6", "5"]}``: ``nearest``
  are legal choices with the same squares.
- ``state``: ``at``: the state after so many events of this game (stepping through); ``can`` all false.
- ``advise``: ``top`` (default 5) → the object of ``qttt advise --json``. ``evaluation``: ``at`` → ``{"value":
  -0.2, "X": 0.3, "tie": 0.2, "O": 0.5, "exact": true}``, value being P(X wins) − P(O wins).
- ``review`` → the object of ``qttt review --json``.
- ``amplitudes``: ``mode``, ``at`` → ``{"roots": [{"squares": [5, 6], "dice": [[5, 0], …], "terms": [{"cells":
  "XO", "amplitude": 0.7071, "probability": 0.5, "dice": [[5, 0], [6, 1]], "says": "…"}]}]}``: ``dice``: the
  dice that say this term.
- ``circuit``: ``mode``, ``style`` (``moves`` or ``lean``), ``at`` → ``{"qubits": [{"label": "5 X", "square":
  5}, …], "blocks": [{"label": "5*6", "event": 2, "qubits": [0, 1, 4], "gates": [{"name": "ry", "parameters":
  ["1.571"], "qubits": [0]}]}]}``: a block a move (``event``: number among ``events``, null for what belongs
  to none, such as the measurement); ``qubits`` index the list.
- ``look``: ``shots`` (1 to 10,000, default 1,000), ``mode``, ``backend`` → ``{"shots": 1000, "kept": 998,
  "illegal": 2, "herald_failed": 0, "boards": {"XO.…": 120, …}, "exact": {"XO.…": 0.125, …}}``.
- ``record`` → ``{"record": "[Level \"2\"]\n\n1. 5 5*6\n", "name": "tiqtaqtoe.qttt"}``.
- ``share`` → ``{"fragment": "level=2&game=5%205*6", "qr": {"size": 29, "path": "M0 0h7v1h-7z…"}}``: put
  behind the page's own address and ``#``; ``address`` (optional in the question): the page's address, for
  the QR code. ``path``: SVG path data in units of a module, no quiet zone.
- ``lesson`` → ``{"address": "/page/TICKET"}``: open in a new window; good for ten minutes.
- ``openings``: ``line`` → the object of ``qttt openings --json``; ``puzzle``: ``level`` (default: the
  game's) → ``{"record": …, "question": …, "solutions": [tokens or modes], "why": …, "grade": "easy"}``.
- ``plan``: ``backend`` → ``{"backend": …, "says": [lines], "seconds": 12.0 | null}``: what a job would cost.

``at`` in a question means the game after its first so many events. The schema of all messages is
``protocol.schema.json`` beside this module; what a page sends is held against it.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from qttt.errors import QtttError, UsageError, quoted, shown

MAX_BYTES: Final = 4096
"""The most bytes of a page's message."""
MAX_RECORD_BYTES: Final = 65536
"""The most bytes of a message ``new``, which may hold a record."""

Message = dict[str, Any]


class StaleError(QtttError):
    """A page acts on a state that is no more."""


class MessageError(UsageError):
    """Something that is no message of a page.

    Attributes:
        id: the number that it bears all the same, for the answer; None if it has none.
    """

    def __init__(self, said: str, id: int | None = None) -> None:
        """Say what is wrong with it."""
        self.id = id
        super().__init__(said)


@cache
def schema() -> Message:
    """The JSON Schema of every message in both directions."""
    text = files("qttt.page").joinpath("protocol.schema.json").read_text(encoding="utf-8")
    found: Message = json.loads(text)
    return found


def read_message(text: str | bytes) -> Message:
    """Read what a page sent.

    Args:
        text: one message.

    Raises:
        MessageError: it is too long, no JSON, or no message that a page may send.
    """
    size = len(text.encode("utf-8", "replace") if isinstance(text, str) else text)
    if size > MAX_RECORD_BYTES:
        raise MessageError(f"a message has at most {MAX_RECORD_BYTES:,} bytes, not {size:,}")
    try:
        message = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise MessageError("a message must be one JSON object") from None
    if not isinstance(message, dict):
        raise MessageError(f"a message must be one JSON object, not {shown(message)}")
    try:
        _check_message(message, size)
    except UsageError as error:
        id = message.get("id")
        known = type(id) is int and 0 <= id < 1 << 53
        raise MessageError(str(error), id if known else None) from None
    return message


def _check_message(message: Message, size: int) -> None:
    kind = message.get("type")
    rules = schema()["$defs"].get(f"page.{kind}")
    if rules is None or not isinstance(kind, str):
        raise UsageError(f"there is no message of the type {shown(kind)}")
    if size > MAX_BYTES and "record" not in rules["properties"]:
        raise UsageError(f"a message has at most {MAX_BYTES:,} bytes, not {size:,}")
    _check(message, rules, f"the message {quoted(kind)}")


def _refuse(word: str) -> None:
    raise ValueError(word)


def _check(value: Any, rules: Message, what: str) -> None:
    """Hold a value against what of JSON Schema the messages of a page need."""
    match rules.get("type"):
        case "object":
            if not isinstance(value, dict):
                raise UsageError(f"{what} must be an object, not {shown(value)}")
            for key in rules["required"]:
                if key not in value:
                    raise UsageError(f"{what} has no {key!r}")
            for key, inner in value.items():
                if key not in rules["properties"]:
                    raise UsageError(f"{what} has an unknown key {quoted(key)}")
                _check(inner, rules["properties"][key], f"{key!r} of {what}")
        case "integer":
            least, most = rules["minimum"], rules["maximum"]
            if type(value) is not int or not least <= value <= most:
                raise UsageError(
                    f"{what} must be a whole number from {least} to {most:,}, not {shown(value)}"
                )
        case "string":
            if not isinstance(value, str) or len(value) > rules["maxLength"]:
                raise UsageError(f"{what} must be a text of at most {rules['maxLength']:,} characters")
        case None if "enum" in rules and value not in rules["enum"]:
            known = " or ".join(map(repr, rules["enum"]))
            raise UsageError(f"{what} must be {known}, not {shown(value)}")


def error_message(said: str, id: int | None = None, *, stale: bool = False) -> Message:
    """What a page is told when nothing came of its message.

    Args:
        said: why, in one line.
        id: the message's own number, if it had one.
        stale: it was about a state that is no more.
    """
    return {"type": "error", "id": id, "says": " ".join(said.split()), "stale": stale}
