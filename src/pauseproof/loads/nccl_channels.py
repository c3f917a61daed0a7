"""Which connections of a channel are its ring's, and which its tree's: both use the same ones, and logs list them together.

The line that lists a ring is cut after 128 letters (20 ranks before NCCL 2.21). Where it is, the ring is put together again.
Sure are the ranks before the cut, the neighbours that ranks name (``Ring .. : a -> b -> c``), and connections that no tree
explains. For the rest: a ring leaves every node once and enters every node once, so a connection without alternative is its.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from pauseproof.fabric.places import BadInput, Problem
from pauseproof.loads.nccl_communicators import Connection, LoggedCommunicator

Link = tuple[int, int]  # sender, receiver


def ring_links(group: LoggedCommunicator, channel: int) -> list[Connection]:
    """The connections between nodes of a channel's ring, by sender. Raises BadInput where they cannot be told."""
    links = _links(group, channel)
    tree = set(_tree(group, channel))
    sure = set(_sure(group, channel)) | (links.keys() - tree if tree else set())
    found = _once_each(group, sorted(links), sure)
    nodes = {_host(group, rank) for link in links for rank in link}
    if len(found) != len(nodes) or not _is_one_cycle({a: _host(group, link[1]) for a, link in found.items()}):
        lost = sorted(nodes - found.keys())
        raise _untold(
            group, channel, f"by which connection it leaves {', '.join(lost[:5])}" if lost else "it is no ring of all nodes"
        )
    return sorted((links[link] for link in found.values()), key=lambda key: key[2])


def _once_each(group: LoggedCommunicator, links: list[Link], sure: set[Link]) -> dict[str, Link]:
    """By node, the link by which it is left: what follows when each node is left once and entered once."""
    ends = {link: (_host(group, link[0]), _host(group, link[1])) for link in links}
    found: dict[str, Link] = {}
    entered: set[str] = set()
    todo = [link for link in links if link in sure]
    while todo:
        for link in todo:
            source, target = ends[link]
            if source not in found and target not in entered:
                found[source] = link
                entered.add(target)
        open_links = [link for link in links if ends[link][0] not in found and ends[link][1] not in entered]
        leaving, entering = (Counter(ends[link][side] for link in open_links) for side in (0, 1))
        todo = [link for link in open_links if leaving[ends[link][0]] == 1 or entering[ends[link][1]] == 1][:1]
    return found


def _is_one_cycle(after: dict[str, str]) -> bool:
    """Does following it from any node lead through all of them?"""
    here, seen = next(iter(after), ""), set[str]()
    while here in after and here not in seen:
        seen.add(here)
        here = after[here]
    return len(seen) == len(after)


def tree_links(group: LoggedCommunicator, channel: int) -> list[Connection]:
    """The connections between nodes of a channel's tree, upward and downward."""
    links = _links(group, channel)
    return [links[link] for link in sorted(set(_tree(group, channel))) if link in links]


def _links(group: LoggedCommunicator, channel: int) -> dict[Link, Connection]:
    """The connections of collectives; number 1 is that of single sends."""
    both = [*group.senders, *group.receivers]
    return {(key[2], key[3]): key for key in both if key[0] == channel and key[1] == 0}


def _host(group: LoggedCommunicator, rank: int) -> str:
    process = group.processes.get(rank)
    return process.host if process is not None else f"rank {rank}"


def _sure(group: LoggedCommunicator, channel: int) -> Iterator[Link]:
    ranks = group.rings.get(channel, ())
    yield from pairwise(ranks)
    if ranks and len(ranks) == group.size:
        yield ranks[-1], ranks[0]
    yield from group.after[channel].items()


def _tree(group: LoggedCommunicator, channel: int) -> Iterator[Link]:
    for rank, up in group.up[channel].items():
        if up >= 0:
            yield rank, up
            yield up, rank


def _untold(group: LoggedCommunicator, channel: int, why: str) -> BadInput:
    wanted = "expected the line `Channel .. : RANKS` uncut, or GRAPH in NCCL_DEBUG_SUBSYS"
    return BadInput([Problem(group.place, f"the ring of channel {channel} cannot be told: {why}; {wanted}")])
