import shlex

import pytest

from pauseproof.cli.options import TRAFFICS, typed_again


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ((["a"], {"traffic": "hosts", "only": (), "exclude": (), "all_on_sl": None, "adaptive": None}), ["a"]),
        ((["a b", "-"], {"traffic": "hosts+switches", "only": ("x*", "y"), "exclude": ("z",), "all_on_sl": 0}), None),
    ],
)
def test_the_question_survives_the_shell(question, words) -> None:  # type: ignore[no-untyped-def]
    full = ["a b", "-", "--traffic", "hosts+switches", "--only", "x*", "--only", "y", "--exclude", "z", "--all-on-sl", "0"]
    assert shlex.split(typed_again(*question)) == (words or full)


def test_kinds_of_traffic_are_those_of_the_library() -> None:
    from pauseproof.routing.ask import AGGREGATION, HOSTS, SWITCHES

    assert TRAFFICS == (HOSTS, SWITCHES, AGGREGATION)
