"""What is written can be verified by what is printed, typed as it stands."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
OPENSM = "topologies/opensm"
FRR = ("topologies/frr/two_failures", "topologies/frr/clos4x2.layer1_topology.json")
VERIFY = "to verify it: pauseproof "


def shell_words(word: str) -> list[str]:
    return sorted(map(str, Path().glob(word))) or [word] if "*" in word else [word]


def commands(err: str) -> list[list[str]]:
    """The words that a shell makes of each command that is told."""
    typed = [shlex.split(line.removeprefix(VERIFY)) for line in err.splitlines() if line.startswith(VERIFY)]
    return [[part for word in words for part in shell_words(word)] for words in typed]


@pytest.mark.parametrize(
    ("paths", "kinds"),
    [
        ((f"{OPENSM}/ring5_minhop",), 3),
        ((f"{OPENSM}/siblings_ftree", "--kind", "routes", "--kind", "lanes"), 2),
        ((f"{OPENSM}/ring5_minhop", "--traffic", "hosts+switches", "--kind", "routes"), 1),
        (FRR, 4),
        ((*FRR, "--kind", "withdraw"), 1),
    ],
)
def test_the_printed_command_finds_it_free(run: Run, paths: tuple[str, ...], kinds: int) -> None:
    done = run("repair", *paths, "--write", "repaired")
    assert done.code == 0
    told = commands(done.err)
    assert len(told) == kinds
    for words in told:
        again = run(*words)
        assert again.out.startswith("DEADLOCK_FREE"), (words, again.out, again.err)
        assert "0 unroutable pairs" in again.out and "table-disagreement" not in again.out


def test_each_folder_says_how_to_apply_it_and_what_it_rests_on(run: Run) -> None:
    assert run("repair", *FRR, "--write", "repaired").code == 0
    raises, routes = (Path(f"repaired/{kind}/README.txt").read_text() for kind in ("raises", "routes"))
    assert "the maps alone do not suffice" in raises and "hosts send only DSCP 26 (data); DSCP 34" in raises
    assert "deny each withdrawn prefix from that neighbour (BGP: an inbound prefix list)" in routes
    assert "pauseproof verify repaired/routes/routes.csv" in routes


def test_what_is_to_be_done_about_a_topology_file(run: Run) -> None:
    done = run("repair", "topologies/ring5.yaml", "--write", "repaired")
    assert "apply: change the routes of the topology file as routes.txt says" in done.out and "BGP" not in done.out
    assert "apply: put the keys of lanes.yaml in the place of all that" in done.out
    assert "assumes: hosts send with label 0 only" in done.out
    assert VERIFY not in done.err


def test_lanes_are_told_to_go_in_the_place_of_the_old_ones(run: Run) -> None:
    done = run("repair", f"{OPENSM}/ring5_minhop", "--kind", "lanes", "--write", "repaired")
    assert "in the place of all path SLs and SL-to-VL tables, not beside them" in done.out
    assert "no SL-to-VL tables were read" not in done.out
    assert "with --traffic hosts+switches after it: DEADLOCK_POSSIBLE" in done.out


def test_tables_that_do_not_say_the_same_are_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pauseproof.repair.routes.routes_csv", lambda before, after: "device,prefix,interface\nleaf1,0/0,x\n")
    done = run("repair", *FRR, "--kind", "routes", "--write", "repaired")
    assert done.code == 0 and VERIFY not in done.err
    assert sorted(path.name for path in Path("repaired/routes").iterdir()) == ["README.txt", "routes.txt"]
