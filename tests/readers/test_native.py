"""Topology files as text: what is understood, and what is refused, where."""

import re
from pathlib import Path

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.native import matches, read
from pauseproof.readers.native_lines import NativeFile
from pauseproof.readers.native_routing import ENGINES
from pauseproof.readers.source import Source
from pauseproof.routing import engines

CATALOGUE = sorted((Path(__file__).parents[2] / "topologies").glob("*.yaml"))


def parse(text: str) -> NativeFile:
    data = text.encode()
    return read(Source("t.yaml", data, data))


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as error:
        parse(text)
    return str(error.value)


@pytest.mark.parametrize("path", CATALOGUE, ids=lambda p: p.stem)
def test_every_catalogue_entry_is_recognised_and_has_a_verdict(path: Path) -> None:
    text = path.read_text()
    assert matches(text.encode()[:4096])
    assert parse(text).expected["verdict"] in ("DEADLOCK_FREE", "DEADLOCK_POSSIBLE", "UNDECIDED")


def test_other_yaml_is_not_taken_for_a_topology() -> None:
    assert not matches(b"name: clos\ntopology:\n  nodes:\n    switches: {}\n")
    assert not matches(b"verdict: DEADLOCK_FREE\nhosts: 3\n")


def test_the_reader_knows_the_engines_that_there_are() -> None:
    assert set(ENGINES) == {"tables", *engines.ENGINES}


def test_a_generator_line() -> None:
    native = parse("torus: {size: [4, 4], hosts: 2}\nspeed: 400")
    assert native.generator is not None
    assert native.generator.parameters == {"size": (4, 4), "hosts": 2}
    assert native.speed == 400


def test_cables_in_both_forms() -> None:
    native = parse("switches: [a, b]\ncables:\n - [a:swp1, b:swp1]\n - {ends: [a, b:swp2], speed: 100, length: 2.5}\nlength: 3")
    first, second = native.cables
    assert (first.a.node, first.a.port, first.length) == ("a", "swp1", 3)
    assert (second.a.port, second.speed, second.length) == ("", 100, 2.5)
    assert second.a.place == ("t.yaml", 4, 12)


def test_words_that_yaml_takes_for_something_else_stay_words() -> None:
    native = parse("switches: [on, 1e3, 0x10, null-1]\nlanes: [3, 4]")
    assert [s.name.text for s in native.switches] == ["on", "1e3", "0x10", "null-1"]
    assert native.lanes == native.labels == ("3", "4")


WRONG = [
    ("swiches: [a]", "t.yaml:1:1: unknown key 'swiches' in a topology file; did you mean 'switches'?"),
    ("ring: {switches: 5}\nring: {switches: 6}", "t.yaml:2:1: the key 'ring' is there twice, first in line 1"),
    ("ring: {switches: 5}\nmesh: {size: [2]}", "t.yaml:1:1: expected either 'switches' or one generator"),
    ("ring: {}", "t.yaml:1:7: ring needs the key 'switches'"),
    ("ring: {switches: many}", "t.yaml:1:18: switches of ring must be a whole number from 1 to 999999999, found 'many'"),
    ("ring: {switches: 5, hots: 1}", "unknown key 'hots' in ring; did you mean 'hosts'?"),
    ("torus: {size: []}", "size of torus needs at least one dimension"),
    ("torus: {size: 4}", "t.yaml:1:15: size of torus must be a list, found a single value"),
    ("ring: {switches: 5}\ncables: [[a, b]]", "t.yaml:2:9: 'cables' goes with 'switches', not with a generator"),
    ("ring: {switches: 5}\nrouting: ecpm", "t.yaml:2:10: routing engine 'ecpm' is not known; did you mean 'ecmp'?"),
    ("switches: [a]\ncables: [[a]]", "t.yaml:2:10: a cable has two ends, [node:port, node:port]; found 1"),
    ("switches: ['a b']", "t.yaml:1:12: 'a b' is no name for a switch"),
    ("switches: []", "t.yaml:1:11: 'switches' is empty"),
    ("switches: [a]\nspeed: fast", "t.yaml:2:8: speed must be a number, found 'fast'"),
    ("switches: [a]\ntables: [{switch: a, destination: a}]", "needs 'out'"),
    ("switches: [a]\ntables: [{switch: a, destination: a, out: 1, kind: drop}]", "kind drop has no 'out'"),
    ("switches: [a]\nlane-rules: [{at: a}]", "t.yaml:2:14: a lane rule needs 'label' or 'lane'"),
    ("switches: [a]\nlanes: [0, 0]", "t.yaml:2:8: lanes are 1 to 32 different names"),
    ("switches: [a]\nexpected: {pairs: 3}", "t.yaml:2:11: expected needs the key 'verdict'"),
    ("", "t.yaml: is empty; expected 'switches' or a generator"),
    ("- a", "t.yaml:1:1: a topology file must be a mapping, found a list"),
    ("a: [", "t.yaml:2:1: is not YAML"),
    ("ring: !!python/tuple {switches: 5}", "t.yaml:1:7: the tag 'tag:yaml.org,2002:python/tuple' is not understood"),
    ("ring: {switches: 5}\n---\na: 1", "t.yaml:2:1: a second document begins here"),
    ("ring: *r", "t.yaml:1:7: the alias *r stands before the end of its anchor &r"),
    ("ring: &r {switches: *r}", "the alias *r stands before the end of its anchor &r"),
    ("[" * 200, "is nested more than 32 deep"),
    ("ring: {[a]: 1}", "t.yaml:1:8: a key is a single word"),
    ("ring: {switches: \ufffe}", "is not YAML"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_what_is_wrong_is_told_with_its_place(text: str, said: str) -> None:
    found = refusal(text)
    assert said in found
    assert all(re.match(r"t\.yaml(:\d+:\d+)?: ", line) for line in found.splitlines())


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    lines = refusal("switches: [a]\nkind: ethernet\nhots: [b]\nspeed: x").splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "3", "4"]


def test_a_long_list_of_problems_is_cut() -> None:
    lines = refusal("switches: [a]\ncables:\n" + " - [a]\n" * 50).splitlines()
    assert len(lines) == 21
    assert "30 more" in lines[-1]


def test_an_alias_bomb_is_refused_before_it_goes_off() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))
    assert "holds more than 8000000 values, counting what its aliases stand for" in refusal(bomb)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadInput, match="is not YAML"):
        read(Source("t.yaml", b"ring: \xff\xfe", b"ring: \xff\xfe"))


def test_an_empty_list_of_names_is_refused() -> None:
    """A table entry for nobody would be left out without a word."""
    said = refusal("ring: {switches: 3}\ntables: [{switch: s0, destination: [], out: s1}]")
    assert "is an empty list; expected a name or more" in said
