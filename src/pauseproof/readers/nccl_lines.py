"""What one line of an NCCL log says: the messages of NCCL_DEBUG=INFO that tell where data goes, from 2.4 to 2.30.

The forms are those of the INFO calls in NCCL's sources (``src/init.cc``, ``graph/rings.cc``, ``graph/connect.cc``,
``transport/net.cc``, ``transport/net_ib``, ``enqueue.cc``). Messages that tell something else are None; one that begins like
one of these and goes on otherwise raises ValueError.
"""

import re
from collections.abc import Callable
from typing import NamedTuple


class Init(NamedTuple):
    """A communicator begins (``done`` false) or is there: this process is its ``rank``. ``key`` tells it from others."""

    pointer: str
    rank: int
    ranks: int
    key: str
    parent: str
    done: bool


class Ring(NamedTuple):
    """The ranks of a ring in order, from rank 0; ``whole`` is false where the line was cut."""

    channel: int
    ranks: tuple[int, ...]
    cut: bool


class Neighbours(NamedTuple):
    """The ranks before and after ``rank`` in a ring."""

    channel: int
    before: int
    rank: int
    after: int


class Branch(NamedTuple):
    """The parent of ``rank`` in a channel's tree, -1 at the root, and its children."""

    channel: int
    rank: int
    up: int
    down: tuple[int, ...]


class Hop(NamedTuple):
    """One end of a connection between nodes. ``nic`` is NCCL's number of the NIC at this end, ``proxy`` the rank driving it."""

    channel: int
    connection: int
    src: int
    dst: int
    sends: bool
    network: str
    nic: int
    proxy: int


class Devices(NamedTuple):
    """NCCL's numbers of the NICs: each is one HCA and port, or several (a merged device)."""

    hcas: tuple[tuple[tuple[str, int], ...], ...]


class QueuePair(NamedTuple):
    """A QP was made: of a sender or not, on NIC ``nic`` or HCA ``hca`` (-1, empty: not said), with a GID, a LID (-1), or none.

    ``device`` numbers HCAs and ports, also those that are merged into one NIC.
    """

    sends: bool
    nic: int
    device: int
    hca: str
    number: int
    gid: tuple[int, int] | None
    lid: int


class Sized(NamedTuple):
    """A collective ran: its kind, what one rank counts, its algorithm, and the channels."""

    kind: str
    bytes: int
    algorithm: str
    first: int
    last: int


