"""Macro flows: a table that names sub-select and offset for each byte of another hash."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers, packets, some_fields, words32
from hashing.test_algorithms import all_ways
from pauseproof.hashing import crc
from pauseproof.hashing.rtag7 import SUB_SELECTS, Engine, MacroFlows

names = st.sampled_from(sorted(crc.FUNCTIONS))
rows = st.tuples(st.sampled_from(SUB_SELECTS), st.integers(0, 15))


@settings(max_examples=25, deadline=None)
@given(
    *(packets(), st.tuples(some_fields, some_fields), st.tuples(words32, words32)),
    *(st.lists(rows, min_size=1, max_size=7), st.tuples(names, names, names, names, names), st.booleans()),
)
def test_macro_flows_are_their_reference(
    packet: reference.Packet,
    fields: tuple[tuple[str, ...], tuple[str, ...]],
    seeds: tuple[int, int],
    some_rows: list[tuple[str, int]],
    functions: tuple[str, str, str, str, str],
    high: bool,
) -> None:
    table = tuple(some_rows[i % len(some_rows)] for i in range(256))
    a0, a1, b0, b1, picker = functions
    engines = Engine(fields[0], seeds[0]), Engine(fields[1], seeds[1])
    function = MacroFlows(*engines, table, a0, a1, b0, b1, picker, high)
    picked = reference.rtag7(packet, picker, fields[0], seeds[0])
    select, offset = table[picked // 256 if high else picked % 256]
    which = 0 if select.startswith("A") else 1
    name = {"A0": a0, "A1": a1, "B0": b0, "B1": b1}[select]
    assert all_ways(function, packet) == {reference.rtag7(packet, name, fields[which], seeds[which], offset)}
    assert set(function.fields) == {*fields[0], *fields[1]}
    assert len(function.value(headers([packet] * 3))) == 3
