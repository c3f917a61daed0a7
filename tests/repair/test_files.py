"""What an operator loads: read back it says the same, and no name can say more than a name."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import pauseproof
from pauseproof.repair.entries import with_entries
from pauseproof.repair.lft_file import lft_file
from pauseproof.repair.route_file import route_file
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route

OPENSM = Path(__file__).resolve().parents[2] / "topologies/opensm"
HOSTILE = "a\nUnicast lids [0-1]'\x1b[31m\" \u202e\udcff"


def named(network: Network, name: str) -> Network:
    """The same with every node called ``name``."""
    return replace(network, fabric=replace(network.fabric, node_name=[name] * network.fabric.n_nodes))


@pytest.mark.parametrize("case", ["ring5_minhop", "irregular_updn", "siblings_ftree", "ring5_dfsssp_lmc1"])
def test_tables_read_back_are_the_same(case: str, tmp_path: Path) -> None:
    network = pauseproof.load(OPENSM / case)
    (tmp_path / "tables.dump").write_text(lft_file(network))
    more = [OPENSM / case / "guid2lid"] if (OPENSM / case / "guid2lid").exists() else []
    again = pauseproof.load(OPENSM / case / "opensm-subnet.lst", tmp_path / "tables.dump", *more)
    assert list(again.destinations.names) == list(network.destinations.names)
    for s in range(network.fabric.n_switches):
        for d in range(len(network.destinations)):
            assert again.routes.route(s, d).links == network.routes.route(s, d).links


def test_names_stay_on_their_line() -> None:
    network = pauseproof.load(OPENSM / "ring5_minhop")
    plain, hostile = lft_file(network).splitlines(), lft_file(named(network, HOSTILE)).split("\n")[:-1]
    assert len(plain) == len(hostile)
    word = "'[ -&(-~]*'"
    head = rf"Unicast lids \[0-15\] of switch Lid \d+ guid 0x\w{{16}} \({word}\):"
    shape = re.compile(rf"{head}|0x\w{{4}} \d{{3}} # [\w ]+: {word}|15 lids dumped")
    assert [line for line in hostile if not shape.fullmatch(line)] == []


def test_a_row_with_several_ports_is_no_lft() -> None:
    network = pauseproof.load(OPENSM / "ring5_minhop")
    assert isinstance(network.routes, ChoiceTable)
    links = tuple(link for link in network.fabric.out_link[0].tolist() if link >= 0)
    for route in (Route(ChoiceKind.ADAPTIVE, links), Route(ChoiceKind.UNKNOWN, ())):
        assert lft_file(replace(network, routes=with_entries(network.routes, {(0, 3): route}))) == ""


def test_changed_routes_are_lines_by_switch() -> None:
    network = pauseproof.load(OPENSM / "ring5_minhop")
    assert isinstance(network.routes, ChoiceTable)
    (before,) = network.routes.route(0, 3).links
    after = next(link for link in network.fabric.out_link[0].tolist() if link not in (-1, before))
    changed = replace(network, routes=with_entries(network.routes, {(0, 3): Route(ChoiceKind.HASHED, (after,))}))
    lines = route_file(network, changed).splitlines()
    assert lines[0] == "switch S0" and len(lines) == 3
    assert re.fullmatch(r"  - 4 via \d \(\w+ \d\)", lines[1]) and re.fullmatch(r"  \+ 4 via \d \(\w+ \d\)", lines[2])
    hostile = route_file(named(network, HOSTILE), named(changed, HOSTILE))
    assert len(hostile.split("\n")) == 4 and "\x1b" not in hostile and "\u202e" not in hostile
    assert route_file(network, network) == ""