_LINK_LOCAL, _MAPPED = 0xFE80 << 48, 0xFFFF
Message = Init | Ring | Neighbours | Branch | Hop | Devices | QueuePair | Sized
_INIT = re.compile(
    r"comm (0x[0-9a-f]+|\(nil\)) rank (\d+) n[rR]anks (\d+) cudaDev \d+(?: nvmlDev \d+)?(?: busId [0-9a-f]+)?"
    r"(?: commId (0x[0-9a-f]+))?(?: parent (0x[0-9a-f]+)(?: (?:splitCount|childCount) (\d+))? color (-?\d+) key (-?\d+))?"
    r" ?- Init (START|COMPLETE)"
)
_RING = re.compile(r"Channel (\d+)(?:/\d+)? :((?: +\d+)+)( *\.\.\.)? *")
_NEIGHBOURS = re.compile(r"Ring (\d+) : (\d+) -> (\d+) -> (\d+)")
_HOP = re.compile(
    r"(?:Channel|Ring) (\d+)(?:/(\d+))? : (\d+)(?:\[\w+\])? -> (\d+)(?:\[\w+\])? \[(send|receive)\] via NET/(.+?)/(\d+)"
    r"(?:\((\d+)\))?(?:/GDRDMA)?(?:\(PCI\))?(?:/Shared)?"
)
_TREES = re.compile(r" ?\[(\d+)\] (-?\d+(?:/-?\d+)*)->(-?\d+)->(-?\d+(?:/-?\d+)*)")
_TREES_CUT = len("Trees") + 1022
_USING = re.compile(r" \[(\d+)\](?:=\{(.*?)\}|([\w.-]+):(\d+)(?::\d*)*/(?:IB|RoCE)(?:/SHARP)?)")
_MERGED = re.compile(r"\[\d+\] ?([\w.-]+):(\d+)(?::\d*)*/(?:IB|RoCE)")
_CONNECT = re.compile(
    r"NET/IB: (?:(\w+): )?(?:NCCL (?:Merged)?Dev (\d+) Ib)?Dev (\d+) Port (\d+) (?:qpn|qp_num) (\d+) mtu \d+"
    r"(?: query_ece=\{.*?\})?(?: LID (\d+)\b.*| GID -?\d+ \(([0-9A-Fa-f]{1,16})/([0-9A-Fa-f]{1,16})\).*)"
)
_CREATED = re.compile(r"NET/IB: (\w+): QP created: port=\d+ dev=(\d+) devName=(\S+) .*\bqp_num=(\d+)\b.*")
_SIZED = re.compile(r"(\w+): (\d+) Bytes -> Algo (\w+) proto \w+ channel\{Lo\.\.Hi\}=\{(\d+)\.\.(\d+)\}")
_HUGE = re.compile(r"(?<!\w)\d{19,}")
MOST_CHANNELS, MOST_QPN = 1024, (1 << 24) - 1  # NCCL has 64 channels; QP numbers have 24 bits
_FOREIGN = re.compile(r"(?:Channel|Ring) \d+(?:/\d+)? : .* via (?!NET/)")  # inside a node


def message_of(text: str) -> Message | None:
    """The message, None where it tells nothing of where data goes. Raises ValueError where it is damaged.

    >>> message_of("Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/3/GDRDMA")
    Hop(channel=0, connection=0, src=0, dst=8, sends=True, network='IB', nic=3, proxy=0)
    """
    message = _message(text)
    if message is not None and _HUGE.search(text):
        raise ValueError("holds a number of more than 18 digits, which NCCL counts nothing by")
    return message


def _message(text: str) -> Message | None:
    for begins, reader in _READERS:
        if text.startswith(begins):
            return reader(text)
    if (found := _INIT.search(text)) is not None:
        return _init(found)
    if " Bytes -> Algo " in text and "channel{Lo..Hi}" in text:
        return _sized(text)
    return None


def _init(found: re.Match[str]) -> Init:
    pointer, rank, ranks, commid, parent, count, color, _, state = found.groups()
    name = commid or (f"split {count or ''} color {color}" if parent else "")
    return Init(pointer, int(rank), int(ranks), name, parent or "", state == "COMPLETE")


def _channel(text: str) -> Message | None:
    if " via " in text:
        if _FOREIGN.match(text):
            return None
        found = _HOP.fullmatch(text)
        if found is None:
            raise ValueError(
                "is no connection as NCCL writes them; expected SRC[..] -> DST[..] [send|receive] via NET/NAME/NIC"
            )
        channel, connection, src, dst, way, network, nic, proxy = found.groups()
        own = int(src) if way == "send" else int(dst)
        return Hop(
            *(int(channel), int(connection or 0), int(src), int(dst), way == "send", network, int(nic)),
            own if proxy is None else int(proxy),
        )
    if (neighbours := _NEIGHBOURS.fullmatch(text)) is not None:
        return Neighbours(*map(int, neighbours.groups()))
    if (ring := _RING.fullmatch(text)) is not None:
        ranks = tuple(map(int, ring[2].split()))
        cut = ring[3] is not None
        return Ring(int(ring[1]), ranks[:-1] if ring[3] == "..." else ranks, cut)
    if text.startswith("Channel") and re.match(r"Channel \d+/\d+ : *\d", text):
        raise ValueError("is no ring as NCCL writes them; expected ranks, one after the other")
    return None


