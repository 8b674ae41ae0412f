"""TiqTaqToe as a game of OpenSpiel; importing this module registers it (extra ``openspiel``).

>>> import pyspiel
>>> pyspiel.load_game("tiqtaqtoe(level=1,options=measure-turn)").num_players()
2

Parameters: ``level`` (default 2), ``first`` (``X`` or ``O``) and ``options`` as a record writes them, but
with ``+`` for the comma and ``:`` for the equals sign, which a game string keeps for itself:
``tiqtaqtoe(level=5,options=quantum-only+view-switches:2)``. Player 0 is X, player 1 is O. A game of Level 5
need not end, and OpenSpiel's must: there it is a tie after 50 observations, unless ``max-observations`` says
otherwise.

What a player decides is an action: each of the 756 moves, each square that may be measured, each mode; its
string is our notation (``=s:`` and ``=r:`` for the modes). What an observation or a measured square gives is
a chance node, with the probabilities of the dice as they are. Where the mode is still to be chosen, chance
gives the filled squares, the player who moved last chooses, and chance gives the symbols.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel

from qttt.errors import QtttError
from qttt.game import Game
from qttt.game.dice import VALUES, Die
from qttt.game.moves import ALL_MOVES, Move
from qttt.game.outcomes import Measurement, Observation, Positions
from qttt.game.result import Result
from qttt.game.rules import DEFAULT_LEVEL, Rules
from qttt.game.squares import SQUARES
from qttt.game.state import Event, Phase, State
from qttt.game.symbols import Mode, Symbol, View
from qttt.records.record import Record

#: Observations after which a game of Level 5 is a tie, unless the options say another number.
MOST_OBSERVATIONS = 50
_PLAYERS = {Symbol.X: 0, Symbol.O: 1}
_RETURNS = {Result.X: [1.0, -1.0], Result.O: [-1.0, 1.0], Result.TIE: [0.0, 0.0], Result.CONTINUE: [0.0, 0.0]}
#: An action is a move, the number of a square to measure, or a mode.
_ACTIONS: tuple[Move | int | Mode, ...] = (*ALL_MOVES, *SQUARES, *Mode)
_NUMBER = {action: number for number, action in enumerate(_ACTIONS)}
_CELLS = ".XO"
# A board is one of 3^9; positions and what a square gives need less.
_MOST_OUTCOMES = 3**9


_GAME_TYPE = pyspiel.GameType(
    short_name="tiqtaqtoe",
    long_name="TiqTaqToe",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"level": DEFAULT_LEVEL, "options": "", "first": "X"},
)


class TiqTaqToe(pyspiel.Game):  # type: ignore[misc]
    """The game: level, options and who starts.

    Raises:
        QtttError: on construction, for a level, an option or a player that does not exist.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Take the parameters that OpenSpiel has read from a game string."""
        given = dict(params or {})
        options = str(given.get("options", "")).replace("+", ",").replace(":", "=")
        rules = Rules.of(int(given.get("level", DEFAULT_LEVEL)), options)
        if rules.level.observed_in_play and rules.options.max_observations is None:
            rules = replace(rules, options=replace(rules.options, max_observations=MOST_OBSERVATIONS))
        self.rules = rules
        self.first = Symbol.named(str(given.get("first", "X")))
        # Below Level 5 an observation closes a square at least. Between two of them every move fills a square
        # and each square may be measured once, which empties the four of its root at most.
        phases = rules.options.max_observations or len(SQUARES)
        turns = len(SQUARES) * (1 + 5 * rules.options.measure_turn)
        self._most_chances = phases * (2 + len(SQUARES) * rules.options.measure_turn)
        super().__init__(
            _GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=len(_ACTIONS),
                max_chance_outcomes=_MOST_OUTCOMES,
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=phases * (turns + rules.level.rotated_mode),
            ),
            given,
        )

    def new_initial_state(self) -> "TiqTaqToeState":
        """The empty board."""
        return TiqTaqToeState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Observations, and squares measured between them."""
        return self._most_chances

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """What a player sees: everything, as there are no secrets."""
        if iig_obs_type is not None and not iig_obs_type.public_info:
            return Observer({}, params)
        return Observer(_PARTS, params)


