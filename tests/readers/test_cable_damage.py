"""Whatever is done to a cabling file, it is read or refused; and what is read are cables between named ports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import on_many
from pauseproof.fabric.places import BadInput
from pauseproof.readers import registry
from small_files import SMALL_FILES
from texts import source_of

PIECES = [
    "",
    "\x00",
    "\n",
    '"',
    "'",
    "<",
    ">",
    "&",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "--",
    "\ufeff",
    "é",
    "9" * 30,
    "null",
    "-1",
    "  ",
]


@pytest.mark.parametrize("module", registry.CABLES)
@on_many
@given(changes=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 12), st.sampled_from(PIECES)), min_size=1, max_size=3))
def test_damage(module: str, changes: list[tuple[int, int, str]]) -> None:
    text = SMALL_FILES[module]
    assert isinstance(text, str)
    for at, length, piece in changes:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + length :]
    reader = registry.reader(module)
    reader.matches(text.encode()[:4096])
    try:
        found = reader.read(source_of(text))
    except BadInput as error:
        assert error.problems and all(one.message and one.place.file == "in" for one in error.problems)
        return
    ends = [*zip(found.a_device, found.a_port, strict=True), *zip(found.b_device, found.b_port, strict=True)]
    assert all(device and port for device, port in ends)
    assert len(found.line) == len(found.speed) == len(found.length) == len(ends) / 2
    assert all(0 < line <= text.count("\n") + 1 for line in found.line.tolist())
