"""Which link of a hashed group each flow takes, for millions of flows at once.

A linear hash is an exclusive-or of what each part of the header contributes, so the contributions of all hosts' addresses and
of all source ports are computed once, and a flow's value is ``constant[x] ^ of_src[src] ^ of_dst[dst] ^ of_port[sport]``.
Switches whose functions differ by their seeds alone share these tables (a *law*); seeds only change the constant. Any other
function is asked packet by packet. Headers are those of :func:`pauseproof.hashing.headers.roce`, between the addresses that
hosts have.

Notation: ``x`` a choice, ``f`` a flow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.decision import Decision
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.linear import LinearHash, fast
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.loads.flows import Flows
from pauseproof.loads.next_hops import NextHops, next_hops
from pauseproof.loads.walks import Pick
from pauseproof.routing.host_prefixes import HostAddresses
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint32]
Choices = NDArray[np.int32]
PORTS = 1 << 16
NO_LAW, ASKED = -1, -2
OF_SRC, OF_DST, OF_FLOW = ("sip_high", "sip_low"), ("dip_high", "dip_low"), ("qp", "in_port")
FIXED = ("proto", "dport", "opcode", "flow_label", "vlan")
ADDRESSES = "hosts whose addresses no input gives have one by a rule: the k-th server of a subnet its k-th address"


@dataclass(frozen=True)
class Law:
    """A linear function without its constant: ``of_src`` and ``of_dst`` [H], ``of_port`` [65536], ``others`` of OF_FLOW."""

    hash: LinearHash
    of_src: Words
    of_dst: Words
    of_port: Words
    others: tuple[str, ...]


@dataclass(frozen=True)
class Slots:
    """Which link a value means at a choice with a law: ``links[((value ^ constant) & mask) % len(links)]``."""

    constant: int
    mask: int
    links: tuple[int, ...]


class Hashing:
    """The decisions of a fabric as the flows of a job meet them.

    ``hops`` are the next hops, in which what is spread by packet or by load is ADAPTIVE, with the shares that hashes really
    give. ``law`` [X]: of each choice an index into ``laws``, ASKED where its decision is asked packet by packet, NO_LAW where
    it is no hash or is not known.
    """

    def __init__(self, network: Network) -> None:
        hops = next_hops(network)
        self.network = network
        self.hashes: FabricHashes = hashes_of(network)
        self.book = host_addresses(network, self.hashes.family)
        self.decisions = dict(_decisions(self.hashes, hops)) if network.fabric.kind == "roce" else {}
        self.hops = replace(_settled(hops, self.decisions), given_column=self.book.column)
        self.laws: list[Law] = []
        self._number: dict[object, int] = {}
        n = len(hops.table.kind)
        self.law = np.full(n, NO_LAW, np.int16)
        self.constant, self.mask, self.slots = np.zeros((3, n), np.uint32)
        self.first = np.zeros(n, np.int64)
        self.link = self._tables()

    @cached_property
    def committed(self) -> NextHops:
        """The next hops for whoever follows flows: those of groups whose hash is not known are divided."""
        kind = self.hops.table.kind.copy()
        several = np.diff(self.hops.ptr) > 1
        kind[several & (kind == ChoiceKind.HASHED) & (self.law == NO_LAW)] = ChoiceKind.ADAPTIVE
        return replace(self.hops, table=replace(self.hops.table, kind=kind))

    @property
    def any_known(self) -> bool:
        """Is there a group of which it is known who takes which link?"""
        return bool((self.law != NO_LAW).any())

    @property
    def all_known(self) -> bool:
        """Is it known of every group who takes which link?"""
        return bool(self.decisions) and all(decision.known for decision in self.decisions.values())

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the links that flows take rest on."""
        given = self.network.addresses
        told = isinstance(given, HostAddresses) and len(given.given) == self.network.fabric.n_hosts
        return (*self.hashes.assumptions, *(() if told else (ADDRESSES,)))

    def addressed(self, flows: Flows) -> Bools:
        """[F]: of which flows both addresses are known."""
        has = self.book.family > 0
        out: Bools = has[flows.src] & has[flows.dst]
        return out

    def knows(self, flows: Flows) -> Bools:
        """[F]: of which flows the headers are known."""
        out: Bools = (flows.sport >= 0) & self.addressed(flows)
        return out & (flows.dqpn >= 0) if self._needs_qp else out

    @cached_property
    def _needs_qp(self) -> bool:
        """Does some known hash look at the destination queue pair?"""
        known = (decision for decision in self.decisions.values() if decision.known)
        return any("dest-qp" in stage.setting.fields for decision in known for stage in decision.stages)

    def take(self, x: Choices, flows: Flows, came_by: Ids) -> Ids:
        """The link that each flow takes at its choice ``x``, which has a law or is ASKED."""
        law = self.law[x]
        if len(law) and law[0] >= 0 and (law == law[0]).all():
            return self._by_tables(self.laws[law[0]], x, flows, came_by)
        out = np.empty(len(x), np.int32)
        for number in np.unique(law).tolist():
            rows = np.flatnonzero(law == number)
            if number >= 0:
                out[rows] = self._by_tables(self.laws[number], x[rows], flows[rows], came_by[rows])
                continue
            for one in np.unique(x[rows]).tolist():
                at = rows[x[rows] == one]
                out[at] = self.decisions[one].links(self.headers(flows[at], came_by[at]))
        return out

    def pick(self, flows: Flows) -> Pick:
        """What these flows, of known headers, take at groups whose hash is known."""

        def pick(f: I64, x: Choices, came_by: Ids) -> Ids:
            return self.take(x, flows[f], came_by)

        return pick

    def headers(self, flows: Flows, came_by: Ids) -> Headers:
        """What a switch sees of the flows that come over these links."""
        book, src, dst = self.book, flows.src, flows.dst
        in_port = self.network.fabric.link_dst_port[came_by].astype(np.uint64)
        sides = (book.high[src], book.low[src]), (book.high[dst], book.low[dst])
        qp = np.maximum(flows.dqpn, 0).astype(np.uint64)
        return roce(self.hashes.family, *sides, flows.sport.astype(np.uint64), qp=qp, in_port=in_port)

    def _by_tables(self, law: Law, x: Choices, flows: Flows, came_by: Ids) -> Ids:
        value = self.constant[x] ^ law.of_src[flows.src] ^ law.of_dst[flows.dst] ^ law.of_port[flows.sport]
        if law.others:
            value ^= law.hash.contribution(self.headers(flows, came_by), law.others).astype(np.uint32)
        return self.link[self.first[x] + (value & self.mask[x]) % self.slots[x]]

    # made once

    def _tables(self) -> Ids:
        """Sort the known decisions into laws; returns the links of their slots, one choice after the other."""
        links: list[int] = []
        for x, decision in self.decisions.items():
            if not decision.known:
                continue
            found = self._by_law(decision)
            self.law[x] = ASKED if found is None else found[0]
            if found is not None:
                slots = found[1]
                self.constant[x], self.mask[x], self.slots[x] = slots.constant, slots.mask, len(slots.links)
                self.first[x] = len(links)
                links.extend(slots.links)
        return np.array(links, np.int32)

    def _by_law(self, decision: Decision) -> tuple[int, Slots] | None:
        """(the number of its law, its slots); None where its value is not linear, or it has a second stage."""
        stage = decision.ecmp
        if stage is None or any(lag is not None for lag in decision.lags) or stage.selection.kind == "threshold":
            return None
        function = stage.setting.function()
        found = None if function is None else fast(function, self.hashes.family)
        if not isinstance(found, LinearHash):
            return None
        members = [member.links[0] for member in decision.grouping.members]
        links = tuple(members[m] for m in stage.selection.table)
        fixed = int(found.contribution(roce(self.hashes.family, (0, 0), (0, 0), 0), FIXED)[0]) ^ found.constant
        return self._law_of(found), Slots(fixed, (1 << stage.selection.value_bits) - 1, links)

    def _law_of(self, found: LinearHash) -> int:
        key = found.form.free, found.form.rows
        if key not in self._number:
            self._number[key] = len(self.laws)
            family, address = self.hashes.family, (self.book.high, self.book.low)
            src = found.contribution(roce(family, address, (0, 0), 0), OF_SRC)
            dst = found.contribution(roce(family, (0, 0), address, 0), OF_DST)
            port = found.contribution(roce(family, (0, 0), (0, 0), np.arange(PORTS, dtype=np.uint64)), ("sport",))
            n = len(self.book.low)
            others = tuple(column for column in OF_FLOW if column in found.columns)
            self.laws.append(Law(found, _words(src, n), _words(dst, n), _words(port, PORTS), others))
        return self._number[key]


def _decisions(hashes: FabricHashes, hops: NextHops) -> Iterator[tuple[int, Decision]]:
    """The decision of every choice with several links that is hashed."""
    fabric = hops.fabric
    for x in np.flatnonzero((np.diff(hops.ptr) > 1) & (hops.table.kind == ChoiceKind.HASHED)).tolist():
        links = hops.link[hops.ptr[x] : hops.ptr[x + 1]].tolist()
        yield x, hashes.decision(int(fabric.link_src[links[0]]), links, hops.table.choice(x).group)


def _settled(hops: NextHops, decisions: dict[int, Decision]) -> NextHops:
    """The next hops with the shares that hashes really give, ADAPTIVE where a setting spreads by packet or by load."""
    share, kind = hops.share.copy(), hops.table.kind.copy()
    for x, decision in decisions.items():
        share[hops.ptr[x] : hops.ptr[x + 1]] = decision.shares
        if decision.by_packet_or_load:
            kind[x] = ChoiceKind.ADAPTIVE
    return replace(hops, share=share, table=replace(hops.table, kind=kind))


def _words(contribution: NDArray[np.uint64], size: int) -> Words:
    return np.broadcast_to(contribution, size).astype(np.uint32)
