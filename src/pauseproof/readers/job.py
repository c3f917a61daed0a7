"""Job descriptions: the nodes of a training job, what its GPUs do together, and the collectives that follow from it.

Parsed and checked key by key, every problem with its line and column. The format is told in docs/jobs.md;
docs/schema/job.schema.json says the same to editors. Names of nodes and hosts are looked up when the job is placed on a fabric.
"""

import re
from typing import cast

from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.forms import Form
from pauseproof.readers.host_words import Template, expand
from pauseproof.readers.job_collectives import read_collectives, read_flows
from pauseproof.readers.job_groups import read_groups, read_order
from pauseproof.readers.job_lines import BUILT_IN, HostsLine, JobLines, PortRule, RankOrder, Split
from pauseproof.readers.job_values import choice_of, size, truth, whole_number
from pauseproof.readers.native_lines import Word
from pauseproof.readers.source import Source
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar, Sequence, read_tree

NAME = "job"
WHERE = ("nodes", "gpus", "nics", "devices", "gpu-nics", "hosts", "rank-order", "topology", "graph")
WHAT = ("groups", "order", "collectives", "flows")
HOW = ("qps", "split", "message", "pxn", "cross-nic", "sport", "seed", "returns", "aggregation")
KEYS = ("job", *WHERE, *WHAT, *HOW)
MOST_GPUS, MOST_NICS, MOST_DEVICES, MOST_NODES, MOST_QPS = 64, 64, 4, 1 << 17, 128
_OURS = re.compile(rb"^(collectives|flows|gpus|nics|gpu-nics)[ \t]*:", re.M)


def matches(head: bytes) -> bool:
    """Does a file that begins like this describe a job?

    >>> matches(b"nodes: 4\\ngpus: 8"), matches(b"switches: [a]")
    (True, False)
    """
    return _OURS.search(head) is not None


def read(source: Source) -> JobLines:
    """Parse and check one file. Raises BadInput with everything that is wrong with it."""
    form, tree = Form(), read_tree(source)
    top = form.fields(tree, "a job", KEYS)
    if isinstance(tree, Mapping) and "collectives" not in top and "flows" not in top:
        form.wrong(tree.place, "a job needs the key 'collectives', or 'flows'")
    groups = read_groups(form, top.get("groups"))
    named = [*BUILT_IN, *(group.name.text for group in groups)]
    nodes, n_nodes = _nodes(form, top.get("nodes"))
    hosts = _hosts(form, top.get("hosts"))
    if "collectives" in top and "nodes" not in top and not hosts.by_node:
        form.wrong(tree.place, "a job needs the key 'nodes', or the hosts of each node")
    sport, fixed = _sport(form, top.get("sport"))
    ack, cts = _returns(form, top.get("returns"))
    job = JobLines(
        source.path,
        tree.place,
        name=form.text(top["job"], "job") if "job" in top else "",
        nodes=nodes or tuple(Word(name, hosts.place) for name in hosts.by_node if not n_nodes),
        n_nodes=n_nodes,
        gpus=whole_number(form, top, "gpus", 1, MOST_GPUS, 0),
        nics=whole_number(form, top, "nics", 1, MOST_NICS, 0),
        devices=whole_number(form, top, "devices", 1, MOST_DEVICES, 1),
        gpu_nics=_gpu_nics(form, top.get("gpu-nics")),
        hosts=hosts,
        rank_order=cast(RankOrder, choice_of(form, top, "rank-order", ("block", "cyclic"))),
        groups=groups,
        order=read_order(form, top.get("order"), groups),
        collectives=read_collectives(form, top.get("collectives"), named),
        flows=read_flows(form, top.get("flows")),
        qps=whole_number(form, top, "qps", 1, MOST_QPS, 1),
        split=cast(Split, choice_of(form, top, "split", ("round-robin", "all"))),
        message=size(form, top["message"], "message", least=1.0) if "message" in top else JobLines.message,
        pxn=truth(form, top, "pxn", True),
        cross_nic=truth(form, top, "cross-nic", False),
        sport=sport,
        fixed_sport=fixed,
        sport_place=top["sport"].place if "sport" in top else None,
        seed=whole_number(form, top, "seed", 0, (1 << 31) - 1, 0),
        ack=ack,
        cts=cts,
        aggregation=_aggregation(form, top.get("aggregation")),
        topology=form.word(top["topology"], "topology") if "topology" in top else None,
        graph=form.word(top["graph"], "graph") if "graph" in top else None,
    )
    refuse_if(form.problems)
    return job


