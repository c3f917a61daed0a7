"""Jobs on fabrics: what each NIC sends, against a rank-by-rank telling; queue pairs; and what is refused."""

import ipaddress
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import collective_chunks as chunks
import pauseproof
from pauseproof.fabric.places import BadInput, Place
from pauseproof.hashing.source_port import sport_of_qps
from pauseproof.loads.flows import Pairs
from placed_jobs import all_flows, fabric, placed, sent, servers

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
OPENSM, FRR = TOPOLOGIES / "opensm", TOPOLOGIES / "frr"
MIB = 1 << 20
RAILS = servers(4, 2)


def test_a_ring_stays_on_the_rail_of_each_channel() -> None:
    job = placed("nodes: gpu*\ncollectives: [{kind: all-reduce, bytes: 64MiB}]", RAILS)
    each = 2 * 7 / 8 * 64 * MIB / 2
    assert sent(job) == {
        ("world all-reduce", f"gpu{i}:{nic}", f"gpu{i % 4 + 1}:{nic}"): each for i in range(1, 5) for nic in (1, 2)
    }


def test_cross_nic_enters_by_the_next_nic() -> None:
    job = placed("nodes: [gpu1, gpu2]\ncross-nic: true\ncollectives: [{kind: all-gather, bytes: 8}]", RAILS)
    assert {(a, b) for _, a, b in sent(job)} == {
        ("gpu1:1", "gpu2:2"),
        ("gpu1:2", "gpu2:1"),
        ("gpu2:1", "gpu1:2"),
        ("gpu2:2", "gpu1:1"),
    }


def test_tensor_parallel_inside_a_node_uses_no_network_and_data_parallel_follows_the_rails() -> None:
    text = """
nodes: "gpu[1-4]"
groups: {tensor: {size: 2, shards: matrices}, data: {shards: gradients}}
collectives:
  - {group: tensor, kind: all-reduce, bytes: 1GiB}
  - {group: data, kind: all-reduce, bytes: 4MiB}
"""
    job = placed(text, RAILS)
    assert job.phases == ("tensor all-reduce", "data all-reduce")
    each = 2 * 3 / 4 * 4 * MIB
    assert sent(job) == {
        ("data all-reduce", f"gpu{i}:{nic}", f"gpu{i % 4 + 1}:{nic}"): each for i in range(1, 5) for nic in (1, 2)
    }


def test_fourteen_nodes_on_two_trees() -> None:
    job = placed("nodes: 14\ncollectives: [{kind: all-reduce, algorithm: tree, bytes: 100}]", servers(14, 1))
    first = {
        (0, 8),
        *[(8, 4), (8, 12), (4, 2), (4, 6), (12, 10), (12, 13)],
        *[(2, 1), (2, 3), (6, 5), (6, 7), (10, 9), (10, 11)],
    }
    second = {(13 - a, 13 - b) for a, b in first}
    expected: dict[tuple[int, int], float] = defaultdict(float)
    for tree in (first, second):
        for a, b in tree:
            expected[a, b] += 50.0
            expected[b, a] += 50.0
    assert sent(job) == {("world all-reduce", f"gpu{a + 1}:1", f"gpu{b + 1}:1"): amount for (a, b), amount in expected.items()}


def test_all_to_all_with_pxn_stays_on_rails_and_without_crosses_them() -> None:
    text = "nodes: gpu*\npxn: {}\ncollectives: [{{kind: all-to-all, bytes: 8MiB}}]"
    with_pxn, without = (sent(placed(text.format(word), RAILS)) for word in ("true", "false"))
    apart = [(i, j) for i in range(1, 5) for j in range(1, 5) if i != j]
    name = "world all-to-all"
    assert with_pxn == {(name, f"gpu{i}:{r}", f"gpu{j}:{r}"): 2.0 * MIB for i, j in apart for r in (1, 2)}
    assert without == {(name, f"gpu{i}:{a}", f"gpu{j}:{b}"): 1.0 * MIB for i, j in apart for a in (1, 2) for b in (1, 2)}
    assert len(with_pxn) == 2 * 4 * 3 and len(without) == 2 * 2 * 4 * 3  # N(N-1) flows a rail, against 2*2*N(N-1)


