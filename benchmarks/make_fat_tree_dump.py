"""A k-ary fat-tree as OpenSM would dump it: opensm-subnet.lst and opensm.fdbs, routed up*/down* by destination (d mod k).

Run ``python benchmarks/make_fat_tree_dump.py K FOLDER``; K is even, up to 54. Notation: ``h`` = k/2; a pod has h edge and h
aggregation switches, aggregation switch ``a`` of every pod is cabled to the cores ``(a, 0..h-1)``. A packet for host ``x`` of
edge switch ``(p, e)`` goes up by aggregation switch ``x`` and core ``(x, e)``. What no path leads up and then down to (from
core to core, say) is UNREACHABLE. Hosts have the LIDs 1, 2, ...; then come edge, aggregation and core switches.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
HOST, EDGE, AGGREGATION, CORE = range(4)
NOWHERE = 255
ROW, NO_ROW = b"0x0000 : 000  : 00   : yes\n", b"0x0000 : UNREACHABLE\n"
SWITCH_GUIDS, HOST_GUIDS = 0x0002C90000200000, 0x0002C90000800000


@dataclass(frozen=True)
class FatTree:
    """Every LID: ``kind``, ``pod``, ``edge`` switch, ``agg`` and ``core`` number of the way to it, a host's ``port``; [D]."""

    k: int
    kind: Ints
    pod: Ints
    edge: Ints
    agg: Ints
    core: Ints
    port: Ints

    @classmethod
    def of(cls, k: int) -> "FatTree":
        """The tree of switches with ``k`` ports."""
        h = k // 2
        p, e, x = (grid.ravel() for grid in np.meshgrid(np.arange(k), np.arange(h), np.arange(h), indexing="ij"))
        q, f = (grid.ravel() for grid in np.meshgrid(np.arange(k), np.arange(h), indexing="ij"))
        a, c = (grid.ravel() for grid in np.meshgrid(np.arange(h), np.arange(h), indexing="ij"))
        kind = np.repeat((HOST, EDGE, AGGREGATION, CORE), (len(p), len(q), len(q), len(a)))
        nowhere = np.full(len(a), -1)
        return cls(
            k,
            kind,
            np.concatenate((p, q, q, nowhere)),
            np.concatenate((e, f, np.full(len(q), -1), nowhere)),
            np.concatenate((x, f, f, a)),
            np.concatenate((e, q % h, (q + f) % h, c)),
            np.concatenate((x + 1, np.zeros(2 * len(q) + len(a), np.int64))),
        )

    def out_port(self, s: int) -> Ints:
        """The port by which switch ``s`` (an index of the arrays) sends to each LID, NOWHERE where there is no way."""
        up_by_agg, up_by_core = self.k // 2 + 1 + self.agg, self.k // 2 + 1 + self.core
        below = (self.kind == HOST) | (self.kind == EDGE)
        here = self.pod == self.pod[s]
        if self.kind[s] == EDGE:
            out = np.where((self.kind == HOST) & here & (self.edge == self.edge[s]), self.port, up_by_agg)
        elif self.kind[s] == AGGREGATION:
            out = np.where(
                below & here, self.edge + 1, np.where(below | (self.agg == self.agg[s]) & ~here, up_by_core, NOWHERE)
            )
        else:
            out = np.where(below | ((self.kind == AGGREGATION) & (self.agg == self.agg[s])), self.pod + 1, NOWHERE)
        out[s] = 0
        return out

    def switches(self) -> Ints:
        """The indices of switches."""
        return np.flatnonzero(self.kind != HOST)

    def cables(self) -> Iterator[tuple[int, int, int, int]]:
        """(node, port, node, port) of every cable, nodes as indices of the arrays."""
        k, h = self.k, self.k // 2
        edges = np.flatnonzero(self.kind == EDGE).reshape(k, h).tolist()
        aggs = np.flatnonzero(self.kind == AGGREGATION).reshape(k, h).tolist()
        cores = np.flatnonzero(self.kind == CORE).reshape(h, h).tolist()
        for p in range(k):
            for e in range(h):
                for i in range(h):
                    yield (p * h + e) * h + i, 1, edges[p][e], i + 1
                    yield edges[p][e], h + 1 + i, aggs[p][i], e + 1
                    yield aggs[p][e], h + 1 + i, cores[e][i], p + 1

    def guid(self, node: int) -> int:
        """The node GUID, which for a switch is its port GUID too."""
        return SWITCH_GUIDS + node if self.kind[node] != HOST else HOST_GUIDS + 16 * node

    def end(self, node: int) -> str:
        """One end of a line of opensm-subnet.lst, up to the port number."""
        guid, host = self.guid(node), self.kind[node] == HOST
        what = f"CA Ports:01 SystemGUID:{guid:016x}" if host else f"SW Ports:{self.k:02X} SystemGUID:{guid:016x}"
        name = f"node{node} HCA-1" if host else f"{('edge', 'agg', 'core')[self.kind[node] - 1]} {node}"
        ids = f"NodeGUID:{guid:016x} PortGUID:{guid + host:016x} VenID:0002C9 DevID:D2F0 Rev:000000A0"
        return f"{{ {what} {ids} {{{name}}} LID:{node + 1:04X}"


def subnet_lst(tree: FatTree) -> str:
    """opensm-subnet.lst: every cable from both of its ends."""
    ends = [tree.end(node) for node in range(len(tree.kind))]
    line = "{} PN:{:02X} }} {} PN:{:02X} }} PHY=4x LOG=ACT SPD=50\n"
    return "".join(line.format(ends[a], p, ends[b], q) + line.format(ends[b], q, ends[a], p) for a, p, b, q in tree.cables())


def fdbs(tree: FatTree) -> Iterator[bytes]:
    """opensm.fdbs, a block at a time."""
    digits = np.array([list(b"%03d" % port) for port in range(256)], np.uint8)
    rows = np.frombuffer(ROW, np.uint8)[None, :].repeat(len(tree.kind), axis=0)
    rows[:, 2:6] = np.array([list(b"%04X" % lid) for lid in range(1, len(tree.kind) + 1)], np.uint8)
    gone = rows.copy()
    gone[:, : len(NO_ROW)] = np.frombuffer(NO_ROW, np.uint8)
    gone[:, 2:6] = rows[:, 2:6]
    width = np.arange(len(ROW))
    for s in tree.switches().tolist():
        port = tree.out_port(s)
        rows[:, 9:12] = digits[port]
        nowhere = port == NOWHERE
        text = np.where(nowhere[:, None], gone, rows)[width[None, :] < np.where(nowhere, len(NO_ROW), len(ROW))[:, None]]
        yield b"dump_ucast_routes: Switch 0x%016x\nLID    : Port : Hops : Optimal\n" % tree.guid(s)
        yield text.tobytes()


def write_dump(k: int, folder: Path) -> None:
    """Write both files into ``folder``."""
    tree = FatTree.of(k)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opensm-subnet.lst").write_text(subnet_lst(tree))
    with (folder / "opensm.fdbs").open("wb") as file:
        file.writelines(fdbs(tree))


def main() -> None:
    """Read the command line."""
    if len(sys.argv) != 3 or not sys.argv[1].isdigit() or int(sys.argv[1]) % 2 or not 2 <= int(sys.argv[1]) <= 54:
        sys.exit("usage: make_fat_tree_dump.py K FOLDER; K is even, from 2 to 54")
    write_dump(int(sys.argv[1]), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
