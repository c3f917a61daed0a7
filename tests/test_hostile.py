"""Nothing that is done to an input makes pauseproof fall over, or call a fabric free that may not be.

Mutations are drawn from a seed. ``PAUSEPROOF_EXAMPLES=20000 pytest tests/test_hostile.py`` tries more than the usual few, and
``PAUSEPROOF_SEED`` others.
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import rmtree

import pytest

from hostile_inputs import Files, case, lossy, mangled, on_one_sl, on_one_vl
from oracle import greatest_stuck_set
from pauseproof import load, verify
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import Verdict
from pauseproof.routing.walk import walk_worst
from shared_cases import SHARED, shared_case

EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "50"))
SEED = int(os.environ.get("PAUSEPROOF_SEED", "1"))
REFUSED = "refused"

LASH, MINHOP = case("ring5_lash"), case("ring5_minhop")
LOOPING = {"minhop": MINHOP, "lash-one-sl": on_one_sl(LASH), "lash-one-vl": on_one_vl(LASH)}


def answer(files: Files, folder: Path) -> str:
    """The verdict, or REFUSED; a verdict of DEADLOCK_FREE is held to the reference walker."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        network = load(folder)
        (report,) = verify(network).fabrics
    except BadInput as error:
        assert error.problems
        assert all(problem.message and problem.place.file for problem in error.problems)
        return REFUSED
    if report.verdict is Verdict.DEADLOCK_FREE:
        assert not greatest_stuck_set(walk_worst(network, network.traffics["hosts"]).choice_sets)
    return report.verdict.value


def answers(name: str, mutate: Callable[[Random], Files], folder: Path, never: str = "") -> Counter[str]:
    """How often each answer came, ``never`` being none; a failure names the mutation that led to it."""
    count: Counter[str] = Counter()
    for i in range(EXAMPLES):
        seed = f"{name}/{SEED}/{i}"
        try:
            given = answer(mutate(Random(seed)), folder / "case")
            assert given != never
        except Exception as error:
            error.add_note(f"mutation {seed}; its files are in {folder / 'case'}")
            raise
        rmtree(folder / "case")
        count[given] += 1
    return count


@pytest.mark.parametrize("name", ["minhop", "lash", "lash-one-vl"])
def test_whatever_is_done_to_the_files(name: str, tmp_path: Path) -> None:
    files = LOOPING.get(name, LASH)

    others = LASH if name == "minhop" else MINHOP
    found = answers(name, lambda random: mangled(files, random, others), tmp_path)
    assert found[REFUSED] > EXAMPLES / 10
    assert found["UNDECIDED" if name == "lash" else "DEADLOCK_POSSIBLE"] > EXAMPLES / 20


@pytest.mark.parametrize("name", LOOPING)
def test_a_loop_does_not_go_away_with_lost_lines(name: str, tmp_path: Path) -> None:
    """The fabric as it was is one of those that the rest can stand for, so that the rest is never free."""
    files = LOOPING[name]
    names = sorted(set(files) - {"opensm-subnet.lst"})
    found = answers(name, lambda random: lossy(files, random, names), tmp_path, never="DEADLOCK_FREE")
    assert min(found[REFUSED], found["UNDECIDED"], found["DEADLOCK_POSSIBLE"]) > EXAMPLES / 50


@pytest.mark.parametrize(
    ("names", "lose"),
    [
        (("ibnetdiscover.txt", "dump_fts.txt"), "dump_fts.txt"),
        (("ibnetdiscover.p.txt", "opensm.fdbs"), "opensm.fdbs"),
        (("ibnetdiscover.f.txt", "opensm-lfts.dump"), ""),
    ],
)
def test_other_formats_of_the_same_ring(names: tuple[str, ...], lose: str, tmp_path: Path) -> None:
    """opensm-lfts.dump leaves out rows of LIDs without a path, so that a row that was lost looks like one of those."""
    files = {name: shared_case(f"opensm/ring5_minhop/{name}").read_bytes() for name in names}
    answers("-".join(names), lambda random: mangled(files, random, LASH), tmp_path)
    if lose:
        answers(f"less-{lose}", lambda random: lossy(files, random, [lose]), tmp_path, never="DEADLOCK_FREE")


@pytest.mark.parametrize("name", ["ring5_dfsssp_lmc1", "ring5_nue_8vl", "siblings_ftree", "io_nodes_ftree"])
def test_other_fabrics(name: str, tmp_path: Path) -> None:
    shared_case(f"opensm/{name}")
    files = case(name, SHARED / "cases" / "opensm")
    answers(name, lambda random: mangled(files, random, MINHOP), tmp_path)


GUIDS = range(0x200000, 0x200005)
TREE = b"".join(b"\nSwitch 0x%016x\nLID    : Out Port(s)\n0xC000 : 0x001  0x003 \n" % guid for guid in GUIDS)
FAR = """Switch 0x{:016x} "S"
Groups Definition:
Group SubGroup WHBF Ports
------
1     0        -    1,2
LFT Definition:
LID    StaticPort LidState Group
------
"""


def test_trees_and_adaptive_tables(tmp_path: Path) -> None:
    """A tree that goes round the ring, and groups of both ways round it, over tables that are free by their SLs."""
    rows = "".join(f"0x{lid:04X} 1          Free     1\n" for lid in (1, 5, 8, 9))
    far = "\n".join(FAR.format(guid) + rows for guid in GUIDS)
    answers("tree", lambda random: mangled(LASH | {"opensm.mcfdbs": TREE}, random, MINHOP), tmp_path)
    answers("far", lambda random: mangled(LASH | {"a.far": far.encode()}, random, MINHOP), tmp_path)


@pytest.mark.parametrize("name", LOOPING)
def test_the_whole_files_loop(name: str, tmp_path: Path) -> None:
    assert answer(LOOPING[name], tmp_path / "whole") == "DEADLOCK_POSSIBLE"


def test_host_blocks_that_are_missing_are_no_identity(tmp_path: Path) -> None:
    """opensm-sl2vl.dump has a block for every host: without them the first lanes are unknown, not those of the SLs' numbers."""
    dump = LOOPING["lash-one-vl"]["opensm-sl2vl.dump"]
    blocks = re.split(rb"(?m)^(?=Switch |Channel Adapter )", dump)
    switches = b"".join(block for block in blocks if block.startswith(b"Switch"))
    assert switches.count(b"Switch") == 5
    assert answer(LASH | {"opensm-sl2vl.dump": switches}, tmp_path / "case") == "UNDECIDED"


def test_a_switch_without_a_multicast_row_is_unknown_where_copies_get_to(tmp_path: Path) -> None:
    whole, first = LASH | {"opensm.mcfdbs": TREE}, LASH | {"opensm.mcfdbs": TREE[: TREE.index(b"\nSwitch", 1)]}
    assert answer(LASH, tmp_path / "none") == "DEADLOCK_FREE"
    assert answer(whole, tmp_path / "whole") == "DEADLOCK_POSSIBLE"
    assert answer(first, tmp_path / "first") == "UNDECIDED"


@pytest.mark.parametrize("lost", [rb"0x000F[^\n]*\n", rb"0x0001[^\n]*\n", rb"0x0008[^\n]*\n"])
def test_a_lid_without_a_row_in_any_table_is_unknown(lost: bytes, tmp_path: Path) -> None:
    files = {name: re.sub(lost, b"", text) if name.endswith(".fdbs") else text for name, text in LASH.items()}
    assert answer(files, tmp_path / "case") == "UNDECIDED"
