from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from pauseproof.drawings.chart import Chart, Strip, svg, ticks

SVG = "{http://www.w3.org/2000/svg}"


def a_chart(name: str = "s0 → s1") -> Chart:
    strip = Strip(name, (0, 3, 3, 9), ((2.0, 3.0),))
    return Chart("held", "a model", (0.0, 1.0, 2.0, 3.0), (strip, strip), (("XOFF", 8), ("XON", 2)), (("h1 paused", 0.5, 1.5),))


def texts(document: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(document.encode()).iter(f"{SVG}text")]


def test_it_is_svg_with_every_strip_level_span_and_legend() -> None:
    document = svg(a_chart())
    root = ElementTree.fromstring(document.encode())
    assert root.tag == f"{SVG}svg" and len(list(root.iter(f"{SVG}path"))) == 2
    words = texts(document)
    assert words.count("XOFF 8") == 2 and "h1 paused" in words and "microseconds" in words
    assert "its sender may not send" in words and "held" in words
    assert svg(a_chart()) == document


def test_no_name_stands_on_another() -> None:
    one = a_chart("s" * 300)
    for levels in (one.levels, (("XOFF", 4), ("XON", 3)), (("XOFF", 2), ("XON", 1))):
        root = ElementTree.fromstring(svg(replace(one, levels=levels)).encode())
        nodes = [(node, node.attrib) for node in root.iter(f"{SVG}text")]
        placed = [(node, float(a["x"]), float(a["y"]), float(a["font-size"])) for node, a in nodes]
        named = [x for node, x, _, size in placed if node.attrib["text-anchor"] == "end" and size == 12]
        levelled = sorted((y, x, "".join(node.itertext())) for node, x, y, size in placed if size == 9)
        assert len(named) == 2 and len(levelled) == 4
        assert all(b[0] - a[0] >= 9 for a, b in pairwise(levelled))
        assert [words.split()[0] for *_, words in levelled] == ["XOFF", "XON"] * 2
        assert all(x - 9 * 0.7 * len(words) >= named[0] for _, x, words in levelled)


def test_the_name_of_a_late_span_ends_within_the_page() -> None:
    root = ElementTree.fromstring(svg(replace(a_chart(), spans=(("incast to a-host-with-a-long-name", 2.9, 3.0),))).encode())
    (word,) = [node for node in root.iter(f"{SVG}text") if "incast" in "".join(node.itertext())]
    assert word.attrib["text-anchor"] == "end" and float(word.attrib["x"]) <= float(root.attrib["width"])


def test_everything_lies_within_the_page() -> None:
    root = ElementTree.fromstring(svg(a_chart()).encode())
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for rect in root.iter(f"{SVG}rect"):
        assert float(rect.attrib.get("x", 0)) + float(rect.attrib["width"]) <= width + 0.1
        assert float(rect.attrib.get("y", 0)) + float(rect.attrib["height"]) <= height + 0.1


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a"b&c', "\x1b[31m\u202e\ud800", "x" * 300])
def test_a_name_is_text_whatever_it_holds(name: str) -> None:
    document = svg(a_chart(name))
    root = ElementTree.fromstring(document.encode())
    assert not list(root.iter(f"{SVG}script")) and "\x1b" not in document and "\u202e" not in document


def test_a_line_changes_where_the_number_does() -> None:
    (path, _) = ElementTree.fromstring(svg(a_chart()).encode()).iter(f"{SVG}path")
    assert path.attrib["d"].count("V") == 2


@pytest.mark.parametrize("end", [0.003, 0.9, 1.0, 7.0, 23.5, 99.9, 100.0, 312.3, 123456.0])
def test_ticks_are_round_and_few(end: float) -> None:
    found = ticks(end)
    assert found[0] == 0 and 3 <= len(found) <= 9 and found[-1] <= end


def test_a_chart_of_nothing_is_still_one() -> None:
    assert ElementTree.fromstring(svg(Chart("t", "s", (), ())).encode()).tag == f"{SVG}svg"
