"""Flags that commands share: which of them go together is said by each command, and holds for all it has."""

import argparse

import pytest

from qttt.cli.commands import COMMANDS
from tests.support.cli_runs import refusal

ALWAYS = {"-h", "--ascii"}
FULL = "1 5 2 6 3+4 7 8 9"
VALUES = {"--backend": "fake_torino", "--first": "O", "--options": "tally"}


def flags_of(name: str) -> dict[str, list[str]]:
    """What can be typed of each flag of a command, and of its record."""
    parser = argparse.ArgumentParser()
    next(entry for entry in COMMANDS if entry.name == name).load().add_arguments(parser)
    typed = {}
    for action in parser._actions:
        flag = action.option_strings[0] if action.option_strings else str(action.metavar)
        if not action.option_strings:
            typed[flag] = [FULL]
        elif action.nargs == 0:
            typed[flag] = [flag]
        else:
            choices = [choice for choice in action.choices or () if choice != action.default]
            typed[flag] = [flag, str(choices[0]) if choices else VALUES.get(flag, "1")]
    return typed


@pytest.mark.parametrize(
    ("name", "flag", "beside"),
    [
        ("observe", "--resume", {"--mode", "--save", "--json", "--yes", "--anyway", "--accept-noise"}),
        ("check", "--resume", {"--json", "--yes", "--anyway", "--self", "--archive"}),
        ("check", "--self", {"--json", "--seed"}),
        ("check", "--archive", {"--json", "--self"}),
        ("selfplay", "--verify", {"--json"}),
    ],
)
def test_a_flag_that_settles_the_rest_refuses_every_other(name: str, flag: str, beside: set[str]) -> None:
    flags = flags_of(name)
    own = flags[flag]
    for other in flags.keys() - ALWAYS - beside - {flag}:
        assert refusal(name, *own, *flags[other]).startswith(f"{other} and {flag} do not go together: ")


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("observe", {"--strict", "--dd", "--twirl", "--accept-noise", "--dry-run", "--yes", "--dynamic"}),
        ("check", {"--strict", "--dd", "--twirl", "--dry-run", "--yes", "--mitigate"}),
    ],
)
def test_flags_of_devices_are_refused_without_one(name: str, only: set[str]) -> None:
    flags = flags_of(name)
    for flag in only:
        for backend in ([], ["--backend", "dice"]):
            said = refusal(name, FULL, "--level", "1", *backend, *flags[flag])
            assert said == f"{flag} goes with a device, for example --backend fake_torino"
