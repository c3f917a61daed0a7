"""How an alternative is brought about, in sentences for operators, and the README of its folder."""

from collections.abc import Iterator, Sequence

from pauseproof.repair.apply import Applied
from pauseproof.repair.check_again import LFTS
from pauseproof.repair.dscp_plan import FILE as DECLARED
from pauseproof.repair.lanes import native
from pauseproof.repair.rewrites import shown

BGP_ALONE = (
    "deny each withdrawn prefix from that neighbour (BGP: an inbound prefix list), or keep the neighbour from sending it"
)
BGP = f"{BGP_ALONE}; let the new next hops win (BGP: local preference, or a static route)"
OPENSM = f"load {LFTS} by `opensm -R file -U {LFTS}`"
LANES = (
    "put both files in the place of all path SLs and SL-to-VL tables, not beside them; the subnet manager has to hand out these"
    " SLs in path records and to set these tables"
)
REWRITES = (
    "load the maps of sonic/ and add the rewrites of rewrites.txt as ACL or TC rules: the maps alone do not suffice, with them"
    " and without the rewrites the loop is as it was"
)
HOST_PORTS = "drop or rewrite at host ports what hosts are not to send"
KEYS = "put the keys of lanes.yaml in the place of all that the topology file says on lanes and labels"
TOPOLOGY = "change the routes of the topology file as routes.txt says"


def how_to(one: Applied) -> tuple[str, ...]:
    """What has to be done, step by step."""
    chosen, network = one.alternative, one.judged.asked.network
    if chosen.kind in ("routes", "turns", "withdraw"):
        if network.fabric.kind == "infiniband":
            return (TOPOLOGY,) if native(network) else (OPENSM,)
        if network.class_facts is None:
            return (TOPOLOGY,)
        withdrawn_only = all(change.machine.get("action") in ("withdraw", "forbid") for change in chosen.changes)
        return (BGP_ALONE if withdrawn_only else BGP,)
    if chosen.kind == "lanes":
        return (KEYS,) if native(network) else (LANES,)
    return (REWRITES, HOST_PORTS) if DECLARED in chosen.files else (KEYS,)


def readme(one: Applied, command: str) -> str:
    """What is in the folder, how to apply it, what it rests on, and how to see that it works; ``command`` may be empty."""
    return "".join(f"{shown(line)}\n" for line in _lines(one, command))


def _lines(one: Applied, command: str) -> Iterator[str]:
    judged = one.judged
    yield f"{one.alternative.kind}: after it the verdict is {judged.verdict.value}, for traffic {judged.asked.traffic.name}."
    for name, verdict in sorted(one.other_traffic.items()):
        yield f"For traffic {name} it is {verdict.value}."
    yield from _listed("How to apply it", how_to(one))
    yield from _listed("What the verdict rests on", one.assumptions)
    if command:
        yield from ("", "To verify what would be:", "", f"    {command}")


def _listed(title: str, some: Sequence[str]) -> Iterator[str]:
    yield from ("", f"{title}:", "")
    yield from (f"- {line}" for line in some)
