"""What messages call ports, links and hosts, and which hosts a word means."""

from pauseproof.fabric.naming import host_title, hosts_called, link_identity, link_title
from stories import Story

STORY = Story("a-x a-y a-z", "x y z", nodes={"x": "u", "y": "u"})  # x and y are two ports of one node
FABRIC = STORY.network.fabric


def test_a_host_is_called_by_its_port_where_its_node_has_several() -> None:
    assert [host_title(FABRIC, STORY.host[h]) for h in "xyz"] == ["h0 port 1", "h0 port 2", "h1"]


def test_a_link_is_known_by_where_it_ends() -> None:
    down = FABRIC.host(STORY.host["y"]).down
    assert link_title(FABRIC, down) == "s0 port 2 -> h0 port 2"
    assert link_identity(FABRIC, down) == "h0/2"


def test_a_word_means_a_node_or_one_port_of_it() -> None:
    x, y, z = (STORY.host[h] for h in "xyz")
    assert hosts_called(FABRIC, "h0") == (x, y)
    assert hosts_called(FABRIC, "h0:2") == (y,)
    assert hosts_called(FABRIC, "h1") == hosts_called(FABRIC, "h1:1") == (z,)
    assert hosts_called(FABRIC, "h0:3") == hosts_called(FABRIC, "s0") == hosts_called(FABRIC, "") == ()
