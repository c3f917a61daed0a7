"""Files to a network: who owns which LID, who is on which SL, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import pauseproof
from pauseproof.fabric.places import BadInput
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from routing.dumps import FDBS, LASH, LST, RING, at, column, edited, network_of, ports

PSL = "path-sl.psl"


def only(files: dict[str, str], *names: str) -> dict[str, str]:
    return {name: files[name] for name in names}


def host_named(network: Network, name: str) -> int:
    return next(h.id for h in network.fabric.hosts() if h.name == name)


def test_every_lid_is_a_column_of_the_host_or_switch_that_owns_it(tmp_path: Path) -> None:
    network = network_of(tmp_path, RING)
    assert list(network.destinations.names) == [str(lid) for lid in range(1, 16)]
    owners = [network.fabric.node_name[s] for s in network.destinations.owner.tolist() if s >= 0]
    assert owners == ["S0", "S1", "S2", "S3", "S4"]
    assert [column(network, lid) for lid in ("2", "3", "4", "6", "7")] == np.flatnonzero(
        network.destinations.owner >= 0
    ).tolist()
    assert (network.destinations.kind == DestinationKind.SWITCH).sum() == 5
    assert network.destinations.members(column(network, "1")) == (host_named(network, "H0x0"),)
    assert at(network, "S0", "2").kind is ChoiceKind.LOCAL
    assert ports(network, at(network, "S0", "1")) == [3]


def test_a_path_sl_is_of_the_node_and_two_rows_are_a_set(tmp_path: Path) -> None:
    line = LASH[PSL].splitlines()[0]
    guid, lid, sl = line.split()
    network = network_of(tmp_path, {**LASH, "more.psl": f"{guid} {lid} 5\n"})
    labels = network.traffics["hosts"].labels
    assert labels is not None
    host = next(h.id for h in network.fabric.hosts() if h.guid == int(guid, 16))
    assert labels[host, column(network, lid)] == 1 << int(sl) | 1 << 5


def test_two_files_that_differ_on_a_path_are_told_with_both_places(tmp_path: Path) -> None:
    line = LASH[PSL].splitlines()[0]
    guid, lid, sl = line.split()
    network = network_of(tmp_path, {**LASH, "more.psl": f"# new\n{guid} {lid} 5\n"})
    (remark,) = [remark for remark in network.remarks if remark.rule == "table-disagreement"]
    assert remark.message.startswith("two inputs disagree on the SL of the path from ")
    assert [(Path(place.file).name, place.line) for place in remark.places] == [("more.psl", 2), (PSL, 1)]
    (tmp_path / "more.psl").write_text(f"{guid} {lid} {sl}\n")
    assert not [remark for remark in pauseproof.load(tmp_path).remarks if remark.rule == "table-disagreement"]


def test_two_rows_of_one_file_are_a_set_and_no_disagreement(tmp_path: Path) -> None:
    guid, lid, sl = LASH[PSL].splitlines()[0].split()
    network = network_of(tmp_path, {**LASH, PSL: f"{LASH[PSL]}{guid} {lid} {int(sl) ^ 1}\n"})
    assert not [remark for remark in network.remarks if remark.rule == "table-disagreement"]


def test_pairs_without_a_row_have_no_sl_and_rows_of_strangers_count_for_nobody(tmp_path: Path) -> None:
    first, rest = LASH[PSL].split("\n", 1)
    guid, lid, _ = first.split()
    network = network_of(tmp_path, {**LASH, PSL: f"{rest}0x00000000000000aa {lid} 3\n{guid} 999 3\n"})
    labels = network.traffics["hosts"].labels
    assert labels is not None
    host = next(h.id for h in network.fabric.hosts() if h.guid == int(guid, 16))
    assert labels[host, column(network, lid)] == 0
    assert int(np.bitwise_or.reduce(labels, axis=None)) == 0b11  # SLs 0 and 1, as LASH gave them


def test_without_path_sls_all_are_on_one(tmp_path: Path) -> None:
    assert network_of(tmp_path, only(LASH, LST, FDBS)).traffics["hosts"].labels is None


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ((LST,), "cabling, but no forwarding tables; expected opensm.fdbs"),
        ((FDBS,), "forwarding tables, but no cabling; expected opensm-subnet.lst"),
    ],
)
def test_half_of_the_input_is_refused_with_what_is_missing(names: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=problem):
        network_of(tmp_path, only(RING, *names))


def test_lane_maps_alone_are_refused_by_the_name_of_their_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"/path-sl\.psl: neither cabling nor forwarding tables; expected both"):
        network_of(tmp_path, only(LASH, PSL))


def test_cabling_without_lids_is_refused(tmp_path: Path) -> None:
    times = RING[LST].count("LID:")
    with pytest.raises(BadInput, match="this cabling has no LIDs; add guid2lid"):
        network_of(tmp_path, edited(RING, LST, r"LID:[0-9A-F]{4}", "LID:0000", times=times))


def test_two_owners_of_one_lid_are_two_fabrics(tmp_path: Path) -> None:
    times = RING[LST].count("{H0x1} LID:0005")
    with pytest.raises(BadInput, match="LID 1 "):
        network_of(tmp_path, edited(RING, LST, r"\{H0x1\} LID:0005", "{H0x1} LID:0001", times=times))


def test_zipped_files_and_files_by_name_are_the_same_network(tmp_path: Path) -> None:
    whole = network_of(tmp_path, RING)
    for name, text in only(RING, LST, FDBS).items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    zipped = pauseproof.load(tmp_path / f"{FDBS}.gz", tmp_path / f"{LST}.gz")
    reports = [pauseproof.verify(network).fabrics[0] for network in (whole, zipped)]
    assert reports[0].coverage == reports[1].coverage
    assert [f.identity for f in reports[0].findings] == [f.identity for f in reports[1].findings]
