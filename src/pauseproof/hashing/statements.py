"""From statements to one setting: key by key, the first source that speaks of it counts (docs/hash-settings.md).

In this order: what is declared of the switch, what was read of it, what is declared for every switch, a documented default.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, cast

from pauseproof.fabric.places import Place
from pauseproof.hashing.algorithms import sai_algorithm
from pauseproof.hashing.headers import FIVE_TUPLE
from pauseproof.hashing.linux import CUSTOM, FIELD_BITS, Linux
from pauseproof.hashing.setting import Kind, Setting, our_name
from pauseproof.hashing.sonic import default_offset, default_seed, field_names, rdma_key
from pauseproof.readers.hash_lines import LINUX, SONIC_TYPE, DecisionLine, HashLine, Value
from pauseproof.routing.hash_facts import HashFacts, Said, SwitchFacts

Which = Literal["ecmp", "lag"]
TYPE = "DEVICE_METADATA.type"
MOST_SEED, MOST_OFFSET = 2**32 - 1, 15
NO_ALGORITHM, NO_SEED = "algorithm: nothing tells it", "seed: the kernel's is random at boot unless it is set"
PORT_NUMBERS = "in-port is taken for the number of the port in the fabric, which need not be the chip's"
NO_CARD = "the kernel hashes itself: no network card hands up a hash of its own, which policy 1 would take"
BOND = "algorithm: a Linux bond goes by its xmit_hash_policy, which is not read; declare `lag:`"


class Found(NamedTuple):
    """A value, and where it stands."""

    value: Value
    place: Place


@dataclass
class Statements:
    """What is said of one decision of one switch; what is unknown or taken by default is collected on the way."""

    facts: SwitchFacts
    every: HashLine
    which: Which
    family: int = 4
    unknown: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    hidden: tuple[str, ...] = ()
    places: dict[str, Place] = field(default_factory=dict)

    def setting(self) -> Setting:
        """The setting."""
        kind, algorithm = self._kind_and_algorithm()
        setting = Setting(kind)
        if algorithm:
            setting = self._linux() if algorithm == LINUX else self._asic(algorithm)
        buckets = self._value("buckets")
        return replace(
            setting,
            buckets=buckets if isinstance(buckets, int) else 0,
            hidden=self.hidden,
            unknown=tuple(self.unknown),
            defaults=tuple(self.defaults),
            remarks=tuple(self.remarks),
            places=dict(self.places),
        )

    # which function

    def _kind_and_algorithm(self) -> tuple[Kind, str]:
        """What is done, and the name of ours for the function; no name where nothing is hashed or it is not known."""
        mode = self._value("mode")
        if mode not in (None, "hash"):
            return cast(Kind, mode), ""
        told = self._value("algorithm", self._read_algorithm)
        if told is None and self.facts.is_sonic and not self.unknown:
            self.defaults.append("algorithm CRC, the default of SAI")
            told = "CRC"
        if told is None:
            if not self.unknown:
                self.unknown.append(BOND if self._is_linux else NO_ALGORITHM)
            return "hash", ""
        name, sai = our_name(str(told)), sai_algorithm(str(told))
        if sai is None or name == told:
            return "hash", name
        if sai.spread == "packet":
            self.remarks.append(f"{sai.name}: {sai.remark}")
            return "spray", ""
        if not name:
            self.unknown.append(f"algorithm: {sai.name}: {sai.remark}")
        else:
            self.remarks.append(f"{sai.name} is {sai.remark}")
        return "hash", name

    @property
    def _is_linux(self) -> bool:
        return not self.facts.is_sonic and any(name.startswith("net.") for name in self.facts.read)

    def _read_algorithm(self) -> Found | None:
        if not self.facts.is_sonic:
            first = min(self.facts.read.items(), default=None)
            return Found(LINUX, first[1].place) if first and self._is_linux and self.which == "ecmp" else None
        said = self._said(f"SWITCH_HASH.{self.which}_hash_algorithm", "algorithm")
        if said is None:
            return None
        if sai_algorithm(said.text) is None:
            self.unknown.append(f"algorithm: {said.text!r} is none of SAI's ({said.place})")
            return None
        return Found(said.text, said.place)

    # of a switch chip

    def _asic(self, algorithm: str) -> Setting:
        fields = self._value("fields", self._read_fields)
        if fields is None and not self._is_unknown("fields"):
            self.defaults.append("fields: the five-tuple, as most switches have it")
        self.remarks += [PORT_NUMBERS] if isinstance(fields, tuple) and "in-port" in fields else []
        return Setting(
            algorithm=algorithm,
            fields=fields if isinstance(fields, tuple) else FIVE_TUPLE,
            seed=self._number("seed", MOST_SEED, default_seed),
            offset=self._number("offset", MOST_OFFSET, default_offset) or 0,
            symmetric=self._value("symmetric") is True,
            preprocess=self._value("preprocess") is True,
        )

    def _read_fields(self) -> Found | None:
        said = None
        for name in rdma_key(self.which, self.family):
            said = said or self._said(f"SWITCH_HASH.{name}", "fields")
        if said is None:
            return None
        names = field_names(said.text)
        if names.strange:
            self.unknown.append(f"fields: {', '.join(map(repr, names.strange))} are none of SONiC's ({said.place})")
        if names.left_out:
            self.remarks.append(f"left out: {', '.join(names.left_out)}, which all RoCE packets have alike, or none")
        self.hidden = names.hidden
        return Found(names.fields, said.place)

    def _number(self, key: str, most: int, default: Callable[[SwitchFacts], tuple[int, str]]) -> int | None:
        value = self._value(key, lambda: self._read_number(key, most))
        if value is None and not self._is_unknown(key):
            value, why = default(self.facts) if self.facts.is_sonic else (0, "the default of SAI")
            self.defaults.append(f"{key} {value}, {why}")
        return value if isinstance(value, int) else None

    def _read_number(self, key: str, most: int) -> Found | None:
        said = self._said(f"SWITCH_TABLE.{self.which}_hash_{key}", key)
        if said is None:
            return None
        number = int(said.text) if said.text.isascii() and said.text.isdecimal() and len(said.text) < 11 else -1
        if not 0 <= number <= most:
            self.unknown.append(f"{key}: {said.text!r} is beyond 0 to {most} ({said.place})")
            return None
        return Found(number, said.place)

    # of the kernel

    def _linux(self) -> Setting:
        policy = self._kernel("policy", f"net.ipv{self.family}.fib_multipath_hash_policy")
        if policy is None:
            self.defaults.append("policy 0, the kernel's default")
        seed = self._kernel("seed", "net.ipv4.fib_multipath_hash_seed")  # of both families
        if not seed and not self._is_unknown("seed"):
            self.unknown.append(NO_SEED)
        if policy == 1:
            self.remarks.append(NO_CARD)
        mask = self._mask() if policy == CUSTOM else 0x7
        fields = Linux(policy or 0, seed or 0, mask).fields
        return Setting(algorithm=LINUX, fields=fields, seed=seed or None, policy=policy or 0, mask=mask)

    def _mask(self) -> int:
        declared = self._value("fields")
        if isinstance(declared, tuple):
            if strange := [name for name in declared if name not in FIELD_BITS]:
                self.unknown.append(f"fields: the kernel cannot hash {', '.join(strange)}")
            return sum(FIELD_BITS.get(name, 0) for name in declared)
        mask = self._kernel("fields", f"net.ipv{self.family}.fib_multipath_hash_fields")
        if mask is None:
            self.defaults.append("fields 0x7, the kernel's default")
        return 0x7 if mask is None else mask

    def _kernel(self, key: str, name: str) -> int | None:
        def read() -> Found | None:
            said = self._said(name, key)
            return None if said is None else Found(int(said.text), said.place)

        value = self._value(key, read)
        return value if isinstance(value, int) else None

    # one key

    def _value(self, key: str, read: Callable[[], Found | None] = lambda: None) -> Value | None:
        """What the first that speaks of the key says, None where nothing does or it is not understood."""
        found = _declared(self.facts.declared, self.which, key) or read()
        if found is None and not self._is_unknown(key):
            found = _declared([self.every], self.which, key)
        if found is None:
            return None
        self.places[key] = found.place
        return found.value

    def _is_unknown(self, key: str) -> bool:
        return any(one.startswith(f"{key}:") for one in self.unknown)

    def _said(self, name: str, key: str) -> Said | None:
        """What was read, None where nothing was or two files contradict each other, which is noted."""
        said = self.facts.read.get(name)
        if said is None or said.also is None:
            return said
        self.unknown.append(f"{key}: {said.place} and {said.also} contradict each other")
        return None


def _declared(lines: Sequence[HashLine], which: Which, key: str) -> Found | None:
    for line in lines:
        of: DecisionLine = line.ecmp if which == "ecmp" else line.lag
        if key in of.values:
            return Found(of.values[key], of.places[key])
    return None


def setting_of(facts: HashFacts, s: int, which: Which, family: int = 4) -> Setting:
    """The setting of switch ``s`` for next hops (``ecmp``) or for the cables of a bundle (``lag``)."""
    own = facts.of(s)
    return Statements(_with_type(own, facts.every), facts.every, which, family).setting()


def _with_type(own: SwitchFacts, every: HashLine) -> SwitchFacts:
    """With the type of switch that was declared, in place of that which was read, or for a switch that has none."""
    declared = _declared(own.declared, "ecmp", SONIC_TYPE)
    if declared is None and TYPE not in own.read:
        declared = _declared([every], "ecmp", SONIC_TYPE)
    if declared is None:
        return own
    return replace(own, read={**own.read, TYPE: Said(str(declared.value), declared.place)})