def _nodes(form: Form, node: Node | None) -> tuple[tuple[Word, ...], int]:
    """Names and patterns, or a number of nodes."""
    if node is None:
        return (), 0
    if isinstance(node, Scalar) and node.text.isdecimal() and not node.quoted:
        return (), form.integer(node, "nodes", 1, MOST_NODES)
    words: list[Word] = []
    for word in form.words(node, "a node"):
        if len(words) > MOST_NODES:
            break
        try:
            words.extend(Word(name, word.place) for name in expand(word.text))
        except ValueError as error:
            form.wrong(word.place, str(error))
    if len(words) > MOST_NODES:
        form.wrong(node.place, f"stands for more than {MOST_NODES} nodes; expected as many as a job has")
        return (), 0
    seen: set[str] = set()
    for word in words:
        if word.text in seen:
            form.wrong(word.place, f"the node {word.text!r} is there twice")
        seen.add(word.text)
    return tuple(words), 0


def _gpu_nics(form: Form, node: Node | None) -> tuple[tuple[int, ...], ...]:
    """For each GPU the number of its NIC, or a list of them."""
    out = []
    for item in form.items(node, "gpu-nics"):
        if isinstance(item, Sequence) and not item.items:
            form.wrong(item.place, "a GPU has at least one NIC")
        nics = item.items if isinstance(item, Sequence) else (item,)
        out.append(tuple(form.integer(nic, "a NIC of a GPU", 0, MOST_NICS - 1) for nic in nics))
        if len(set(out[-1])) < len(out[-1]):
            form.wrong(item.place, "a NIC is there twice for this GPU")
    return tuple(out)


def _hosts(form: Form, node: Node | None) -> HostsLine:
    if node is None:
        return HostsLine()
    if isinstance(node, Mapping):
        by_node = {name.text: form.words(hosts, f"the NICs of {name.text}") for name, hosts in node.items.values()}
        return HostsLine(None, by_node, node.place)
    text = form.text(node, "hosts")
    try:
        return HostsLine(Template.of(text), {}, node.place)
    except ValueError as error:
        form.wrong(node.place, str(error))
        return HostsLine(place=node.place)


def _sport(form: Form, node: Node | None) -> tuple[PortRule, int]:
    if node is None:
        return "qpns", -1
    text = form.text(node, "sport")
    if text.isdecimal():
        return "fixed", form.integer(node, "sport", 0, 65535)
    return cast(PortRule, form.choice(node, "sport", ("qpns", "random", "unknown"))), -1


def _returns(form: Form, node: Node | None) -> tuple[float, float]:
    if node is None:
        return 0.0, 0.0
    given = form.fields(node, "returns", ("ack", "cts"))
    ack = form.number(given.get("ack"), "ack", 0.0)
    if ack > 1:
        form.wrong(given["ack"].place, f"ack is the part of the data that comes back; expected at most 1, found {ack:g}")
    return ack, size(form, given["cts"], "cts") if "cts" in given else 0.0


def _aggregation(form: Form, node: Node | None) -> dict[str, Word]:
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        form.wrong(node.place, f"aggregation must be a mapping from aggregation nodes to those above, found {node.what}")
        return {}
    return {name.text: form.word(above, f"what is above {name.text}") for name, above in node.items.values()}
