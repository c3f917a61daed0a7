"""One packet on the command line: pinned, hashed, not known, dropped, going round; as text and as JSON."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hashing import reference
from hashing.reference import Packet
from schemas import validate

Run = Callable[..., Any]
FRR = ("topologies/frr/healthy", "topologies/frr/clos4x2.clab.yml")
HASHED = (*FRR, "topologies/measured/pauseproof.yaml")
LASH = "topologies/opensm/ring5_lash"


def asked(run: Run, *words: str, code: int = 0) -> dict[str, Any]:
    done = run("path", *words, "--format", "json")
    assert done.code == code, done.err
    told: dict[str, Any] = json.loads(done.out)
    validate(told, "path")
    return told


def test_a_pinned_path(run: Run) -> None:
    done = run("path", "H0x0", "H3x1", LASH)
    assert done.code == 0
    assert "row LID 13 (topologies/opensm/ring5_lash/opensm.fdbs:15): one link\n    -> by 2 to S4, SL 1, VL 1\n" in done.out
    assert done.out.endswith("\ndelivered\n")
    told = asked(run, "H0x0", "H3x1", LASH)
    assert [hop["switch"] for hop in told["hops"]] == ["S0", "S4", "S3"]
    assert told["outcome"] == "delivered" and told["certain"]
    assert f"{LASH}/opensm.fdbs" in [entry["path"] for entry in told["inputs"]]
    assert told["hops"][0]["row"] == {"column": "13", "file": f"{LASH}/opensm.fdbs", "line": 15}


def test_another_service_level(run: Run) -> None:
    told = asked(run, "H0x0", "H3x1", LASH, "--sl", "0")
    assert {hop["in"]["label"] for hop in told["hops"]} == {"0"}
    assert run("path", "H0x0", "H3x1", LASH, "--label", "x").code == 2


def test_a_hashed_path_is_what_the_functions_say(run: Run) -> None:
    for sport in range(49152, 49160):
        told = asked(run, "leaf1:swp31", "10.10.3.7", *HASHED, "--sport", str(sport))
        value = reference.linux(Packet(4, 0x0A0A0102, 0x0A0A0307, sport=sport), 1, 12345)
        (hashed,) = told["hops"][0]["hashes"]
        assert (hashed["value"], hashed["member"], hashed["of"]) == (f"0x{value:04x}", int(value > (1 << 30) - 1), 2)
        assert told["hops"][1]["switch"] == f"spine{hashed['member'] + 1}" and told["certain"]


def test_queue_pairs_give_the_source_port(run: Run) -> None:
    told = asked(run, "leaf1:swp31", "10.10.3.7", *HASHED, "--qpn", "0x11", "0x22")
    assert told["header"] == {
        **{"sip": "10.10.1.2", "dip": "10.10.3.7", "proto": 17, "dport": 4791},
        **{"qp": 0x22, "flow_label": 0x242, "sport": 49730},
    }
    by_label = asked(run, "leaf1:swp31", "10.10.3.7", *HASHED, "--flow-label", "0x242")
    assert by_label["hops"] == told["hops"]


def test_what_is_not_known_is_not_guessed(run: Run) -> None:
    for words, why in (
        (("leaf1:swp31", "10.10.3.7", *HASHED), "ecmp hashes l4-src-port, which was not given"),
        (("leaf1:swp31", "10.10.3.7", *FRR, "--sport", "49152"), "ecmp algorithm: nothing tells it"),
    ):
        done = run("path", *words)
        assert f"    all are possible: {why}\n    -> by swp1 to spine1, label 0, priority 0\n    -> by swp2" in done.out
        assert done.out.endswith("delivered  (more than one way is possible)\n") and done.code == 0
        told = asked(run, *words)
        assert not told["certain"] and told["hops"][0]["unknown"] == [why] and not told["hops"][0]["known"]


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("black-hole", "dropped\n  s1: no row that leads on for s2: dropped\n", 1),
        ("dead-port", "dropped\n  s1: a port without a cable: dropped\n", 1),
        ("forwarding-loop", "looping\n", 1),
    ],
)
def test_packets_that_do_not_arrive(name: str, words: str, code: int, run: Run) -> None:
    done = run("path", "s0-h0", "s2-h0", f"topologies/{name}.yaml")
    assert done.out.endswith(words) and done.code == code
    assert asked(run, "s0-h0", "s2-h0", f"topologies/{name}.yaml", code=code)["outcome"] == words.split()[0]


def test_no_switch_has_a_row_and_has_none(run: Run) -> None:
    out = run("path", "s0-h0", "s2-h0", "topologies/black-hole.yaml").out
    assert "    row s2: one link\n    -> by 1 to s1" in out and out.count("row s2") == 1
    where = "the table of s1 is at topologies/black-hole.yaml:6:5"
    assert f"    no row that leads on for s2: dropped; {where}\ndropped\n" in out
    dead = run("path", "s0-h0", "s2-h0", "topologies/dead-port.yaml").out
    assert "    row s2 (topologies/dead-port.yaml:6:5): a port without a cable: dropped\ndropped\n" in dead


def test_on_infiniband_the_lid_is_named_that_a_table_lacks(run: Run, tmp_path: Path) -> None:
    shutil.copytree(LASH, tmp_path / "cut")
    file = tmp_path / "cut/opensm.fdbs"
    rows = file.read_text().splitlines()
    file.write_text("".join("0x0008 : UNREACHABLE\n" if row.startswith("0x0008 ") else f"{row}\n" for row in rows))
    out = run("path", "H0x0", "lid:8", str(tmp_path / "cut")).out
    assert "  S0: no row for LID 8: dropped\n" in out and "one link" not in out and "    row LID 8" not in out


def test_switches_that_pick_by_load(run: Run) -> None:
    words = ("s0-0-h0", "s1-1-h0", "topologies/mesh4x4-adaptive-escape.yaml")
    out = run("path", *words).out
    assert "    row s1-1: picked by load\n    all are possible: the switch picks by load\n    -> by 4 to s0-1" in out
    assert "    row s1-1: one link, in any of its lanes\n" in out
    assert asked(run, *words)["hops"][0]["kind"] == "adaptive"


def test_a_row_that_was_not_read(run: Run) -> None:
    told = asked(run, "s2-h0", "s4-h0", "topologies/unknown-row.yaml", code=3)
    assert told["outcome"] == "unknown"
    assert told["hops"][-1]["ends"] == "the row was not read: it may leave by any port"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("H0x0", "H3x9", LASH), "no host is called 'H3x9'; did you mean"),
        (("H0x0", "H0x0", LASH), "are one node"),
        (("H0x0", "H3x1"), "Missing argument 'PATH...'"),
        (("H0x0", "H3x1", LASH, "--sl", "16"), "16 is not in the range"),
        (("H0x0", "H3x1", "none"), "none: cannot be read"),
    ],
)
def test_refused(words: tuple[str, ...], message: str, run: Run) -> None:
    done = run("path", *words)
    assert (done.code, done.out) == (2, "") and message in done.err


def test_a_file(run: Run, tmp_path: Path) -> None:
    done = run("path", "H0x0", "H3x1", LASH, "--output", "path.json", "--output", "path.txt", "--format", "json")
    assert done.out == ""
    assert json.loads((tmp_path / "path.json").read_text())["outcome"] == "delivered"
    assert (tmp_path / "path.txt").read_text() == run("path", "H0x0", "H3x1", LASH).out
