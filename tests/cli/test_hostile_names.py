"""Node descriptions can be set by anyone with access to a node: they may not steer a terminal, a drawing or a parser."""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"
NAMES = ["\x1b[2Jgone", 'quo"te\\', "<script>x</script>", "&lt;a&gt;\\N", "\u202eesrever", "[red]markup[/red]", "\udcff\udc80"]


@pytest.fixture(params=NAMES, ids=ascii)
def hostile(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Run:
    path = tmp_path / RING / "opensm-subnet.lst"
    text = path.read_text().replace("{S0}", f"{{{request.param}}}")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return run


def test_text_has_no_control_characters(hostile: Run) -> None:
    done = hostile("verify", RING)
    assert done.code == 1, done.err
    assert all(char.isprintable() or char == "\n" for char in done.out)
    assert done.out.startswith("DEADLOCK_POSSIBLE  ")


def test_json_is_json(hostile: Run) -> None:
    done = hostile("verify", RING, "--format", "json")
    assert done.out.isascii()
    json.loads(done.out)


def test_the_drawing_shows_the_name_and_nothing_else(hostile: Run, tmp_path: Path) -> None:
    done = hostile("draw", RING, "-o", "loop.svg")
    assert done.code == 0, done.err
    svg = (tmp_path / "loop.svg").read_text("utf-8")
    assert "<script" not in svg
    texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]
    assert len([text for text in texts if text in ("S1", "S2", "S3", "S4")]) == 4
    assert all(char.isprintable() for text in texts for char in text.replace("\xa0", " "))


def test_show_is_harmless_too(hostile: Run) -> None:
    done = hostile("show", RING)
    assert done.code == 0 and all(char.isprintable() or char == "\n" for char in done.out)


def test_a_path_is_harmless_too(hostile: Run) -> None:
    done = hostile("path", "H0x0", "H2x1", RING)
    assert done.code == 0, done.err
    assert all(char.isprintable() or char == "\n" for char in done.out)
    told = hostile("path", "H0x0", "H2x1", RING, "--format", "json").out
    assert told.isascii() and json.loads(told)["outcome"] == "delivered"


@pytest.mark.parametrize(
    "words",
    [
        ("storm", RING),
        ("verify", RING, "--conditions", "--realize"),
        ("replay", RING, "--seeds", "1", "--until", "200us", "--arbitration", "fifo"),
        ("load", RING, "--balance"),
        ("load", RING, "--job", "topologies/jobs/ring5-data-parallel.yaml"),
        ("repair", RING, "--kind", "routes"),
    ],
    ids=" ".join,
)
def test_other_answers_are_harmless_too(hostile: Run, words: tuple[str, ...]) -> None:
    done = hostile(*words)
    assert done.code in (0, 1), done.err
    assert all(char.isprintable() or char == "\n" for char in done.out)
    told = hostile(*words, "--format", "json").out
    assert told.isascii() and json.loads(told)


@pytest.mark.parametrize(
    "words",
    [
        ("replay", RING, "--seeds", "1", "--arbitration", "fifo"),
        ("load", RING, "--job", "topologies/jobs/ring5-data-parallel.yaml"),
    ],
    ids=" ".join,
)
def test_pictures_are_whole_xml(hostile: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = hostile(*words, "--draw", "picture.svg", "--chart", "chart.svg")
    assert done.code in (0, 1), done.err
    for name in ("picture.svg", "chart.svg"):
        svg = (tmp_path / name).read_text("utf-8")
        root = ElementTree.fromstring(svg)
        assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
        assert all(char.isprintable() or char in "\n\t\xa0" for text in root.itertext() for char in text)


def test_what_repair_writes_has_lines_of_its_own_alone(hostile: Run, tmp_path: Path) -> None:
    done = hostile("repair", RING, "--kind", "routes", "--kind", "lanes", "--write", "repaired")
    assert done.code == 0, done.err
    for path in (tmp_path / "repaired").rglob("*.*"):
        assert all(char.isprintable() or char in "\n\t" for char in path.read_bytes().decode("utf-8"))
