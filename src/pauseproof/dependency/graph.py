"""Buffer dependencies as arrays: who waits for whom, and between which next buffers a packet may still choose.

A *key* is what the walk found: ``slot * V + value``, packets of a slot (link, class) that met a table value where the link ends
(see ``plan``). Its choice sets follow from these alone. Packets in the lossy lane of :class:`Lanes` make nobody wait, and who
waits in an egress queue waits for the coupled lanes too.

Buffer ids are ``link * n_lanes + lane``; inside a :class:`Dependencies` a buffer goes by its index ``b`` into ``buffers``.
A dependency is *committed* where it is a choice set of one: a pinned, hashed or copied packet waits for just that buffer.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pauseproof.dependency.plan import I64, Bools, Plan
from pauseproof.dependency.reach import distinct, ranges
from pauseproof.dependency.states import Explored
from pauseproof.dependency.successors import Successors, successors
from pauseproof.routing.tables import ChoiceKind

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Dependencies:
    """The dependency graph. ``buffers`` [B] are the reachable buffers, ascending.

    Dependency ``e`` of buffer ``b`` has ``ptr[b] <= e < ptr[b+1]`` and leads to ``target[e]``, ascending; ``committed[e]``
    tells whether it is a choice set by itself. Choice sets of two and more: ``set_owner`` [N] ascending, members
    ``set_member[set_ptr[i]:set_ptr[i+1]]``.
    """

    n_lanes: int
    buffers: I64
    ptr: I64
    target: I64
    committed: Bools
    set_owner: I64
    set_ptr: I64
    set_member: I64

    @property
    def n_buffers(self) -> int:
        """Reachable buffers."""
        return len(self.buffers)

    @property
    def n_dependencies(self) -> int:
        """Ordered pairs of buffers, the second in a choice set of the first."""
        return len(self.target)

    @property
    def source(self) -> I64:
        """The waiting buffer of each dependency, [E]."""
        return np.repeat(np.arange(self.n_buffers), np.diff(self.ptr))

    def successors_of(self, b: int) -> I64:
        """The buffers that ``b`` may wait for."""
        return self.target[self.ptr[b] : self.ptr[b + 1]]

    def committed_only(self) -> "Dependencies":
        """The same buffers with the dependencies that are choice sets by themselves."""
        n = max(self.n_buffers, 1)
        edges = (self.source * n + self.target)[self.committed]
        ptr = np.searchsorted(edges, np.arange(self.n_buffers + 1) * n)
        none = np.zeros(0, np.int64)
        kept = np.ones(len(edges), np.bool_)
        return Dependencies(self.n_lanes, self.buffers, ptr, edges % n, kept, none, np.zeros(1, np.int64), none)

    def link_lane(self, b: int) -> tuple[int, int]:
        """The (link, lane) of buffer index ``b``."""
        link, lane = divmod(int(self.buffers[b]), self.n_lanes)
        return link, lane

    def to_networkx(self) -> "nx.DiGraph":
        """The same graph for users: nodes are (link, lane), edges carry ``committed``."""
        import networkx as nx

        graph = nx.DiGraph()
        name = [self.link_lane(b) for b in range(self.n_buffers)]
        graph.add_nodes_from(name)
        pairs = zip(self.source.tolist(), self.target.tolist(), self.committed.tolist(), strict=True)
        graph.add_edges_from((name[a], name[b], {"committed": c}) for a, b, c in pairs)
        return graph


def dependencies(found: Explored) -> Dependencies:
    """The dependency graph of a finished walk."""
    plan = found.plan
    sent, lone = _host_keys(found)
    keys = distinct(np.concatenate((found.used.sorted(), sent)))
    slot, value = np.divmod(keys, plan.n_values)
    reached = np.concatenate((np.flatnonzero(found.reached), lone, sent // plan.n_values))
    here = np.zeros(plan.fabric.n_links * plan.lanes.n_lanes, np.bool_)
    here[buffer_of(plan, reached)] = True
    if plan.lanes.lossy_lane is not None:
        here.reshape(-1, plan.lanes.n_lanes)[:, plan.lanes.lossy_lane] = False
    buffers = np.flatnonzero(here)
    index = np.empty(len(here), np.int32)
    index[buffers] = np.arange(len(buffers))
    hops = _between_lossless(plan, _hops(plan, slot, value), slot)
    owner, to = index[buffer_of(plan, slot)].astype(np.int64), index[buffer_of(plan, hops.slot)].astype(np.int64)
    source, target = owner[hops.parent], to
    key = np.where(hops.adaptive, hops.parent, -1)
    if len(hops.also):
        real = here[hops.also]  # a buffer that no packet can be in never pauses
        source = np.concatenate((source, owner[hops.also_parent[real]]))
        target = np.concatenate((target, index[hops.also[real]].astype(np.int64)))
    received, sends = _through_hosts(plan, buffers)
    source, target = np.concatenate((source, received)), np.concatenate((target, sends))
    key = np.concatenate((key, np.full(len(source) - len(key), -1)))
    return assemble(plan.lanes.n_lanes, buffers, source, target, key)


class _Hops(NamedTuple):
    """What the (slot, value) keys lead to: ``slot`` by ``parent``, and ``adaptive`` where these make one choice set.

    ``also`` are buffers that packets of key ``also_parent`` wait for too, since they share an egress queue.
    """

    parent: I64
    slot: I64
    adaptive: Bools
    also_parent: I64
    also: I64


def _through_hosts(plan: Plan, buffers: I64) -> tuple[I64, I64]:
    """(buffer at an endpoint-coupled host, buffer that its node sends into), as indices: receiving waits for sending."""
    fabric = plan.fabric
    if plan.traffic.coupled is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    link = buffers // plan.lanes.n_lanes
    host = fabric.host_of_link[link]
    at_host = np.flatnonzero(host >= 0)
    received = at_host[plan.traffic.coupled[host[at_host]]]
    sent = np.flatnonzero(fabric.link_src[link] >= fabric.n_switches)
    order = sent[np.argsort(fabric.link_src[link[sent]], kind="stable")]
    node = fabric.link_dst[link[received]]
    first, last = (np.searchsorted(fabric.link_src[link[order]], node, side=side) for side in ("left", "right"))
    return np.repeat(received, last - first), order[ranges(first, last)]


def buffer_of(plan: Plan, slot: I64) -> I64:
    """Slots to buffer ids."""
    if plan.plain:
        return slot * plan.lanes.n_lanes + int(plan.classes.lane[0])
    link, cls = np.divmod(slot, plan.n_classes)
    return link * plan.lanes.n_lanes + plan.classes.lane[cls]


def _between_lossless(plan: Plan, hops: _Hops, slot: I64) -> _Hops:
    """Without what nobody waits for: choices with a lossy member, and whatever waits in a lossy buffer."""
    lossy, n = plan.lanes.lossy_lane, plan.lanes.n_lanes
    if lossy is None:
        return hops
    in_lossy = buffer_of(plan, slot) % n == lossy
    drops = buffer_of(plan, hops.slot) % n == lossy
    gives_way = np.zeros(len(slot), np.bool_)
    gives_way[hops.parent[drops & hops.adaptive]] = True  # the packet can always take that member
    kept = ~drops & ~in_lossy[hops.parent] & ~(hops.adaptive & gives_way[hops.parent])
    also = ~in_lossy[hops.also_parent] & (hops.also % n != lossy)
    return _Hops(hops.parent[kept], hops.slot[kept], hops.adaptive[kept], hops.also_parent[also], hops.also[also])


def _hops(plan: Plan, slot: I64, value: I64) -> _Hops:
    """Every possibility of each (slot, value) met."""
    link, cls = np.divmod(slot, plan.n_classes)
    switch, port = plan.link_dst[link], plan.link_dst_port[link]
    hop = successors(plan, switch, link, port, cls, value, np.zeros(len(slot), np.int64))
    kind = plan.choice_kind[plan.entry_choice[switch * plan.n_values + value]]
    committed = kind != ChoiceKind.ADAPTIVE
    if plan.worst:
        committed[hop.unknown] = True  # an unknown lane map: which members share a set is not known; commit to each
    also_parent, also = _coupled(plan, hop, cls)
    committed[also_parent] = True
    return _Hops(hop.parent, hop.slot, ~committed[hop.parent], also_parent, also)


def _coupled(plan: Plan, hop: Successors, cls: I64) -> tuple[I64, I64]:
    """(key, buffer) for every further lane that packets wait for in the egress queue they stand in."""
    if plan.lanes.coupled is None or hop.row is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    label = plan.classes.label[cls[hop.parent]]
    turn = np.where(hop.row < 0, -1, hop.row * len(plan.lanes.label_names) + label)
    out = []
    for number in np.unique(turn[turn >= 0]).tolist():
        r, k = divmod(number, len(plan.lanes.label_names))
        some = np.flatnonzero(turn == number)
        for lane in plan.lanes.coupled[r][k]:
            out.append((hop.parent[some], hop.slot[some] // plan.n_classes * plan.lanes.n_lanes + lane))
    parents = [parent for parent, _ in out] or [np.zeros(0, np.int64)]
    return np.concatenate(parents), np.concatenate([b for _, b in out] or [np.zeros(0, np.int64)])


def assemble(n_lanes: int, buffers: I64, source: I64, target: I64, set_key: I64) -> Dependencies:
    """Sort and deduplicate. ``set_key`` [n] is one non-negative number for the members of a choice set, -1 for singletons."""
    shift = len(buffers).bit_length()
    members = set_key >= 0
    set_owner, set_ptr, set_member, lone = _choice_sets(source[members], target[members], set_key[members], shift)
    edges = distinct(source << shift | target)
    source_of, target_of = edges >> shift, edges & ((1 << shift) - 1)
    committed = np.ones(len(edges), np.bool_)
    if len(set_owner):
        committed[:] = False
        committed[np.searchsorted(edges, np.concatenate((source[~members] << shift | target[~members], lone)))] = True
    ptr = np.concatenate(([0], np.cumsum(np.bincount(source_of, minlength=len(buffers)))))
    return Dependencies(n_lanes, buffers, ptr, target_of, committed, set_owner, set_ptr, set_member)


def _choice_sets(source: I64, target: I64, key: I64, shift: int) -> tuple[I64, I64, I64, I64]:
    """(owner, ptr, member) of sets with two and more distinct members; the edges ``source << shift | target`` of the others."""
    key = source * (int(key.max(initial=0)) + 1) + key  # sets in the order of their owners
    order = np.lexsort((target, key))
    source, target, key = source[order], target[order], key[order]
    same = np.zeros(len(key), np.bool_)
    same[1:] = (key[1:] == key[:-1]) & (target[1:] == target[:-1])
    source, target, key = source[~same], target[~same], key[~same]
    _, start, count = np.unique(key, return_index=True, return_counts=True)
    single = np.repeat(count == 1, count)
    lone = source[single] << shift | target[single]
    start, count = start[count > 1], count[count > 1]
    return source[start], np.concatenate(([0], np.cumsum(count))).astype(np.int64), target[~single], lone


def _host_keys(found: Explored) -> tuple[I64, I64]:
    """What grouped hosts add: ``slot * V + value`` for their own links, and the slots of lone hosts that send at all."""
    plan, sources = found.plan, found.sources
    if sources.explicit:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    up = plan.fabric.host_up.astype(np.int64)
    lone = [h for h in sources.lone.tolist() if pairs_of_host(plan, h)]
    lone_slots = [up[h] * plan.n_classes + c for h in lone for c in sources.first[h] or ()]
    hosts = np.flatnonzero(sources.groups.of_host >= 0)
    sent = found.injected_count[sources.groups.of_host[hosts]] - _own_columns(found, hosts)
    i, value = np.nonzero(sent > 0)
    host = hosts[i]
    cls = sources.classes[host]
    keys = (up[host][:, None] * plan.n_classes + cls) * plan.n_values + value[:, None]
    return distinct(keys[cls >= 0]), np.array(lone_slots, np.int64)


def pairs_of_host(plan: Plan, host: int) -> int:
    """How many columns host ``host`` has a pair with."""
    return int(np.count_nonzero(plan.columns.on & (plan.columns.node != int(plan.fabric.host_node[host]))))


def _own_columns(found: Explored, hosts: I64) -> I64:
    """[hosts, V]: how many columns of the host's own node its group injected all the same, by table value."""
    plan, groups = found.plan, found.sources.groups
    on = np.flatnonzero(plan.columns.on & (plan.columns.node >= plan.fabric.n_switches))
    order = on[np.argsort(plan.columns.node[on], kind="stable")]
    nodes = plan.columns.node[order]
    node = plan.fabric.host_node.astype(np.int64)[hosts]
    lo, hi = np.searchsorted(nodes, node), np.searchsorted(nodes, node, side="right")
    group = groups.of_host[hosts]
    count = np.where(groups.solo[group] == node, 0, hi - lo)
    i, at = np.repeat(np.arange(len(hosts)), count), ranges(lo, lo + count)
    value = plan.table.value[groups.switch[group[i]], order[at]].astype(np.int64)
    return np.bincount(i * plan.n_values + value, minlength=len(hosts) * plan.n_values).reshape(-1, plan.n_values)
