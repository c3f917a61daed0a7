import json

import pytest

from pauseproof.readers.layer1 import matches, read
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from small_files import LAYER1
from texts import cuts_that_pass, refusal, source_of


def test_edges_with_their_lines() -> None:
    found = read(source_of("\n" + LAYER1))
    assert (found.a_device[0], found.a_port[0], found.b_device[0], found.b_port[0]) == ("leaf1", "swp1", "spine1", "swp1")
    assert found.line.tolist() == [3] and found.declared and found.whole


def test_a_real_file_states_both_directions() -> None:
    found = read(open_source(shared_case("topology/example_layer1_topology.json")))
    ends = list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True))
    assert len(ends) == 40 and {(b, q, a, p) for a, p, b, q in ends} == set(ends)
    assert found.line[:3].tolist() == [3, 13, 23]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", ['1: expected {"edges": [...]}']),
        ("[]", ['1: expected {"edges": [...]}']),
        ('{"edges": []}', ["0: holds no cables; expected at least one"]),
        ('{"edges": [\n7]}', ["2: edge 1 has no node1", "2: edge 1 has no node2"]),
        (LAYER1.replace("interfaceName", "interface", 1), ["2: edge 1 has no node1 with a hostname and an interfaceName"]),
        (LAYER1.replace('"spine1"', "[]"), ["2: edge 1 has no node2 with a hostname"]),
        (LAYER1.replace('"node2"', '"node1"'), ["3: the key 'node1' is there twice in one object, first in line 2"]),
        (LAYER1.replace("spine1", "leaf1"), ["2: port swp1 of 'leaf1' is cabled to itself"]),
        (LAYER1[:100], ["3: is cut off here: "]),
        ('{"edges": [' * 50_000, ["0: is nested too deep"]),
    ],
)
def test_what_is_refused(text: str, said: list[str]) -> None:
    found = refusal(read, text)
    assert len(found) == len(said) and all(problem.startswith(one) for problem, one in zip(found, said, strict=True))


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, LAYER1.rstrip()) == []


def test_is_this_format() -> None:
    assert matches(LAYER1.encode()) and matches(json.dumps(json.loads(LAYER1)).encode())
    assert not matches(b'{"edges": [{"source": 1}]}') and not matches(b'{"nodes": [{"node1": 1}]}')
