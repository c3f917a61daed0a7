import click
import pytest

from pauseproof.cli.duration import DURATION


def test_a_duration_is_picoseconds() -> None:
    assert DURATION.convert("100us", None, None) == 100_000_000
    assert DURATION.convert(5, None, None) == 5


@pytest.mark.parametrize("word", ["5", "us", "-1us", "1 h", "101s"])
def test_another_word_is_refused(word: str) -> None:
    with pytest.raises(click.BadParameter, match="duration"):
        DURATION.convert(word, None, None)
