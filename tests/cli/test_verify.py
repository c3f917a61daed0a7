import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from schemas import validate
from shared_cases import shared_case

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
RING = "topologies/opensm/ring5_minhop"
LASH = "topologies/opensm/ring5_lash"


@pytest.mark.parametrize(
    ("words", "code", "first"),
    [
        ([RING], 1, "DEADLOCK_POSSIBLE"),
        ([LASH], 0, "DEADLOCK_FREE"),
        ([LASH, "--all-on-sl", "0"], 1, "DEADLOCK_POSSIBLE"),
        ([LASH, "--fail-on", "info"], 1, "DEADLOCK_FREE"),
        ([LASH, "--fail-on", "warning"], 0, "DEADLOCK_FREE"),
        ([LASH, "--traffic", "hosts+switches"], 1, "DEADLOCK_POSSIBLE"),
        ([RING, "--only", "H0*"], 0, "DEADLOCK_FREE"),
        (["topologies/unknown-row.yaml"], 3, "UNDECIDED"),
    ],
)
def test_verdict_and_exit_code(run: Run, words: list[str], code: int, first: str) -> None:
    done = run("verify", *words)
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(f"{first}  ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none"], "none: cannot be read"),
        (["topologies/opensm/ring5_lash/expected.yaml"], "not understood"),
        ([RING, "--only", "nobody"], "no node is called 'nobody'"),
        ([RING, "--all-on-sl", "16"], "16 is not in the range 0<=x<=15"),
        ([RING, "--traffic", "host"], "'host' is not one of 'hosts'"),
        (["topologies/ring5.yaml", "topologies/clos4x2.yaml"], "a second topology"),
    ],
)
def test_what_is_refused(run: Run, words: list[str], said: str) -> None:
    done = run("verify", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and "Traceback" not in done.err


def test_json_follows_its_schema_and_the_known_answer(run: Run) -> None:
    for folder in (RING, LASH):
        report = json.loads(run("verify", folder, "--format", "json").out)
        validate(report, "report")
        fabric = report["fabrics"][0]
        known = yaml.safe_load((ROOT / folder / "expected.yaml").read_text())["host_traffic"]
        assert {key: fabric["coverage"][key] for key in known if key != "cyclic_components"} | {
            "cyclic_components": fabric["cyclic_components"]
        } == known


def test_each_input_is_listed_with_its_digest(run: Run) -> None:
    report = json.loads(run("verify", RING, "--format", "json").out)
    assert [(entry["path"], entry["format"]) for entry in report["inputs"]] == [
        (f"{RING}/expected.yaml", ""),
        (f"{RING}/opensm-subnet.lst", "subnet-lst"),
        (f"{RING}/opensm.fdbs", "opensm.fdbs"),
    ]
    assert "skipped" in report["inputs"][0]


def test_several_reports_from_one_run(run: Run, tmp_path: Path) -> None:
    done = run("verify", RING, "--format", "json", "--output", "a.json", "--format", "text")
    assert done.code == 1 and done.out.startswith("DEADLOCK_POSSIBLE") and done.err == ""
    assert json.loads((tmp_path / "a.json").read_text())["schema_version"] == 1


def test_with_all_reports_in_files_one_line_remains(run: Run, tmp_path: Path) -> None:
    done = run("verify", RING, "--output", "a.json", "--output", "b.txt")
    assert (done.code, done.out, done.err) == (1, "", "DEADLOCK_POSSIBLE; written: a.json, b.txt\n")
    assert (tmp_path / "b.txt").read_text().startswith("DEADLOCK_POSSIBLE")


def test_nothing_is_written_for_input_that_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("verify", "none", "--output", "a.json").code == 2
    assert not (tmp_path / "a.json").exists()


def test_commands_proposed_keep_the_question(run: Run) -> None:
    out = run("verify", LASH, "--all-on-sl", "0").out
    again = f"{LASH} --all-on-sl 0"
    commands = [f"draw {again} -o loop.svg", f"replay {again}", f"repair {again}", "explain PP101"]
    assert out.endswith("Next\n" + "".join(f"  pauseproof {command}\n" for command in commands))


def test_realize_is_proposed_where_hashes_are_known_and_were_not_asked(run: Run) -> None:
    words = "  pauseproof verify topologies/polarized-offset.yaml --realize\n"
    assert words in run("verify", "topologies/polarized-offset.yaml").out
    assert words not in run("verify", "topologies/polarized-offset.yaml", "--realize").out


def test_stuck_sets_name_buffers_as_loops_do(run: Run) -> None:
    out = run("verify", "topologies/ring3-parallel-reselecting.yaml").out
    waits = [row for row in out.splitlines() if row.startswith("      waits for ")]
    assert waits and all(" port " in row and " -> " in row and ", priority 0" in row for row in waits)


def test_no_pair_of_hosts_is_nothing_to_check(run: Run) -> None:
    for words in (("--only", "H0x0"), ("--only", "H0x0", "--traffic", "hosts+switches")):
        done = run("verify", "topologies/opensm/ring5_minhop", *words)
        assert (done.code, done.out) == (2, "")
        assert done.err == "--only/--exclude: no pair of hosts is left; expected globs that leave two, one that sends\n"
    assert run("verify", "topologies/opensm/ring5_minhop", "--only", "H0x*").code == 0
    both = run("verify", "topologies/opensm/ring5_minhop", "--only", "H0x0", "--only", "S0", "--traffic", "hosts+switches")
    assert both.code == 0 and "2 pairs" in both.out
    Path("one.yaml").write_text("switches: {s0: {hosts: 1}, s1: {}}\ncables: [[s0, s1]]\nrouting: ecmp\n")
    alone = run("verify", "one.yaml")
    assert (alone.code, alone.out) == (2, "") and "nothing to check: there is no pair of hosts" in alone.err


@pytest.mark.parametrize("format", ["json", "text"])
def test_every_run_gives_the_same_bytes(format: str) -> None:
    words = [sys.executable, "-m", "pauseproof", "verify", LASH, "--all-on-sl", "0", "--format", format]
    runs = {
        subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1 and runs.pop().strip()


def test_loops_are_called_the_same_from_every_format(run: Run) -> None:
    folder = shared_case("opensm/ring5_minhop")
    identities = set()
    for cabling in ("opensm-subnet.lst", "ibnetdiscover.txt", "ibnetdiscover.f.txt"):
        for tables in ("opensm.fdbs", "opensm-lfts.dump", "dump_fts.txt"):
            report = json.loads(run("verify", str(folder / cabling), str(folder / tables), "--format", "json").out)
            loops = [f["identity"] for f in report["fabrics"][0]["findings"] if f["loop"]]
            assert len(loops) == 2
            identities.add(tuple(loops))
    assert len(identities) == 1


def test_a_fabric_without_hosts_has_nothing_to_check(run: Run) -> None:
    Path("ring.yaml").write_text("ring: {switches: 3, hosts: 0}\n")
    done = run("verify", "ring.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == "ring: nothing to check: no host that sends is cabled\n"


def test_conditions_of_a_loop(run: Run) -> None:
    done = run("verify", "topologies/ring5.yaml", "--conditions", "--format", "json")
    report = json.loads(done.out)
    validate(report, "report")
    fabric = report["fabrics"][0]
    assert [fact["kind"] for fact in fabric["evidence"]] == ["structural", "oversubscribable", "triggers"]
    loops = [finding["conditions"] for finding in fabric["findings"] if finding["loop"]]
    assert len(loops) == 2
    for conditions in loops:
        assert {(link["rate"], link["most"], len(link["sends"]), link["fewest"]) for link in conditions["links"]} == {
            (1.0, 2.0, 2, True)
        }
        assert conditions["triggers"] == [{"host": f"s{i}-h0", "buffers": 1} for i in range(5)]


def test_next_commands_take_the_options_that_they_have(run: Run) -> None:
    out = run("verify", RING, "--conditions", "--smallest", "1", "--only", "H*").out
    assert f"pauseproof draw {RING} --only 'H*' -o loop.svg" in out


def test_replayed_evidence(run: Run) -> None:
    evidence = json.loads(run("verify", RING, "--replay", "--format", "json").out)["fabrics"][0]["evidence"]
    (fact,) = [fact for fact in evidence if fact["kind"] == "replayed"]
    assert "runs of a packet-level model stop for good (fifo" in fact["statement"]
    evidence = json.loads(run("verify", LASH, "--replay", "--format", "json").out)["fabrics"][0]["evidence"]
    assert [fact["kind"] for fact in evidence] == ["certificate"]
