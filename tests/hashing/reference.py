"""Hash functions once more, slowly, one packet at a time and bit by bit; nothing of pauseproof's own is used."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

MASK64 = (1 << 64) - 1


class Packet(NamedTuple):
    family: int
    sip: int
    dip: int
    proto: int = 17
    sport: int = 49152
    dport: int = 4791
    qp: int = 0
    opcode: int = 0
    flow_label: int = 0
    vlan: int = 0
    in_port: int = 0


def remainder_of_bits(bits: Sequence[int], polynomial: int, width: int) -> int:
    """Division of polynomials: the bits, the first one the highest power, and ``width`` zeros after them."""
    dividend = int("".join(map(str, bits)), 2) << width
    divisor = (1 << width) | polynomial
    while dividend.bit_length() > width:
        dividend ^= divisor << (dividend.bit_length() - width - 1)
    return dividend


def message(p: Packet, fields: Sequence[str], seed: int, preprocess: bool = False, ipv6: str = "fold") -> bytes:
    """28 bytes: twelve bins from 0, then the seed."""

    def collapsed(address: int) -> int:
        parts = [address >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)]
        return parts[0] if ipv6 == "low" else parts[0] ^ parts[1] ^ parts[2] ^ parts[3]

    bins = [0] * 12
    sip, dip = collapsed(p.sip), collapsed(p.dip)
    if "src-ip" in fields:
        bins[11], bins[10] = sip >> 16, sip & 0xFFFF
    if "dst-ip" in fields:
        bins[9], bins[8] = dip >> 16, dip & 0xFFFF
    if "vlan" in fields:
        bins[7] = p.vlan
    if "l4-src-port" in fields:
        bins[6] = p.sport
    if "l4-dst-port" in fields:
        bins[5] = p.dport
    if "proto" in fields:
        bins[4] += p.proto
    if "in-port" in fields:
        bins[3] = p.in_port
    if "dest-qp" in fields:
        bins[2] = p.qp & 0xFFFF
        bins[1] += p.qp >> 16
    if "bth-opcode" in fields:
        bins[1] += p.opcode * 256
    if "flow-label" in fields:
        bins[0] = p.flow_label & 0xFFFF
        bins[4] += (p.flow_label >> 16) * 256
    if preprocess:
        bins = [(b ^ b // 8 ^ b * 4) % 65536 for b in bins]
    return struct.pack("<12HI", *bins, seed)


def sixteen_bits(name: str, m: bytes) -> int:
    """A function of the message by its name."""
    bits = [byte >> i & 1 for byte in m for i in range(8)]
    if name == "crc16":
        return remainder_of_bits(bits, 0x8005, 16)
    if name == "ccitt":
        return remainder_of_bits(bits, 0x1021, 16)
    if name in ("crc32lo", "crc32hi"):
        whole = remainder_of_bits(bits, 0x1EDC6F41, 32)
        return whole % 65536 if name == "crc32lo" else whole // 65536
    if name == "xor16":
        return xored(m, 16)
    assert name.startswith("crc16-xor")
    return remainder_of_bits(bits, 0x8005, 16) // 256 * 256 + xored(m, int(name.removeprefix("crc16-xor")))


def xored(m: bytes, width: int) -> int:
    out = 0
    for i in range(8 * len(m)):
        out ^= (m[i // 8] >> i % 8 & 1) << i % width
    return out


def rotated(value: int, offset: int) -> int:
    for _ in range(offset):
        value = value // 2 + value % 2 * 32768
    return value


def rtag7(
    p: Packet, name: str, fields: Sequence[str], seed: int = 0, offset: int = 0, preprocess: bool = False, ipv6: str = "fold"
) -> int:
    return rotated(sixteen_bits(name, message(p, fields, seed, preprocess, ipv6)), offset)


def siphash(data: bytes, key: bytes) -> int:
    """SipHash-2-4, as its authors describe it."""
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])

    def turn(x: int, n: int) -> int:
        return (x << n | x >> (64 - n)) & MASK64

    def rounds(n: int) -> None:
        for _ in range(n):
            v[0] = (v[0] + v[1]) & MASK64
            v[2] = (v[2] + v[3]) & MASK64
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[1]) & MASK64
            v[0] = (v[0] + v[3]) & MASK64
            v[1], v[3] = turn(v[1], 17) ^ v[2], turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    for word in struct.unpack(f"<{len(padded) // 8}Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return int(v[0] ^ v[1] ^ v[2] ^ v[3])


def lookup3(m: Sequence[int], seed: int) -> int:
    """Bob Jenkins's hashword, with its statements spelled out."""
    a = b = c = (0xDEADBEEF + 4 * len(m) + seed) % 2**32

    def rot(x: int, k: int) -> int:
        return (x << k | x >> (32 - k)) % 2**32

    m = list(m)
    while len(m) > 3:
        a, b, c = (a + m[0]) % 2**32, (b + m[1]) % 2**32, (c + m[2]) % 2**32
        a = (a - c) % 2**32 ^ rot(c, 4)
        c = (c + b) % 2**32
        b = (b - a) % 2**32 ^ rot(a, 6)
        a = (a + c) % 2**32
        c = (c - b) % 2**32 ^ rot(b, 8)
        b = (b + a) % 2**32
        a = (a - c) % 2**32 ^ rot(c, 16)
        c = (c + b) % 2**32
        b = (b - a) % 2**32 ^ rot(a, 19)
        a = (a + c) % 2**32
        c = (c - b) % 2**32 ^ rot(b, 4)
        b = (b + a) % 2**32
        m = m[3:]
    m += [0] * (3 - len(m))
    a, b, c = (a + m[0]) % 2**32, (b + m[1]) % 2**32, (c + m[2]) % 2**32
    c = ((c ^ b) - rot(b, 14)) % 2**32
    a = ((a ^ c) - rot(c, 11)) % 2**32
    b = ((b ^ a) - rot(a, 25)) % 2**32
    c = ((c ^ b) - rot(b, 16)) % 2**32
    a = ((a ^ c) - rot(c, 4)) % 2**32
    b = ((b ^ a) - rot(a, 14)) % 2**32
    return ((c ^ b) - rot(b, 24)) % 2**32


def linux(p: Packet, policy: int, seed: int, mask: int = 7) -> int:
    """The 31 bits that a forwarding Linux machine selects by."""
    v4 = p.family == 4
    size = 4 if v4 else 16
    named = {0: 0x3 if v4 else 0xF, 1: 0x37, 2: 0x3 if v4 else 0xF, 3: mask & (0x37 if v4 else 0x3F)}[policy]
    source = p.sip.to_bytes(size, "big") if named & 1 else bytes(size)
    sink = p.dip.to_bytes(size, "big") if named & 2 else bytes(size)
    if (sink[::-1] < source[::-1]) if v4 else (sink < source):  # IPv4 addresses are compared as little-endian numbers
        source, sink = sink, source
    ports = [p.sport.to_bytes(2, "big") if named & 0x10 else bytes(2), p.dport.to_bytes(2, "big") if named & 0x20 else bytes(2)]
    ports.sort(key=lambda port: port[::-1])
    label = p.flow_label.to_bytes(4, "big" if policy == 0 else "little") if named & 8 else bytes(4)
    proto = bytes([0, 0, p.proto if named & 4 else 0, 0])
    keys = proto + label + bytes(20) + b"".join(ports) + bytes(4) + source + sink + bytes(4)
    hashed = siphash(keys, struct.pack("<4I", *[seed] * 4)) % 2**32 or 1
    if policy == 3:
        hashed = lookup3([hashed if mask & 0x3F else 0, 0], 0)
    return hashed // 2
