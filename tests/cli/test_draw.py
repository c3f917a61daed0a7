from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pauseproof.cli.draw import format_of

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"


@pytest.mark.parametrize(("name", "format"), [("a.svg", "svg"), ("b.PNG", "png"), ("c.gv", "dot"), ("-", "dot")])
def test_the_name_decides_the_format(name: str, format: str) -> None:
    assert format_of(name) == format


@pytest.mark.parametrize(("file", "start"), [("loop.svg", b"<?xml"), ("loop.png", b"\x89PNG"), ("loop.dot", b"digraph")])
def test_a_loop_is_drawn(run: Run, tmp_path: Path, file: str, start: bytes) -> None:
    done = run("draw", RING, "-o", file)
    assert (done.code, done.out, done.err) == (0, "", "loop 1 of 2, 5 buffers\n")
    assert (tmp_path / file).read_bytes().startswith(start)


def test_a_loop_is_chosen_by_number_or_id(run: Run, tmp_path: Path) -> None:
    report = run("verify", RING).out
    ids = [row.split()[1] for row in report.splitlines() if row.startswith("  id: ")]
    assert len(ids) == 2
    for name, which in (("a", "2"), ("b", ids[1]), ("c", ids[1][:5])):
        assert run("draw", RING, "--loop", which, "-o", f"{name}.dot").err == "loop 2 of 2, 5 buffers\n"
    assert (tmp_path / "a.dot").read_bytes() == (tmp_path / "b.dot").read_bytes() == (tmp_path / "c.dot").read_bytes()


def test_the_folded_fabric_needs_no_loop(run: Run) -> None:
    done = run("draw", "topologies/fat-tree-k4.yaml", "--folded", "-o", "-")
    assert done.code == 0 and "20 switches, 16 hosts" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["topologies/fat-tree-k4.yaml", "-o", "a.svg"], "there is no loop to draw: DEADLOCK_FREE"),
        (["topologies/ring3-parallel-reselecting.yaml", "-o", "a.svg"], "there is no loop to draw: a stuck set"),
        ([RING, "-o", "a.bmp"], "ends in no format that is drawn: svg, png, pdf, dot"),
        ([RING, "--loop", "3", "-o", "a.svg"], "expected a number from 1 to 2, or an id such as"),
        ([RING, "-o", "none/a.svg"], "cannot be written"),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    done = run("draw", *words)
    assert done.code == 2 and said in done.err
    assert not list(tmp_path.glob("*.svg"))
