import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.readers.job import KEYS, matches, read
from pauseproof.readers.job_lines import JobLines
from texts import refusal, source_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "schema" / "job.schema.json").read_text())
EXAMPLES = re.findall(r"```yaml\n(.*?)```", (DOCS / "jobs.md").read_text(), re.S)
RING = "collectives: [{kind: all-reduce, bytes: 8}]"


def lines(text: str) -> JobLines:
    return read(source_of(text, "job.yaml"))


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_the_page_shows_is_read_and_fits_the_schema(text: str) -> None:
    assert matches(text.encode())
    lines(text)
    jsonschema.validate(yaml.safe_load(text), SCHEMA)


def test_the_page_and_the_schema_name_every_key() -> None:
    assert set(SCHEMA["properties"]) == set(KEYS)
    assert set().union(*(yaml.safe_load(text) for text in EXAMPLES)) == set(KEYS)


def test_values() -> None:
    job = lines(EXAMPLES[1])
    assert (job.n_nodes, job.gpus, job.nics, job.gpu_nics[2], job.rank_order) == (2048, 8, 4, (1,), "block")
    assert job.hosts.template is not None and job.hosts.template.filled("", 33, 2) == "leaf006-h01"
    job = lines(EXAMPLES[3])
    assert [(g.name.text, g.size, g.within and g.within.text, len(g.ranks)) for g in job.groups] == [
        ("tensor", 8, None, 0),
        ("pipeline", 4, None, 0),
        ("data", 0, None, 0),
        ("expert", 8, "data", 0),
        ("checkpoint", 0, None, 2),
    ]
    first, second, third, fourth, _ = job.collectives
    assert (first.name.text, first.backward, first.times) == ("pipeline send-recv", float(64 << 20), 16)
    assert (second.algorithm, second.channels, third.channels) == ("direct", 0, 2)
    assert fourth.beside is not None and fourth.beside.text == third.name.text == "gradients"
    assert [(f.src.text, f.dst.text, f.bytes, f.sqpn, f.dqpn, f.sport) for f in lines(EXAMPLES[4]).flows] == [
        ("gpu1", "gpu2", float(1 << 30), 17, 34, -1),
        ("gpu1", "gpu3:1", float(1 << 30), -1, -1, 50000),
        ("10.0.0.1", "10.0.1.2", float(1 << 30), -1, -1, -1),
    ]
    job = lines(EXAMPLES[5])
    assert (job.qps, job.split, job.message, job.ack, job.cts) == (4, "round-robin", 512 * 1024.0, 0.01, 64.0)
    assert job.aggregation["leaf-an1"].text == "spine-an1"


def test_what_is_not_said() -> None:
    job = lines(f"nodes: [a, b]\n{RING}")
    assert [word.text for word in job.nodes] == ["a", "b"]
    assert (job.gpus, job.nics, job.qps, job.message, job.pxn, job.cross_nic, job.sport, job.seed) == (
        *(0, 0, 1, 0.0, True, False),
        *("qpns", 0),
    )
    assert (job.collectives[0].group.text, job.collectives[0].algorithm) == ("world", "ring")
    assert lines(f"nodes: 2\nsport: 49152\n{RING}").fixed_sport == 49152


