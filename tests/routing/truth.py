"""What the naive walker says about a network, in the words of ``expected:``. Shares no code with the engine."""

from collections.abc import Mapping

import networkx as nx

from pauseproof.routing.ask import Question, ask
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer
from pauseproof.routing.walk import ChoiceSets, walk_known, walk_worst


def greatest_stuck_set(choice_sets: Mapping[Buffer, ChoiceSets]) -> set[Buffer]:
    """What is left when buffers whose every choice set has a member outside are taken away, again and again."""
    stuck = set(choice_sets)
    while free := {b for b in stuck if all(choice - stuck for choice in choice_sets[b])}:
        stuck -= free
    return stuck


def truth(network: Network, traffic: str = "hosts") -> dict[str, object]:
    """Verdict and counts of the known part."""
    asked = ask(network, Question(traffic))
    known = walk_known(asked.network, asked.traffic)
    worst = walk_worst(asked.network, asked.traffic)
    graph = nx.DiGraph(list(known.dependencies))
    cyclic = [c for c in nx.strongly_connected_components(graph) if graph.subgraph(c).number_of_edges()]
    verdict = "UNDECIDED" if greatest_stuck_set(worst.choice_sets) else "DEADLOCK_FREE"
    return {
        "verdict": "DEADLOCK_POSSIBLE" if greatest_stuck_set(known.choice_sets) else verdict,
        "switches": network.fabric.n_switches,
        "hosts": network.fabric.n_hosts,
        "pairs": known.pairs,
        "unroutable_pairs": known.unroutable_pairs,
        "looping_pairs": known.looping_pairs,
        "unknown_pairs": known.unknown_pairs,
        "buffers": len(known.buffers),
        "dependencies": len(known.dependencies),
        "cyclic_components": tuple(sorted(map(len, cyclic), reverse=True)),
    }
