"""Checkers of the notebooks: a hint in place of a traceback."""

import pytest

from qttt.teaching.exercises import gently


@gently
def check(answer: str) -> None:
    """Check an answer."""
    assert float(answer) < 1, "a probability is at most 1"
    print("Right.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("0.5", "Right."),
        ("7", "Not yet: a probability is at most 1"),
        ("five", "Not yet: this answer cannot be checked (ValueError: "),
    ],
)
def test_a_wrong_answer_gives_a_hint_and_the_notebook_goes_on(
    answer: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check(answer)
    assert capsys.readouterr().out.startswith(said)
    assert check.__doc__ == "Check an answer."
