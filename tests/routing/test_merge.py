"""Several dumps of one table: where they agree, where one lacks what the other has, and where they do not agree."""

from pathlib import Path

import pytest

from pauseproof import verify
from pauseproof.fabric.places import BadInput
from pauseproof.findings.report import Verdict
from pauseproof.routing.tables import ChoiceKind
from routing.dumps import FDBS, RING, at, column, edited, network_of, ports, slugs

S0_BLOCK = r"dump_ucast_routes: Switch 0x0000000000200000\n.*?(?=dump_ucast)"
S4_END = r"0x000D [^\n]*\n(0x[^\n]*\n)*\Z"


def both(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    return {**first, "second.fdbs": second[FDBS]}


def test_agreeing_dumps_are_one_table(tmp_path: Path) -> None:
    network = network_of(tmp_path, both(RING, RING))
    assert network.tables_read == 5
    assert slugs(network) == []
    assert ports(network, at(network, "S0", "3")) == [1]


def test_a_row_knows_its_line(tmp_path: Path) -> None:
    network = network_of(tmp_path, RING)
    place = network.routes.place(0, column(network, "3"))
    assert place is not None
    assert (Path(place.file).name, place.line) == (FDBS, 5)


def test_what_one_dump_lacks_is_taken_from_another(tmp_path: Path) -> None:
    network = network_of(tmp_path, both(edited(RING, FDBS, S0_BLOCK, ""), edited(RING, FDBS, S4_END, "")))
    assert network.tables_read == 5
    assert slugs(network) == []
    assert verify(network).fabrics[0].coverage == verify(network_of(tmp_path, both(RING, RING))).fabrics[0].coverage


def test_rows_that_disagree_are_unknown_and_named_with_both_places(tmp_path: Path) -> None:
    changed = edited(RING, FDBS, r"^0x0003 : 001 ( : 01   : yes\n0x0004)", r"0x0003 : 002 \1")
    network = network_of(tmp_path, both(RING, changed))
    assert at(network, "S0", "3").kind is ChoiceKind.UNKNOWN
    assert ports(network, at(network, "S0", "4")) == [1]
    (remark,) = network.remarks
    assert remark.rule == "table-disagreement"
    assert "S0 for LID 3" in remark.message
    assert [(Path(place.file).name, place.line) for place in remark.places] == [(FDBS, 5), ("second.fdbs", 5)]


def test_of_three_dumps_a_lone_dissent_is_still_a_disagreement(tmp_path: Path) -> None:
    changed = edited(RING, FDBS, r"^0x0003 : 001 ( : 01   : yes\n0x0004)", r"0x0003 : 002 \1")
    network = network_of(tmp_path, {**both(changed, RING), "third.fdbs": RING[FDBS]})
    assert at(network, "S0", "3").kind is ChoiceKind.UNKNOWN
    assert "table-disagreement" in slugs(network)


def test_a_table_that_was_not_read_is_unknown_and_a_row_that_is_not_there_a_drop(tmp_path: Path) -> None:
    gone = network_of(tmp_path, edited(RING, FDBS, S0_BLOCK, ""))
    assert (gone.tables_read, slugs(gone)) == (4, ["table-missing"])
    assert at(gone, "S0", "3").kind is ChoiceKind.UNKNOWN
    unreachable = edited(RING, FDBS, r"^0x0003 : 001  : 01   : yes\n(0x0004)", r"0x0003 : UNREACHABLE\n\1")
    assert at(network_of(tmp_path, unreachable), "S0", "3").kind is ChoiceKind.DROP


def test_behind_a_cut_rows_are_unknown(tmp_path: Path) -> None:
    network = network_of(tmp_path, edited(RING, FDBS, S4_END, ""))
    assert slugs(network) == ["table-truncated"]
    assert [at(network, "S4", lid).kind for lid in ("12", "13", "15")] == [ChoiceKind.HASHED] + [ChoiceKind.UNKNOWN] * 2
    assert verify(network).fabrics[0].verdict is Verdict.DEADLOCK_POSSIBLE  # the other ways round are known


def test_what_the_cabling_cannot_have_is_refused_all_at_once(tmp_path: Path) -> None:
    text = edited(RING, FDBS, r"^0x0003 : 001 ( : 01   : yes\n0x0004 : )001", r"0x0003 : 009 \g<1>010")
    with pytest.raises(BadInput) as caught:
        network_of(tmp_path, text)
    assert [p.place.line for p in caught.value.problems] == [5, 6]
    assert "port 9" in caught.value.problems[0].message and "expected 0..4" in caught.value.problems[0].message
    stranger = edited(RING, FDBS, r"Switch 0x0000000000200000", "Switch 0x00000000002000aa")
    with pytest.raises(BadInput, match="0x00000000002000aa, which the cabling does not have"):
        network_of(tmp_path, stranger)
