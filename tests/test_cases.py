"""Every dump of a real subnet manager with known answers, from every complete set of its files: the numbers, to the last one.

The answers in ``expected.yaml`` were computed pair by pair, by other means. Some folders are part of the project; the others
lie beside it, and their tests are there only where they are.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
import yaml

import pauseproof
from pauseproof.findings.report import FabricReport, Finding, Verdict
from pauseproof.readers.source import open_source
from pauseproof.routing.lids import LMC_SEEN
from shared_cases import SHARED, shared_case

HERE = Path(__file__).resolve().parents[1] / "topologies" / "opensm"
BESIDE = SHARED / "cases" / "opensm"
QUESTIONS: dict[str, dict[str, Any]] = {
    "host_traffic": {},
    "with_aggregation_nodes": {"traffic": "hosts+aggregation"},
    "with_switch_lids": {"traffic": "hosts+switches"},
    "host_traffic_all_on_sl0": {"all_on_sl": 0},
}
CABLING = ("opensm-subnet.lst", "ibnetdiscover")
TABLES = ("opensm.fdbs", "opensm-lfts.dump", "dump_fts.txt")
LABELS = ("path-sl.psl", "opensm-sl2vl.dump", "guid2lid")
INCOMPLETE = {("ring16_dump_fts_defect", "dump_fts.txt.gz")}


def files(folder: Path, starts: tuple[str, ...]) -> list[Path]:
    return sorted(f for f in folder.iterdir() if f.name.startswith(starts) and (folder.name, f.name) not in INCOMPLETE)


def complete_sets(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """A name and the files: one cabling, one table, all labels, in every combination; and the whole folder."""
    for cabling, table in product(files(folder, CABLING), files(folder, TABLES)):
        yield f"{folder.name}/{cabling.name}+{table.name}", [cabling, table, *files(folder, LABELS)]
    yield folder.name, [folder]


def all_sets() -> Iterator[Any]:
    for root, mark in ((HERE, "here"), (BESIDE, "beside")):
        for folder in sorted(root.iterdir()) if root.exists() else ():
            for name, paths in complete_sets(folder):
                yield pytest.param(folder, paths, id=f"{mark}/{name}")


def ask(paths: list[Path], question: str = "host_traffic") -> FabricReport:
    (report,) = pauseproof.verify(pauseproof.load(*paths), **QUESTIONS[question]).fabrics
    return report


def numbers(report: FabricReport, wanted: dict[str, Any]) -> dict[str, Any]:
    """The report in the words of ``expected.yaml``."""
    return {key: report.coverage.get(key) for key in wanted} | {"cyclic_components": list(report.cyclic_components)}


def found(report: FabricReport, slug: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.slug == slug]


@pytest.mark.parametrize(("folder", "paths"), list(all_sets()))
def test_the_numbers_are_those_expected(folder: Path, paths: list[Path]) -> None:
    expected = yaml.safe_load((folder / "expected.yaml").read_text())
    reports = {question: ask(paths, question) for question in expected}
    assert {q: numbers(reports[q], expected[q]) for q in expected} == expected
    for question, report in reports.items():
        cyclic = expected[question]["cyclic_components"]
        assert report.verdict is (Verdict.DEADLOCK_POSSIBLE if cyclic else Verdict.DEADLOCK_FREE)
        assert [len(f.loop) > 0 for f in found(report, "cyclic-buffer-dependency")] == [True] * len(cyclic)
        assert report.coverage["unknown_pairs"] == 0
        assert report.coverage["tables"] == report.coverage["switches"]


def test_the_folders_in_the_project_are_what_is_beside_it() -> None:
    ours = {"fattree4_minhop"}  # it is not among those
    for folder in sorted(folder for folder in HERE.iterdir() if folder.name not in ours):
        for file in sorted(folder.iterdir()):
            assert file.read_bytes() == shared_case(f"opensm/{folder.name}/{file.name}").read_bytes()


@pytest.mark.parametrize("name", ["ring5_minhop", "siblings_ftree", "irregular_updn"])
def test_a_loop_has_the_same_identity_and_packets_from_every_format(name: str) -> None:
    folder = BESIDE / name if BESIDE.exists() else HERE / name
    said = set()
    for _, paths in complete_sets(folder):
        loops = found(ask(paths), "cyclic-buffer-dependency")
        because = [(hop.because.source, hop.because.destination) for f in loops for hop in f.loop if hop.because]
        said.add((tuple(f.identity for f in loops), tuple(because)))
    assert len(said) == 1


@pytest.mark.parametrize("table", ["opensm.fdbs", "opensm-lfts.dump.gz"])
def test_the_loop_of_irregular_updn_is_shown_hop_by_hop(table: str) -> None:
    """Each hop's cable leads from the hop before, and the row it points at is the one that sends the packet on."""
    folder = HERE / "irregular_updn"
    paths = [folder / "opensm-subnet.lst", folder / table]
    (loop,) = found(ask(paths), "cyclic-buffer-dependency")
    fabric = pauseproof.load(*paths).fabric
    rows = open_source(folder / table).data[:].decode().splitlines()
    for hop, after in pairwise([*loop.loop, loop.loop[0]]):
        assert hop.because is not None and hop.because.place is not None
        assert hop.device == hop.because.switch == after.from_device
        out = next(l for l in fabric.links() if fabric.node_name[l.src] == hop.device and str(l.src_port) == after.from_port)
        assert (fabric.node_name[out.dst], str(out.dst_port)) == (after.device, after.port)
        lid, port = re.findall(r"\w+", rows[hop.because.place.line - 1])[:2]
        assert hop.because.destination.endswith(f"(LID {int(lid, 16)})")
        assert int(port) == int(after.from_port)
    assert len({hop.buffer for hop in loop.loop}) == len(loop.loop) == 9