def test_pipeline_stages_send_forward_and_back() -> None:
    text = """
nodes: gpu*
groups: {data: 2, pipeline: 4}
collectives: [{group: pipeline, kind: send-recv, bytes: 6, backward: 2, times: 10}]
"""
    forward = {("pipeline send-recv", f"gpu{i}:{r}", f"gpu{i + 1}:{r}"): 60.0 for i in (1, 2, 3) for r in (1, 2)}
    back = {("pipeline send-recv", f"gpu{i + 1}:{r}", f"gpu{i}:{r}"): 20.0 for i in (1, 2, 3) for r in (1, 2)}
    assert sent(placed(text, RAILS)) == {**forward, **back}


def test_steps_of_halving_doubling_are_phases_of_their_own() -> None:
    text = (
        "nodes: gpu*\ngpus: 1\ncollectives: [{name: sum, kind: all-reduce, algorithm: halving-doubling, bytes: 8, channels: 1}]"
    )
    job = placed(text, RAILS)
    assert job.phases == tuple(f"sum, step {i} of 4" for i in (1, 2, 3, 4))
    assert {(phase, amount) for (phase, _, _), amount in sent(job).items()} == set(
        zip(job.phases, (4.0, 2.0, 2.0, 4.0), strict=True)
    )


def test_collectives_beside_each_other_share_phases() -> None:
    text = """
nodes: gpu*
collectives:
  - {name: a, kind: all-gather, bytes: 8}
  - {name: b, kind: all-reduce, algorithm: halving-doubling, bytes: 8, beside: a}
  - {name: c, kind: all-gather, bytes: 8, beside: a}
  - {name: d, kind: all-gather, bytes: 8}
"""
    job = placed(text, RAILS)
    assert job.phases[0] == "a and b, step 1 of 6 and c" and job.phases[1] == "b, step 2 of 6" and job.phases[-1] == "d"
    assert len(job.phases) == 7


def test_qps_share_the_bytes_and_what_comes_back_uses_them_again() -> None:
    text = "nodes: [gpu1, gpu2]\nqps: 4\n{}collectives: [{{kind: all-gather, bytes: 32, channels: 1}}]"
    even = placed(text.format(""), RAILS)
    (flows,) = all_flows(even)
    assert flows.bytes.tolist() == [6.0] * 8  # 3/4 of 32 bytes, from each of two nodes
    uneven = placed(text.format("message: 10\n"), RAILS)
    (flows,) = all_flows(uneven)
    assert flows.bytes.tolist() == [10.0, 10.0, 4.0] * 2  # 24 bytes in messages of 10: the fourth QP is idle
    both = placed(text.format("returns: {ack: 0.5, cts: 1}\nmessage: 10\n"), RAILS)
    (flows,) = all_flows(both)
    assert flows.bytes.tolist() == [10.0, 10.0, 4.0] * 2 + [6.0, 6.0, 3.0] * 2
    forth, back = flows[:6], flows[6:]
    assert forth.src.tolist() == back.dst.tolist() and forth.sqpn.tolist() == back.dqpn.tolist()
    assert forth.sport.tolist() == back.sport.tolist() and len(set(forth.sport.tolist())) > 1


def test_the_devices_of_a_merged_nic_take_their_part_of_every_message() -> None:
    """NCCL's message m goes over the QPs (m * devices + i) mod q, i < devices."""
    head = "nodes: [gpu1, gpu2]\ndevices: 2\nqps: 2\nmessage: 10\nreturns: {ack: 0.5}\n"
    text = f"{head}collectives: [{{kind: all-to-all, bytes: 48}}]"
    job = placed(text, RAILS)
    assert job.machines.n_nics == 1 and job.machines.host.tolist() == [[[0, 1]], [[2, 3]]]
    (flows,) = all_flows(job)
    carried = sorted(zip(flows.src.tolist(), flows.dst.tolist(), flows.bytes.tolist(), strict=True))
    forth = [pair for a in (0, 1) for part in (7.0, 5.0) for pair in ((a, a + 2, part), (a + 2, a, part))]
    assert carried == sorted([*forth, *[(b, a, part / 2) for a, b, part in forth]])
    with pytest.raises(BadInput, match="the node 'gpu1' has 2 hosts in the fabric; expected 2 of 2 devices, as `nics` says"):
        placed(text.replace("devices: 2", "devices: 2\nnics: 2"), RAILS)


