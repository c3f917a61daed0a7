import pytest

from pauseproof.readers.nccl_lines import Branch, Hop
from pauseproof.readers.nccl_log import Process, matches, read
from texts import refusal, source_of

SIZED = "AllReduce: 1000 Bytes -> Algo Ring proto Simple channel{{Lo..Hi}}={{{}}}\n"
QP = "NET/IB: Dev 0 Port 1 qpn {} mtu 5 LID 4\n"
HOP = "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"


@pytest.mark.parametrize(
    "head",
    [
        "gpu-1:77:78 [0] NCCL INFO ",
        "[1,0]<stdout>:gpu-1:77:78 [0] NCCL INFO ",
        "[2025-01-01 10:00:00] gpu-1:77:78 [0] NCCL INFO ",
        "0: gpu-1:77:78 [0] NCCL INFO ",
        "2025-01-01T10:00:00Z gpu-1:77:78 [-1] NCCL INFO ",
    ],
)
def test_a_line_says_who_wrote_it(head: str) -> None:
    (said,) = read(source_of(f"step 1 loss 2.0\n{head}{HOP}\n", "a.log"))
    assert (said.process, said.thread, said.place.line) == (Process("gpu-1", 77), 78, 2)
    assert said.message == Hop(0, 0, 0, 8, True, "IB", 0, 0)
    assert matches(f"{head}{HOP}".encode())


def test_one_line_may_hold_several_branches() -> None:
    said = read(source_of("a:1:2 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1\n"))
    assert [one.message for one in said] == [Branch(0, 0, -1, (1,)), Branch(1, 0, 1, ())]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0: has no line of NCCL that tells where data goes; expected a log with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS="),
        ("hello\n", "0: has no line of NCCL that tells where data goes; expected"),
        (f"a:1:2 [0] NCCL INFO {HOP}", "1: the file is cut off in this line; expected a newline at its end"),
        ("\na:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB\n", "2: is no connection as NCCL writes them"),
        (f"a:1:2 [0] NCCL INFO {SIZED.format('9..1')}", "1: goes over channels 9 to 1; expected a range below 1024"),
        (f"a:1:2 [0] NCCL INFO {SIZED.format('0..999999999')}", "1: goes over channels 0 to 999999999; expected a range"),
        (f"a:1:2 [0] NCCL INFO {QP.format(1 << 24)}", "1: makes a QP of number 16777216; expected at most 16777215"),
        (f"a:1:2 [0] NCCL INFO {HOP.replace('8', '9' * 19)}\n", "1: holds a number of more than 18 digits"),
    ],
)
def test_refusals(text: str, problem: str) -> None:
    assert refusal(read, text)[0].startswith(problem)


def test_other_files_are_no_logs_of_nccl() -> None:
    assert not matches(b"nodes: 2\ncollectives: []") and not matches(b"<system version='1'>")
