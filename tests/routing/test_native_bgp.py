"""BGP in topology files: AS numbers by rule and by switch, and what they do to routes."""

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.native import read
from pauseproof.readers.source import Source
from pauseproof.routing.engines.bgp import Speakers
from pauseproof.routing.native import network_of
from pauseproof.routing.native_bgp import FIRST_OF_OUR_OWN, TIES, speakers_of
from pauseproof.routing.native_fabric import design_of
from pauseproof.routing.native_names import Names
from pauseproof.routing.network import Network

CLOS = "leaf-spine: {leaves: 3, spines: 2}\n"


def network(text: str) -> Network:
    data = text.encode()
    return network_of(read(Source("t.yaml", data, data)))


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as error:
        network(text)
    return str(error.value)


def speakers(text: str) -> tuple[Speakers, dict[str, int]]:
    """The speakers, and the AS of each switch by name."""
    data = text.encode()
    native = read(Source("t.yaml", data, data))
    design = design_of(native)
    names = Names(design.fabric, design.tier)
    found = speakers_of(native, design, names)
    assert found is not None
    assert not names.problems
    return found, dict(zip(design.fabric.node_name, found.asn.tolist(), strict=False))


def hops(found: Network, switch: str, destination: str) -> list[str]:
    s = list(found.fabric.node_name).index(switch)
    links = found.routes.route(s, list(found.destinations.names).index(destination)).links
    return [found.fabric.node_name[found.fabric.link(l).dst] for l in links]


def test_later_numbers_override_earlier_ones_and_the_rest_is_distinct() -> None:
    line = f'{{engine: bgp, as: {{"leaf*": 7, leaf1: {FIRST_OF_OUR_OWN}}}, allowas-in: {{"*": 1, leaf2: 0}}}}'
    found, asn = speakers(CLOS + f"routing: {line}")
    assert (asn["leaf0"], asn["leaf1"], asn["leaf2"]) == (7, FIRST_OF_OUR_OWN, 7)
    assert len({asn["spine0"], asn["spine1"], 7, FIRST_OF_OUR_OWN}) == 4
    assert sorted(found.allowed.tolist()) == [0, 1, 1, 1, 1]
    assert len(set(speakers(CLOS + "routing: bgp")[1].values())) == 5


def test_a_clos_shares_an_as_at_the_top_and_in_the_middle_of_each_pod() -> None:
    _, asn = speakers("fat-tree: {k: 4}\nrouting: {engine: bgp, as: clos}")
    together: dict[int, set[str]] = {}
    for name, number in asn.items():
        together.setdefault(number, set()).add(name)
    shared = sorted(sorted(names) for names in together.values() if len(names) > 1)
    assert shared == [[f"agg{p}-0", f"agg{p}-1"] for p in range(4)] + [["core0", "core1", "core2", "core3"]]
    assert len(together) == 4 + 1 + 8


def test_without_relax_the_neighbour_that_comes_first_by_name_and_those_in_its_as() -> None:
    assert hops(network(CLOS + "routing: bgp"), "leaf0", "leaf1") == ["spine0"]
    assert hops(network(CLOS + "routing: {engine: bgp, as: clos}"), "leaf0", "leaf1") == ["spine0", "spine1"]
    assert hops(network(CLOS + "routing: {engine: bgp, multipath-relax: true}"), "leaf0", "leaf1") == ["spine0", "spine1"]
    by_hand = "switches: [a, s10, s9, b]\nhosts: [h, i]\ncables: [[h, a], [i, b], [a, s10], [a, s9], [b, s10], [b, s9]]\n"
    assert hops(network(by_hand + "routing: bgp"), "a", "b") == ["s9"]


def test_leaves_of_one_as_reach_each_other_by_allowas_in_alone() -> None:
    line = 'routing: {engine: bgp, as: {"leaf*": 65001, "spine*": 65000}%s}\n'
    assert hops(network(CLOS + line % ""), "leaf0", "leaf1") == []
    assert hops(network(CLOS + line % ', allowas-in: {"leaf*": 1}'), "leaf0", "leaf1") == ["spine0", "spine1"]


def test_how_ties_are_broken_is_an_assumption() -> None:
    assert TIES in network(CLOS + "routing: bgp").assumptions
    assert TIES not in network(CLOS).assumptions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CLOS + "routing: {engine: bgp, as: {lef0: 1}}", "t.yaml:2:29: no switch is called 'lef0'"),
        (CLOS + 'routing: {engine: bgp, allowas-in: {"x*": 1}}', "nothing matches the pattern"),
        ("mesh: {size: [2, 2]}\nrouting: {engine: bgp, as: clos}", "'as: clos' needs tiers"),
        (CLOS + "kind: infiniband\nrouting: bgp", "the engine bgp is for kind roce"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    assert said in refusal(text)
