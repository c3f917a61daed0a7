import pytest

from lane_samples import FABRIC, HOST_OF, IDENTITY, every_turn, lanes_of, records, rules
from pauseproof.readers.lane_maps import lanes_from_records


def test_missing_turns_and_hosts_are_summed_up() -> None:
    turns = every_turn(IDENTITY)
    del turns[0, 2, 1], turns[1, 0, 3], turns[1, 1, 3]
    read = lanes_of([records(turns, {1: IDENTITY})])
    assert rules(read) == ["sl2vl-missing", "sl2vl-missing"]
    assert read.remarks[0].message == (
        "3 turns between cabled ports of 2 switches have no SL-to-VL row, the first in-port 2, out-port 1 of s0"
    )
    assert read.remarks[0].about == "0x00000000000000b0/2/1"
    assert read.remarks[1].message == "2 hosts have no SL-to-VL row, the first h0 port 1; theirs are unknown"
    with pytest.raises(KeyError):
        read.lanes.after_turn(0, 2, 1, 0)
    with pytest.raises(KeyError):
        read.lanes.after_host(0, 0)


def test_two_files_that_disagree_are_both_named_and_neither_is_believed() -> None:
    hosts = dict.fromkeys(range(3), IDENTITY)
    other = every_turn(IDENTITY) | {(1, 2, 3): (1,) * 16, (1, 3, 3): (1,) * 16}
    files = [records(every_turn(IDENTITY), hosts, "one"), records(other, hosts | {2: (1,) * 16}, "two")]
    read = lanes_of(files)
    assert rules(read) == ["table-disagreement"] * 2
    assert read.remarks[0].message.startswith(
        "the SL-to-VL row of s1 for in-port 2, out-port 3 differs between two inputs, and 1 more"
    )
    assert [place.file for place in read.remarks[0].places] == ["one", "two"]
    first, second = read.remarks[0].places
    assert files[0].out_port[first.line - 1] == files[1].out_port[second.line - 1] == 3
    assert files[0].in_port[first.line - 1] == files[1].in_port[second.line - 1] == 2
    assert read.remarks[1].about == "0x00000000000000a4/1"
    with pytest.raises(KeyError):
        read.lanes.after_turn(1, 2, 3, 0)


def test_a_difference_in_sls_that_nobody_uses_is_none() -> None:
    hosts = dict.fromkeys(range(3), IDENTITY)
    files = [records(every_turn(IDENTITY), hosts), records(every_turn((*IDENTITY[:4], *[0] * 12)), hosts)]
    assert not lanes_of(files, [3, 2]).remarks
    assert lanes_of(files, [3, 4]).remarks


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_folded_sls_are_told_once(n: int) -> None:
    fold = tuple(sl & (n - 1) for sl in IDENTITY)
    read = lanes_of([records(every_turn(fold), {0: fold, 1: IDENTITY, 2: IDENTITY})])
    assert rules(read) == ["sl2vl-folded"]
    assert read.remarks[0].message.startswith(f"5 switch ports and 1 host ports have {n} VL")
    assert rules(lanes_of([records(every_turn(fold), dict.fromkeys(range(3), fold))], [0, n])) == ["sl2vl-folded"]
    assert not lanes_of([records(every_turn(fold), dict.fromkeys(range(3), fold))], range(n)).remarks


def test_sls_that_no_path_uses_as_it_is_are_not_folded_but_can_be_asked_for() -> None:
    fold = tuple(sl & 7 for sl in IDENTITY)
    files = [records(every_turn(fold), dict.fromkeys(range(3), fold))]
    for largest, told in ((7, []), (8, ["sl2vl-folded"])):
        read = lanes_from_records(FABRIC, files, HOST_OF, largest_sent=largest)
        assert rules(read) == told
        assert read.lanes.after_host(0, 15) == (15, 7)


def test_repeating_rows_of_another_plan_are_not_folded() -> None:
    assert not lanes_of(
        [records(every_turn((0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5)), dict.fromkeys(range(3), IDENTITY))]
    ).remarks
