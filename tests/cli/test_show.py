from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
LASH = "topologies/opensm/ring5_lash"


def test_files_and_numbers(run: Run) -> None:
    done = run("show", LASH)
    assert done.code == 0
    rows = [" ".join(row.split()) for row in done.out.splitlines()]
    assert f"{LASH}/opensm.fdbs read as opensm.fdbs" in rows
    assert any(row.startswith(f"{LASH}/expected.yaml skipped: ") for row in rows)
    for row in (
        "Fabric ring5_lash, infiniband",
        "5 switches, 10 host ports, 15 cables",
        "tier 0: 5 switches",
        "tables of 5 of 5 switches, 15 destinations",
    ):
        assert row in rows


def test_what_was_odd_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / LASH / "opensm.fdbs"
    path.write_text(path.read_text().rsplit("dump_ucast_routes", 1)[0])
    out = run("show", LASH).out
    assert "\n  PP206 table-missing: " in out
    assert "tables of 4 of 5 switches" in out


def test_what_cannot_be_read_is_refused(run: Run) -> None:
    done = run("show", "none")
    assert (done.code, done.out) == (2, "") and done.err.startswith("none: cannot be read")


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ([f"{LASH}/opensm.fdbs"], f"{LASH}/opensm.fdbs: forwarding tables, but no cabling; expected "),
        ([f"{LASH}/opensm-subnet.lst"], f"{LASH}/opensm-subnet.lst: cabling, but no forwarding tables; expected "),
        (["topologies/frr/healthy"], "leaf1.ip_j_route.json: forwarding tables, but no cabling; expected "),
        ([LASH, "topologies/frr/healthy"], "expected the dumps of one fabric"),
    ],
)
def test_what_is_incomplete_is_listed_with_what_is_missing(run: Run, words: list[str], missing: str) -> None:
    done = run("show", *words)
    assert (done.code, done.err) == (0, "") and done.out.startswith("Files\n")
    files, _, why = done.out.partition("\nNo fabric can be made of them\n")
    assert words[0] in files and " read as " in files and missing in why
    assert run("verify", *words).code == 2


def test_a_topology_that_is_wrong_is_refused(run: Run) -> None:
    Path("wrong.yaml").write_text("switches: {s0: {hosts: 1}}\ncables: [[s0, s9]]\nrouting: ecmp\n")
    done = run("show", "wrong.yaml")
    assert (done.code, done.out) == (2, "") and "s9" in done.err
    Path("empty").mkdir()
    assert run("show", "empty").code == 2
