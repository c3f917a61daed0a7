import pytest

from pauseproof.readers.clab import matches, read
from pauseproof.readers.clab_kinds import name_inside
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from texts import refusal, source_of

TEXT = """\
name: lab  # a lab
topology:
  defaults: {kind: linux}
  kinds:
    ceos: {image: ceos}
  groups:
    spines: {kind: arista_ceos}
  nodes:
    leaf1: {kind: nokia_srlinux, type: ixr-d2l}
    leaf2:
    spine1: {group: spines}
    br1: {kind: bridge}
    server1: {}
  links:
    - endpoints: ["leaf1:e1-1", "spine1:eth1_1"]
      mtu: 9214
    - endpoints:
        - leaf1:ethernet-1/2
        - spine1:eth2
    - type: veth
      endpoints:
        - {node: leaf2, interface: eth1, mac: "02:00:00:00:00:01"}
        - {node: server1, interface: eth1}
    - endpoints: ["leaf1:e1-9", "host:leaf1-e1-9"]
    - endpoints: ["leaf1:e1-10", "macvlan:eth0"]
    - endpoints: ["leaf1:e1-11", "br1:p1"]
    - type: mgmt-net
      endpoint: {node: leaf2, interface: eth5}
      host-interface: x
"""


def test_links_in_both_forms_and_what_is_left_out() -> None:
    found = read(source_of(TEXT, "a.clab.yml"))
    assert list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True)) == [
        ("leaf1", "e1-1", "spine1", "eth1_1"),
        ("leaf1", "ethernet-1/2", "spine1", "eth2"),
        ("leaf2", "eth1", "server1", "eth1"),
    ]
    assert found.line.tolist() == [15, 17, 20]
    assert [(r.rule, r.message, str(r.places[0])) for r in found.remarks] == [
        ("cabling-left-out", "the link from leaf1:e1-9 to host:leaf1-e1-9: left out", "a.clab.yml:24"),
        ("cabling-left-out", "the link from leaf1:e1-10 to macvlan:eth0: left out", "a.clab.yml:25"),
        ("cabling-left-out", "the link from leaf1:e1-11 to br1:p1, a bridge: left out", "a.clab.yml:26"),
        ("cabling-left-out", "the link of type mgmt-net of leaf2: left out", "a.clab.yml:27"),
    ]


def test_kinds_are_the_nodes_own_or_the_groups_or_the_default() -> None:
    found = read(source_of(TEXT))
    assert found.roles == {"leaf1": "switch", "spine1": "switch"}
    assert found.aliases == {"leaf1": {"e1-1": "ethernet-1/1"}, "spine1": {"eth1_1": "Ethernet1/1", "eth2": "Ethernet2"}}


@pytest.mark.parametrize(
    ("kind", "port", "inside"),
    [
        ("srl", "e1-3-2", "ethernet-1/3/2"),
        ("nokia_srlinux", "mgmt0", "mgmt0"),
        ("ceos", "et49_1", "Ethernet49/1"),
        ("sonic-vs", "eth1", "Ethernet0"),
        ("sonic-vm", "eth33", "Ethernet128"),
        ("sonic-vs", "eth0", "eth0"),
        ("cisco_xrd", "Gi0-0-0-3", "GigabitEthernet0/0/0/3"),
        ("linux", "e1-1", "e1-1"),
        ("", "eth1", "eth1"),
    ],
)
def test_what_a_port_is_called_inside(kind: str, port: str, inside: str) -> None:
    assert name_inside(kind, port) == inside


@pytest.mark.parametrize(("file", "links"), [("topology/clos01.clab.yml", 4), ("topology/clos02.clab.yml", 16)])
def test_real_labs(file: str, links: int) -> None:
    found = read(open_source(shared_case(file)))
    assert len(found.a_device) == links and not found.remarks
    assert {device for device, role in found.roles.items() if role == "switch"} == {
        device for device in (*found.a_device, *found.b_device) if not device.startswith("client")
    }


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("spine1:eth1_1", "spine9:eth1_1", "15: there is no node 'spine9'; did you mean 'spine1'?"),
        ("spine1:eth1_1", "spine1", "15: an end of a link is 'node:interface', or {node: ..., interface: ...}"),
        (', "spine1:eth1_1"]', "]", "15: a link has two endpoints, found 1"),
        ("spine1:eth1_1", "leaf1:e1-1", "15: port e1-1 of 'leaf1' is cabled to itself"),
        ("interface: eth1, mac", "port: eth1, mac", "22: an end of a link is 'node:interface'"),
        ('["leaf1:e1-1", "spine1:eth1_1"]', "leaf1", "15: the endpoints of a link must be a list, found a single value"),
        (
            "    - type: mgmt-net",
            "    - x\n    - type: mgmt-net",
            "27: a link is a mapping with 'endpoints', found a single value",
        ),
        ("  nodes:\n", "  nodes: &x\n", ""),
        ("    leaf2:\n", "    leaf1:\n", "10: the key 'leaf1' is there twice, first in line 9"),
        ("kind: bridge", "kind: !!python/object bridge", "12: the tag"),
        ("  links:", "  others:", "0: holds no cables; expected at least one"),
        ("  nodes:", "  others:", "3: the topology has no nodes; expected a mapping from their names"),
        ('["leaf1:e1-1"', '["leaf1:e1-1', "15: is not YAML: "),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    text = TEXT.replace(before, after, 1)
    if not said:
        assert len(read(source_of(text)).a_device) == 3
        return
    assert any(problem.startswith(said) for problem in refusal(read, text)), refusal(read, text)


def test_aliases_that_multiply_are_refused() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
    assert "counting what its aliases stand for" in refusal(read, bomb + TEXT)[0]


def test_is_this_format() -> None:
    assert matches(TEXT.encode()) and matches(b"topology:\r\n  links:\r\n")
    assert not matches(b"topology: {nodes: {}}\n") and not matches(b"nodes:\n  a: {}\n") and not matches(b"switches: [a]\n")
