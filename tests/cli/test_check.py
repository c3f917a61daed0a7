import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
RING = "topologies/opensm/ring5_minhop"
LASH = "topologies/opensm/ring5_lash"


@pytest.fixture
def certificate(run: Run, tmp_path: Path) -> Any:
    run("prove", LASH, "-o", "cert.json")
    return json.loads((tmp_path / "cert.json").read_text())


def test_one_that_holds(run: Run, certificate: Any) -> None:
    done = run("check", "cert.json", LASH)
    assert (done.code, done.err) == (0, "")
    assert done.out == "HOLDS  DEADLOCK_FREE, traffic: hosts; checked against 4 inputs\n"


def test_the_files_may_have_moved(run: Run, certificate: Any, tmp_path: Path) -> None:
    (tmp_path / LASH).rename(tmp_path / "elsewhere")
    assert run("check", "cert.json", "elsewhere").code == 0
    assert run("check", "cert.json", *sorted(str(f) for f in Path("elsewhere").iterdir() if f.suffix != ".yaml")).code == 0


@pytest.mark.parametrize("path", [RING, "topologies/clos4x2.yaml"])
def test_one_of_another_fabric_is_refused(run: Run, certificate: Any, path: str) -> None:
    done = run("check", "cert.json", path)
    assert (done.code, done.err) == (1, "")
    assert done.out == "REFUSED  cert.json: it was made from other files: the sha256 of its inputs differ from those given\n"


def test_a_file_that_changed_since_is_refused(run: Run, certificate: Any, tmp_path: Path) -> None:
    with (tmp_path / LASH / "opensm.fdbs").open("a") as file:
        file.write("\n")
    assert "other files" in run("check", "cert.json", LASH).out


def test_a_rank_that_does_not_rise_is_named_with_its_buffers(run: Run, certificate: Any, tmp_path: Path) -> None:
    ranks = certificate["ranks"]
    lowest = min(ranks, key=ranks.__getitem__)
    ranks[lowest] += 1000
    (tmp_path / "cert.json").write_text(json.dumps(certificate))
    done = run("check", "cert.json", LASH)
    assert done.code == 1
    assert done.out.startswith(f"REFUSED  cert.json: the ranks do not rise: a packet in {lowest} may wait for 0x")


def test_what_a_certificate_says_cannot_write_to_the_terminal(run: Run, certificate: Any, tmp_path: Path) -> None:
    certificate["verdict"] = "\x1b[2J\nHOLDS"
    (tmp_path / "cert.json").write_text(json.dumps(certificate))
    done = run("check", "cert.json", LASH)
    assert done.code == 1 and "\x1b" not in done.out and len(done.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.json", LASH], "none.json: cannot be read"),
        ([LASH + "/opensm.fdbs", LASH], "not a whole JSON file"),
        (["cert.json", "none"], "none: cannot be read"),
        (["cert.json"], "Missing argument"),
    ],
)
def test_bad_input(run: Run, certificate: Any, words: list[str], said: str) -> None:
    done = run("check", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def seconds() -> Iterator[float]:
    return map(float, count())


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_told_on_a_terminal_and_taken_away_again(
    run: Run, certificate: Any, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    clock = seconds()
    monkeypatch.setattr("pauseproof.cli.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    done = run("check", "cert.json", LASH)
    assert done.code == 0
    assert ("\rchecked 1 of 10 destinations" in done.err) == terminal
    assert done.err.endswith(" \r") if terminal else done.err == ""
