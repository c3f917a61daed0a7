"""Real tables of real software: FRR's daemons in network namespaces, before and after two links fail.

After the failures leaf1 hangs on spine1 and leaf3 on spine2, and packets between them bounce at leaf2 and leaf4: the loops are
those of the tables that are kept in topologies/frr, whichever version of FRR is installed here.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

import pauseproof
from pauseproof.findings.report import FabricReport
from software.leaf_spine import DAEMONS, leaf_spine
from software.namespaces import NotAllowed, missing

KEPT = Path(__file__).resolve().parents[2] / "topologies" / "frr"
CABLING = KEPT / "clos4x2.layer1_topology.json"
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load((KEPT / "expected.yaml").read_text())
FAILURES = (("leaf3", "spine1"), ("leaf1", "spine2"))
FORMS = ("*.show_ip_route.json", "*.ip_j_*.json", "*")
LOOPS = [
    ["leaf2>spine1", "leaf4>spine2", "spine1>leaf4", "spine2>leaf2"],
    ["leaf2>spine2", "leaf4>spine1", "spine1>leaf2", "spine2>leaf4"],
]
STATES = pytest.mark.parametrize("state", ["healthy", "two_failures"])

pytestmark = pytest.mark.skipif(bool(missing(*DAEMONS)), reason=f"not installed: {', '.join(missing(*DAEMONS))}")


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of dumps for each state."""
    folder = tmp_path_factory.mktemp("frr")
    for state in ("healthy", "two_failures"):
        (folder / state).mkdir()
    try:
        with leaf_spine() as network:
            network.settle()
            network.dump(folder / "healthy")
            network.cut(*FAILURES)
            network.settle(*FAILURES)
            network.dump(folder / "two_failures")
    except NotAllowed as refused:
        pytest.skip(f"no namespaces can be made here: {refused}")
    return folder


def ask(folder: Path, form: str = "*") -> FabricReport:
    files = [folder] if form == "*" else sorted(folder.glob(form))
    (report,) = pauseproof.verify(pauseproof.load(*files, CABLING)).fabrics
    return report


def loops(report: FabricReport) -> list[list[str]]:
    return sorted(sorted(f"{hop.from_device}>{hop.device}" for hop in f.loop) for f in report.findings if f.loop)


@STATES
@pytest.mark.parametrize("form", FORMS)
def test_the_numbers_are_those_of_the_drawing(state: str, form: str, dumps: Path) -> None:
    report, wanted = ask(dumps / state, form), EXPECTED[state]
    counted = ("hosts", "pairs", "buffers", "dependencies")
    assert {key: report.coverage[key] for key in counted} == {key: wanted[key] for key in counted}
    assert {report.coverage[f"{key}_pairs"] for key in ("unroutable", "looping", "unknown")} == {0}
    assert report.verdict.value == wanted["verdict"]
    assert list(report.cyclic_components) == wanted["cyclic_components"]
    assert loops(report) == (LOOPS if state == "two_failures" else [])


@STATES
def test_the_tables_that_are_kept_say_the_same(state: str, dumps: Path) -> None:
    live, kept = ask(dumps / state), ask(KEPT / state)
    assert live.coverage == kept.coverage
    assert [(f.rule, f.message) for f in live.findings] == [(f.rule, f.message) for f in kept.findings]
