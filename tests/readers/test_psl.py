import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.readers import psl
from pauseproof.readers.psl import matches, read
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from small_files import GUID2LID, PSL, SLVL
from texts import cuts_that_pass, refusal, source_of

rows = st.tuples(st.integers(1, 2**64 - 1), st.integers(1, 0xBFFF), st.integers(0, 15))
shapes = st.sampled_from(
    [
        "0x{0:016x} {1} {2}\n",
        "0x{0:016X} {1} {2}\r\n",
        "0x{0:x} {1} {2}\n",
        " 0x{0:016x}\t{1}  {2} \n",
        "\n# {0}\n0x{0:016x} {1} {2}\n",
    ]
)


def naive(text: str) -> list[tuple[int, int, int, int]]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        if words and words[0] != "#":
            found.append((int(words[0], 16), int(words[1]), int(words[2]), number))
    return found


def test_three_rows() -> None:
    records = read(source_of(PSL))
    assert records.source_guid.tolist() == [0xA0001, 0xA0001, 0xA0003]
    assert records.destination_lid.tolist() == [8, 12, 7]
    assert records.sl.tolist() == [3, 15, 0]
    assert records.line.tolist() == [1, 2, 3]
    assert not records.by_port


@given(st.lists(st.tuples(rows, shapes), min_size=1, max_size=12), st.integers(1, 5))
def test_rows_of_every_shape_and_in_any_portion_are_read_alike(
    given_rows: list[tuple[tuple[int, int, int], str]], at_once: int
) -> None:
    text = "".join(shape.format(*row) for row, shape in given_rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psl, "_AT_ONCE", at_once)
        records = read(source_of(text))
    columns = (records.source_guid, records.destination_lid, records.sl, records.line)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == naive(text)


def test_two_sls_for_one_pair_are_a_set() -> None:
    assert read(source_of("0x0a 8 3\n0x0a 8 4\n")).sl.tolist() == [3, 4]


def test_only_a_cut_between_rows_is_not_seen() -> None:
    assert cuts_that_pass(read, PSL) == [i + 1 for i, letter in enumerate(PSL[:-1]) if letter == "\n"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0x00000000000a0001 8 16", "2: SL 16 is out of range; expected 0..15"),
        ("0x00000000000a0001 0 1", "2: LID 0 is out of range; expected 1..49151"),
        ("0x00000000000a0001 49152 1", "2: LID 49152 is out of range"),
        ("0x00000000000a0001 123456 1", "2: LID 123456 is out of range"),
        ("0x00000000000a0001 8 116", "2: SL 116 is out of range"),
        ("0x00000000000a0001 8", '2: "0x00000000000a0001 8" is not a row'),
        ("0x00000000000a0001  8", '2: "0x00000000000a0001  8" is not a row'),
        ("0x00000000000a0001  15", '2: "0x00000000000a0001  15" is not a row'),
        ("0x00000000000a0001 8x1", "2: "),
        ("0x00000000000a0001 8 1 1", "2: "),
        ("0x0000000000_a0001 8 1", "2: "),
        ("0x00000000000a000g 8 1", "2: "),
        ("0y00000000000a0001 8 1", "2: "),
        ("0x00000000000a0001 8 -1", "2: "),
        ("0x00000000000a0001 8x1 1", "2: "),
        ("0x10000000000000001 8 1", "2: "),
        ("nonsense", "2: \"nonsense\" is not a row; expected '0x<node GUID> <LID, decimal> <SL>'"),
    ],
)
def test_bad_rows_are_refused_with_their_line(bad: str, said: str) -> None:
    problems = refusal(read, f"0x00000000000a0001 8 1\n{bad}\n0x00000000000a0001 9 1\n")
    assert len(problems) == 1 and problems[0].startswith(said)


@pytest.mark.parametrize("empty", ["", "\n", "# nothing\n"])
def test_no_rows_at_all(empty: str) -> None:
    assert refusal(read, empty)[0].startswith("0: no row was found")


def test_sniffing() -> None:
    assert matches(b"\n\n" + PSL.encode())
    assert not any(matches(text.encode()) for text in (SLVL, GUID2LID, "", "1 2 3\n"))


def test_a_real_file_beside_a_naive_reading() -> None:
    source = open_source(shared_case("opensm/torus8x8_torus2qos/path-sl.psl.gz"))
    records = read(source)
    columns = (records.source_guid, records.destination_lid, records.sl, records.line)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == naive(bytes(source.data).decode())
    assert len(records.line) == 256 * 255
