import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers.json_lines import key_paths, parse
from texts import cuts_that_pass, refusal, source_of

TEXT = """\
{
 "edges": [
  {"a": {"port": 1}, "b\\n": [
    2, {"c": null}]},
  []
 ],
 "name": "x"
}
"""


def lines_in(value: Any, text: str) -> None:
    """Every line that is told of any entry is the line at which that entry's text begins, in JSON one value a line."""
    found, lines = parse(source_of(text)), text.split("\n")

    def walk(value: Any, path: tuple[str | int, ...]) -> None:
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for step, one in entries:
            line = lines[found.line_of(*path, step) - 1].strip()
            begin = json.dumps(step) + ": " if isinstance(value, dict) else ""
            assert line.startswith(begin + json.dumps(one, indent=1).split("\n")[0])
            walk(one, (*path, step))

    walk(value, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_values_and_lines_of_any_json(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert parse(source_of(text)).value == value
    lines_in(value, text)


def has_twins(text: str) -> bool:
    """Whether an object of the text has a key twice."""
    objects: list[list[str]] = []
    json.loads(text, object_pairs_hook=lambda pairs: objects.append([key for key, _ in pairs]))
    return any(len(set(keys)) < len(keys) for keys in objects)


@given(JSON, st.integers(0, 400), st.sampled_from('{}[]",:x1 \n\\'))
def test_damaged_json_is_refused_exactly_when_the_standard_library_refuses_it(value: Any, at: int, letter: str) -> None:
    text = json.dumps(value)
    text = text[: at % len(text)] + letter + text[at % len(text) + 1 :]
    try:
        twins = has_twins(text)
    except ValueError:
        assert refusal(parse, text)
        return
    if twins:
        assert "is there twice" in refusal(parse, text)[0]
    else:
        assert parse(source_of(text)).value == json.loads(text)


def test_lines_of_entries() -> None:
    found = parse(source_of(TEXT))
    assert found.lines() == {"edges": 2, "name": 7}
    assert found.lines("edges") == {0: 3, 1: 5}
    assert found.lines("edges", 0, "b\n") == {0: 4, 1: 4} and found.line_of("edges", 0, "b\n", 1, "c") == 4
    assert found.line_of() == 1 and str(found.place_of("edges", 7, "x")) == "in:2"
    with pytest.raises(KeyError):
        found.lines("name")


def test_every_cut_is_refused_as_one() -> None:
    whole = len(TEXT.rstrip())
    assert cuts_that_pass(parse, TEXT) == [whole]
    assert refusal(parse, TEXT[:50])[0].startswith("4: is cut off here: ")
    assert refusal(parse, TEXT[:22])[0].startswith("3: is cut off here: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: is empty; expected JSON"),
        ('{"a": 1,\n "b": {"c": 1,\n\n"c": 2}}', "4: the key 'c' is there twice in one object, first in line 2"),
        ('[1,\n{"a": 1, "\\u0061": 1}]', "2: the key 'a' is there twice in one object, first in line 2"),
        ('[{"a": 1, "a": 1}, 1 2]', "1: is not JSON: Expecting ',' or ']'"),
        ('{"x": {"a": 1, "a": 1}, "y": [1', "1: is cut off here: Expecting ',' delimiter"),
        ('{"a": NaN}', "0: is not JSON: NaN is no JSON value"),
        ("[" * 200_000, "0: is nested too deep for JSON that a device writes"),
        ('{"a":' * 200_000, "0: is nested too deep for JSON that a device writes"),
        ("[" + "1" * 5000 + "]", "0: is not JSON: Exceeds the limit"),
        ('{"a": 1}\n{"b": 1}', "2: is not JSON: Something follows after the end of the value"),
        ('{"a" 1}', "1: is not JSON: Expecting ':' after a key"),
        ("{a: 1}", "1: is not JSON: Expecting a key in double quotes"),
        ('{"a": 1,}', "1: is not JSON: Expecting a key in double quotes"),
        ('{"a":\n[1 2]}', "2: is not JSON: Expecting ',' delimiter"),
        ("[1 2]", "1: is not JSON: Expecting ',' or ']'"),
        (b'{"a":\n"\xff"}', "2: is not UTF-8 text: invalid start byte"),
    ],
)
def test_what_is_refused(text: str | bytes, said: str) -> None:
    assert refusal(parse, text)[0].startswith(said)


def test_a_byte_order_mark_is_no_text() -> None:
    assert parse(source_of(b"\xef\xbb\xbf[1]")).value == [1]


@pytest.mark.parametrize("text", ["3", '"a"', "null", "{}", "[]", " [ ] \n"])
def test_small_values(text: str) -> None:
    found = parse(source_of(text))
    assert found.value == json.loads(text) and found.lines() == {}


def test_key_paths_of_a_beginning() -> None:
    assert key_paths(b'[{"a": {"b": "x:y", "c": [{"d')[-1] == ("[]", "a", "c")
    assert key_paths(b'{"a": {}, "b": [1, "x"], "c"  : {"d": "e\\":"}')[-1] == ("c", "d")
    assert key_paths(b"ab") == key_paths(b"") == ()
