"""What was understood of hashes: each setting with the switches that have it, its sources, and what a hash chooses from."""

from collections import defaultdict
from collections.abc import Iterator

from pauseproof.fabric.naming import some
from pauseproof.hashing.setting import Setting
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.reports.styled import BLANK, Line, Span, line, title
from pauseproof.reports.words import count, printable
from pauseproof.routing.network import Network

_SHOWN = 4
NOBODY = "how switches hash was neither read nor declared"


def hash_lines(network: Network) -> Iterator[Line]:
    """The section, line by line; nothing for InfiniBand, whose routes are not hashed."""
    if network.fabric.kind != "roce":
        return
    yield BLANK
    yield title("Hashes")
    if not network.hashes.spoken_of:
        yield line("  ", NOBODY)
    else:
        yield from _settings(network, hashes_of(network))
    yield from (line("  ", text) for text in _groups(network))


def _settings(network: Network, hashes: FabricHashes) -> Iterator[Line]:
    ecmp, lag = defaultdict[Setting, list[int]](list), defaultdict[Setting, list[int]](list)
    bundled = {s for (s, _), known in network.groups.items() if any(group.bundled for group in known)}
    for s in range(network.fabric.n_switches):
        ecmp[hashes.ecmp(s)].append(s)
        if s in bundled or network.bundle is not None:
            lag[hashes.lag(s)].append(s)
    for what, settings in (("next hops", ecmp), ("cables of bundles", lag)):
        for setting, switches in settings.items():
            yield line("  ", f"{what} at {_names(network, switches)}: {printable(setting.words)}")
            yield from (line("    ", Span(text, "quiet")) for text in _sources(setting))
    if network.hashes.sport >= 0:
        yield line("  ", f"all traffic has the UDP source port {network.hashes.sport} ({network.hashes.sport_place})")
    yield from (line("  ", Span(text, "quiet")) for text in hashes.counting)


def _sources(setting: Setting) -> Iterator[str]:
    """Where each key was said, what was taken by default, what is not known."""
    if setting.places:
        yield ", ".join(f"{key}: {printable(str(place))}" for key, place in setting.places.items())
    if setting.defaults:
        yield printable(f"by default: {'; '.join(setting.defaults)}")
    if setting.open:
        yield printable(f"not known: {'; '.join(setting.open)}")
    yield from map(printable, setting.remarks)


def _groups(network: Network) -> Iterator[str]:
    """In a few numbers, the groups that are not plain."""
    groups = [group for known in network.groups.values() for group in known]
    if network.bundle is not None:
        yield "parallel cables of two switches are bundles"
    if weighed := sum(len({member.weight for member in group.members}) > 1 for group in groups):
        yield f"{count(weighed, 'group')} with weights"
    if bundles := sum(group.bundled for group in groups):
        yield f"{count(bundles, 'group')} with bundles"
    if resilient := sum(group.buckets > 0 for group in groups):
        yield f"{count(resilient, 'resilient group')}"
    if unclear := sum(bool(group.unclear) for group in groups):
        yield f"{count(unclear, 'group')} whose order or weights are not clear"


def _names(network: Network, switches: list[int]) -> str:
    return printable(some([network.fabric.node_name[s] for s in switches], _SHOWN))