def test_source_ports_by_rule() -> None:
    def ports(words: str, network: object = RAILS) -> list[int]:
        text = f"nodes: gpu*\nqps: 2\n{words}\ncollectives: [{{kind: all-to-all, bytes: 8}}]"
        flows = all_flows(placed(text, network))  # type: ignore[arg-type]
        return [port for block in flows for port in block.sport.tolist()]

    (flows,) = all_flows(placed("nodes: gpu*\ncollectives: [{kind: all-to-all, bytes: 8}]", RAILS), 10_000)
    expected = sport_of_qps(flows.sqpn.astype(np.uint64), flows.dqpn.astype(np.uint64))
    assert flows.sport.tolist() == expected.tolist()
    assert set(ports("sport: 49152")) == {49152} and set(ports("sport: unknown")) == {-1}
    drawn = ports("sport: random")
    assert len(set(drawn)) > 40 and all(0xC000 <= port <= 0xFFFF for port in drawn) and drawn != ports("sport: random\nseed: 1")
    assert ports("seed: 1") != ports("seed: 2") and ports("seed: 1") == ports("seed: 1")
    assert set(ports("", servers(4, 2, "infiniband"))) == {-1}


def test_a_source_port_that_is_declared_for_all_traffic_holds_for_jobs() -> None:
    declared = replace(RAILS, hashes=replace(RAILS.hashes, sport=50000, sport_place=Place("pauseproof.yaml", 3)))
    text = "nodes: gpu*\n{}collectives: [{{kind: all-to-all, bytes: 8}}]"
    for words in ("", "sport: 50000\n"):
        job = placed(text.format(words), declared)
        assert {port for block in all_flows(job) for port in block.sport.tolist()} == {50000} and job.assumptions == ()
    with pytest.raises(
        BadInput, match=r"job.yaml:2:8: all traffic .* source port 50000 \(pauseproof.yaml:3\); expected the same"
    ):
        placed(text.format("sport: qpns\n"), declared)


JOB = st.tuples(
    st.integers(1, 5),  # nodes
    st.integers(1, 4),  # GPUs
    st.integers(1, 3),  # NICs
    st.sampled_from(["block", "cyclic"]),
    st.booleans(),  # PXN
    st.integers(1, 2),  # channels
    st.integers(1, 3),  # QPs
    st.integers(1, 2),  # devices
)
COLLECTIVES = [
    ("all-reduce", "ring"),
    ("all-gather", "ring"),
    ("reduce-scatter", "ring"),
    ("all-reduce", "tree"),
    ("all-reduce", "halving-doubling"),
    ("all-to-all", "direct"),
    ("send-recv", "direct"),
]


