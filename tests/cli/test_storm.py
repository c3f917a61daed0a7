import json
from collections.abc import Callable
from typing import Any

import pytest

from schemas import validate

Run = Callable[..., Any]


@pytest.mark.parametrize("path", ["topologies/fat-tree-k4.yaml", "topologies/opensm/irregular_updn", "topologies/ring5.yaml"])
def test_json_follows_its_schema(run: Run, path: str) -> None:
    done = run("storm", path, "--format", "json")
    document = json.loads(done.out)
    validate(document, "storm")
    assert done.code == 0
    assert len(document["storms"]) == document["hosts"]
    stopped = [storm["hosts_stopped"] for storm in document["storms"]]
    assert stopped == sorted(stopped, reverse=True)


def test_a_host_of_a_fat_tree_holds_up_all_others(run: Run) -> None:
    out = run("storm", "topologies/fat-tree-k4.yaml").out
    assert out.startswith("15 of 16 hosts  fat-tree, roce, traffic: hosts\n")
    assert "and 6 more that hold up 15 hosts" in out
    assert "hosts always consume" not in out


def test_a_host_that_is_named_shows_whom_it_holds_up(run: Run) -> None:
    document = json.loads(run("storm", "topologies/ring5.yaml", "--host", "s0-h0", "--format", "json").out)
    assert document["storms"] == [
        {"host": "s0-h0", "hosts_stopped": 4, "buffers_blocked": 16, "stopped": ["s1-h0", "s2-h0", "s3-h0", "s4-h0"]}
    ]


def test_a_host_that_is_not_there_is_refused(run: Run) -> None:
    done = run("storm", "topologies/ring5.yaml", "--host", "s9*")
    assert (done.code, done.out) == (2, "")
    assert "no host that receives is called 's9*'" in done.err
