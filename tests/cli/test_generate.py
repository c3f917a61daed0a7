from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pauseproof.fabric.generators import GENERATORS
from pauseproof.routing.engines import ENGINES

Run = Callable[..., Any]


def test_what_is_written_can_be_verified(run: Run) -> None:
    assert run("generate", "ring", "switches=5", "hosts=2", "-o", "ring.yaml").code == 0
    assert run("verify", "ring.yaml").out.startswith("DEADLOCK_POSSIBLE")


def test_expanded_is_the_same_fabric(run: Run) -> None:
    verdicts = []
    for more in ([], ["--expanded"]):
        run("generate", "torus", "size=4x4", *more, "-o", "torus.yaml")
        out = run("verify", "torus.yaml").out
        verdicts.append(out[out.index("What the verdict covers") : out.index("It assumes")])
    assert verdicts[0] == verdicts[1] and "16 switches" in verdicts[0]


def test_infiniband_speaks_of_lanes_as_vls(run: Run) -> None:
    run("generate", "ring", "switches=5", "--infiniband", "-o", "ring.yaml")
    assert ", VL 0" in run("verify", "ring.yaml").out


def test_without_a_family_all_are_listed(run: Run) -> None:
    out = run("generate").out
    assert all(f"  {name}: " in out for name in (*GENERATORS, *ENGINES))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tours", "size=3x3"], "did you mean 'torus'?"),
        (["torus", "sixe=3x3"], "did you mean 'size'?"),
        (["torus", "size=3by3"], "expected size=NUMBER, or size=4x4 for a list"),
        (["torus", "size=3x3", "size=4x4"], "given twice"),
        (["ring", "switches=5", "--routing", "ecpm"], "did you mean 'ecmp'?"),
        (["ring", "switches=5", "--routing", "updown"], "updown needs roots"),
        (["fat-tree", "k=3"], "k must be even"),
        (["ring"], "ring needs switches"),
    ],
)
def test_what_makes_no_fabric_is_refused(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    done = run("generate", *words, "-o", "a.yaml")
    assert done.code == 2 and said in done.err
    assert not (tmp_path / "a.yaml").exists()


def test_a_root_that_is_no_switch_is_refused_before_anything_is_written(run: Run) -> None:
    done = run("generate", "ring", "switches=3", "--routing", "updown", "--root", "s9", "-o", "a.yaml")
    assert done.code == 2 and "--root s9: no switch is called so" in done.err
    assert not Path("a.yaml").exists()
