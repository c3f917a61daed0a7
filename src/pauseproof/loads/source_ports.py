"""UDP source ports of a job's QPs, by the rule that its description names."""

from dataclasses import replace

import numpy as np

from pauseproof.fabric.places import BadInput
from pauseproof.hashing.source_port import FIRST_PORT, sport_of_qps
from pauseproof.loads.flows import I64, SourcePort
from pauseproof.loads.queue_pairs import mixed
from pauseproof.readers.job_lines import JobLines
from pauseproof.routing.hash_facts import HashFacts


def with_declared_port(job: JobLines, hashes: HashFacts) -> JobLines:
    """With the port that all traffic is declared to have, where the job says none. Raises BadInput where it says another."""
    if hashes.sport < 0 or (job.sport == "fixed" and job.fixed_sport == hashes.sport):
        return job
    if job.sport_place is not None:
        said = f"all traffic of the fabric is declared to have source port {hashes.sport} ({hashes.sport_place})"
        raise BadInput.at(job.sport_place, f"{said}; expected the same here, or nothing")
    return replace(job, sport="fixed", fixed_sport=hashes.sport)


def source_port(job: JobLines) -> SourcePort | None:
    """From the two QP numbers (NCCL sets no flow label), drawn from the seed for each pair of them, or one for all."""
    rules: dict[str, SourcePort | None] = {
        "qpns": _of_qps,
        "random": lambda sqpn, dqpn: _drawn(sqpn, dqpn, job.seed),
        "fixed": lambda sqpn, dqpn: np.full(sqpn.shape, job.fixed_sport, np.int64),
        "unknown": None,
    }
    return rules[job.sport]


def _of_qps(sqpn: I64, dqpn: I64) -> I64:
    port = sport_of_qps(sqpn.view(np.uint64), dqpn.view(np.uint64))
    return np.asarray(port, np.uint64).view(np.int64)


def _drawn(sqpn: I64, dqpn: I64, seed: int) -> I64:
    """Both directions of a connection share one."""
    low, high = np.minimum(sqpn, dqpn).astype(np.uint64), np.maximum(sqpn, dqpn).astype(np.uint64)
    return (mixed((low << np.uint64(24)) | high, seed) & np.uint64(0x3FFF)).astype(np.int64) | FIRST_PORT
