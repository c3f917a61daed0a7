import pytest

from pauseproof.readers.ptm_dot import matches, read
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from texts import cuts_that_pass, refusal, source_of

TEXT = """\
# made by a script
strict graph "G 1" {
## parameters
    LLDP=""; BFD=""
    B1="upMinTx=250, detectMult=4"
    node [shape=box]
    leaf1 [function="leaf" os="x"]
    "server-1" [function=host]
    "leaf1":"swp1" -- "spine-1":"swp41"
    leaf1:swp2 -- "spine-1":"swp\\"42" [LLDP="match_type=portdescr", BFD="bfdtmpl=B1", speed="100G", length=3]; // why
    /* two
       lines */ "leaf1" : "swp3" --
        "server-1":"00:11:22:33:44:55" [A=b][C="d";]
}
"""


def test_cables_ports_and_roles() -> None:
    found = read(source_of(TEXT))
    assert list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True)) == [
        ("leaf1", "swp1", "spine-1", "swp41"),
        ("leaf1", "swp2", "spine-1", 'swp"42'),
        ("leaf1", "swp3", "server-1", "00:11:22:33:44:55"),
    ]
    assert found.line.tolist() == [9, 10, 12] and found.roles == {"leaf1": "switch", "server-1": "host"}
    assert (found.speed[1], found.length[1]) == (100, 3)


def test_a_real_sample() -> None:
    found = read(open_source(shared_case("topology/topology.dot.sample")))
    assert found.a_port == ("swp1", "swp2", "swp3", "swp4") and found.b_port == ("swp41", "swp42", "swp43", "swp44")
    assert found.line.tolist() == [33, 35, 37, 39]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"leaf1":"swp1" --', '"leaf1" --', '9: "leaf1 -- spine-1:swp41" is no cable; expected "device":"port" at both ends'),
        ('"leaf1":"swp1" --', '"a":"b" -- "leaf1":"swp1" --', '9: "a:b -- leaf1:swp1 -- spine-1:swp41" is no cable'),
        ('"leaf1":"swp1" --', '"leaf1":"swp1" ==', """9: found "="; expected a cable"""),
        ('"leaf1":"swp1" --', '"leaf1":"swp1" <->', '9: "<->" is no word of DOT; put names in double quotes'),
        ('"leaf1":"swp1" --', '"spine-1":"swp41" --', "9: port swp41 of 'spine-1' is cabled to itself"),
        ('speed="100G"', "speed=fast", "10: speed 'fast' is not understood"),
        ("node [shape=box]", "subgraph a { x }", '6: found "a"; subgraphs are not read'),
        ("node [shape=box]", "{ x }", '6: found "{"; expected a cable'),
        ("}\n", '}\ngraph H { "a":"b" -- "c":"d" }\n', '15: found "graph"; the graph ends before this'),
        (
            '"leaf1":"swp1" -- "spine-1":"swp41"',
            '"leaf1":"swp1" -- "spine-1":"swp41',
            "is no name for a port at the second end",
        ),
        ('="d";]\n}', '="d', "13: this quote is never closed: the file is cut off, or a quote is missing"),
        (TEXT[TEXT.index("    node") : -2], "", "0: holds no cables; expected at least one"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in TEXT
    text = TEXT.replace(before, after, 1)
    assert any(said in problem for problem in refusal(read, text))


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, TEXT.rstrip()) == []
    assert refusal(read, TEXT[: TEXT.index("}")]) == [
        '14: the file is cut off here; expected a cable, "device":"port" -- "device":"port"'
    ]


def test_is_this_format() -> None:
    assert matches(TEXT.encode()) and matches(b"digraph{a:b->c:d}")
    assert not matches(b'graph G { "a" -- "b" }') and not matches(b" " * 4096) and not matches(b"# \n" * 1300)
