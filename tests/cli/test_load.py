"""``pauseproof load``: text and JSON, the same every time, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from cli.conftest import Run

SCHEMAS = Path(__file__).resolve().parents[2] / "docs/schema"
TREE = "topologies/opensm/fattree4_minhop"


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text("utf-8"))


def check(document: Any) -> None:
    registry: Any = Registry().with_resource("report.schema.json", Resource.from_contents(schema("report.schema.json")))
    jsonschema.Draft202012Validator(schema("load.schema.json"), registry=registry).validate(document)


@pytest.mark.parametrize("what", [("--balance",), ("--bisection", "20"), ("--bisection", "20", "--pattern", "halves")])
def test_json_follows_its_schema_and_is_the_same_every_time(run: Run, what: tuple[str, ...]) -> None:
    done = run("load", TREE, *what, "--format", "json")
    assert done.code == 0 and done.err == ""
    check(json.loads(done.out))
    assert run("load", TREE, *what, "--format", "json").out == done.out


def test_idle_links_are_counted_and_found(run: Run) -> None:
    document = json.loads(run("load", TREE, "--balance", "--format", "json").out)
    assert (document["idle"], sum(row["idle"] for row in document["balance"])) == (16, 16)
    assert sum(link["destinations"] == 0 for link in document["links"]) == 16
    assert [finding["rule"] for finding in document["findings"]] == ["PP502", "PP502"]
    assert run("load", TREE, "--balance", "--fail-on", "warning").code == 1


def test_a_seed_is_another_draw(run: Run) -> None:
    first, second = (json.loads(run("load", TREE, "--bisection", "9", "--seed", s, "--format", "json").out) for s in "12")
    assert first["effective_bisection_bandwidth"] != second["effective_bisection_bandwidth"]
    assert first["permutations"] == 9 and first["assumptions"] == []


def test_several_reports_of_one_run(run: Run, tmp_path: Path) -> None:
    done = run("load", TREE, "--bisection", "3", "--output", "b.json", "--format", "json", "--format", "text")
    assert done.code == 0 and done.out.startswith("EFFECTIVE BISECTION BANDWIDTH")
    check(json.loads(Path("b.json").read_text("utf-8")))


@pytest.mark.parametrize("what", [(), ("--balance", "--bisection")])
def test_one_question_at_a_time(run: Run, what: tuple[str, ...]) -> None:
    done = run("load", TREE, *what)
    assert done.code == 2 and "expected one of" in done.err


def test_hosts_without_partners(run: Run) -> None:
    Path("one.yaml").write_text("leaf-spine: {leaves: 1, spines: 1, hosts: 1}\nrouting: ecmp\n")
    done = run("load", "one.yaml", "--bisection")
    assert done.code == 2 and "fewer than two hosts" in done.err
