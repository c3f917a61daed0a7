import pytest

from pauseproof.readers.unmodelled import is_empty, matches, matches_name, read
from small_files import FAR, PLFT
from texts import refusal, source_of


@pytest.mark.parametrize("title", ["PLFT map", "# Port to PLFT", "VL2VL tables", "Dump VL2VL"])
def test_titles_are_recognised(title: str) -> None:
    assert matches(f"\n\n{title}\nSwitch 0x0b\n".encode())


def test_an_adaptive_table_is_another_file() -> None:
    assert not matches(FAR.encode())
    assert not matches(b"PLFT_NUM: 0\n")


def test_names_are_recognised() -> None:
    assert matches_name("a/ibdiagnet2.plft") and matches_name("ibdiagnet2.VL2VL.gz")
    assert not matches_name("ibdiagnet2.slvl") and not matches_name("plft")


def test_it_is_refused_by_name() -> None:
    assert refusal(read, PLFT)[0].startswith("0: several forwarding tables a switch (pLFT)")
    assert refusal(read, "VL2VL\n")[0].startswith("0: lanes chosen by the lane before (VL2VL)")


def test_without_a_switch_it_is_empty() -> None:
    assert is_empty(source_of("PLFT map\nnot supported\n"))
    assert not is_empty(source_of(PLFT))
