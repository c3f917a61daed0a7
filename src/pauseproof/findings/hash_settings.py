"""What is wrong with the settings of hashes themselves, before any flow is followed: unknown, repeated, too poor, out of range.

Only switches that have a choice are spoken of, and only where some input speaks of hashes at all. Switches of which the same is
to be said share a finding; it is known by the first of them.

Notation: ``s`` a switch.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from pauseproof.fabric.naming import some
from pauseproof.fabric.places import Place
from pauseproof.findings.report import Finding
from pauseproof.findings.rules import rule
from pauseproof.hashing.alike import only_seed_differs, seedless, starved_bundles
from pauseproof.hashing.decision import Decision
from pauseproof.hashing.setting import Setting
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.hashing.sonic import SHADOWED, matched_type
from pauseproof.hashing.statements import Which
from pauseproof.hashing.used_groups import hashed_at_both
from pauseproof.routing.network import Network

_SHOWN = 4
_FREE_BITS = 14  # of a source port that varies: 0xC000 to 0xFFFF
DOCUMENTED_SEED = 15  # "the range of hash_seed is 0-15": dockers/docker-orchagent/switch.json.j2
FLOW_FIELDS = ("l4-src-port", "dest-qp")
WORDS: dict[Which, str] = {"ecmp": "next hops", "lag": "cables of bundles"}


def hash_findings(network: Network) -> list[Finding]:
    """The findings on hash settings."""
    return list(_Hashes(network, hashes_of(network)).findings())


class _Hashes:
    """The hashes of one network, by what they have in common."""

    def __init__(self, network: Network, hashes: FabricHashes) -> None:
        self.network, self.hashes = network, hashes
        self.name = list(network.fabric.node_name)

    @cached_property
    def decisions(self) -> dict[int, list[Decision]]:
        """Of each switch that has a choice."""
        each = ((s, list(self.hashes.groups(s))) for s in range(self.network.fabric.n_switches))
        return {s: found for s, found in each if found}

    @cached_property
    def by_setting(self) -> dict[tuple[Which, Setting], list[int]]:
        """The switches that really take a decision in each way."""
        out: dict[tuple[Which, Setting], list[int]] = defaultdict(list)
        for s, found in self.decisions.items():
            if any(decision.ecmp is not None for decision in found):
                out["ecmp", self.hashes.ecmp(s)].append(s)
            if any(lag is not None for decision in found for lag in decision.lags):
                out["lag", self.hashes.lag(s)].append(s)
        return out

    def findings(self) -> Iterator[Finding]:
        """All of them."""
        yield from self._unknown()
        yield from self._fixed_port()
        yield from self._without_flow_fields()
        yield from self._repeated()
        yield from self._beyond_range()
        yield from self._only_seeds()
        yield from self._shadowed()
        yield from self._without_share()
        yield from self._spread()

    def _unknown(self) -> Iterator[Finding]:
        switches: dict[tuple[Which, str], list[int]] = defaultdict(list)
        for (which, setting), found in self.by_setting.items():
            for why in setting.open if setting.kind == "hash" else ():
                switches[which, why] += found
        for s, decisions in self.decisions.items():
            for why in sorted({d.grouping.unclear for d in decisions if d.grouping.unclear and d.ecmp is not None}):
                switches["ecmp", f"order: {why}"].append(s)
        for (which, why), found in switches.items():
            message = f"how {self._names(found, 'hashes', 'hash')} over {WORDS[which]} is not known: {why}"
            yield self._finding("hash-unknown", message, found, about=f"{which}/{why.partition(':')[0]}")

    def _fixed_port(self) -> Iterator[Finding]:
        facts = self.network.hashes
        alike = [
            s
            for (which, setting), found in self.by_setting.items()
            if which == "ecmp" and setting.kind == "hash" and "dest-qp" not in setting.fields
            for s in found
        ]
        if facts.sport >= 0 and alike:
            names = self._names(alike, "hashes", "hash")
            message = f"all traffic has the UDP source port {facts.sport}: 0 of {_FREE_BITS} bits are free, and {names} what"
            yield self._finding(
                "fixed-source-port", f"{message} two hosts send each other to one path", alike, facts.sport_place
            )

    def _without_flow_fields(self) -> Iterator[Finding]:
        for (which, setting), found in self.by_setting.items():
            enough = (*FLOW_FIELDS, *(("flow-label",) if self.hashes.family == 6 else ()))
            if setting.kind == "hash" and setting.algorithm and not set(setting.fields) & set(enough):
                fields = ", ".join(setting.fields) or "nothing"
                message = f"{self._names(found, 'hashes', 'hash')} {fields} over {WORDS[which]}: all queue pairs of two hosts"
                place = _first(setting, "fields", "policy")
                yield self._finding("hash-without-flow-fields", f"{message} take one path", found, place, about=which)

    def _repeated(self) -> Iterator[Finding]:
        groups: dict[tuple[int, int, Setting], list[int]] = defaultdict(list)
        for s, decisions in self.decisions.items():
            for used, cables in {pair for decision in decisions for pair in starved_bundles(decision)}:
                groups[used, cables, self.hashes.lag(s)].append(s)
        for (used, cables, lag), found in groups.items():
            names = self._names(found, "picks", "pick")
            message = f"{names} a cable by the hash that picked its bundle ({lag.words}): {used} of {cables} cables are used"
            message += f"; taken by default: {'; '.join(lag.defaults)}" if lag.defaults else ""
            place = _first(lag, "algorithm", "fields", "seed")
            yield self._finding("lag-hash-repeats-ecmp", message, found, place, about=f"{used} of {cables}")

    def _beyond_range(self) -> Iterator[Finding]:
        for (which, setting), found in self.by_setting.items():
            sonic = [s for s in found if self.network.hashes.of(s).is_sonic]
            if sonic and setting.seed is not None and setting.seed > DOCUMENTED_SEED:
                message = f"seed {setting.seed} of {self._names(sonic)} over {WORDS[which]} is beyond 0 to {DOCUMENTED_SEED}"
                yield self._finding("hash-seed-beyond-range", message, sonic, _first(setting, "seed"), about=which)

    def _only_seeds(self) -> Iterator[Finding]:
        """Successive decisions over powers of two, for some destination."""
        fabric = self.network.fabric
        plain = {s: [d for d in found if d.ecmp is not None and d.ecmp.rows is not None] for s, found in self.decisions.items()}
        pairs: dict[tuple[Setting, Setting], list[tuple[int, int]]] = defaultdict(list)
        for s, decisions in plain.items():
            nexts = {int(fabric.link_dst[link]) for decision in decisions for link in decision.group}
            for t in nexts & {t for t, found in plain.items() if found}:
                a, b = self.hashes.ecmp(s), self.hashes.ecmp(t)
                if only_seed_differs(a, b):
                    pairs[a, b].append((s, t))
        for (a, b), found in pairs.items():
            chain = next((pair for pair in sorted(found) if hashed_at_both(self.network, *pair)), None)
            if chain is None:
                continue
            s, t = chain
            message = f"{self.name[s]} hashes with seed {a.seed} and {self.name[t]} after it with seed {b.seed}, else alike"
            message += (
                f" ({seedless(a).words.partition(';')[0]}): the second seed parts no flows that the first hash put together"
            )
            places = [p for setting in (a, b) if (p := setting.places.get("seed"))]
            yield self._finding("only-seeds-differ", message, [s], *places, about=self.network.fabric.identity(t))

    def _shadowed(self) -> Iterator[Finding]:
        for kind in SHADOWED:
            read = {s: facts.read.get("DEVICE_METADATA.type") for s, facts in enumerate(self.network.hashes.switches)}
            found = [s for s, said in read.items() if said is not None and said.text == kind and self._by_default(s)]
            if found:
                word, seed = matched_type(kind)
                said = read[found[0]]
                message = f"{self._names(found)}: a {kind} has SONiC's default seed for a {word}, {seed}"
                yield self._finding("hash-default-shadowed", message, found, *([said.place] if said else []))

    def _by_default(self, s: int) -> bool:
        setting = self.hashes.ecmp(s)
        return setting.seed is not None and "seed" not in setting.places

    def _without_share(self) -> Iterator[Finding]:
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for s, decisions in self.decisions.items():
            for decision in decisions:
                stage = decision.ecmp
                if stage is not None and stage.setting.kind == "hash" and 0.0 in stage.selection.shares:
                    groups[len(stage.selection.table), stage.selection.size].append(s)
        for (slots, size), found in groups.items():
            message = f"{slots} buckets of {self._names(found)} for {size} next hops: some of them get no flow"
            yield self._finding("hash-member-without-share", message, found, about=f"{slots} for {size}")

    def _spread(self) -> Iterator[Finding]:
        for (which, setting), found in self.by_setting.items():
            if setting.kind != "hash":
                words = {"spray": "packet by packet", "flowlet": "by flowlets and load", "dlb": "by load"}[setting.kind]
                message = f"{self._names(found, 'spreads', 'spread')} flows over {WORDS[which]} {words}"
                place = _first(setting, "mode", "algorithm")
                yield self._finding("flows-are-spread", message, found, place, about=which)

    def _names(self, switches: Sequence[int], one: str = "", many: str = "") -> str:
        """Some switches by name, and a verb that fits their number."""
        named = sorted({self.name[s] for s in switches})
        verb = (one if len(named) == 1 else many) if one else ""
        return f"{some(named, _SHOWN)}{' ' + verb if verb else ''}"

    def _finding(self, slug: str, message: str, switches: Sequence[int], *places: Place | None, about: str = "") -> Finding:
        """``about`` tells findings of one rule on one switch apart."""
        known, first = rule(slug), min(switches, key=lambda s: self.name[s])
        where = tuple(dict.fromkeys(place for place in places if place is not None))
        identity = "/".join((slug, self.network.fabric.identity(first), *([about] if about else [])))
        return Finding(known.code, known.slug, known.severity, message, identity, where, (), known.fix)


def _first(setting: Setting, *keys: str) -> Place | None:
    """Where the first of these keys was said."""
    return next((setting.places[key] for key in keys if key in setting.places), None)
