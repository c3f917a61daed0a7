"""Each message as the INFO calls of NCCL's versions write it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.readers.nccl_lines import (
    Branch,
    Devices,
    Hop,
    Init,
    Message,
    Neighbours,
    QueuePair,
    Ring,
    Sized,
    branches_of,
    message_of,
)

CONNECT = "NET/IB: NCCL Dev 2 IbDev 3 Port 1 qpn 4711 mtu 5 "
LOW = 0xFFFF0A000102  # ::ffff:10.0.1.2
FE80 = 0xFE80 << 48


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA", Hop(0, 0, 0, 8, True, "IB", 0, 0)),
        ("Channel 03/1 : 7[7] -> 8[0] [receive] via NET/IB/5/GDRDMA(PCI)/Shared", Hop(3, 1, 7, 8, False, "IB", 5, 8)),
        ("Channel 12/0 : 0[0] -> 9[1] [send] via NET/IB/1(1)/GDRDMA", Hop(12, 0, 0, 9, True, "IB", 1, 1)),
        ("Channel 00 : 0[1a000] -> 4[3d000] [send] via NET/IB/0", Hop(0, 0, 0, 4, True, "IB", 0, 0)),
        ("Ring 00 : 3 -> 10 [send] via NET/IB/0/GDRDMA", Hop(0, 0, 3, 10, True, "IB", 0, 3)),
        ("Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/2/GDRDMA", Hop(0, 0, 0, 8, True, "AWS Libfabric", 2, 0)),
        ("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", None),
        ("Channel 00 : 0[3000] -> 1[44000] via P2P/IPC", None),
        ("Channel 01 : 0[0] -> 1[1] via SHM/direct/direct", None),
        ("Channel 00/02 :    0   1   2   3", Ring(0, (0, 1, 2, 3), False)),
        ("Channel 01/02 :  0  1 12...", Ring(1, (0, 1), True)),
        ("Channel 01/02 :  0  1 ...", Ring(1, (0, 1), True)),
        ("Ring 04 : 15 -> 0 -> 1", Neighbours(4, 15, 0, 1)),
        ("Tree 2 : -1 -> 0 -> 1/8/-1", Branch(2, 0, -1, (1, 8))),
        (
            "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE ; OOB eth0:10.0.0.1<0>",
            Devices(((("mlx5_0", 1),), (("mlx5_1", 1),))),
        ),
        ("NET/IB : Using [0]mlx5_0:1:3:0/IB/SHARP [RO]; OOB ib0:10.0.0.1<0>", Devices(((("mlx5_0", 1),),))),
        (
            "NET/IB : Using [0]={[0] mlx5_0:1/RoCE, [1] mlx5_1:1/RoCE} [RO]; OOB eth0:10.0.0.1<0>",
            Devices(((("mlx5_0", 1), ("mlx5_1", 1)),)),
        ),
        ("NET/IB : No device found.", None),
        (f"{CONNECT}GID 3 (0/{0x02010_00AFFFF0000:X})", QueuePair(True, 2, 3, "", 4711, (0, LOW), -1)),
        (f"{CONNECT}GID 3 (0/{LOW:X}) fifoRkey=0x1 fifoLkey=0x1", QueuePair(True, 2, 3, "", 4711, (0, LOW), -1)),
        (f"{CONNECT}GID 1 ({FE80:X}/1234)", QueuePair(True, 2, 3, "", 4711, (FE80, 0x1234), -1)),
        (f"{CONNECT}GID 1 (80FE/34120000)", QueuePair(True, 2, 3, "", 4711, (FE80, 0x1234 << 32), -1)),
        (
            f"{CONNECT}query_ece={{supported=1, vendor_id=0x15b3, options=0x2, comp_mask=0x0}} GID 3 (0/1) fifoRkey=0x1",
            QueuePair(True, 2, 3, "", 4711, (0, 1 << 56), -1),
        ),
        (f"{CONNECT}LID 17 subnet-prefix 33022 FLID 0 fifoRkey=0x1", QueuePair(True, 2, 3, "", 4711, None, 17)),
        ("NET/IB: Dev 1 Port 1 qpn 99 mtu 5 LID 4", QueuePair(True, 1, 1, "", 99, None, 4)),
        (
            "NET/IB: ncclIbConnectImpl: NCCL Dev 0 IbDev 0 Port 1 qp_num 7 mtu 5 GID 3 (0/0)",
            QueuePair(True, 0, 0, "", 7, (0, 0), -1),
        ),
        (
            "NET/IB: ncclIbReceiverQpsCreateToRts: QP created: port=1 dev=0 devName=mlx5_0 ndevs=8 nmdevs=8 qp_num=512 pkey=0",
            QueuePair(False, -1, 0, "mlx5_0", 512, None, -1),
        ),
        ("NET/IB: ncclIbReceiverQpsCreateToRts: Flush QP created: port=1 dev=0 devName=mlx5_0 qp_num=1 pkey=0", None),
        ("NET/IB: IbDev 0 Port 1 qpn 9 set_ece={supported=1, vendor_id=0x15b3, options=0x2, comp_mask=0x0}", None),
        (
            "ncclCommInitRank comm 0x55d0 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 3b000 commId 0xdead - Init START",
            Init("0x55d0", 3, 16, "0xdead", "", False),
        ),
        (
            "[Rank 3] ncclCommInitRank comm 0x55d0 rank 3 nranks 16 cudaDev 3 nvmlDev 3 busId 3 commId 0xdead - Init COMPLETE",
            Init("0x55d0", 3, 16, "0xdead", "", True),
        ),
        ("comm 0x7f rank 1 nranks 2 cudaDev 1 nvmlDev 1 - Init COMPLETE", Init("0x7f", 1, 2, "", "", True)),
        (
            "ncclCommSplit comm 0x2 rank 0 nranks 4 cudaDev 0 busId 1 parent 0x1 childCount 2 color 7 key 0- Init START",
            Init("0x2", 0, 4, "split 2 color 7", "0x1", False),
        ),
        (
            "AllReduce: 33554432 Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..15}",
            Sized("AllReduce", 33554432, "Ring", 0, 15),
        ),
        ("33554432 Bytes -> Algo 1 proto 2 time 812.3", None),
        ("Connected all rings", None),
        ("Bootstrap : Using eth0:10.0.0.1<0>", None),
    ],
)
def test_messages(text: str, message: Message | None) -> None:
    assert message_of(text) == message


def test_trees() -> None:
    assert branches_of("Trees [0] 1/8/-1->0->-1 [1] -1/-1/-1->0->7") == [Branch(0, 0, -1, (1, 8)), Branch(1, 0, 7, ())]
    assert branches_of("Trees [0] -1->0->1/8/-1 [1] 7->0->-1/-1/-1") == [Branch(0, 0, -1, (1, 8)), Branch(1, 0, 7, ())]
    assert branches_of("Trees [0] 1->0->-1") == [Branch(0, 0, -1, (1,))]


def test_the_last_branch_of_a_line_that_nccl_cut_is_left_out() -> None:
    parts = [f" [{c}] 1000{c:02d}/-1/-1->200000->300000" for c in range(40)]
    text = ("Trees" + "".join(parts))[:1028]
    assert len(branches_of(text)) < len([p for p in parts if p in text]) + 1
    assert all(branch.up == 300000 for branch in branches_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB",
        "Channel 00/0 : 0[0] -> 8[0] [sent] via NET/IB/0",
        "Channel 00/02 : 0 1 x 3",
        "NET/IB : Using [0]mlx5_0:1/RoCE [2]mlx5_1:1/RoCE ; OOB eth0:10.0.0.1<0>",
        "NET/IB : Using nothing; OOB eth0:10.0.0.1<0>",
        "AllReduce: many Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..15}",
    ],
)
def test_damaged_messages(text: str) -> None:
    with pytest.raises(ValueError, match="as NCCL writes"):
        message_of(text)


@settings(deadline=None)
@given(st.text(alphabet="Channel RingTreeNET/IB: 0123456789[]->send()receive via.{}=", max_size=90))
def test_anything_is_a_message_or_none_or_refused(text: str) -> None:
    try:
        message_of(text)
        branches_of(text)
    except ValueError as error:
        assert "as NCCL writes" in str(error)
