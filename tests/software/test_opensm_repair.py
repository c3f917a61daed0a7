"""Repaired tables in the hands of the real OpenSM: loaded by its ``file`` engine, dumped again, and verified."""

from itertools import product
from pathlib import Path

import pytest

import pauseproof
from pauseproof.findings.report import FabricReport, Verdict
from pauseproof.library import repairs
from pauseproof.repair.files import folders_of
from pauseproof.routing.network import Network
from software.subnet import dump_subnet, missing, net_text

CATALOGUE = Path(__file__).resolve().parents[2] / "topologies/opensm"
CASES = ("ring5_minhop", "irregular_updn", "siblings_ftree", "io_nodes_ftree")
FREE = ("siblings_ftree", "minhop")  # OpenSM's minhop routes these cables without a loop: there is nothing to repair
RUNS = [run for run in product(CASES, ("minhop", "catalogue")) if run != FREE]

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}")


def dumped(net: str, engine: str, folder: Path, *options: str) -> Network:
    """What OpenSM makes of a net, read back."""
    folder.mkdir()
    assert dump_subnet(net, engine, folder, *options)
    return pauseproof.load(folder / "opensm-subnet.lst", folder / "opensm-lfts.dump")


def report(network: Network) -> FabricReport:
    (one,) = pauseproof.verify(network).fabrics
    return one


def rows(network: Network) -> dict[tuple[int, str], tuple[int, ...]]:
    """The out-links of every switch for every LID."""
    names = [str(name) for name in network.destinations.names]
    every = [(s, d) for s in range(network.fabric.n_switches) for d in range(len(names))]
    return {(s, names[d]): network.routes.route(s, d).links for s, d in every}


@pytest.mark.parametrize("kind", ["routes", "turns"])
@pytest.mark.parametrize(("case", "engine"), RUNS)
def test_opensm_loads_what_was_repaired_and_dumps_it_clean(case: str, engine: str, kind: str, tmp_path: Path) -> None:
    """The tables of the catalogue, or those that minhop makes of the same cables; LIDs are as OpenSM hands them out here."""
    net = net_text(pauseproof.load(CATALOGUE / case).fabric)
    before = dumped(net, "minhop", tmp_path / "before")
    if engine == "catalogue":
        before = _with_tables_of(pauseproof.load(CATALOGUE / case), before, net, tmp_path)
    found = repairs(before, kinds=[kind], seconds=20)
    assert found.before.verdict is Verdict.DEADLOCK_POSSIBLE
    lfts = tmp_path / "repaired.dump"
    lfts.write_text(next(folders_of(found)).files["opensm-lfts.dump"])
    after = dumped(net, "file", tmp_path / "after", "-U", str(lfts))
    told = report(after)
    assert told.verdict is Verdict.DEADLOCK_FREE
    was = report(before)
    assert told.coverage["pairs"] == was.coverage["pairs"]
    assert told.coverage["unroutable_pairs"] == was.coverage["unroutable_pairs"]
    assert rows(after) == rows(found.offered[0].alternative.network)


def _with_tables_of(catalogue: Network, now: Network, net: str, tmp_path: Path) -> Network:
    """The tables of the catalogue, loaded into the same cables: by names, since LIDs may have been handed out otherwise."""
    from pauseproof.repair.lft_file import lft_file

    assert list(catalogue.destinations.names) == list(now.destinations.names)
    lfts = tmp_path / "catalogue.dump"
    lfts.write_text(lft_file(catalogue))
    return dumped(net, "file", tmp_path / "loaded", "-U", str(lfts))
