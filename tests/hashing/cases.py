"""Random packets for the tests of the hash functions, as the reference and as pauseproof sees them."""

from typing import Any

from hypothesis import strategies as st

from hashing.reference import Packet
from pauseproof.hashing.headers import FIELDS, Headers, roce

MASK = (1 << 64) - 1


@st.composite
def packets(draw: st.DrawFn, family: int | None = None) -> Packet:
    version = draw(st.sampled_from([4, 6])) if family is None else family
    bits = 32 if version == 4 else 128
    address = st.integers(0, (1 << bits) - 1)
    sip = draw(address)
    dip = draw(st.one_of(address, st.just(sip)))
    port = st.integers(0, 0xFFFF)
    small = [draw(st.integers(0, (1 << width) - 1)) for width in (24, 8, 20, 12, 16)]
    return Packet(version, sip, dip, draw(st.integers(0, 255)), draw(port), draw(port), *small)


some_fields = st.lists(st.sampled_from(FIELDS), unique=True).map(tuple)
words32 = st.integers(0, (1 << 32) - 1)


def headers(rows: list[Packet]) -> Headers:
    """Packets of one family."""
    (family,) = {p.family for p in rows}

    def column(name: str) -> list[int]:
        return [getattr(p, name) for p in rows]

    sip, dip = ([(v >> 64, v & MASK) for v in column(name)] for name in ("sip", "dip"))
    rest: dict[str, Any] = {n: column(n) for n in ("proto", "dport", "qp", "opcode", "flow_label", "vlan", "in_port")}
    ends = ([a for a, _ in sip], [b for _, b in sip]), ([a for a, _ in dip], [b for _, b in dip])
    return roce(family, *ends, column("sport"), **rest)
