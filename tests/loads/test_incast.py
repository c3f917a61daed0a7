"""Incast by counting on one's fingers, and all-to-alls in their short form as their flows."""

import numpy as np

import pauseproof
from pauseproof.loads.flows import Flows, Pairs
from pauseproof.loads.incast import incast

RING = "topologies/ring5.yaml"


def test_many_to_one() -> None:
    fabric = pauseproof.load(RING).fabric
    flows = [Flows.of([1, 2, 3, 3], [0, 0, 0, 0], 8.0), Flows.of([1, 4], [0, 2], [8.0, 4.0], phase=1)]
    found = incast(fabric, 2, flows)
    assert found.senders[:, :3].tolist() == [[3, 0, 0], [1, 0, 1]]
    assert found.received[:, 0].tolist() == [32.0, 8.0] and found.sent[:, 3].tolist() == [16.0, 0.0]
    overload = found.overload(fabric, np.ones(fabric.n_links))
    assert overload[:, 0].tolist() == [2.0, 1.0] and overload[1, 2] == 0.5 and overload[0, 4] == 0.0


def test_pairs_are_their_flows() -> None:
    fabric = pauseproof.load(RING).fabric
    hosts = np.arange(4, dtype=np.int32)
    ids = np.arange(4, dtype=np.int64)
    pairs = Pairs(hosts, hosts, hosts, hosts, np.array([2.0, 3.0]), ids * 64, ids * 64, ids, ids, 2)
    short, long = incast(fabric, 1, [pairs]), incast(fabric, 1, list(pairs.blocks()))
    assert short.senders[0, :4].tolist() == [3] * 4
    for name in ("senders", "sent", "received"):
        assert (getattr(short, name) == getattr(long, name)).all()
    assert (short.overload(fabric, np.ones(fabric.n_links))[0, :4] == 1.0).all()
