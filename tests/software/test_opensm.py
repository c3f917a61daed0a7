"""Real routes of real software: OpenSM's engines on small simulated fabrics.

What pauseproof says of each dump is held to the naive walker, number by number, and to the verdict of ibdmchk where that is
installed. Without path SLs every pair is on SL 0: the question here is not whether an engine keeps its promise.
"""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import pauseproof
from pauseproof.fabric.model import Fabric
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.loads.balance import balance
from pauseproof.loads.next_hops import next_hops
from pauseproof.routing.native import load_native
from routing.truth import truth
from software.subnet import PATHS, dump_subnet, missing, net_text

FABRICS = {
    "ring": "ring: {switches: 6, hosts: 2}",
    "mesh": "mesh: {size: [4, 3], hosts: 1}",
    "irregular": "jellyfish: {switches: 14, ports: 4, hosts: 1, seed: 5}",  # three cables between switches each
    "fat-tree": "fat-tree: {k: 4}",
    "dragonfly": "dragonfly: {a: 4, h: 1, hosts: 1}",
}
FAT_TREE = "fat-tree: {k: 8}"
ENGINES = {
    "minhop": (),
    "updn": (),
    "dnup": (),
    "ftree": (),
    "dor": (),
    "lash": ("-Q",),
    "dfsssp": ("-Q",),
    "nue": ("-Q",),
}
RUNS = [(fabric, engine) for fabric in FABRICS for engine in ENGINES if (fabric == "fat-tree") >= (engine == "ftree")]
ROOT = "0x0000000000200000"  # the first switch, as ibsim numbers them: updn finds no root by itself but in a tree
CHECKER = shutil.which("ibdmchk", path=PATHS)

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}")


@cache
def fabric(name: str) -> Fabric:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "topology.yaml"
        file.write_text(FABRICS.get(name, name))
        return load_native(file).fabric


def dump(folder: Path, name: str, engine: str, *more: str) -> list[Path]:
    """The files to verify."""
    if engine == "updn" and name != "fat-tree":
        (folder / "roots").write_text(f"{ROOT}\n")
        more = (*more, "-a", str(folder / "roots"))
    assert dump_subnet(net_text(fabric(name)), engine, folder, *ENGINES[engine], *more)
    wanted = ("opensm-subnet.lst", "opensm.fdbs", "opensm-lfts.dump", "opensm-sl2vl.dump", "guid2lid")
    return [folder / file for file in wanted if (folder / file).exists()]


def ask(paths: list[Path], traffic: str = "hosts") -> FabricReport:
    (report,) = pauseproof.verify(pauseproof.load(*paths), traffic=traffic).fabrics
    return report


def check(paths: list[Path], traffic: str) -> FabricReport:
    """The report, which says what the walker says."""
    report, told = ask(paths, traffic), truth(pauseproof.load(*paths), traffic)
    said = {key: report.coverage[key] for key in told if key in report.coverage}
    assert said | {"verdict": report.verdict, "cyclic_components": report.cyclic_components} == told
    return report


def second_opinion(folder: Path) -> Verdict | None:
    """What ibdmchk says; None where it is silent (a pair is unreachable). Its exit code means nothing."""
    if CHECKER is None:
        return None
    files = ["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"]
    done = subprocess.run([CHECKER, *files], cwd=folder, capture_output=True, timeout=30, check=False)
    if b"no credit loops found" in done.stdout:
        return Verdict.DEADLOCK_FREE
    return Verdict.DEADLOCK_POSSIBLE if b"credit loops in routing" in done.stdout else None


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_walker_and_ibdmchk_agree_on_what_opensm_made(name: str, engine: str, tmp_path: Path) -> None:
    paths = dump(tmp_path, name, engine)
    report = check(paths, "hosts")
    check(paths, "hosts+switches")
    assert report.coverage["hosts"] == fabric(name).n_hosts
    assert report.coverage["unknown_pairs"] == 0
    opinion = second_opinion(tmp_path)
    assert opinion in (report.verdict, None)
    assert CHECKER is None or opinion is not None or report.coverage["unroutable_pairs"]
    by_table = {table: [p for p in paths if p.name != table] for table in ("opensm.fdbs", "opensm-lfts.dump")}
    for others in by_table.values():
        alone = ask(others)
        assert (alone.verdict, alone.coverage) == (report.verdict, report.coverage)
        assert [f.identity for f in alone.findings] == [f.identity for f in report.findings]


@pytest.mark.parametrize("name", FABRICS)
def test_with_two_lids_a_port_every_lid_is_a_destination(name: str, tmp_path: Path) -> None:
    report = check(dump(tmp_path, name, "minhop", "-l", "1"), "hosts")
    hosts = fabric(name).n_hosts
    assert report.coverage["pairs"] == 2 * hosts * (hosts - 1)


def test_a_ring_on_shortest_paths_loops_and_a_fat_tree_does_not(tmp_path: Path) -> None:
    """What the literature says, whoever computed the routes."""
    for name, verdict in (("ring", Verdict.DEADLOCK_POSSIBLE), ("fat-tree", Verdict.DEADLOCK_FREE)):
        folder = tmp_path / name
        folder.mkdir()
        assert ask(dump(folder, name, "minhop")).verdict is verdict


def test_the_loop_it_shows_is_cabled_and_routed_as_opensm_says(tmp_path: Path) -> None:
    """Follow the loop in OpenSM's own text: each row that is pointed at leaves by the cable to the next buffer."""
    paths = dump(tmp_path, "ring", "minhop")
    (loop, _) = (finding for finding in ask(paths[:2]).findings if finding.loop)
    rows = (tmp_path / "opensm.fdbs").read_text().splitlines()
    for hop, after in zip(loop.loop, (*loop.loop[1:], loop.loop[0]), strict=True):
        assert hop.because is not None and hop.because.place is not None
        port = re.findall(r"\w+", rows[hop.because.place.line - 1])[1]
        assert (hop.device, int(port)) == (after.from_device, int(after.from_port))
        block = next(row for row in reversed(rows[: hop.because.place.line]) if "Switch" in row)
        assert block.endswith(hop.device_id)


def test_an_engine_that_cannot_is_not_replaced_by_another(tmp_path: Path) -> None:
    assert not dump_subnet(net_text(fabric("ring")), "ftree", tmp_path)


def test_a_net_that_ibsim_refuses_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match="no answer"):
        dump_subnet("Switch nonsense\n", "minhop", tmp_path)


def test_minhop_leaves_a_quarter_of_a_fat_tree_unused(tmp_path: Path) -> None:
    """Of 768 links 192, all between the upper two tiers: the destinations that one switch sends up are all sent on alike."""
    minhop, ftree = (tmp_path / engine for engine in ("minhop", "ftree"))
    for folder in (minhop, ftree):
        folder.mkdir()
        assert dump_subnet(net_text(fabric(FAT_TREE)), folder.name, folder)
    idle = {}
    for folder in (minhop, ftree):
        network = pauseproof.load(*(folder / file for file in ("opensm-subnet.lst", "opensm.fdbs")))
        idle[folder.name] = [len(level.idle) for level in balance(next_hops(network), network.traffics["hosts"]).levels]
        assert network.fabric.n_links == 768
    assert idle == {"minhop": [0, 0, 96, 96, 0, 0], "ftree": [0] * 6}