def test_names_of_collectives_that_are_not_said_are_numbered() -> None:
    job = lines("nodes: 2\ncollectives: [{kind: all-gather, bytes: 1}, {kind: all-gather, bytes: 2}]")
    assert [one.name.text for one in job.collectives] == ["world all-gather", "world all-gather 2"]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (RING, ["1: a job needs the key 'nodes', or the hosts of each node"]),
        ("nodes: 2", ["1: a job needs the key 'collectives', or 'flows'"]),
        ("flows: []", ["1: flows is an empty list; expected a flow or more"]),
        ("flows: [{from: a, to: b}]", ["1: a flow needs the key 'bytes'"]),
        ("flows: [{from: a, to: a, bytes: 1}]", ["1: 'a' sends to itself; expected another host"]),
        (
            "flows: [{from: a, to: b, bytes: 1, qpns: [1]}]",
            ["1: qpns are the sender's and the receiver's; expected two numbers, found 1"],
        ),
        (
            "flows: [{from: a, to: b, bytes: 1, qpns: [1, 16777216]}]",
            ["1: a QP number must be a whole number from 0 to 16777215, found '16777216'"],
        ),
        ("nodes: 2\ncollectives: []", ["2: collectives is an empty list; expected a collective or more"]),
        (f"nodes: 2\ngpu: 8\n{RING}", ["2: unknown key 'gpu' in a job; did you mean 'gpus'?"]),
        (f"nodes: [a, 'a']\n{RING}", ["1: the node 'a' is there twice"]),
        (f"nodes: 'a[2-1]'\n{RING}", ["1: the range '2-1' in 'a[2-1]' is empty or longer than 1048576 names"]),
        (f"nodes: 0\n{RING}", ["1: nodes must be a whole number from 1 to 131072, found '0'"]),
        (f"nodes: 2\ngpus: 65\n{RING}", ["2: gpus must be a whole number from 1 to 64, found '65'"]),
        (f"nodes: 2\ngpu-nics: [[0, 0]]\n{RING}", ["2: a NIC is there twice for this GPU"]),
        (f"nodes: 2\ngpu-nics: [[]]\n{RING}", ["2: a GPU has at least one NIC"]),
        (
            f"nodes: 2\nhosts: 'h{{host}}'\n{RING}",
            [
                "2: '{host}' in 'h{host}' is not understood; expected {node}, {index}, {nic} or {device}, computed with + - *"
                " // %, such as {nic+1} or {index//32:2}"
            ],
        ),
        (f"nodes: 2\npxn: yes\n{RING}", ["2: pxn 'yes' is not known; expected one of false, true"]),
        (f"nodes: 2\nsport: qpn\n{RING}", ["2: sport 'qpn' is not known; did you mean 'qpns'?"]),
        (f"nodes: 2\nsport: 65536\n{RING}", ["2: sport must be a whole number from 0 to 65535, found '65536'"]),
        (f"nodes: 2\nmessage: 0\n{RING}", ["2: message must be at least 1 bytes, found '0'"]),
        (
            f"nodes: 2\nreturns: {{ack: 2}}\n{RING}",
            ["2: ack is the part of the data that comes back; expected at most 1, found 2"],
        ),
        (f"nodes: 2\ngroups: {{rail: 2}}\n{RING}", ["2: the group 'rail' is there already: world, node, rail need no words"]),
        (
            f"nodes: 2\ngroups: {{tensr: 2}}\n{RING}",
            ["2: 'tensr' is no kind of parallelism; did you mean 'tensor'?, or list the 'ranks' of each such group"],
        ),
        (
            f"nodes: 2\ngroups: {{data: , tensor: }}\n{RING}",
            ["2: two groups have no size; only one can be what the others leave over"],
        ),
        (
            f"nodes: 2\ngroups: {{expert: {{size: 2, within: dat}}, data: 4}}\n{RING}",
            ["2: no group of its own is called 'dat'; did you mean 'data'?"],
        ),
        (
            f"nodes: 2\ngroups: {{x: {{ranks: [[0, 1], [1]]}}}}\n{RING}",
            ["2: rank 1 is twice in the groups 'x'; each rank is in one of them"],
        ),
        (f"nodes: 2\ngroups: {{data: 2, tensor: 2}}\norder: [data]\n{RING}", ["3: order must name each of data, tensor once"]),
        (
            "nodes: 2\ncollectives: [{kind: all-redcue, bytes: 1}]",
            ["2: kind 'all-redcue' is not known; did you mean 'all-reduce'?"],
        ),
        (
            "nodes: 2\ncollectives: [{kind: all-gather, algorithm: tree, bytes: 1}]",
            ["2: algorithm 'tree' is not known; expected one of halving-doubling, ring"],
        ),
        (
            "nodes: 2\ncollectives: [{kind: all-gather, bytes: 1 lb}]",
            ["2: bytes: size '1 lb' is not understood; expected bytes, such as 4096, 512MiB or 2GB"],
        ),
        (
            "nodes: 2\ncollectives: [{kind: all-gather, bytes: 1, backward: 2}]",
            ["2: 'backward' is a key of send-recv, not of all-gather"],
        ),
        (
            "nodes: 2\ncollectives: [{kind: all-gather, bytes: 1, group: data}]",
            ["2: no group is called 'data'; expected one of node, rail, world"],
        ),
        (
            "nodes: 2\ncollectives: [{kind: all-gather, bytes: 1, beside: x}]",
            ["2: no collective above is called 'x'; none is known"],
        ),
        (
            "nodes: 2\ncollectives: [{name: a, kind: all-gather, bytes: 1}, {name: a, kind: all-gather, bytes: 1}]",
            ["2: a collective above is called 'a' too"],
        ),
        (
            'nodes: ["a[1-1048576]", "b[1-1048576]", "c[1-1048576]"]\ncollectives: [{kind: all-gather, bytes: 1}]',
            ["1: stands for more than 131072 nodes; expected as many as a job has"],
        ),
        (
            "nodes: 2\ncollectives:\n" + "- {kind: all-gather, bytes: 1}\n" * 20_000,
            ["1003: is one collective too many; a job may have 1,000, each of them any number of `times`"],
        ),
    ],
)
def test_refusals(text: str, problems: list[str]) -> None:
    assert refusal(read, text) == problems


@settings(deadline=None)
@given(st.text(alphabet="nodes:gpu{}[]-,*\n 12ailbytkc'\"", max_size=80))
def test_anything_else_is_refused_or_read(text: str) -> None:
    try:
        read(source_of(f"nodes: 2\n{RING}\n{text}"))
    except BadInput as error:
        assert error.problems and all(problem.place.file == "in" for problem in error.problems)
