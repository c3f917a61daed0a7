"""One fabric in four formats: the same cabling comes out of each, whatever the names."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabling_texts import NAMES, Written
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import BadInput
from pauseproof.readers import db_csv, ibnetdiscover, ibnetdiscover_ports, ibutils_topo, registry, subnet_lst
from pauseproof.readers.cabling import Built, build_fabric
from pauseproof.readers.records import CablingRecords
from pauseproof.readers.source import Source, open_source
from shared_cases import shared_case
from texts import source_of

Read = Callable[[Source], CablingRecords]
FORMS: dict[str, tuple[Read, Callable[[Written], str]]] = {
    "subnet-lst": (subnet_lst.read, Written.lst),
    "ibnetdiscover": (ibnetdiscover.read, Written.discover),
    "db-csv": (db_csv.read, Written.db_csv),
}
FORM_MODULES = {module.NAME: module for module in (db_csv, ibnetdiscover, ibnetdiscover_ports, subnet_lst)}
PORTS = ("ibnetdiscover-p", (ibnetdiscover_ports.read, Written.ports))
# what a node description of 64 bytes can hold; tools print no line ends, and cut trailing blanks differently
letters = st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_characters="\x7f\x85")
tricky = st.sampled_from(
    [
        "#",
        '"',
        "}",
        "{",
        "'",
        ",",
        '" lid 3 4xEDR',
        "} LID:0001 PN:01 } {",
        "' - '",
        " port 0 lid 9 lmc 0",
        " PN:01 } { SW",
        "[1]",
    ]
)
names = st.lists(letters | tricky, min_size=1, max_size=8).map("".join)
names = names.filter(lambda name: name == name.strip() and name and '""' not in name)  # .db_csv may double quotes


def built(form: tuple[Read, Callable[[Written], str]], written: Written) -> Built:
    read, write = form
    return build_fabric("f", [read(source_of(write(written)))])


def links(fabric: Fabric) -> list[tuple[str, int, str, int]]:
    return [(fabric.node_name[x.src], x.src_port, fabric.node_name[x.dst], x.dst_port) for x in fabric.links()]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("written", [Written(), Written(upper=True, wide=True)], ids=["lower", "upper"])
def test_what_the_fabric_is(form: tuple[Read, Callable[[Written], str]], written: Written) -> None:
    found = built(form, written)
    fabric = found.fabric
    assert fabric.node_guid.tolist() == [0xB0001, 0xB0002, 0xA0001, 0xA0011, 0xC0001, 0xD0001]
    assert list(fabric.node_name) == [NAMES[int(guid)] for guid in fabric.node_guid]
    kinds = [NodeKind.SWITCH] * 2 + [NodeKind.HOST] * 2 + [NodeKind.ROUTER, NodeKind.AGGREGATION]
    assert fabric.node_kind.tolist() == kinds
    assert fabric.node_ports.tolist() == [8, 8, 2, 1, 2, 1]
    assert fabric.n_links == 14 and fabric.n_hosts == 5
    assert ("leaf one", 2, "leaf one", 5) in links(fabric) and ("n1 HCA-1", 2, "spine", 3) in links(fabric)
    assert fabric.speed is not None and set(fabric.speed.tolist()) == {100.0}
    assert found.lid_base.tolist() == [3, 4, 7, 8, 9, 10, 11]
    assert list(zip(found.lid_node.tolist(), found.lid_port.tolist(), strict=True))[:4] == [(0, 0), (1, 0), (2, 1), (2, 2)]
    assert found.lid_port_guid.tolist()[1:4] == [0xB00F2, 0xA0002, 0xA0003]
    assert found.remarks == ()


def test_a_port_report_alone_has_a_node_for_each_port() -> None:
    fabric = built(PORTS[1], Written()).fabric
    assert fabric.node_guid.tolist() == [0xB0001, 0xB00F2, 0xA0002, 0xA0003, 0xA0012, 0xC0002, 0xD0002]
    assert links(fabric) == [*links(built(FORMS["ibnetdiscover"], Written()).fabric)]


@given(st.lists(names, min_size=6, max_size=6), st.sampled_from(sorted(FORMS)))
def test_names_come_back_as_they_are(some: list[str], form: str) -> None:
    written = Written(dict(zip(NAMES, some, strict=True)))
    fabric = built(FORMS[form], written).fabric
    assert [fabric.node_name[fabric.node_guid.tolist().index(guid)] for guid in NAMES] == some


@given(st.lists(names.filter(lambda name: "' - '" not in name), min_size=6, max_size=6))
def test_names_in_a_port_report(some: list[str]) -> None:
    fabric = built(PORTS[1], Written(dict(zip(NAMES, some, strict=True)))).fabric
    assert list(fabric.node_name) == [some[0], some[1], some[2], some[2], *some[3:]]


def test_bytes_that_are_no_text_and_trailing_blanks() -> None:
    text = Written({**NAMES, 0xB0002: "sp\N{LATIN SMALL LETTER E WITH ACUTE}ne  "}).lst().encode()
    text = text.replace("\N{LATIN SMALL LETTER E WITH ACUTE}".encode(), b"\xff")
    assert build_fabric("f", [subnet_lst.read(source_of(text))]).fabric.node_name[1] == "sp\\xffne"


@pytest.mark.parametrize("name", [*FORMS, PORTS[0]])
def test_each_form_is_known_by_its_own_reader_only(name: str) -> None:
    _, write = {**FORMS, PORTS[0]: PORTS[1]}[name]
    head = ("# a comment\n\n" if name != "db-csv" else "# a comment\n") + write(Written())
    modules = (db_csv, ibnetdiscover, ibnetdiscover_ports, ibutils_topo, subnet_lst)
    assert [module.NAME for module in modules if module.matches(head.encode()[:4096])] == [name]
    known = registry.reader_for(head.encode()[:4096])
    assert known is FORM_MODULES[name]


@pytest.mark.parametrize("name", [*FORMS, PORTS[0]])
def test_a_file_cut_anywhere_is_refused_but_between_two_rows_that_hide_it(name: str) -> None:
    """Where all rows left state their cables at both ends, and no row tells of what is missing, a cut cannot be seen."""
    read, write = {**FORMS, PORTS[0]: PORTS[1]}[name]
    text = write(Written()).encode()
    passed = []
    for length in range(len(text)):
        try:
            build_fabric("f", [read(source_of(text[:length]))])
            passed.append(length)
        except BadInput as error:
            assert error.problems
    hidden = [
        length for length in passed if read(source_of(text[:length])).cable_a.tolist() != read(source_of(text)).cable_a.tolist()
    ]
    assert all(text[length - 1 : length] == b"\n" for length in hidden)
    assert len(hidden) <= {"subnet-lst": 1, "ibnetdiscover-p": 1}.get(name, 0)


@pytest.mark.parametrize("length", [0, 1, 2])
@pytest.mark.parametrize("name", [*FORMS, PORTS[0]])
def test_next_to_nothing_is_refused(name: str, length: int) -> None:
    read, write = {**FORMS, PORTS[0]: PORTS[1]}[name]
    with pytest.raises(BadInput):
        read(source_of(write(Written())[:length]))


@pytest.mark.parametrize("name", sorted({*FORMS, PORTS[0]} - {"db-csv"}))  # which states each cable once
def test_a_lost_line_shows_where_cables_are_stated_at_both_ends(name: str) -> None:
    read, write = {**FORMS, PORTS[0]: PORTS[1]}[name]
    lines = write(Written()).splitlines(keepends=True)
    at = max(i for i, line in enumerate(lines) if "4xEDR" in line or " - " in line or "PHY" in line)
    with pytest.raises(BadInput, match="lost lines"):
        read(source_of("".join(lines[:at] + lines[at + 1 :])))


@given(st.sampled_from([*FORMS, PORTS[0]]), st.data())
def test_garbled_bytes_never_trip(name: str, data: st.DataObject) -> None:
    read, write = {**FORMS, PORTS[0]: PORTS[1]}[name]
    text = bytearray(write(Written()).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.sampled_from(list(b"0f9,\n \"{}x[#'\xff")))
    try:
        build_fabric("f", [read(source_of(bytes(text)))])
    except BadInput as error:
        assert error.problems


def test_the_forms_of_a_real_ring_agree() -> None:
    files = ["opensm-subnet.lst", "ibnetdiscover.txt", "ibnetdiscover.f.txt", "ibnetdiscover.p.txt"]
    readers: list[Read] = [subnet_lst.read, ibnetdiscover.read, ibnetdiscover.read, ibnetdiscover_ports.read]
    records = [read(open_source(shared_case(f"opensm/ring5_minhop/{name}"))) for name, read in zip(files, readers, strict=True)]
    first = build_fabric("ring", records[:1])
    for record in records[1:]:
        other = build_fabric("ring", [record])
        assert links(other.fabric) == links(first.fabric)
        assert other.lid_base.tolist() == first.lid_base.tolist()
        same_guids = np.array_equal(other.fabric.node_guid, first.fabric.node_guid)
        assert same_guids != record.guid_is_port
    for order in (records, records[::-1]):
        all_of_them = build_fabric("ring", order)
        assert np.array_equal(all_of_them.fabric.node_guid, first.fabric.node_guid)
        assert links(all_of_them.fabric) == links(first.fabric) and all_of_them.remarks == ()
        assert set(all_of_them.lid_lmc.tolist()) == {0}
