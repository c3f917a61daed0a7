"""Headers: columns of one or many rows, and the same as variables and constants for the solver."""

import pytest

from hashing.cases import headers
from hashing.reference import Packet
from pauseproof.hashing.headers import BITS, COLUMNS_OF, FIELDS, constants, halves, roce, unknowns, within


def test_columns_of_one_row_stand_for_all() -> None:
    h = roce(4, (0, [1, 2, 3]), (0, 9), 50000)
    assert len(h) == 3
    some = h.rows([2, 0])
    assert (some.sip_low.tolist(), some.dip_low.tolist(), len(some)) == ([3, 1], [9], 2)
    assert h.at_port([5, 6, 7]).in_port.tolist() == [5, 6, 7]
    assert not h.symbolic


def test_addresses_as_text() -> None:
    assert halves("fd00::2") == (6, (0xFD00 << 48, 2))
    with pytest.raises(ValueError, match="does not appear to be an IPv4 or IPv6 address"):
        halves("leaf1")


def test_every_field_has_columns() -> None:
    assert set(FIELDS) == set(COLUMNS_OF)
    assert {column for columns in COLUMNS_OF.values() for column in columns} == set(BITS)


@pytest.mark.parametrize("family", [4, 6])
def test_variables_are_as_wide_as_their_columns(family: int) -> None:
    import z3

    h = unknowns("p", family)
    assert h.symbolic
    solver = z3.Solver()
    solver.add(within(h))
    for name, width in BITS.items():
        width = {"sip_high": 0, "dip_high": 0, "sip_low": 32, "dip_low": 32}.get(name, width) if family == 4 else width
        whole = getattr(h, name) == (1 << width) - 1
        beyond = z3.UGT(getattr(h, name), (1 << width) - 1)
        assert (solver.check(whole), solver.check(beyond)) == (z3.sat, z3.unsat)


def test_constants_are_the_packet() -> None:
    h = headers([Packet(6, 5 << 64 | 6, 7, qp=8)])
    assert {name: column.as_long() for name, column in constants(h).columns().items()} == {
        name: int(column[0]) for name, column in h.columns().items()
    }
