"""Proofs, by z3, that no packet reaches a member: the hashes as bit-vector terms, the ways to the group as a disjunction.

First addresses, ports and queue pairs are free altogether, so that a proof does not depend on who the hosts are; where some
packet would then get through, addresses are restricted to those of the hosts that send and receive there. The port by which a
packet enters a switch, and its VLAN, are free at each of them. *Proved* means that z3 found no packet; *refuted* that it found
one; *undecided* that the time was over, or that the hosts were too many.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pauseproof.hashing.addresses import HostAddress
from pauseproof.hashing.algebra import equals, like
from pauseproof.hashing.combinations import PORT_BASE
from pauseproof.hashing.decision import Decision
from pauseproof.hashing.headers import ROCE_PORT, UDP, Headers, unknowns, within
from pauseproof.hashing.unreached import Arrival, Pick, Space, Unreached

Proof = Literal["proved", "refuted", "undecided"]
MOST_HOSTS = 512  # whose addresses a formula names


@dataclass
class Prover:
    """Proves one member after the other; equal questions are asked once. ``seconds`` for each question."""

    space: Space
    seconds: float
    _asked: dict[object, Proof] = field(default_factory=dict)

    def prove(self, what: Unreached, found: Sequence[Arrival]) -> Proof:
        """Can no packet of these arrivals take the link?"""
        ways = tuple(sorted({arrival.picks for arrival in found}, key=repr))
        stages = (what.decision.ecmp, what.decision.lags)
        places = tuple(
            (m, member.links.index(what.link))
            for m, member in enumerate(what.decision.grouping.members)
            if what.link in member.links
        )
        key = ways, stages, places
        if key not in self._asked:
            self._asked[key] = self._ask(ways, what.decision, places, None)
        if self._asked[key] != "refuted":
            return self._asked[key]
        return self._ask(ways, what.decision, places, found)

    def _ask(
        self,
        ways: Sequence[tuple[Pick, ...]],
        decision: Decision,
        places: Sequence[tuple[int, int]],
        of: Sequence[Arrival] | None,
    ) -> Proof:
        import z3

        solver = z3.Solver()
        solver.set("timeout", max(1, int(self.seconds * 1000)))
        h = unknowns("p", self.space.family)
        solver.add(*within(h), *self._udp(h))
        own = z3.Or(*(_taken(h, decision, m, c) for m, c in places))
        if of is None:
            solver.add(z3.Or(*(_picked(h, picks) for picks in ways)), own)
        else:
            cases = [self._case(h, arrival) for arrival in of]
            if any(case is None for case in cases):
                return "undecided"
            solver.add(z3.Or(*cases), own)
        answer = solver.check()
        return "proved" if answer == z3.unsat else "refuted" if answer == z3.sat else "undecided"

    def _udp(self, h: Headers) -> list[Any]:
        import z3

        sport = self.space.chains.network.hashes.sport
        port = h.sport == sport if sport >= 0 else z3.UGE(h.sport, PORT_BASE)
        return [h.proto == UDP, h.dport == ROCE_PORT, port]

    def _case(self, h: Headers, arrival: Arrival) -> Any:
        """Packets of one arrival; None where it has too many hosts."""
        import z3

        sources, destinations = self.space.at_first[arrival.first], self.space.receivers(arrival.columns)
        if len(sources) + len(destinations) > MOST_HOSTS:
            return None
        book = self.space.book
        ends = (
            z3.Or(*(_has(high, low, address) for host in hosts.tolist() if (address := book.of(host)) is not None))
            for high, low, hosts in ((h.sip_high, h.sip_low, sources), (h.dip_high, h.dip_low, destinations))
        )
        return z3.And(*ends, _picked(h, arrival.picks))


def _has(high: Any, low: Any, address: HostAddress) -> Any:
    """That an address is the host's, but for its free bits."""
    import z3

    mask = ((1 << 128) - 1) ^ ((1 << address.free) - 1)
    upper, lower = mask >> 64, mask & (1 << 64) - 1
    return z3.And(high & upper == address.high & upper, low & lower == address.low & lower)


def _picked(h: Headers, picks: Sequence[Pick]) -> Any:
    """That each hash on the way picked its member."""
    import z3

    return z3.And(*(equals(pick.stage.member(_entering(h, i)), pick.member) for i, pick in enumerate(picks)))


def _taken(h: Headers, decision: Decision, m: int, c: int) -> Any:
    """That the group's own hashes pick cable ``c`` of next hop ``m``."""
    import z3

    here = _entering(h, "here")
    hop = equals(decision.ecmp.member(here), m) if decision.ecmp is not None else z3.BoolVal(True)
    lag = decision.lags[m]
    return z3.And(hop, equals(lag.member(here), c)) if lag is not None else hop


def _entering(h: Headers, where: int | str) -> Headers:
    """The packet as it enters some switch, by any port and in any VLAN."""
    import z3

    vlan = z3.ZeroExt(52, z3.BitVec(f"vlan_{where}", 12))
    return replace(h.at_port(z3.ZeroExt(48, z3.BitVec(f"in_port_{where}", 16)) & like(h.sip_low, 0xFFFF)), vlan=vlan)
