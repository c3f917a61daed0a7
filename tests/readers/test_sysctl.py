import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.readers.sysctl import matches, read
from small_files import SYSCTL
from texts import cuts_that_pass, refusal, source_of

KEY = "net.ipv4.fib_multipath_hash_{}"


def test_what_speaks_of_multipath_hashes_is_read() -> None:
    found = read(source_of(SYSCTL, "leaf1.sysctl.txt"))
    assert found.device == "leaf1"
    assert found.values == {
        KEY.format("fields"): 7,
        KEY.format("policy"): 1,
        KEY.format("seed"): 4711,
        "net.ipv6.fib_multipath_hash_policy": 0,
    }
    assert found.lines[KEY.format("seed")] == 4


def test_every_cut_within_a_line_is_noticed() -> None:
    ends = [i for i, letter in enumerate(SYSCTL, start=1) if letter == "\n"]
    assert set(cuts_that_pass(read, SYSCTL)) == {0, *ends[:-1]}


def test_a_whole_dump_with_what_modules_add() -> None:
    text = "abi.vsyscall32 = 1\ndev.cdrom.info = \nfscache.x-y = a | b = c\nkernel.core_pattern = |/usr/bin/x %p\n" + SYSCTL
    assert matches(text.encode()) and read(source_of(text)).values == read(source_of(SYSCTL)).values
    assert matches(("net.x.y = " + "1" * 60 + "\n").encode() * 80)  # the last line of a full head is cut


def test_comments_complaints_and_other_spellings() -> None:
    text = f"# {KEY}\n; x\nsysctl: permission denied on key 'fs.x'\n-net/ipv4/fib_multipath_hash_seed=0x10\nnet.core.x =\n"
    assert matches(text.encode())
    assert read(source_of(text)).values == {KEY.format("seed"): 16}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (KEY.format("policy") + " = 4", f'{KEY.format("policy")} is "4"; expected a whole number from 0 to 3'),
        (KEY.format("seed") + " = -1", f'{KEY.format("seed")} is "-1"; expected a whole number from 0 to 4294967295'),
        (
            KEY.format("seed") + " = 4294967296",
            f'{KEY.format("seed")} is "4294967296"; expected a whole number from 0 to 4294967295',
        ),
        (KEY.format("fields") + " = 0xx", f'{KEY.format("fields")} is "0xx"; expected a whole number from 0 to 65535'),
        ("what is this", '"what is this" is no setting; expected name = value'),
        (f"{KEY.format('seed')} = 1\n{KEY.format('seed')} = 2", f"{KEY.format('seed')} is 2 here and 1 in line 2"),
    ],
)
def test_what_cannot_be_is_refused(line: str, problem: str) -> None:
    assert [said.partition(": ")[2] for said in refusal(read, f"net.x.y = 1\n{line}\n")] == [problem]


@pytest.mark.parametrize("text", ["", "a = 1\n", "[net]\n", "net.ipv4\n", "hashing: {seed: 1}\n", '{"net.ipv4.x": 1}\n'])
def test_other_texts_are_left_to_others(text: str) -> None:
    assert not matches(text.encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tail: bytes) -> None:
    try:
        read(source_of(b"net.ipv4.x = 1\n" + tail))
    except BadInput as error:
        assert error.problems
