import pytest

from pauseproof.readers.nccl_graph import read
from shared_cases import shared_case
from texts import refusal, source_of


def graph(number: int, *channels: str, count: int = -1, pattern: int = 4) -> str:
    n = len(channels) if count < 0 else count
    head = f'<graph id="{number}" pattern="{pattern}" crossnic="0" nchannels="{n}" speedintra="20" typeintra="NVL">'
    return "\n".join([head, *(f"<channel>{channel}</channel>" for channel in channels), "</graph>"])


def graphs(*inside: str) -> str:
    return '<graphs version="1">\n' + "\n".join(inside) + "\n</graphs>\n"


RING = '<net dev="0"/><gpu dev="0" rank="0"/><gpu dev="0x1" rank="1"/><net dev="0x100000000000001"/>'


def test_channels_and_their_nics() -> None:
    ring, tree = read(source_of(graphs(graph(0, RING, RING), graph(1, '<gpu dev="1"/><gpu dev="0"/>', pattern=1)))).graphs
    assert (ring.algorithm, ring.pattern, ring.cross_nic) == ("ring", 4, False)
    assert [(c.enters, c.leaves, c.gpus) for c in ring.channels] == [(0, 1, (0, 1))] * 2
    assert tree.algorithm == "tree" and [(c.enters, c.leaves, c.gpus) for c in tree.channels] == [(-1, -1, (1, 0))]


def test_numbers_are_hexadecimal() -> None:
    (found,) = read(source_of(graphs(graph(3, '<net dev="10"/><gpu dev="a"/><net dev="0x10"/>')))).graphs
    assert found.algorithm == "" and (found.channels[0].enters, found.channels[0].leaves) == (16, 16)
    assert found.channels[0].gpus == (10,)


def test_a_real_file() -> None:
    found = read(source_of(shared_case("nccl/azure-ncv4-graph.xml").read_bytes())).graphs
    assert [(g.algorithm, g.pattern, len(g.channels)) for g in found] == [("ring", 4, 2), ("tree", 1, 4), ("in-network", 3, 4)]
    assert found[0].channels[1].gpus == (0, 3, 2, 1) and found[0].channels[1].leaves == -1


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("<system/>", ["1: begins with <system>; expected <graphs>, an NCCL graph file"]),
        (graphs(), ["1: no <graph> in it; expected one for each algorithm"]),
        (graphs(graph(0, RING, count=2)), ["2: nchannels says 2, and there are 1 channels; the file may be cut"]),
        (graphs(graph(0, RING), graph(0, RING)), ["5: a second graph with id 0, first in line 2"]),
        (
            graphs(graph(0, '<net dev="0"/><gpu dev="0"/>')),
            ["3: a channel that is no net, GPUs, net; expected two nets around its GPUs, or GPUs alone"],
        ),
        (graphs(graph(0, '<gpu dev="0"/><gpu dev="0"/>')), ["3: a GPU is twice in this channel"]),
        (graphs(graph(0, '<gpu dev="zz"/>')), ["3: dev of <gpu> is 'zz'; expected a hexadecimal number"]),
        (
            graphs(graph(0, '<gpu dev="0"/>', '<gpu dev="0"/><gpu dev="1"/>')),
            ["2: channels of one graph have different numbers of GPUs; expected all GPUs of the node in each"],
        ),
        (graphs(graph(0, RING).replace('id="0"', 'id="-1"')), ["2: id of <graph> is '-1'; expected a whole number"]),
    ],
)
def test_refusals(text: str, problems: list[str]) -> None:
    assert refusal(read, text) == problems
