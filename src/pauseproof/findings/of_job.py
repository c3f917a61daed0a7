"""What a job's load adds to the findings of its fabric: for ``pauseproof verify --job``."""

from collections.abc import Sequence

from pauseproof.findings.loads import load_findings
from pauseproof.findings.report import Finding
from pauseproof.loads.balance import balance
from pauseproof.loads.job_files import placed_job
from pauseproof.loads.measured import measured
from pauseproof.routing.ask import HOSTS
from pauseproof.routing.network import Network


def findings_of_job(network: Network, jobs: Sequence[str]) -> list[Finding]:
    """Hot and idle links, incast, and what does not arrive. Raises BadInput where the files tell no job of this fabric."""
    found = measured(network, placed_job(jobs, network))
    return load_findings(found, balance(found.mean.hashing.hops, network.traffics[HOSTS]))
