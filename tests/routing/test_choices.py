import numpy as np
import pytest

from lane_samples import FABRIC, two_leaves
from pauseproof.routing.choices import PortChoices, narrowest
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route


def routes_of(choices: PortChoices, switch: int) -> list[Route]:
    """What each value means at ``switch``."""
    choice_of, kind, ptr, link = choices.arrays()
    values = np.arange(choice_of.shape[1], dtype=np.uint16)
    table = ChoiceTable(np.tile(values, (len(choice_of), 1)), choice_of, kind, ptr, link)
    return [table.route(switch, d) for d in range(len(values))]


def test_values_are_ports_then_no_row_then_not_read() -> None:
    choices = PortChoices(FABRIC)
    out = FABRIC.out_link
    assert (choices.no_row, choices.not_read) == (5, 6)
    assert routes_of(choices, 0) == [
        Route(ChoiceKind.LOCAL, ()),
        Route(ChoiceKind.HASHED, (int(out[0, 1]),)),
        Route(ChoiceKind.HASHED, (int(out[0, 2]),)),
        Route(ChoiceKind.DEAD_PORT, ()),
        Route(ChoiceKind.DEAD_PORT, ()),
        Route(ChoiceKind.DROP, ()),
        Route(ChoiceKind.UNKNOWN, ()),
    ]


def test_sets_of_ports_are_values_of_their_switch() -> None:
    choices = PortChoices(two_leaves())
    first = choices.value_of(1, ChoiceKind.ADAPTIVE, [3, 1])
    assert choices.value_of(1, ChoiceKind.ADAPTIVE, (1, 3, 3, 0)) == first  # the same set: port 0 and repeats leave no mark
    assert choices.value_of(1, ChoiceKind.MULTICAST, (1, 3)) == first + 1
    assert choices.value_of(0, ChoiceKind.ADAPTIVE, (1, 4)) == first  # numbered per switch
    links = FABRIC.out_link
    assert routes_of(choices, 1)[first:] == [
        Route(ChoiceKind.ADAPTIVE, tuple(sorted((int(links[1, 1]), int(links[1, 3]))))),
        Route(ChoiceKind.MULTICAST, tuple(sorted((int(links[1, 1]), int(links[1, 3]))))),
    ]
    assert routes_of(choices, 0)[first] == Route(ChoiceKind.ADAPTIVE, (int(links[0, 1]),))  # port 4 has no cable


@pytest.mark.parametrize(("largest", "dtype"), [(0, np.uint8), (255, np.uint8), (256, np.uint16)])
def test_the_narrowest_type_that_holds_them(largest: int, dtype: type) -> None:
    assert narrowest(largest) is dtype
