"""Logs to flows, against what the logs were made from."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nccl_texts import Job, logs, numbers
from pauseproof.fabric.places import BadInput
from pauseproof.hashing.source_port import sport_of_qps
from pauseproof.loads.nccl_jobs import IN_ORDER, LoggedJob, place_logs
from pauseproof.readers import nccl_log
from placed_jobs import fabric, servers
from texts import source_of

GIB = 1 << 30


def placed(texts: list[str], nodes: int, nics: int) -> LoggedJob:
    said = [nccl_log.read(source_of(text, f"rank{i}.log")) for i, text in enumerate(texts)]
    return place_logs(said, servers(nodes, nics))


def sent(job: LoggedJob, phase: int = 0) -> dict[tuple[str, str], float]:
    out: dict[tuple[str, str], float] = defaultdict(float)
    for flows in job.blocks():
        for src, dst, amount, p in zip(flows.src, flows.dst, flows.bytes, flows.phase, strict=True):
            if p == phase:
                ends = [job.fabric.host(int(h)) for h in (src, dst)]
                out[f"{ends[0].name}:{ends[0].port}", f"{ends[1].name}:{ends[1].port}"] += float(amount)
    return out


def expected(job: Job, links: list[tuple[int, int, int]], each: float) -> dict[tuple[str, str], float]:
    out: dict[tuple[str, str], float] = defaultdict(float)
    for c, a, b in links:
        nic = c % job.gpus + 1
        out[f"gpu{a // job.gpus + 1}:{nic}", f"gpu{b // job.gpus + 1}:{nic}"] += each
    return out


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 6),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from(["2.4", "2.8", "2.20", "2.27", "2.30"]),
    st.booleans(),
    st.integers(1, 3),
)
def test_rings_and_trees_of_every_version(nodes: int, gpus: int, channels: int, version: str, cut: bool, qps: int) -> None:
    job = Job(nodes, gpus, channels, version, qps, cut=cut)
    span = f"channel{{Lo..Hi}}={{0..{channels - 1}}}"
    sizes = [f"AllReduce: 1000 Bytes -> Algo {algorithm} proto Simple {span}" for algorithm in ("Ring", "Tree")]
    sizes += [f"AllGather: 10 Bytes -> Algo Ring proto LL {span}"] * 3
    try:
        found = placed(logs(job, tuple(sizes)), nodes, gpus)
    except BadInput as error:
        assert cut and "cannot be told" in str(error)  # where the trees explain every link, a cut ring is lost
        return
    n = nodes * gpus
    assert found.phases[2] == "AllGather of 10 bytes, Ring, 3 times"
    assert sent(found, 0) == pytest.approx(expected(job, job.ring(), 2 * (n - 1) / n * 1000 / channels))
    assert sent(found, 1) == pytest.approx(expected(job, job.tree(), 1000 / channels))
    assert sent(found, 2) == pytest.approx(expected(job, job.ring(), (n - 1) * 10 / channels))


def test_queue_pairs_of_both_ends_give_the_source_port() -> None:
    job = Job(4, 2, 2, "2.30", qps=2)
    found = placed(logs(job, ("AllReduce: 64 Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..1}",)), 4, 2)
    known = numbers(job)
    pairs = {pair for link in job.ring() for pair in zip(known[link, True], known[link, False], strict=True)}
    (flows,) = found.blocks()
    assert set(zip(flows.sqpn.tolist(), flows.dqpn.tolist(), strict=True)) == pairs
    assert flows.sport.tolist() == sport_of_qps(flows.sqpn.astype(np.uint64), flows.dqpn.astype(np.uint64)).tolist()
    assert found.assumptions == (IN_ORDER,)


def test_numbers_that_no_log_tells_are_said_to_be_assigned() -> None:
    job = Job(2, 1, 1, "2.27")
    found = placed(logs(job), 2, 1)
    assert found.phases == ("AllReduce of 1 GiB, assumed",)
    assert sent(found) == {("gpu1:1", "gpu2:1"): float(GIB), ("gpu2:1", "gpu1:1"): float(GIB)}
    said = " ".join(found.assumptions)
    assert "the logs tell no sizes" in said and "QP numbers that the logs do not tell are assigned" in said
    (flows,) = found.blocks()
    assert {int(n) for n in flows.sqpn} == {n for (_, sends), some in numbers(job).items() if sends for n in some}


def test_all_logs_in_one_file_with_marks_of_a_launcher() -> None:
    job = Job(3, 2, 2)
    lines = [f"[1,{i}]<stdout>: {line}" for i, text in enumerate(logs(job)) for line in text.splitlines()]
    assert sent(placed(["\n".join(lines) + "\n"], 3, 2)) == sent(placed(logs(job), 3, 2))


def replaced(texts: list[str], old: str, new: str) -> list[str]:
    assert any(old in text for text in texts)
    return [text.replace(old, new) for text in texts]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[receive] via NET/IB/1", "[receive] via NET/IB/9", "a connection by NIC 9, and gpu2 lists 2"),
        ("gpu2:", "gqu2:", "'gqu2' is no host of the fabric; did you mean 'gpu2'?"),
        ("rank 3 nranks 4", "rank 3 nranks 5", "communicator '0x51d' has 5 ranks here and 4 elsewhere"),
        ("rank 3 nranks 4", "rank 2 nranks 4", "rank 2 of communicator '0x51d' is process 1003 of gpu2 here and process 1002"),
        ("mlx5_1:1/RoCE [RO]; OOB eth0:10.1.0.1", "mlx5_7:1/RoCE [RO]; OOB eth0:10.1.0.1", ""),
        ("[send] via NET/IB/0", "[send] through NET/IB/0", "is no ring as NCCL writes them"),
        ("[send] via NET/IB/0", "[sned] via NET/IB/0", "is no connection as NCCL writes them"),
        ("[1]mlx5_1:1", "[2]mlx5_1:1", "is no list of NICs as NCCL writes it"),
    ],
)
def test_logs_that_do_not_fit(old: str, new: str, problem: str) -> None:
    texts = replaced(logs(Job(2, 2, 2)), old, new)
    if not problem:
        assert placed(texts, 2, 2).phases
        return
    with pytest.raises(BadInput) as caught:
        placed(texts, 2, 2)
    assert problem in str(caught.value), str(caught.value)


def test_a_cut_ring_is_put_together_again() -> None:
    """Without a whole line, from the connections: trees explain some, and each node is left once and entered once."""
    for nodes, gpus in ((3, 2), (4, 2), (5, 1), (8, 4)):
        job, whole = (Job(nodes, gpus, 4, cut=cut) for cut in (True, False))
        assert sent(placed(logs(job, RING_64), nodes, gpus)) == sent(placed(logs(whole, RING_64), nodes, gpus))


def test_a_ring_whose_neighbours_are_named_needs_no_line_at_all() -> None:
    job = Job(6, 1, 1, cut=True)
    texts = [
        text + f"gpu{r + 1}:{1000 + r}:{2000 + r} [0] NCCL INFO Ring 00 : {(r - 1) % 6} -> {r} -> {(r + 1) % 6}\n"
        for r, text in enumerate(logs(job, RING_64))
    ]
    assert sent(placed(texts, 6, 1)) == expected(job, job.ring(), 2 * 5 / 6 * 64)


def test_each_process_may_see_a_nic_of_its_own() -> None:
    """NCCL_IB_HCA set for each rank: every process calls its NIC number 0; names tell which it is."""
    network = fabric(
        "switches: [leaf0, leaf1]\nhosts: [gpu1-mlx5_0, gpu1-mlx5_1, gpu2-mlx5_0, gpu2-mlx5_1]\ncables:\n"
        + "".join(f"  - [leaf{r}, gpu{i}-mlx5_{r}]\n" for i in (1, 2) for r in (0, 1))
        + "  - [leaf0, leaf1]\nrouting: ecmp\n"
    )
    said = []
    for rank, text in enumerate(logs(Job(2, 2, 2), ("AllReduce: 64 Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..1}",))):
        text = text.replace(" [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE", f" [0]mlx5_{rank % 2}:1/RoCE").replace("NET/IB/1", "NET/IB/0")
        said.append(nccl_log.read(source_of(text, f"rank{rank}.log")))
    names: set[str] = set()
    for flows in place_logs(said, network).blocks():
        for a, b in zip(flows.src, flows.dst, strict=True):
            ends = [network.fabric.host(int(h)).name for h in (a, b)]
            assert ends[0][:4] != ends[1][:4]
            names.update(ends)
    assert names == {f"gpu{i}-mlx5_{r}" for i in (1, 2) for r in (0, 1)}


def test_a_nic_beyond_those_of_the_node_is_refused_where_none_are_listed() -> None:
    texts = ["".join(line for line in text.splitlines(keepends=True) if "Using [0]" not in line) for text in logs(Job(2, 1, 1))]
    assert placed(texts, 2, 1).phases
    with pytest.raises(BadInput, match=r"NIC 7 of gpu. \(its name is not in the log\) is none of the 1 NICs"):
        placed([text.replace("[receive] via NET/IB/0", "[receive] via NET/IB/7") for text in texts], 2, 1)


def test_a_log_that_is_missing_is_asked_for() -> None:
    with pytest.raises(BadInput, match=r"expected the log of rank [23] too"):
        placed(logs(Job(2, 2, 2))[:2], 2, 2)


def test_messages_of_several_communicators_go_to_their_own() -> None:
    """A second communicator of two ranks, set up by other threads, with the ranks the other way round."""
    job = Job(2, 1, 1)
    other = [
        text.replace("0x51d", "0x999").replace(":200", ":300").replace("0x7f00", "0x8f00")
        for text in (logs(job)[1].replace("gpu2:1001", "gpu1:1000"), logs(job)[0].replace("gpu1:1000", "gpu2:1001"))
    ]
    both = [a + b for a, b in zip(logs(job), other, strict=True)]
    assert len(placed(both, 2, 1).phases) == 2


def test_sizes_of_one_of_several_communicators_are_left_out_and_said() -> None:
    job = Job(2, 1, 1)
    line = "gpu1:1000:9 [0] NCCL INFO AllReduce: 64 Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..0}\n"
    other = [text.replace("0x51d", "0x999").replace("0x7f00", "0x8f00") for text in logs(job)]
    both = [a + b for a, b in zip(logs(job), other, strict=True)]
    found = placed([both[0] + line, both[1]], 2, 1)
    assert found.phases == ("AllReduce of 1 GiB, assumed",) * 2
    assert any(said.startswith("1 lines of sizes (TUNING) may be of several communicators") for said in found.assumptions)


def test_connections_of_one_of_several_communicators_are_refused() -> None:
    job = Job(2, 1, 1)
    other = [text.replace("0x51d", "0x999").replace("0x7f00", "0x8f00") for text in logs(job)]
    late = "gpu1:1000:9 [0] NCCL INFO Channel 05/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"
    both = [a + b for a, b in zip(logs(job), other, strict=True)]
    with pytest.raises(BadInput, match="belongs to one of 2 communicators, and nothing tells which"):
        placed([both[0] + late, both[1]], 2, 1)


def test_a_communicator_inside_a_node_has_no_connections_over_the_network() -> None:
    """Lines that come late, as connections made at the first use do, go to the communicator that spans nodes."""
    job = Job(2, 2, 1)
    head = "cudaDev 0 nvmlDev 0 busId 1 commId"
    inside = [
        f"gpu{r // 2 + 1}:{1000 + r}:7 [0] NCCL INFO comm 0x9{r} rank {r % 2} nranks 2 {head} 0x{r // 2} - Init COMPLETE\n"
        for r in range(4)
    ]
    late = []
    for text in logs(job, RING_64):  # the end of the set-up comes before the connections
        lines = text.splitlines(keepends=True)
        done = next(line for line in lines if "Init COMPLETE" in line)
        lines.remove(done)
        lines.insert(next(i for i, line in enumerate(lines) if " via " in line), done)
        late.append("".join(line for line in lines if "Bytes ->" not in line))
    found = placed([a + b for a, b in zip(inside, late, strict=True)], 2, 2)
    assert sent(found) == pytest.approx(expected(job, job.ring(), 2 * 3 / 4 * GIB))


def test_single_sends_and_unknown_algorithms_are_left_out_and_said() -> None:
    job = Job(2, 1, 1)
    texts = logs(job, ("AllReduce: 64 Bytes -> Algo NVLSTree proto Simple channel{Lo..Hi}={0..0}", *RING_64))
    ends = "gpu{0}:100{1}:200{1} [0] NCCL INFO Channel 00/1 : 0[0] -> 1[0] [{2}] via NET/IB/0/GDRDMA/Shared\n"
    texts = [texts[0] + ends.format(1, 0, "send"), texts[1] + ends.format(2, 1, "receive")]
    found = placed(texts, 2, 1)
    assert found.phases == ("AllReduce of 64 bytes, Ring",)
    assert any("its algorithm NVLSTree is not modelled" in said for said in found.assumptions)
    assert any(said.startswith("single sends") for said in found.assumptions)


RING_64 = ("AllReduce: 64 Bytes -> Algo Ring proto Simple channel{Lo..Hi}={0..0}",)


WHOLE = logs(Job(2, 2, 2, "2.30", qps=2), RING_64)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_logs_with_a_slip_are_placed_or_refused(data: st.DataObject) -> None:
    texts = list(WHOLE)
    i = data.draw(st.integers(0, len(texts) - 1))
    at, length = data.draw(st.integers(0, len(texts[i]) - 1)), data.draw(st.integers(0, 4))
    texts[i] = texts[i][:at] + data.draw(st.text(alphabet="0123456789[]:/->{}. \n", max_size=2)) + texts[i][at + length :]
    try:
        assert placed(texts, 2, 2).phases
    except BadInput as error:
        assert error.problems


def test_a_port_zero_is_none() -> None:
    texts = [text.replace("mlx5_0:1/RoCE", "mlx5_0:0/RoCE") for text in logs(Job(2, 1, 1))]
    with pytest.raises(BadInput, match=r"NIC 0 of gpu1 \(mlx5_0:0\) is"):
        place_logs([nccl_log.read(source_of(text, f"rank{i}.log")) for i, text in enumerate(texts)], servers(2, 2))
