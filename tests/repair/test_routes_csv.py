"""Tables in CSV read back as the network that they were written for, whatever routes change."""

from dataclasses import replace
from pathlib import Path

import pytest

import pauseproof
from pauseproof.library import repairs
from pauseproof.repair.entries import Entries, with_entries
from pauseproof.repair.routes_csv import routes_csv
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, RowTable

FRR = Path(__file__).resolve().parents[2] / "topologies/frr"
CABLES = "a_device,a_port,b_device,b_port\ns1,e1,s2,e2\ns2,e1,s3,e2\ns3,e1,s1,e2\ns1,h,h1,x\ns2,h,h2,x\ns3,h,h3,x\n"


def as_choices(network: Network) -> Network:
    routes = network.routes
    return replace(network, routes=choice_table_from_rows(routes)) if isinstance(routes, RowTable) else network


def same_routes(one: Network, other: Network) -> bool:
    names = list(one.destinations.names)
    assert [*other.destinations.names] == names and [*one.fabric.node_name] == [*other.fabric.node_name]
    return all(
        {one.fabric.link_src_port[l] for l in one.routes.route(s, d).links}
        == {other.fabric.link_src_port[l] for l in other.routes.route(s, d).links}
        for s in range(one.fabric.n_switches)
        for d in range(len(names))
    )


def test_any_group_may_lose_any_member(tmp_path: Path) -> None:
    cables = FRR / "clos4x2.layer1_topology.json"
    network = as_choices(pauseproof.load(FRR / "two_failures", cables))
    table = network.routes
    assert isinstance(table, ChoiceTable)
    entries: Entries = {
        (s, d): route._replace(links=route.links[(s + d) % 2 :][:1], group=0)
        for s in range(network.fabric.n_switches)
        for d in range(len(network.destinations))
        if len((route := table.route(s, d)).links) > 1 and route.kind is ChoiceKind.HASHED
    }
    after = replace(network, routes=with_entries(table, entries))
    assert len(entries) > 3
    (tmp_path / "routes.csv").write_text(routes_csv(network, after))
    addresses = sorted((FRR / "two_failures").glob("*addr.json"))
    assert same_routes(pauseproof.load(tmp_path / "routes.csv", cables, *addresses), after)


def triangle(folder: Path, default: str = "0.0.0.0/0") -> tuple[Path, Path]:
    """Three switches that send all that they do not know clockwise."""
    rows = ["device,prefix,next_hop,interface"]
    for i in (1, 2, 3):
        rows += [f"s{i},10.0.{i}.0/24,,h", f"s{i},{default},fe80::{i},e1", f"s{i},198.51.100.{i}/32,fe80::9{i},e2"]
    (folder / "routes.csv").write_text("\n".join(rows) + "\n")
    (folder / "cables.csv").write_text(CABLES)
    return folder / "routes.csv", folder / "cables.csv"


@pytest.mark.parametrize("default", ["0.0.0.0/0", "10.0.0.0/16"])
def test_a_destination_of_a_shorter_prefix_gets_a_row_of_its_own(tmp_path: Path, default: str) -> None:
    routes, cables = triangle(tmp_path, default)
    found = repairs(pauseproof.load(routes, cables), kinds=["routes"])
    (one,) = found.offered
    text = routes_csv(found.before.asked.network, one.judged.asked.network)
    (tmp_path / "new.csv").write_text(text)
    again = pauseproof.load(tmp_path / "new.csv", cables)
    assert same_routes(again, one.judged.asked.network)
    assert pauseproof.verify(again).fabrics[0].verdict.value == "DEADLOCK_FREE"
    assert len(text.splitlines()) > len(routes.read_text().splitlines())


def test_bundles_and_tunnels_are_not_said(tmp_path: Path) -> None:
    network = pauseproof.load(Path(FRR.parent / "opensm/ring5_minhop"))
    assert routes_csv(network, network) == ""
