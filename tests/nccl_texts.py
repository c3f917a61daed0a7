"""Logs as NCCL writes them, made by hand from the formats of its sources, with what they tell kept beside."""

from dataclasses import dataclass, field
from random import Random

from collective_chunks import nccl_parent

Link = tuple[int, int, int]  # channel, sender, receiver


def second_tree(n: int) -> list[int]:
    """NCCL's other tree."""
    first = [nccl_parent(n, r) for r in range(n)]
    if n % 2:
        return [-1 if first[r - 1] < 0 else (first[r - 1] + 1) % n for r in range(n)]
    return [-1 if first[n - 1 - r] < 0 else n - 1 - first[n - 1 - r] for r in range(n)]


@dataclass
class Job:
    """``nodes`` hosts gpu1.. of ``gpus`` GPUs and NICs; channel c enters and leaves a node by NIC c mod gpus."""

    nodes: int
    gpus: int
    channels: int
    version: str = "2.27"
    qps: int = 1
    seed: int = 0
    cut: bool = False
    rail_leaf: bool = True
    nic_of: dict[tuple[int, int, int, bool], int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return self.nodes * self.gpus

    def order(self, c: int) -> list[int]:
        """The ring of a channel: every node from GPU c on."""
        return [node * self.gpus + (c + i) % self.gpus for node in range(self.nodes) for i in range(self.gpus)]

    def ring(self) -> list[Link]:
        out = []
        for c in range(self.channels):
            order = self.order(c)
            out += [(c, a, b) for a, b in zip(order, order[1:] + order[:1], strict=True) if a // self.gpus != b // self.gpus]
        return out

    def parents(self, c: int) -> dict[int, int]:
        """The tree of a channel: a chain inside each node from GPU c on, whose first has the tree of nodes."""
        half = max(self.channels // 2, 1)
        above = [nccl_parent(self.nodes, r) for r in range(self.nodes)] if c < half else second_tree(self.nodes)
        out = {}
        for node in range(self.nodes):
            chain = [node * self.gpus + (c + i) % self.gpus for i in range(self.gpus)]
            out[chain[0]] = -1 if above[node] < 0 else above[node] * self.gpus + c % self.gpus
            out.update(zip(chain[1:], chain, strict=False))
        return out

    def tree(self) -> list[Link]:
        out = []
        for c in range(self.channels):
            pairs = [(a, b) for a, b in self.parents(c).items() if b >= 0 and a // self.gpus != b // self.gpus]
            out += [(c, *pair) for a, b in pairs for pair in ((a, b), (b, a))]
        return out

    def links(self) -> list[Link]:
        """All connections between nodes, each once, in the order in which they are made."""
        return list(dict.fromkeys([*self.ring(), *self.tree()]))


def numbers(job: Job) -> dict[tuple[Link, bool], list[int]]:
    """The QPs of both ends of every connection."""
    draw = Random(job.seed)
    return {
        (link, sends): [draw.randrange(64, 1 << 24) for _ in range(job.qps)] for link in job.links() for sends in (True, False)
    }


def hop_line(job: Job, link: Link, *, sends: bool) -> str:
    c, a, b = link
    way, nic = ("send" if sends else "receive"), c % job.gpus
    if job.version == "2.4":
        return f"Ring {c:02d} : {a} -> {b} [{way}] via NET/IB/{nic}/GDRDMA"
    if job.version == "2.8":
        return f"Channel {c:02d} : {a}[{a % job.gpus}b000] -> {b}[{b % job.gpus}b000] [{way}] via NET/IB/{nic}/GDRDMA"
    return f"Channel {c:02d}/0 : {a}[{a % job.gpus}] -> {b}[{b % job.gpus}] [{way}] via NET/IB/{nic}/GDRDMA"


def gid_words(node: int, nic: int) -> str:
    """As NCCL prints the GID ::ffff:10.0.NIC.NODE+1 on a little-endian machine."""
    low = bytes([0, 0, 0xFF, 0xFF, 10, 0, nic, node + 1])
    return f"0/{int.from_bytes(low, 'little'):X}"


def connect_line(job: Job, node: int, nic: int, number: int) -> str:
    tail = f"mtu 5 GID 3 ({gid_words(node, nic)})"
    if job.version in ("2.4", "2.8"):
        return f"NET/IB: Dev {nic} Port 1 qpn {number} {tail}"
    head = f"NCCL Dev {nic} IbDev {nic} Port 1"
    if job.version == "2.20":
        ece = "query_ece={supported=1, vendor_id=0x15b3, options=0x30000002, comp_mask=0x0}"
        return f"NET/IB: {head} qpn {number} mtu 5 {ece} GID 3 ({gid_words(node, nic)}) fifoRkey=0x1 fifoLkey=0x1"
    name = "qp_num" if job.version == "2.30" else "qpn"
    func = "ncclIbConnectImpl: " if job.version == "2.30" else ""
    return f"NET/IB: {func}{head} {name} {number} {tail} ctsFifoRkey=0x1 ctsFifoLkey=0x2"


def tree_line(job: Job, rank: int) -> str:
    parts = []
    for c in range(job.channels):
        parents = job.parents(c)
        down = [child for child, up in parents.items() if up == rank]
        downs = "/".join(str(d) for d in [*down, -1, -1, -1][:3])
        up = parents[rank]
        parts.append(f" [{c}] {up}->{rank}->{downs}" if job.version == "2.4" else f" [{c}] {downs}->{rank}->{up}")
    return "Trees" + "".join(parts)


def ring_lines(job: Job) -> list[str]:
    out = []
    for c in range(job.channels):
        line = f"Channel {c:02d}/{job.channels:02d} :" + "".join(f" {r:{len(str(job.n - 1))}d}" for r in job.order(c))
        out.append(line[:124] + "..." if len(line) > 127 or job.cut else line)
        if job.cut:
            out[-1] = line[: line.index(":") + 1] + f" {job.order(c)[0]}..."
    return out


def init_line(job: Job, rank: int, state: str) -> str:
    gpu = rank % job.gpus
    head = f"comm 0x7f00{rank:04x} rank {rank} nranks {job.n} cudaDev {gpu}"
    if job.version in ("2.4", "2.8"):
        return f"{head} busId {gpu}b000 - Init COMPLETE"
    return f"ncclCommInitRank {head} nvmlDev {gpu} busId {gpu}b000 commId 0x51d - Init {state}"


def logs(job: Job, sizes: tuple[str, ...] = ()) -> list[str]:
    """One log a rank. Each GPU has a process."""
    qps = numbers(job)
    out = []
    for rank in range(job.n):
        node, lines = rank // job.gpus, []
        using = "".join(f" [{i}]mlx5_{i}:1/RoCE" for i in range(job.gpus))
        lines += ["Bootstrap : Using eth0:10.1.0.1<0>", f"NET/IB : Using{using} [RO]; OOB eth0:10.1.0.{node}<0>"]
        if job.version not in ("2.4", "2.8"):
            lines.append(init_line(job, rank, "START"))
        lines += ring_lines(job) if rank == 0 else []
        lines.append(tree_line(job, rank))
        lines.append("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read")
        mine = [link for link in job.links() if link[1] == rank]
        theirs = [link for link in job.links() if link[2] == rank]
        lines += [hop_line(job, link, sends=False) for link in theirs] + [hop_line(job, link, sends=True) for link in mine]
        if job.version == "2.30":
            made = [q for link in theirs for q in [(link, n) for n in qps[link, False]]]
            created = "NET/IB: ncclIbReceiverQpsCreateToRts: QP created: port=1 dev={0} devName=mlx5_{0} ndevs=8 nmdevs=8"
            lines += [f"{created.format(link[0] % job.gpus)} qp_num={n} pkey=0 pd=0x1 oooRq=0" for link, n in made]
        lines += [connect_line(job, node, link[0] % job.gpus, n) for link in mine for n in qps[link, True]]
        lines.append(init_line(job, rank, "COMPLETE"))
        lines += sizes if rank == 0 else ()
        head = f"gpu{node + 1}:{1000 + rank}:{2000 + rank} [{rank % job.gpus}] NCCL INFO "
        out.append("".join(f"{head}{line}\n" for line in ["NCCL version 2.x", *lines]))
    return out
