import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pauseproof.readers.frr_condense import condense
from route_files import FRR_ROUTES

HOPS = st.lists(st.sampled_from([{"ip": "10.0.0.1"}, {"ip": "10.0.0.2", "labels": [1, 2]}, "x\n]", 7, []]), max_size=3)
ENTRY = st.fixed_dictionaries({"nexthops": HOPS}, optional={"uptime": st.text('a"/[]{}', max_size=4), "backup": HOPS})
TABLES = st.dictionaries(st.sampled_from("abc"), st.lists(ENTRY, max_size=2) | st.dictionaries(st.just("vrf"), ENTRY))


def restored(value: Any, arrays: list[Any]) -> Any:
    """A condensed document with its arrays put back."""
    if isinstance(value, dict):
        return {
            key: arrays[inner] if key == "nexthops" and type(inner) is int else restored(inner, arrays)
            for key, inner in value.items()
        }
    return [restored(inner, arrays) for inner in value] if isinstance(value, list) else value


@given(TABLES, st.sampled_from([1, 2, 4, "\t"]), st.sampled_from([":", ": "]))
def test_a_condensed_text_says_the_same(value: Any, indent: int | str, colon: str) -> None:
    text = json.dumps(value, indent=indent, separators=(",", colon), ensure_ascii=False)
    condensed = condense(text.encode())
    if condensed is not None:
        arrays = list(map(json.loads, condensed.arrays))
        assert restored(json.loads(condensed.text), arrays) == value
        assert condensed.text.count(b"\n") == text.count("\n")
        assert len(set(condensed.arrays)) == len(condensed.arrays)


@given(TABLES)
def test_equal_arrays_at_one_depth_are_condensed(value: Any) -> None:
    flat = {key: entries for key, entries in value.items() if isinstance(entries, list)}
    told = [entry["nexthops"] for entries in flat.values() for entry in entries]
    condensed = condense(json.dumps(flat, indent=2).encode())
    told = [hops for hops in told if hops]
    assert (condensed is None) == (not told)
    if condensed:
        assert sorted(map(json.dumps, map(json.loads, condensed.arrays))) == sorted(set(map(json.dumps, told)))


@given(st.integers(0, len(FRR_ROUTES) - 1), st.sampled_from('{}[]",:1 \n\\'))
@example(254, "\n")  # the key of an array is indented like the end of another: what is cut out is no JSON
def test_what_condensed_parts_say_is_what_a_damaged_text_says(at: int, letter: str) -> None:
    text = FRR_ROUTES[:at] + letter + FRR_ROUTES[at + 1 :]
    condensed = condense(text.encode())
    if condensed is not None and all(map(is_json, [condensed.text, *condensed.arrays])):
        arrays = list(map(json.loads, condensed.arrays))
        assert restored(json.loads(condensed.text), arrays) == json.loads(text)


def is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_lines_keep_their_numbers() -> None:
    condensed = condense(FRR_ROUTES.encode())
    assert condensed is not None and len(condensed.text) < len(FRR_ROUTES)
    for key in ('"10.10.4.0/24":[', '"10.10.2.0/24":['):
        assert condensed.text.decode().split("\n").index(f"  {key}") == FRR_ROUTES.split("\n").index(f"  {key}")


def test_texts_of_another_layout_are_left_as_they_are() -> None:
    assert condense(json.dumps(json.loads(FRR_ROUTES)).encode()) is None
    assert condense(FRR_ROUTES.replace("\n", "\r\n").encode()) is None
    assert condense(b"") is None


def test_numbers_and_escaped_keys_cannot_pose_as_arrays() -> None:
    assert condense(FRR_ROUTES.replace('"flags":3', '"nexthops":0', 1).encode()) is not None  # inside an array: harmless
    assert condense(FRR_ROUTES.replace('"table":254', '"nexthops":0', 1).encode()) is None
    assert condense(FRR_ROUTES.replace('"table":254', '"nextho\\u0070s":0', 1).encode()) is None
