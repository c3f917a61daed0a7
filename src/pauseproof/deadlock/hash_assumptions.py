"""What a verdict rests on that deletes dependencies because no packet hashes onto them."""

from pauseproof.hashing.settings import hashes_of
from pauseproof.routing.host_prefixes import HostAddresses
from pauseproof.routing.network import Network

IN_FORCE = "the hash settings that were read, declared or taken by default are in force"
ROCE_ONLY = "lossless lanes carry RoCEv2 alone: UDP to port 4791 from {}, between the hosts' addresses"
ANY_PORT, ONE_PORT = "source ports 49152 to 65535", "source port {}, as declared"

BY_RULE = "{} hosts that were given no address have those of the rule for topology files, from 10.0.0.0 on"


def hash_assumptions(network: Network) -> tuple[str, ...]:
    """The assumptions, in a fixed order."""
    sport = network.hashes.sport
    ports = ANY_PORT if sport < 0 else ONE_PORT.format(sport)
    return IN_FORCE, ROCE_ONLY.format(ports), *_by_rule(network), *hashes_of(network).assumptions


def _by_rule(network: Network) -> tuple[str, ...]:
    if not isinstance(network.addresses, HostAddresses) or network.fabric.kind == "infiniband":
        return ()
    n = network.fabric.n_hosts - len(network.addresses.given)
    return (BY_RULE.format(n),) if n else ()
