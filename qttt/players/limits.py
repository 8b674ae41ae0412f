"""An end for games that computers could play for ever."""

from dataclasses import replace

from qttt.game.rules import Rules

#: Observation phases after which a game of two computers is a tie where it could go on for ever (rules.md).
MAX_OBSERVATIONS = 50


def limited(rules: Rules) -> Rules:
    """The rules for a game between computers: one that could go on for ever gets a last observation phase."""
    if not rules.level.observed_in_play or rules.options.max_observations is not None:
        return rules
    return replace(rules, options=replace(rules.options, max_observations=MAX_OBSERVATIONS))


def unlimited(rules: Rules) -> Rules:
    """The rules without a limit that is too far away to matter: one of ``MAX_OBSERVATIONS`` or more."""
    if (rules.options.max_observations or 0) < MAX_OBSERVATIONS:
        return rules
    return replace(rules, options=replace(rules.options, max_observations=None))
