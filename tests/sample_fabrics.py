"""Small fabrics made by hand for tests of drawings and reports."""

import numpy as np

from pauseproof.fabric.model import Fabric, NodeKind

Cable = tuple[int, int, int, int]  # node, port, node, port


def cabled(names: list[str], n_switches: int, cables: list[Cable], guid_base: int = 0x200000) -> Fabric:
    """A fabric from node names (switches first) and cables between node indices."""
    ends = np.array([*cables, *((c, d, a, b) for a, b, c, d in cables)], np.int32).reshape(-1, 4)
    ends = ends[np.lexsort((ends[:, 3], ends[:, 2]))]
    kind = np.array([NodeKind.SWITCH] * n_switches + [NodeKind.HOST] * (len(names) - n_switches), np.uint8)
    ports = np.zeros(len(names), np.int32)
    np.maximum.at(ports, ends[:, 0], ends[:, 1])
    guids = np.array([guid_base + i for i in range(len(names))], np.uint64)
    src, src_port, dst, dst_port = (ends[:, k].copy() for k in range(4))
    return Fabric("sample", "infiniband", names, guids, kind, ports, src, src_port, dst, dst_port)


def ring(n: int = 5, hosts: int = 2) -> Fabric:
    """A ring of ``n`` switches: port 1 to the next, port 2 from the previous, hosts behind."""
    names = [f"S{i}" for i in range(n)] + [f"H{i}x{j}" for i in range(n) for j in range(hosts)]
    cables = [(i, 1, (i + 1) % n, 2) for i in range(n)]
    cables += [(i, 3 + j, n + i * hosts + j, 1) for i in range(n) for j in range(hosts)]
    return cabled(names, n, cables)


def clos(leaves: int = 4, spines: int = 2, hosts: int = 3) -> Fabric:
    """Leaves 0.., spines after them, one cable between each two, ``hosts`` hosts a leaf."""
    n = leaves + spines
    names = [f"leaf{i + 1}" for i in range(leaves)] + [f"spine{i + 1}" for i in range(spines)]
    names += [f"server{i + 1}-{j + 1}" for i in range(leaves) for j in range(hosts)]
    cables = [(i, 1 + k, leaves + k, 1 + i) for i in range(leaves) for k in range(spines)]
    cables += [(i, 1 + spines + j, n + i * hosts + j, 1) for i in range(leaves) for j in range(hosts)]
    return cabled(names, n, cables)
