"""Pictures of a job's load: what stands in them, and that any name can."""

import re
from dataclasses import replace

import numpy as np
import pytest

import pauseproof
from pauseproof.drawings.folded import fold
from pauseproof.drawings.heat import bundles, heat_dot
from pauseproof.drawings.load_chart import Row, bars, chart_dot
from pauseproof.drawings.render import render
from pauseproof.fabric.tiers import switch_tiers

TREE = "topologies/fat-tree-k4.yaml"


def test_arrows_hold_every_link_once() -> None:
    fabric = pauseproof.load(TREE).fabric
    links = np.concatenate([one.links for one in bundles(fabric, fold(fabric))])
    assert sorted(links.tolist()) == list(range(fabric.n_links))


def test_the_busiest_arrow_is_the_thickest() -> None:
    fabric = pauseproof.load(TREE).fabric
    load = np.ones(fabric.n_links)
    up = np.flatnonzero((fabric.link_src < fabric.n_switches) & (fabric.link_dst < fabric.n_switches))[0]
    load[up] = 8e9
    source = heat_dot(fabric, load, np.ones(fabric.n_links), "a job").source
    assert source.count("penwidth=7.0") == 1 and "most 8 GB" in source
    assert "penwidth=1.0" in source


@pytest.mark.parametrize("name", ["torus4x4-dimension-order", "dragonfly"])
def test_links_within_a_tier_lead_neither_up_nor_down(name: str) -> None:
    fabric = pauseproof.load(f"topologies/{name}.yaml").fabric
    source = heat_dot(fabric, np.ones(fabric.n_links), np.ones(fabric.n_links), "a job").source
    tiers = switch_tiers(fabric)
    inner = (fabric.link_src < fabric.n_switches) & (fabric.link_dst < fabric.n_switches)
    alike = int(np.count_nonzero(tiers[fabric.link_src[inner]] == tiers[fabric.link_dst[inner]]))
    assert sum(map(int, re.findall(r"within the tier: (\d+) link", source))) == alike > 0
    led = sum(map(int, re.findall(r"(?:up|down): (\d+) link", source)))
    assert led == fabric.n_links - alike


def test_bars_are_quantiles_of_the_links() -> None:
    found = bars(np.arange(100.0), 10)
    assert [links for _, links in found] == [10] * 10
    assert [time for time, _ in found] == [99.0 - 10 * k for k in range(10)]
    assert bars(np.zeros(0)) == []


def test_what_is_above_the_line_is_dark() -> None:
    rows = [Row("up", np.array([4.0, 1.0, 0.0]))]
    source = chart_dot("chart", rows, 2.0, "4 s").source
    assert source.count('fillcolor="#b3261e"') == 1 and "3 links, 1 idle" in source
    assert "100% is 4 s; dashed: a perfectly spread fabric, 50%" in source


def test_nothing_is_sent() -> None:
    rows = [Row("up", np.zeros(3)), Row("none", np.zeros(0))]
    assert "100% is 0 s" in chart_dot("chart", rows, 0.0, "0 s").source


@pytest.mark.parametrize("format", ["svg", "png"])
def test_they_are_drawn_whatever_the_names(format: str) -> None:
    fabric = pauseproof.load(TREE).fabric
    names = ['a"b\\ <&>\x1b[31m\n' if i == 0 else name for i, name in enumerate(fabric.node_name)]
    hostile = replace(fabric, node_name=names, name='"}; evil [label="')
    dot = heat_dot(hostile, np.ones(fabric.n_links), np.ones(fabric.n_links), f"job on {hostile.name}")
    assert render(dot.source, dot.engine, format)
    chart = chart_dot('"]; x', [Row('a"b', np.array([1.0]))], 1.0, "1 s")
    drawn = render(chart.source, chart.engine, format)
    assert drawn if format == "png" else re.search(rb"<svg", drawn)
