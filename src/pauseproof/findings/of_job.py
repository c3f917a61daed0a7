"""What a job's load adds to the findings of its fabric: for ``pauseproof verify --job``."""

from collections.abc import Sequence

from pauseproof.findings.loads import load_findings
from pauseproof.findings.report import Finding
from pauseproof.loads.balance import balance
from pauseproof.loads.hot import hot_links
from pauseproof.loads.job_files import placed_job
from pauseproof.loads.job_load import job_load
from pauseproof.routing.ask import HOSTS
from pauseproof.routing.network import Network


def findings_of_job(network: Network, jobs: Sequence[str]) -> list[Finding]:
    """Hot and idle links, incast, and what does not arrive. Raises BadInput where the files tell no job of this fabric."""
    placed = placed_job(jobs, network)
    found = job_load(network, placed.phases, placed.traffic)
    used = balance(found.hashing.hops, network.traffics[HOSTS])
    return load_findings(found, hot_links(found, placed.traffic), used)
