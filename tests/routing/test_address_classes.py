"""Longest-prefix match by forest, against one address looked up in one table after another."""

from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address, ip_network

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.routing.address_classes import NO_ROW, PrefixForest, PrefixRows, prefix_forest

Network = IPv4Network | IPv6Network


def v4(*texts: str) -> list[Network]:
    return [ip_network(text) for text in texts]


@st.composite
def few_addresses(draw: st.DrawFn) -> Network:
    """Prefixes among 16 addresses, or one of the short ones around them."""
    length = draw(st.integers(28, 32))
    address = draw(st.integers(0, 15)) + int(IPv4Address("10.0.0.16"))
    if draw(st.integers(0, 9)) == 0:
        length = draw(st.sampled_from([0, 8, 27]))
    return IPv4Network((address >> 32 - length << 32 - length, length))


TABLES = st.lists(st.lists(few_addresses(), max_size=8, unique=True), min_size=1, max_size=4)


def naive_match(table: list[Network], address: IPv4Address) -> int:
    """The row of the longest prefix that contains the address."""
    rows = [r for r, prefix in enumerate(table) if address in prefix]
    return max(rows, key=lambda r: table[r].prefixlen, default=NO_ROW)


def forest_of(tables: list[list[Network]]) -> tuple[PrefixForest, list[np.ndarray]]:
    forest, node = prefix_forest(PrefixRows.join([PrefixRows.of(table) for table in tables]))
    row_of, start = [], 0
    for table in tables:
        own = np.full(len(forest), NO_ROW, np.int64)
        own[node[start : start + len(table)]] = np.arange(len(table))
        start += len(table)
        row_of.append(own)
    return forest, row_of


@given(TABLES)
def test_every_address_of_a_class_matches_what_its_prefix_matches(tables: list[list[Network]]) -> None:
    forest, row_of = forest_of(tables)
    for address in map(IPv4Address, range(int(IPv4Address("10.0.0.14")), int(IPv4Address("10.0.0.34")))):
        n = forest.node_of(4, int(address))
        for table, rows in zip(tables, row_of, strict=True):
            found = NO_ROW if n < 0 else int(forest.longest_match(rows, np.array([n]))[0])
            assert found == naive_match(table, address)


@given(TABLES)
def test_an_address_lies_in_the_class_of_the_longest_prefix_of_all(tables: list[list[Network]]) -> None:
    forest, _ = forest_of(tables)
    every = [prefix for table in tables for prefix in table]
    members = dict.fromkeys(range(len(forest)), 0)
    for address in map(IPv4Address, range(int(IPv4Address("10.0.0.16")), int(IPv4Address("10.0.0.32")))):
        n, longest = forest.node_of(4, int(address)), naive_match(every, address)
        assert (n < 0) == (longest == NO_ROW)
        if n >= 0:
            assert forest.network(n) == every[longest]
            members[n] += 1
    small = [n for n in range(len(forest)) if forest.network(n).prefixlen >= 28]
    assert {n for n in small if forest.is_empty(n)} == {n for n in small if not members[n]}


def within(inner: Network, outer: Network) -> bool:
    same = inner.version == outer.version
    return same and inner.network_address in outer and inner.prefixlen >= outer.prefixlen


@given(TABLES)
def test_parents_contain_and_ends_bound(tables: list[list[Network]]) -> None:
    forest, _ = forest_of(tables)
    networks = [forest.network(n) for n in range(len(forest))]
    assert len(set(networks)) == len(networks)
    for n, prefix in enumerate(networks):
        around = [m for m, other in enumerate(networks) if m != n and within(prefix, other)]
        assert forest.parent[n] == max(around, key=lambda m: networks[m].prefixlen, default=-1)
        inside = [m for m, other in enumerate(networks) if m != n and within(other, prefix)]
        assert inside == list(range(n + 1, int(forest.end[n])))


def test_families_are_apart() -> None:
    forest, row_of = forest_of([[ip_network("0.0.0.0/0")], [ip_network("::/0"), ip_network("2001:db8::/127")]])
    assert [forest.name(n) for n in range(len(forest))] == ["0.0.0.0/0", "::/0", "2001:db8::/127"]
    low = forest.node_of(6, int(ip_address("2001:db8::1")))
    assert forest.name(low) == "2001:db8::/127"
    assert [int(forest.longest_match(rows, np.array([low]))[0]) for rows in row_of] == [NO_ROW, 1]


def test_bits_behind_the_length_do_not_matter() -> None:
    loose = PrefixRows(*(np.array([v]) for v in (np.uint8(4), np.uint64(0), np.uint64(0x0A000001), np.uint8(24))))
    assert prefix_forest(loose)[0].name(0) == "10.0.0.0/24"
    wide = PrefixRows(*(np.array([v]) for v in (np.uint8(6), np.uint64(0xFFFF), np.uint64(7), np.uint8(60))))
    assert prefix_forest(wide)[0].name(0) == str(IPv6Network((0xFFF0 << 64, 60)))


def test_a_prefix_split_into_halves_has_no_class_of_its_own() -> None:
    forest, _ = forest_of([v4("10.0.0.0/24", "10.0.0.0/25", "10.0.0.128/25")])
    assert [forest.is_empty(n) for n in range(3)] == [True, False, False]


def test_the_empty_forest() -> None:
    forest, node = prefix_forest(PrefixRows.join([]))
    assert (len(forest), len(node), forest.node_of(4, 1)) == (0, 0, -1)