def told(
    nodes: int, gpus: int, nics: int, order: str, pxn: bool, channels: int, devices: int, kind: str, algorithm: str
) -> dict[object, float]:
    """The bytes between NICs, one rank and chunk after the other."""
    n, size = nodes * gpus, Fraction(840)
    place = [(r // gpus, r % gpus) if order == "block" else (r % nodes, r // nodes) for r in range(n)]
    nic: Callable[[int, int], int] = lambda g, c: own(g)[c % len(own(g))]  # noqa: E731

    def own(g: int) -> list[int]:
        return [g * nics // gpus] if gpus >= nics else list(range(g * nics // gpus, (g + 1) * nics // gpus))

    out: dict[object, float] = defaultdict(float)

    def add(a: tuple[int, int], b: tuple[int, int], amount: Fraction) -> None:
        if a[0] != b[0]:
            for d in range(devices):
                out[(a[0], a[1] * devices + d), (b[0], b[1] * devices + d)] += float(amount / devices)

    if algorithm in ("ring", "tree"):
        ranks = sorted(range(n), key=lambda r: (place[r][0], r))
        if algorithm == "ring":
            carry = {"all-reduce": chunks.ring_all_reduce, "all-gather": chunks.ring_gathered}.get(kind, chunks.ring_scattered)
            moved = {(place[a][0], place[b][0]): amount for (a, b), amount in carry(n, size, ranks).items()} if n > 1 else {}
        else:
            first = [chunks.nccl_parent(nodes, r) for r in range(nodes)]
            if nodes % 2:
                second = [-1 if first[r - 1] < 0 else (first[r - 1] + 1) % nodes for r in range(nodes)]
            else:
                second = [-1 if first[nodes - 1 - r] < 0 else nodes - 1 - first[nodes - 1 - r] for r in range(nodes)]
            moved = chunks.trees_all_reduce(nodes, size, [first, second])
        turn = list(dict.fromkeys(m for g in range(gpus) for m in own(g)))
        for (a, b), amount in moved.items():
            for c in range(channels):
                add((a, turn[c % len(turn)]), (b, turn[c % len(turn)]), amount / channels)
        return out
    if algorithm == "halving-doubling":
        pairs = chunks.halving_doubling(n, size, kind)
    elif kind == "all-to-all":
        pairs = {(a, b): size / n for a in range(n) for b in range(n)}
    else:
        pairs = {**{(r, r + 1): size for r in range(n - 1)}, **{(r + 1, r): size for r in range(n - 1)}}
    for (a, b), amount in pairs.items():
        for c in range(channels):
            (i, g), (j, h) = place[a], place[b]
            leaves = nic(g, c)
            if pxn and algorithm == "direct" and any(nic(h, c) in own(x) for x in range(gpus)):
                leaves = nic(h, c)
            add((i, leaves), (j, nic(h, c)), amount / channels)
    return out


@settings(deadline=None, max_examples=60)
@given(JOB, st.sampled_from(COLLECTIVES))
def test_bytes_between_nics_are_those_of_a_rank_by_rank_telling(
    job: tuple[int, int, int, str, bool, int, int, int], what: tuple[str, str]
) -> None:
    nodes, gpus, nics, order, pxn, channels, qps, devices = job
    kind, algorithm = what
    text = f"""
nodes: gpu*
gpus: {gpus}
rank-order: {order}
pxn: {str(pxn).lower()}
qps: {qps}
devices: {devices}
collectives: [{{kind: {kind}, algorithm: {algorithm}, bytes: 840, channels: {channels}}}]
"""
    found: dict[object, float] = defaultdict(float)
    for (_, a, b), amount in sent(placed(text, servers(nodes, nics * devices))).items():
        (i, r), (j, s) = (word.removeprefix("gpu").split(":") for word in (a, b))
        found[(int(i) - 1, int(r) - 1), (int(j) - 1, int(s) - 1)] += amount
    assert found == pytest.approx(told(nodes, gpus, nics, order, pxn, channels, devices, kind, algorithm))


@settings(deadline=None, max_examples=40)
@given(
    JOB, st.lists(st.sampled_from(COLLECTIVES), min_size=1, max_size=3), st.sampled_from(["world", "rail", "data", "expert"])
)
def test_a_queue_pair_has_one_number_and_one_peer(
    job: tuple[int, int, int, str, bool, int, int, int], what: list[tuple[str, str]], group: str
) -> None:
    nodes, gpus, nics, order, pxn, channels, qps, devices = job
    lines = [f"  - {{kind: {k}, algorithm: {a}, bytes: 840, channels: {channels}, group: {group}}}" for k, a in what]
    head = f"nodes: gpu*\ngpus: {gpus}\nrank-order: {order}\npxn: {str(pxn).lower()}\nqps: {qps}\ndevices: {devices}"
    half = 2 if nodes * gpus % 2 == 0 else 1
    text = "\n".join(
        [head, f"groups: {{data: {{}}, expert: {{size: {nodes * gpus // half}, within: data}}}}", "collectives:", *lines]
    )
    peer: dict[tuple[int, int], tuple[int, int]] = {}
    for flows in all_flows(placed(text, servers(nodes, nics * devices))):
        for a, b, here, there in zip(flows.src, flows.dst, flows.sqpn, flows.dqpn, strict=True):
            assert min(here, there) >= 64 and max(here, there) < 1 << 24
            for one, other in (((a, here), (b, there)), ((b, there), (a, here))):
                assert peer.setdefault(one, other) == other


def test_large_all_to_alls_are_not_listed() -> None:
    text = 'nodes: 512\nnics: 1\nhosts: "leaf{index//64}-h{index%64:2}"\nqps: 4\ncollectives: [{kind: all-to-all, bytes: 1MiB}]'
    job = placed(text, fabric("leaf-spine: {leaves: 8, spines: 2, hosts: 64}\nrouting: ecmp\n"))
    (pairs,) = job.traffic()
    assert isinstance(pairs, Pairs) and len(pairs) == 512 * 511 * 4
    assert sum(len(block) for block in job.blocks()) == 512 * 511 * 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nodes: gpu9", "no node of the fabric is called 'gpu9'; did you mean 'gpu4'?"),
        ("nodes: gpx*", "no node matches 'gpx*'; expected one of gpu1, gpu2, gpu3, gpu4"),
        ("nodes: leaf0", "'leaf0' is a switch; expected a node that runs the job, or `hosts` to say which hosts make one"),
        ("nodes: 9", "the fabric has 4 nodes, and the job needs 9; `hosts` can say which hosts make a node"),
        ("nodes: gpu*\nnics: 4", "the node 'gpu1' has 2 NICs in the fabric; expected 4, as `nics` says"),
        ("nodes: gpu*\nhosts: 'gpu{nic}'", "hosts is a template, and needs the number of `nics` of a node beside it"),
        (
            "nodes: 2\nnics: 2\nhosts: 'gpu{index+1}:{nic+2}'",
            "'gpu1:3' is no host of the fabric; gpu1 has no cabled port '3': expected one of 1, 2",
        ),
        ("nodes: 2\nnics: 2\nhosts: 'gpu{index+1}:1'", "gpu1:1 is a NIC of '0', twice; expected another host for each NIC"),
        ("nodes: [gpu1, gpu2]\nhosts: {gpu1: ['gpu1:1'], gpu2: ['gpu1:1']}", "gpu1:1 is a NIC of 'gpu1' and of 'gpu2'"),
        ("hosts: {a: gpu1, b: gpu2}", "'gpu1' may be 2 hosts: gpu1:1, gpu1:2; name one of them"),
        ("hosts: {a: 10.0.0.1, b: 'gpu2:1'}", "no host of the fabric is known to have the address '10.0.0.1'"),
        ("nodes: gpu*\ngroups: {tensor: 3, data: }", "4 nodes of 2 GPUs make 8 ranks, which tensor 3 ranks do not divide"),
        (
            "nodes: gpu*\ngroups: {tensor: 2, data: 8}",
            "4 nodes of 2 GPUs make 8 ranks, and tensor 2 x data 8 make 16; expected",
        ),
        ("nodes: gpu*\ngroups: {data: 8, expert: {size: 3, within: data}}", "groups of 3 do not divide the 8 ranks of 'data'"),
        ("nodes: gpu*\ngroups: {mine: {ranks: [[0, 8]]}}", "rank 8 is beyond the job: its ranks are 0..7"),
        ("nodes: gpu*\ngpu-nics: [0, 2]", "gpu-nics speaks of NIC 2, and a node has 2: 0..1"),
        ("nodes: gpu*\ngpus: 3\ngpu-nics: [0, 1]", "gpu-nics speaks of 2 GPUs, and a node has 3"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        placed(f"{text}\ncollectives: [{{kind: all-gather, bytes: 8}}]", RAILS)
    assert problem in str(caught.value) and str(caught.value).startswith("job.yaml:")


def test_halving_doubling_of_an_odd_group_is_refused_where_it_stands() -> None:
    with pytest.raises(
        BadInput, match=r"job.yaml:3:5: 'sum': halving-doubling all-gather needs a power of two, and a group has 6"
    ):
        placed(
            "nodes: [gpu1, gpu2, gpu3]\ncollectives:\n  - {name: sum, kind: all-gather, algorithm: halving-doubling, bytes: 8}",
            RAILS,
        )


def test_names_of_hosts_that_begin_with_the_node() -> None:
    hosts = ", ".join(f"n{i}-nic{r}" for i in (1, 2, 11) for r in (0, 1, 10))
    cables = "".join(f"  - [s, n{i}-nic{r}]\n" for i in (1, 2, 11) for r in (0, 1, 10))
    network = fabric(f"switches: [s]\nhosts: [{hosts}]\ncables:\n{cables}routing: ecmp\n")
    found = placed("nodes: [n1, n11]\ncollectives: [{kind: all-gather, bytes: 8}]", network).machines
    names = [[network.fabric.host(h).name for h in row] for row in found.host[:, :, 0].tolist()]
    assert names == [["n1-nic0", "n1-nic1", "n1-nic10"], ["n11-nic0", "n11-nic1", "n11-nic10"]]
    template = "nodes: n1*\nnics: 2\nhosts: '{node}-nic{nic}'\ncollectives: [{kind: all-gather, bytes: 8}]"
    assert placed(template, network).machines.names == ("n1", "n11")


def test_guids_and_gids_name_hosts() -> None:
    network = pauseproof.load(OPENSM / "ring5_minhop")
    guid = (
        int(network.fabric.node_guid[network.fabric.host_node[0]]),
        int(network.fabric.node_guid[network.fabric.host_node[1]]),
    )
    port = int(network.fabric.link_dst_port[network.fabric.host_down[1]])
    hosts = f"{{a: '0x{guid[0]:x}', b: 'fe80::{ipaddress.IPv6Address(guid[1] + port)!s}'}}".replace("fe80::::", "fe80::")
    job = placed(f"hosts: {hosts}\ncollectives: [{{kind: all-gather, bytes: 8}}]", network)
    assert job.machines.host.tolist() == [[[0]], [[1]]]


def test_addresses_name_hosts() -> None:
    network = pauseproof.load(FRR / "healthy", FRR / "clos4x2.layer1_topology.json")
    job = placed("hosts: {a: 10.10.1.7, b: '::ffff:10.10.4.7'}\ncollectives: [{kind: all-gather, bytes: 8}]", network)
    assert [job.fabric.host(int(h)).name for h in job.machines.host[:, 0, 0]] == ["leaf1:swp31", "leaf4:swp31"]
    with pytest.raises(BadInput, match=r"no host of the fabric is known to have the address '10.1.1.2'"):
        placed("hosts: {a: 10.1.1.2, b: 10.10.4.7}\ncollectives: [{kind: all-gather, bytes: 8}]", network)


WHOLE = """
job: all that a description can say
nodes: "gpu[1-4]"
gpus: 2
nics: 2
gpu-nics: [0, [1, 0]]
hosts: "{node}:{nic+1}"
rank-order: cyclic
groups: {tensor: 2, data: {shards: gradients}, expert: {size: 2, within: data}, mine: {ranks: [[0, 3], [1, 2]]}}
order: [tensor, data]
qps: 2
split: all
message: 1KiB
returns: {ack: 0.1, cts: 64}
collectives:
  - {group: data, kind: all-reduce, algorithm: tree, bytes: 1MiB, channels: 2}
  - {group: expert, kind: all-to-all, bytes: 1MiB, beside: data all-reduce}
  - {group: mine, kind: send-recv, bytes: 3, backward: 0, closed: true, times: 2}
"""


@settings(deadline=None, max_examples=100)
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 3), st.text(alphabet="0123456789aegp[]{}:,*-\n \"'", max_size=3))
def test_a_description_with_a_slip_is_placed_or_refused(at: int, length: int, instead: str) -> None:
    text = WHOLE[:at] + instead + WHOLE[at + length :]
    try:
        assert sum(len(block) for block in all_flows(placed(text, RAILS))) >= 0
    except BadInput as error:
        assert error.problems
