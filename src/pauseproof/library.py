"""The whole library in a line: ``verify(load(path))``."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pauseproof.fabric.places import BadInput, Place
from pauseproof.findings.report import Report
from pauseproof.findings.verdict import report_on
from pauseproof.readers.snapshot import Snapshot, read_snapshot
from pauseproof.routing.ask import HOSTS, Question
from pauseproof.routing.infiniband import infiniband_network
from pauseproof.routing.network import Network


def load(*paths: str | Path) -> Network:
    """Read files and folders (``-`` is stdin) into one network. Raises BadInput with everything that is wrong with them."""
    snapshot = read_snapshot(paths)
    name = Path(paths[0]).name or str(paths[0])
    if snapshot.native:
        return replace(_native(snapshot), inputs=snapshot.inputs)
    return infiniband_network(snapshot, name)


def _native(snapshot: Snapshot) -> Network:
    from pauseproof.readers import native
    from pauseproof.routing.native import network_of

    topologies = [f for f in snapshot.inputs if f.format == native.NAME]
    if len(topologies) > 1:
        raise BadInput.at(Place(topologies[1].path), f"a second topology beside {topologies[0].path}; expected one at a time")
    if snapshot.cabling or snapshot.forwarding:
        other = snapshot.cabling[0].file if snapshot.cabling else snapshot.forwarding[0].file
        raise BadInput.at(Place(other), "an InfiniBand dump beside a topology file; expected one or the other")
    return network_of(snapshot.native[0])


def verify(
    network: Network,
    *,
    traffic: str = HOSTS,
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
    all_on_sl: int | None = None,
    adaptive: str | None = None,
    endpoint_coupled: Sequence[str] = (),
) -> Report:
    """The verdict on ``network`` for one traffic class. Raises BadInput where the fabric has no such traffic."""
    question = Question(traffic, tuple(only), tuple(exclude), all_on_sl, adaptive, tuple(endpoint_coupled))
    return Report(network.inputs, (report_on(network, question),))
