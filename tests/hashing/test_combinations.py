"""Counts of combinations: known answers, and by trying every source port without any linear algebra."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_samples import OTHER, PAIR, met, tried
from examples import on_some
from pauseproof.hashing.chains import Met
from pauseproof.hashing.combinations import Pair, count
from pauseproof.hashing.decision import Stage
from pauseproof.hashing.headers import FIVE_TUPLE, roce
from pauseproof.hashing.linux import Linux
from pauseproof.hashing.names import FIELDS
from pauseproof.hashing.setting import Setting
from pauseproof.hashing.source_port import sport_of_flow_label


@pytest.mark.parametrize(
    ("chain", "combinations", "possible"),
    [
        ((met(16, seed=0), met(16, seed=7)), 16, 256),  # the same CRC, seeds do not matter
        ((met(16), met(16, "ccitt")), 256, 256),
        ((met(8, seed=0), met(8, seed=10), met(8, seed=25)), 8, 512),
        ((met(8, seed=0), met(8, seed=10, offset=10), met(8, seed=25)), 64, 512),  # SONiC's defaults: ToR and spine alike
        ((met(8), met(8, offset=10)), 64, 64),
        ((met(64), met(64, offset=10)), 4096, 4096),
        ((met(128), met(128, offset=10)), 1 << 13, 1 << 14),  # the rows wrap round
        ((met(6), met(6)), 6, 36),
        ((met(6), met(6, seed=10)), 18, 36),
        ((met(12), met(8)), 24, 96),
        ((met(16, fields=("src-ip", "dst-ip")),), 1, 16),
    ],
)
def test_known_answers(chain: tuple[Met, ...], combinations: int, possible: int) -> None:
    found = count(chain, [PAIR])
    assert (found.combinations, found.possible) == (combinations, possible)


def test_one_source_port_leaves_one_combination() -> None:
    assert count((met(16), met(16, "ccitt")), [PAIR], sport=49152).combinations == 1
    assert count((met(6), met(6)), [PAIR], sport=49152).combinations == 1


def test_what_is_sprayed_misses_nothing_and_what_is_not_known_is_said() -> None:
    spray = Met(Stage("ecmp", Setting("spray"), Setting().selection((1,) * 4)), 1)
    assert count((met(8), spray, met(8)), [PAIR]).combinations == 8 * 4
    unknown = count((met(8), met(8, seed=None)), [PAIR])
    assert (unknown.method, unknown.combinations, unknown.possible) == ("unknown", 0, 64)
    assert count((met(8)._replace(unclear="order"),), [PAIR]).method == "unknown"


SETTINGS = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(["crc16", "ccitt", "crc32lo", "crc32hi", "xor16", "crc16-xor8", "jenkins-lo"]),
        "seed": st.integers(0, 2**32 - 1),
        "offset": st.integers(0, 15),
        "fields": st.sampled_from(
            [FIVE_TUPLE, ("l4-src-port",), ("src-ip", "dst-ip"), ("dst-ip", "l4-src-port", "l4-dst-port")]
        ),
        "size": st.sampled_from([2, 3, 4, 6, 8, 16]),
    }
)


@on_some
@given(st.lists(SETTINGS, min_size=1, max_size=3), st.booleans())
def test_counts_are_those_of_every_source_port(settings: list[dict[str, object]], preprocess: bool) -> None:
    chain = tuple(met(**{**one, "preprocess": preprocess}) for one in settings)  # type: ignore[arg-type]
    found = count(chain, [PAIR, OTHER])
    every = [tried(chain, pair) for pair in (PAIR, OTHER)]
    assert (found.combinations, found.least, found.most) == (every[0], min(every), max(every))
    assert found.method == ("rank" if all(one.stage.rows for one in chain) else "enumeration")
    assert found.free == 14


def test_linux_is_enumerated() -> None:
    linux = met(4, "linux", seed=5, policy=1)
    assert linux.stage.setting.function() == Linux(1, 5, 7)
    found = count((linux, linux._replace(tier=1)), [PAIR])
    assert (found.method, found.combinations) == ("enumeration", 4)
    assert count((linux, met(4, "linux", seed=6, policy=1)), [PAIR]).combinations == 16


def test_queue_pairs_are_free_where_they_are_hashed() -> None:
    with_qp = met(16, fields=(*FIVE_TUPLE, "dest-qp"))
    assert (count((with_qp,), [PAIR]).free, count((with_qp,), [PAIR], sport=49152).combinations) == (38, 16)
    sampled = count((met(3, fields=("dest-qp",)), met(5, "ccitt", fields=("dest-qp",))), [PAIR])
    assert (sampled.method, sampled.combinations) == ("sample", 15)


def test_a_flow_label_makes_the_source_port() -> None:
    """Over all 2^20 flow labels, label and port taken together: the rank is what trying them finds."""
    assert "flow-label" in FIELDS
    pair = Pair(6, (1, 2), (3, 4))
    chain = (
        met(16, fields=("flow-label",)),
        met(16, fields=("l4-src-port",)),
        met(8, "ccitt", fields=("flow-label", "l4-src-port")),
    )
    found = count(chain, [pair])
    labels = np.arange(1 << 20, dtype=np.uint64)
    h = roce(6, pair.source, pair.destination, sport_of_flow_label(labels), flow_label=labels)
    members = [np.asarray(one.stage.member(h)) for one in chain]
    together = np.unique(members[0] * np.uint64(128) + members[1] * np.uint64(8) + members[2])
    assert (found.method, found.free, found.combinations) == ("rank", 20, len(together))


def test_every_pair_of_algorithms_16_ways_then_16() -> None:
    """A polynomial repeats itself alone."""
    for first, second in product(["crc16", "ccitt", "crc32lo", "crc32hi"], repeat=2):
        expected = 16 if first == second else 256
        assert count((met(16, first), met(16, second, seed=3)), [PAIR]).combinations == expected, (first, second)


def test_fields_with_hidden_values_change_no_rank_and_leave_other_counts_open() -> None:
    hidden = met(8, hidden=("IN_PORT",))
    assert (count((hidden, met(8, offset=10)), [PAIR]).combinations, count((met(6, hidden=("IN_PORT",)),), [PAIR]).method) == (
        64, "unknown",
    )  # fmt: skip