class TiqTaqToeState(pyspiel.State):  # type: ignore[misc]
    """A moment of a game, before a decision or a chance.

    Attributes:
        game_played: the game so far; a square or a mode that is chosen is not in it before chance has spoken.
        chosen: the square to measure or the mode whose result is to come, if any.
    """

    def __init__(self, game: TiqTaqToe) -> None:
        """Start with the empty board; OpenSpiel calls it through ``new_initial_state``."""
        super().__init__(game)
        self.game_played = Game(first=game.first, rules=game.rules)
        self.chosen: int | Mode | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "TiqTaqToeState":
        twin = type(self)(self.get_game())
        twin.game_played, twin.chosen = self.game_played.copy(), self.chosen
        return twin

    @property
    def moment(self) -> State:
        """The state of the game as the rules know it."""
        return self.game_played.state

    def record(self) -> str:
        """The game so far as a record that every command of ``qttt`` reads."""
        return str(Record.of(self.game_played))

    def current_player(self) -> int:
        """0 for X, 1 for O, or OpenSpiel's numbers for chance and for the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        moment = self.moment
        if self.chosen is not None or moment.phase is Phase.OBSERVATION:
            return int(pyspiel.PlayerId.CHANCE)
        return _PLAYERS[moment.initiator if moment.phase is Phase.MODE else moment.turn]

    def _legal_actions(self, player: int) -> list[int]:
        moment = self.moment
        if moment.phase is Phase.MODE:
            return [_NUMBER[mode] for mode in moment.modes]
        actions: tuple[Move | int, ...] = (*moment.legal_moves(), *moment.measurable())
        return [_NUMBER[action] for action in actions]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each outcome's number with its probability, as the dice give it."""
        return sorted((_outcome_number(event), chance) for event, chance in self._chances().items())

    def _chances(self) -> dict[Event, float]:
        moment, chosen = self.moment, self.chosen
        if isinstance(chosen, int):
            return {Measurement(chosen, cell): p for cell, p in moment.measurement_odds(chosen).items()}
        if chosen is None and len(moment.modes) > 1:
            return {Positions(filled): p for filled, p in moment.odds().positions().items()}
        mode = chosen or moment.modes[0]
        return {Observation(board, mode): p for board, p in moment.odds(mode).outcomes().items()}

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self.game_played.push(self._outcome(action))
            self.chosen = None
            return
        choice = _ACTIONS[action]
        if isinstance(choice, Move):
            self.game_played.push(choice)
        else:
            self.chosen = choice

    def _outcome(self, number: int) -> Event:
        """What the number of an outcome stands for at this chance node."""
        chosen, modes = self.chosen, self.moment.modes
        if isinstance(chosen, int):
            return Measurement(chosen, _CELLS[number])
        if chosen is None and len(modes) > 1:
            return Positions("".join(".#"[number >> place & 1] for place in range(len(SQUARES))))
        board = "".join(_CELLS[number // 3**place % 3] for place in range(len(SQUARES)))
        return Observation(board, chosen or modes[0])

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return str(self._outcome(action))
        choice = _ACTIONS[action]
        if isinstance(choice, Mode):
            return "=r:" if choice is Mode.ROTATED else "=s:"
        return str(choice) if isinstance(choice, Move) else f"?{choice}"

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.game_played.over

    def returns(self) -> list[float]:
        """What X and O have won: 1 and −1, or nothing for a tie and while the game goes on."""
        return list(_RETURNS[self.game_played.result])

    def __str__(self) -> str:
        """The events so far in notation, and what is chosen while its result is to come."""
        tokens = [str(event) for event in self.game_played.events]
        if self.chosen is not None:
            tokens.append(self._action_to_string(0, _NUMBER[self.chosen]))
        return " ".join(tokens)


def _outcome_number(event: Event) -> int:
    """A board as a number in base 3, positions as bits, what a square gave as 0, 1 or 2."""
    match event:
        case Observation(board):
            return sum(_CELLS.index(cell) * 3**place for place, cell in enumerate(board))
        case Positions():
            return event.mask
        case Measurement(_, cell):
            return _CELLS.index(cell)
        case Move():
            raise QtttError(f"{event} is a player's, not a chance")


#: The parts of the observation tensor with their shapes.
_PARTS: Mapping[str, tuple[int, ...]] = {
    "turn": (2,),  # whose decision it is; none at a chance node
    "observed": (9, 2),  # a symbol that an observation has placed
    # two dice at most: shape, owner, number of the piece among its owner's, value
    "dice": (9, 2, 2 + 2 + 10 + len(VALUES)),
    "twisted": (9,),  # option view=physical: rotated although the dice do not show it
    "view": (2,),
    "switches_left": (2,),
    "filled": (9, 2),  # the filled and the empty squares, once they are known and the mode is to be chosen
    "mode": (2,),  # the mode that is chosen
    "measuring": (9,),  # the square that is being measured
    "measured": (9,),  # the squares measured since the last observation
    "observations": (1,),  # finished observations, 1 for each
    "repeats": (1,),  # observations in a row that left the board full (option no-ties)
}


class Observer:
    """OpenSpiel's observer: the whole state as a tensor, and the events as a string; or nothing of either.

    Attributes:
        tensor: every part one after the other, float32.
        dict: the parts by name, views of the tensor.

    Raises:
        ValueError: on construction, for parameters; there are none.
    """

    def __init__(self, parts: Mapping[str, tuple[int, ...]], params: Any) -> None:
        """Make room for the parts: all of ``_PARTS``, or none where one player alone is to see."""
        if params:
            raise ValueError(f"the observer takes no parameters, not {params}")
        ends = np.cumsum([np.prod(shape) for shape in parts.values()], dtype=int)
        self.tensor = np.zeros(ends[-1] if parts else 0, np.float32)
        cuts = np.split(self.tensor, ends[:-1])
        self.dict = {
            name: cut.reshape(shape) for (name, shape), cut in zip(parts.items(), cuts, strict=False)
        }

    def set_from(self, state: TiqTaqToeState, player: int) -> None:
        """Fill the tensor; both players see the same."""
        if not self.dict:
            return
        self.tensor.fill(0)
        parts, moment, position = self.dict, state.moment, state.moment.position
        if (mover := state.current_player()) >= 0:
            parts["turn"][mover] = 1
        for index in range(len(SQUARES)):
            parts["observed"][index] = [position.observed[index] == symbol for symbol in Symbol]
            for slot, die in enumerate(position.dice[index]):
                parts["dice"][index, slot, _places(die)] = 1
        for name, squares in (("twisted", position.twisted), ("measured", moment.measured)):
            parts[name][[square - 1 for square in squares]] = 1
        parts["view"][list(View).index(position.view)] = 1
        parts["switches_left"][:] = [moment.rules.view_switches - made for made in moment.switched]
        if moment.positions is not None:
            marks = moment.positions.filled
            parts["filled"][:] = [[mark == "#", mark != "#"] for mark in marks]
        if isinstance(state.chosen, Mode):
            parts["mode"][list(Mode).index(state.chosen)] = 1
        elif state.chosen is not None:
            parts["measuring"][state.chosen - 1] = 1
        parts["observations"][0] = moment.observations
        parts["repeats"][0] = moment.repeats

    def string_from(self, state: TiqTaqToeState, player: int) -> str:
        """The game so far in notation."""
        return str(state) if self.dict else ""


def _places(die: Die) -> Sequence[int]:
    """Where a die stands in its row of the tensor."""
    return (
        _PLAYERS[die.shape],
        2 + _PLAYERS[die.owner],
        4 + die.number,
        14 + VALUES.index(die.value),
    )


pyspiel.register_game(_GAME_TYPE, TiqTaqToe)
