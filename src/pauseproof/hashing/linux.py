"""The hash that Linux's multipath routes take of a packet that is forwarded (kernel 6.11 and later, which have a seed).

The kernel writes what the policy names into its ``struct flow_keys``, the rest zero, puts the smaller address and the smaller
port first (so both directions of a flow hash alike), and takes SipHash-2-4 of it. The seed, where one is set, is each half of
both words of the key; where none is, the key is random at boot and nobody can say what it hashes to. Policies
(``fib_multipath_hash_policy``): 0 addresses (and, of IPv6, flow label and protocol); 1 the five-tuple; 2 as 0 by the innermost
header, the outer one where nothing is encapsulated; 3 the fields of ``fib_multipath_hash_fields``, and lookup3 of that.

Checked against a kernel by tests/software/test_linux.py. The machine is taken to be little-endian, and the network card to
hand up no hash of its own (policy 1 would use that instead).

Notation: ``m`` the message of the siphash, little-endian words of 64 bits.
"""

from dataclasses import dataclass

from pauseproof.hashing.algebra import LOW32, Truth, Word, below, below_pair, equals, shr, swapped16, swapped32, where
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.jenkins import lookup3
from pauseproof.hashing.names import FIVE_TUPLE
from pauseproof.hashing.siphash import siphash

FIELD_BITS = {"src-ip": 1, "dst-ip": 2, "proto": 4, "flow-label": 8, "l4-src-port": 0x10, "l4-dst-port": 0x20}
DEFAULT_FIELDS = 0x7
OUTER = sum(FIELD_BITS.values())  # the other bits are of inner headers, which RoCE traffic between hosts does not have
CUSTOM = 3


@dataclass(frozen=True)
class Linux:
    """The hash of ``policy`` with ``seed``; ``mask`` is ``fib_multipath_hash_fields``, for policy 3 alone."""

    policy: int
    seed: int
    mask: int = DEFAULT_FIELDS

    bits = 31
    linear = False

    @property
    def name(self) -> str:
        """``linux-policy-1``, say."""
        return f"linux-policy-{self.policy}"

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the policy. Only IPv6 has a flow label; policies 0 and 2 take the protocol of IPv6 alone."""
        if self.policy == CUSTOM:
            return tuple(field for field, bit in FIELD_BITS.items() if self.mask & bit)
        return FIVE_TUPLE if self.policy == 1 else ("src-ip", "dst-ip", "proto", "flow-label")

    def value(self, h: Headers) -> Word:
        """The kernel's ``mhash >> 1``."""
        if self.policy != CUSTOM:
            return shr(self._of_keys(h), 1)
        nothing = h.sip_low & 0
        outer = self._of_keys(h) if self.mask & OUTER else nothing
        return shr(lookup3([outer, nothing], 0), 1)  # the second word is the hash of the inner headers

    def _of_keys(self, h: Headers) -> Word:
        zero = h.sip_low & 0
        v4 = h.family == 4
        chosen = {f for f in self.fields if f not in ("proto", "flow-label") or not v4 or self.policy in (1, CUSTOM)}
        chosen -= {"flow-label"} if v4 else set()

        def if_chosen(field: str, word: Word) -> Word:
            return word if field in chosen else zero

        source, sink = if_chosen("l4-src-port", swapped16(h.sport)), if_chosen("l4-dst-port", swapped16(h.dport))
        source, sink = _smaller_first(below(sink, source), source, sink)
        label = if_chosen("flow-label", h.flow_label)
        basic = (if_chosen("proto", h.proto) << 16) | ((swapped32(label) if self.policy == 0 else label) << 32)
        ports = (source << 32) | (sink << 48)
        addresses = [if_chosen("src-ip", x) for x in (h.sip_high, h.sip_low)]
        addresses += [if_chosen("dst-ip", x) for x in (h.dip_high, h.dip_low)]
        m = [basic, zero, zero, ports, *(_ipv4 if v4 else _ipv6)(*addresses)]
        key = (self.seed << 32) | self.seed
        hashed = siphash(m, 8 * len(m), (key, key)) & LOW32
        return where(equals(hashed, 0), 1, hashed)


def _smaller_first(swap: Truth, x: Word, y: Word) -> tuple[Word, Word]:
    return where(swap, y, x), where(swap, x, y)


def _ipv4(sip_high: Word, sip_low: Word, dip_high: Word, dip_low: Word) -> list[Word]:
    """The last two words: nothing and the source, the sink and four bytes that are always zero."""
    source, sink = swapped32(sip_low), swapped32(dip_low)
    source, sink = _smaller_first(below(sink, source), source, sink)
    return [source << 32, sink]


def _ipv6(sip_high: Word, sip_low: Word, dip_high: Word, dip_low: Word) -> list[Word]:
    """The last five words: the addresses, four bytes late, and four bytes that are always zero."""
    swap = below_pair((dip_high, dip_low), (sip_high, sip_low))
    (sip_high, dip_high), (sip_low, dip_low) = _smaller_first(swap, sip_high, dip_high), _smaller_first(swap, sip_low, dip_low)
    halves = [swapped32(part) for x in (sip_high, sip_low, dip_high, dip_low) for part in (shr(x, 32), x & LOW32)]
    late = [halves[0] & 0, *halves, halves[0] & 0]
    return [late[i] | (late[i + 1] << 32) for i in range(0, 10, 2)]
