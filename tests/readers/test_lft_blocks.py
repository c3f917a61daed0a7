"""The fast readers of forwarding tables agree with plain ones that read line by line: on whole, cut and damaged files."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_tables import Naive, Refused, naive_fdbs, naive_fts, naive_lfts
from pauseproof.fabric.places import BadInput
from pauseproof.readers import fdbs, fts, lfts
from pauseproof.readers.records import ForwardingRecords
from pauseproof.readers.source import Source
from table_dumps import Drawn, fabrics, fdbs_text, fts_text, lfts_text

Read = Callable[..., ForwardingRecords]
FORMATS = {"lfts": (lfts.read, naive_lfts), "fts": (fts.read, naive_fts), "fdbs": (fdbs.read, naive_fdbs)}
sizes = st.one_of(st.integers(1, 300), st.just(1 << 20))


def source(data: bytes) -> Source:
    return Source("dump", data, data)


def routed(found: ForwardingRecords) -> list[dict[int, int]]:
    return [{lid: int(row[lid]) for lid in np.flatnonzero(row != found.no_row).tolist()} for row in found.out_port]


def agree(name: str, data: bytes, size: int = 1 << 20) -> Naive | None:
    """Both refuse, or both find the same; what the plain one found."""
    fast, plain = FORMATS[name]
    try:
        expected = plain(data)
    except Refused:
        with pytest.raises(BadInput):
            fast(source(data), size=size)
        return None
    found = fast(source(data), size=size)
    assert found.switch_guid.tolist() == [table.guid for table in expected.tables]
    assert routed(found) == [table.routed() for table in expected.tables]
    assert cut_by_the_tool(found) == expected.unknown_from
    return expected


def cut_by_the_tool(found: ForwardingRecords) -> list[int]:
    """``unknown_from`` without what comes of dump_fts's lost LIDs, which the plain reader does not know."""
    lost = {remark.about.removeprefix("LID ") for remark in found.remarks if remark.rule == "dump-fts-top-lid"}
    return [-1 if str(lid) in lost else lid for lid in found.unknown_from.tolist()]


def dump(name: str, switches: list[Drawn], *, brief: bool = False, every: bool = False) -> bytes:
    if name == "fdbs":
        top = max(max(switch.ports) for switch in switches)
        return b"".join(fdbs_text(switch, top) for switch in switches)
    if name == "fts":
        return b"".join(fts_text(switch, brief=brief, every=every) for switch in switches)
    return b"".join(map(lfts_text, switches))


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=80, deadline=None)
@given(switches=fabrics, size=sizes, brief=st.booleans(), every=st.booleans(), crlf=st.booleans())
def test_a_whole_dump_gives_back_its_tables(
    name: str, switches: list[Drawn], size: int, brief: bool, every: bool, crlf: bool
) -> None:
    data = dump(name, switches, brief=brief, every=every)
    found = FORMATS[name][0](source(data.replace(b"\n", b"\r\n") if crlf else data), size=size)
    assert found.switch_guid.tolist() == [switch.guid for switch in switches]
    assert routed(found) == [{lid: port for lid, port in s.ports.items() if port is not None} for s in switches]
    assert (found.unknown_from == -1).all()
    agree(name, data, size)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None)
@given(switches=fabrics, size=sizes, data=st.data())
def test_every_row_is_found_again_in_its_line(name: str, switches: list[Drawn], size: int, data: st.DataObject) -> None:
    text = dump(name, switches)
    found = FORMATS[name][0](source(text), size=size)
    lines = text.split(b"\n")
    block = data.draw(st.integers(0, len(switches) - 1))
    for lid in routed(found)[block]:
        line = found.line_of(block, lid).line
        assert lines[line - 1].lower().startswith(b"0x%04x" % lid)
        assert found.block_line[block] < line
    assert found.line_of(block, 0xBFFE).line == found.block_line[block]


SAMPLE = [
    Drawn(0xB0001, 3, "leaf # one", {1: 0, 2: 3, 5: None, 9: 17, 10: 4}),
    Drawn(0xB0002, 4, "spine", {1: 9, 2: 0, 6: None, 9: 1, 10: 254}),
    Drawn(0xB0003, 5, "", {1: 2, 4: 30, 9: 0, 10: 8}),
]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_at_any_byte_is_refused_or_says_what_it_lacks(name: str) -> None:
    data = dump(name, SAMPLE)
    truth = [switch.ports for switch in SAMPLE]
    for end in range(len(data)):
        expected = agree(name, data[:end])
        for table, unknown, ports in zip(
            *(expected.tables, expected.unknown_from) if expected else ((), ()), truth, strict=False
        ):
            if name == "fdbs" and expected is not None and len(expected.tables) == 1:
                continue  # nothing tells how far a single block should go
            known = {lid: port for lid, port in ports.items() if port is not None and (unknown < 0 or lid < unknown)}
            assert {lid: port for lid, port in table.routed().items() if unknown < 0 or lid < unknown} == known


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150, deadline=None)
@given(switches=fabrics, size=sizes, data=st.data())
def test_a_damaged_file_is_refused_by_both_or_read_alike(
    name: str, switches: list[Drawn], size: int, data: st.DataObject
) -> None:
    text = bytearray(data.draw(st.sampled_from([b"", b"\n", b"\n\n", b"# by hand\n"])) + dump(name, switches))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 12))] = data.draw(
            st.one_of(st.binary(max_size=2), st.sampled_from([b"0", b"f", b"F", b" ", b":", b"#", b"\n", b"9", b"x"]))
        )
    agree(name, bytes(text), size)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None)
@given(junk=st.binary(max_size=400))
def test_junk_is_refused_not_a_traceback(name: str, junk: bytes) -> None:
    agree(name, junk)


@pytest.mark.parametrize("name", FORMATS)
def test_one_long_line_without_end_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="a line of more than 65536 bytes"):
        FORMATS[name][0](source(b"\0" * 300_000), size=1000)


@pytest.mark.parametrize("name", FORMATS)
def test_many_problems_are_counted_not_listed(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        FORMATS[name][0](source(dump(name, SAMPLE[:1]) + b"what is this\n" * 100))
    assert len(refused.value.problems) == 21
    assert "80 more" in str(refused.value)


@pytest.mark.parametrize("name", FORMATS)
def test_no_table_at_all_is_refused_with_what_was_expected(name: str) -> None:
    for nothing in (b"", b"\n\n", b"# a comment\n"):
        with pytest.raises(BadInput, match="no forwarding table was found; expected"):
            FORMATS[name][0](source(nothing))