def test_io_nodes_are_named_where_their_packets_are_dropped_and_do_not_hide_the_loop() -> None:
    report = ask([HERE / "io_nodes_ftree"])
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert [f.message for f in found(report, "unroutable-pairs")] == ["12 of 210 pairs have no route that always arrives"]
    assert all(f.where for f in found(report, "black-hole"))
    assert len(found(report, "black-hole")) > 0


def test_a_fold_of_sls_onto_one_vl_is_named_and_decides(tmp_path: Path) -> None:
    """With one VL all SLs share it, and honouring them is worth nothing."""
    folder = HERE / "ring5_lash"
    paths = [folder / "opensm-subnet.lst", folder / "opensm.fdbs", folder / "path-sl.psl"]
    maps = (folder / "opensm-sl2vl.dump").read_text()
    (tmp_path / "one-vl.dump").write_text(re.sub(r"^(\d+ +\d+ +:).*$", rf"\1{' 0' * 16}", maps, flags=re.M))
    assert ask([*paths, folder / "opensm-sl2vl.dump"]).verdict is Verdict.DEADLOCK_FREE
    assert ask(paths).verdict is Verdict.DEADLOCK_FREE  # VL = SL, a printed assumption
    folded = ask([*paths, tmp_path / "one-vl.dump"])
    assert folded.verdict is Verdict.DEADLOCK_POSSIBLE
    assert numbers(folded, {"buffers": 0, "dependencies": 0}) == {
        "buffers": 30,
        "dependencies": 60,
        "cyclic_components": [5, 5],
    }
    (told,) = found(folded, "sl2vl-folded")
    assert "while SLs up to 1 are in use: all SLs share VL 0" in told.message
    assert not found(
        ask([*paths, folder / "opensm-sl2vl.dump"]), "sl2vl-folded"
    )  # SLs 8 and up share VLs, and no path is on them


def test_without_its_top_lid_the_known_part_still_loops() -> None:
    """``dump_fts`` lost LID 64 everywhere: H15x2's packets are unknown, and its buffer is the 128th."""
    lst = shared_case("opensm/ring16_dump_fts_defect/opensm-subnet.lst")
    report = ask([lst, shared_case("opensm/ring16_dump_fts_defect/dump_fts.txt.gz")])
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert (report.coverage["buffers"], report.coverage["dependencies"]) == (127, 316)
    assert report.cyclic_components == (16, 16)
    assert [f.rule for f in report.findings if f.slug == "dump-fts-top-lid"] == ["PP208"]
    (lost,) = found(report, "dump-fts-top-lid")
    assert "64" in lost.message
    assert report.coverage["unknown_pairs"] == 47  # from every other host to the one with LID 64
    assert report.coverage["unroutable_pairs"] == 0


def test_the_table_of_one_switch_decides_nothing_and_says_so() -> None:
    lst = shared_case("opensm/ring16_dump_fts_defect/opensm-subnet.lst")
    report = ask([lst, shared_case("opensm/ring16_dump_fts_defect/ibroute.txt")])
    assert report.verdict is Verdict.UNDECIDED
    assert report.coverage["tables"] == 1
    assert len(found(report, "table-missing")) == 15
    assert report.coverage["unknown_pairs"] == 48 * 47 - 3 * 2  # S0's three hosts know the way to each other
    assert found(report, "unknown-may-loop")


def test_without_an_lmc_anywhere_the_tables_show_whose_the_other_lids_are_and_it_is_said() -> None:
    folder = HERE / "ring5_dfsssp_lmc1"
    paths = [folder / "opensm-subnet.lst", folder / "path-sl.psl", folder / "opensm-sl2vl.dump"]
    told, untold = ask([*paths, folder / "opensm-lfts.dump"]), ask([*paths, folder / "opensm.fdbs"])
    assert LMC_SEEN not in told.assumptions
    assert LMC_SEEN in untold.assumptions
    assert told.coverage["pairs"] == untold.coverage["pairs"] == 180
    assert not found(untold, "lid-without-owner")
