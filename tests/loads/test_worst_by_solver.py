"""The solver's worst case against every port of every flow, tried."""

import numpy as np
import pytest

from loads.test_committed import FABRICS, network_of
from loads.test_free_ports import SAME_HASH, between, by_every_port
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.job_load import job_load
from pauseproof.loads.worst_by_solver import MOST_FLOWS, worst_of_link

PAIRS, AMOUNTS = [(0, 15), (1, 12), (4, 15)], [6.0, 3.0, 5.0]


def test_it_is_the_worst_of_all_ports() -> None:
    network = network_of(SAME_HASH)
    hashing, flows = Hashing(network), between(PAIRS, AMOUNTS)
    used = [by_every_port(network, *pair).any(axis=0) for pair in PAIRS]
    worst = np.sum([amount * one for amount, one in zip(AMOUNTS, used, strict=True)], axis=0)
    inner = np.flatnonzero(np.maximum(network.fabric.link_src, network.fabric.link_dst) < network.fabric.n_switches)
    for link in [int(inner[worst[inner].argmax()]), int(inner[worst[inner] == 0][0])]:
        found = worst_of_link(hashing, flows, link, 20.0)
        assert found is not None and found.optimal
        assert found.bytes == pytest.approx(worst[link])
        assert (found.flows.sport >= 0xC000).all()


def test_queue_pairs_are_free_too() -> None:
    """A hash of the queue pair alone: any spine can get all flows, and the solver says with which numbers."""
    text = FABRICS["three spines"] + "hashing: {algorithm: crc16, seed: 3, fields: [dest-qp]}\n"
    network = network_of(text)
    flows = between([(0, 5), (1, 4)], [2.0, 7.0])
    fabric = network.fabric
    leaf = fabric.link(int(fabric.host_up[0])).dst
    spine = next(l.id for l in fabric.links() if l.src == leaf and l.dst < fabric.n_switches)
    found = worst_of_link(Hashing(network), flows, spine, 20.0)
    assert found is not None and found.optimal and found.bytes == 9.0
    assert (found.flows.dqpn >= 0).all() and (found.flows.dqpn < 1 << 24).all()


def test_too_many_flows_are_refused() -> None:
    many = between([(0, 15)] * (MOST_FLOWS + 1), 1.0)
    with pytest.raises(ValueError, match="the solver takes"):
        worst_of_link(Hashing(network_of(SAME_HASH)), many, 0, 1.0)


def test_a_job_says_that_the_solver_proved_it() -> None:
    """All flows of a leaf can meet on one link, and take twice as long there as on the links of their hosts."""
    text = FABRICS["three spines"] + "hashing: {algorithm: crc16, seed: 3, fields: [dest-qp]}\n"
    flows = between([(0, 4), (1, 5)], 6.0)
    found = job_load(network_of(text), ("p",), lambda: [flows])
    assert found.worst is not None and not found.worst.exact and found.worst.time is not None
    assert found.worst.time.tolist() == [12.0] and found.worst_slowdown == 2.0