def _tree(text: str) -> Message | None:
    found = re.fullmatch(r"Tree (\d+) : (-?\d+) -> (\d+) -> (-?\d+(?:/-?\d+)*)", text)
    return None if found is None else _branch(int(found[1]), int(found[3]), int(found[2]), found[4])


def branches_of(text: str) -> list[Branch]:
    """The branches of a ``Trees`` line: ``[c] d0/d1/d2->rank->up``, in 2.4 to 2.7 ``[c] up->rank->d0/d1/d2``.

    NCCL cuts it after 1023 letters; the last branch of such a line is left out.
    """
    out = []
    found = _TREES.findall(text)
    for c, left, rank, right in found[:-1] if len(text) >= _TREES_CUT else found:
        up, down = (right, left) if "/" in left or "/" not in right else (left, right)
        if "/" not in up:
            out.append(_branch(int(c), int(rank), int(up), down))
    return out


def _branch(channel: int, rank: int, up: int, down: str) -> Branch:
    return Branch(channel, rank, up, tuple(int(d) for d in down.split("/") if int(d) >= 0))


def _devices(text: str) -> Message | None:
    if not text.startswith("NET/IB : Using"):
        return None
    body = text.removeprefix("NET/IB : Using").partition(";")[0]
    found = list(_USING.finditer(body))
    if not found or [int(one[1]) for one in found] != list(range(len(found))):
        raise ValueError("is no list of NICs as NCCL writes it; expected [0]HCA:PORT/IB or /RoCE, counted from 0")
    parts = []
    for one in found:
        hcas = _MERGED.findall(one[2]) if one[2] is not None else [(one[3], one[4])]
        parts.append(tuple((hca, int(port)) for hca, port in hcas))
    return Devices(tuple(parts))


def _queue_pair(text: str) -> Message | None:
    if (made := _CREATED.fullmatch(text)) is not None:
        who, device, hca, number = made.groups()
        if "Flush" in text:
            return None
        return QueuePair("Send" in who, -1, int(device), hca, _qpn(number), None, -1)
    if (found := _CONNECT.fullmatch(text)) is None:
        return None
    _, nic, dev, _, number, lid, subnet, interface = found.groups()
    gid = _gid(int(subnet, 16), int(interface, 16)) if subnet is not None else None
    return QueuePair(
        True, int(nic if nic is not None else dev), int(dev), "", _qpn(number), gid, -1 if lid is None else int(lid)
    )


def _qpn(text: str) -> int:
    if int(text) > MOST_QPN:
        raise ValueError(f"makes a QP of number {text[:20]}; expected at most {MOST_QPN}")
    return int(text)


def _gid(subnet: int, interface: int) -> tuple[int, int]:
    """NCCL prints both words of a GID as a little-endian machine reads them, while they are big-endian.

    An IPv4-mapped or link-local GID that makes sense as it stands is left as it is.
    """
    if subnet == _LINK_LOCAL or (subnet == 0 and interface >> 32 == _MAPPED):
        return subnet, interface
    first, last = (int.from_bytes(word.to_bytes(8, "little"), "big") for word in (subnet, interface))
    return first, last


def _sized(text: str) -> Sized:
    found = _SIZED.fullmatch(text)
    if found is None:
        raise ValueError("is no collective as NCCL writes it; expected KIND: N Bytes -> Algo A proto P channel{Lo..Hi}={L..H}")
    first, last = int(found[4]), int(found[5])
    if not first <= last < MOST_CHANNELS:
        raise ValueError(f"goes over channels {found[4]:.20} to {found[5]:.20}; expected a range below {MOST_CHANNELS}")
    return Sized(found[1], int(found[2]), found[3], first, last)


_READERS: tuple[tuple[str, Callable[[str], Message | None]], ...] = (
    ("Channel ", _channel),
    ("Ring ", _channel),
    ("Tree ", _tree),
    ("NET/IB : ", _devices),
    ("NET/IB: ", _queue_pair),
)
