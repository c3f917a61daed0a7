from typing import Any

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.roce_records import ConfigDb
from roce_by_hand import Said
from small_clos import clos

BOTH: dict[str, Said | None] = {"10.10.2.0/24": ["10.1.1.3 swp1", "10.1.2.3 swp2"]}
MEMBERS = {"10.1.1.3": {"FG_NHG": "g"}, "10.1.2.3": {"FG_NHG": "g"}}


def buckets(**tables: Any) -> list[tuple[int, bool]]:
    """The sizes of the tables of leaf1's groups, and whether they are clear."""
    config = ConfigDb("leaf1.json", "leaf1", tables, {("FG_NHG", "g"): 4})
    groups = clos({"leaf1": BOTH}, configs=[config]).groups.values()
    return [(group.buckets, not group.unclear) for known in groups for group in known]


def size(text: str, mode: str = "nexthop-based") -> dict[str, dict[str, str]]:
    return {"g": {"bucket_size": text, "match_mode": mode}}


def test_by_next_hops() -> None:
    assert buckets(FG_NHG=size("120"), FG_NHG_MEMBER=MEMBERS) == [(120, True)]
    assert buckets(FG_NHG=size("120"), FG_NHG_MEMBER={"10.1.1.3": {"FG_NHG": "g"}}) == []
    assert buckets(FG_NHG=size("120", "route-based"), FG_NHG_MEMBER=MEMBERS) == []


def test_by_prefixes() -> None:
    for prefix, found in (("10.10.2.0/24", [(64, True)]), ("10.10.0.0/16", [])):
        assert buckets(FG_NHG=size("64", "route-based"), FG_NHG_PREFIX={prefix: {"FG_NHG": "g"}}) == found
    assert buckets(FG_NHG=size("64", "prefix-based"), FG_NHG_PREFIX={"10.10.2.0/24": {"FG_NHG": "other"}}) == []


def test_banks_are_not_modelled_and_said() -> None:
    banks = {"10.1.1.3": {"FG_NHG": "g", "bank": "0"}, "10.1.2.3": {"FG_NHG": "g", "bank": "1"}}
    assert buckets(FG_NHG=size("8"), FG_NHG_MEMBER=banks) == [(8, False)]


@pytest.mark.parametrize("text", ["", "0", "x", "65536", "-1"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^leaf1.json:4: bucket_size '.*' of FG_NHG\|g must be a whole number from 1 to 65535$"):
        buckets(FG_NHG=size(text))


def test_keys_that_are_no_addresses_are_refused() -> None:
    with pytest.raises(BadInput, match=r"FG_NHG_PREFIX\|x is no prefix: no IP address"):
        buckets(FG_NHG=size("8"), FG_NHG_PREFIX={"x": {}})
    with pytest.raises(BadInput, match=r"FG_NHG_MEMBER\|10\.0\.0\.0/8 is no member: no IP address"):
        buckets(FG_NHG=size("8"), FG_NHG_MEMBER={"10.0.0.0/8": {}})
