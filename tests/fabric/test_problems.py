import pytest

from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import MOST, refuse_if


def test_as_many_as_can_be_told_are_told() -> None:
    problems = [Problem(Place("a", n), "wrong") for n in range(1, MOST + 1)]
    with pytest.raises(BadInput) as caught:
        refuse_if(problems)
    assert caught.value.problems == tuple(problems)


def test_one_more_is_counted() -> None:
    with pytest.raises(BadInput) as caught:
        refuse_if([Problem(Place("a", n), "wrong") for n in range(MOST + 1)])
    assert str(caught.value.problems[-1]) == "a: and 1 more problems like these"
