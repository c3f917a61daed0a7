"""Loops and stuck sets in names: the ring of three from stories, whose numbers can be followed by hand."""

from pauseproof.deadlock.analysis import analyse
from pauseproof.findings.loops import loop_findings, stuck_finding, worst_loop
from pauseproof.findings.report import Because
from pauseproof.routing.tables import ChoiceKind
from stories import UNKNOWN, Story, line, ring_of_three

# in stories' fabrics switches are called s0.. and end nodes h0..: a, b, c are s0, s1, s2 and x, y, z are h0, h1, h2


def test_a_loop_is_told_hop_by_hop_with_a_packet_for_each() -> None:
    story = ring_of_three()
    (finding,) = loop_findings(story.network, analyse(story.network, story.traffic))
    assert (finding.rule, finding.slug) == ("PP101", "cyclic-buffer-dependency")
    assert finding.message == "3 buffers wait for each other in a loop: s0 -> s1 -> s2 -> s0"
    assert finding.identity == "s0/2/0 s1/1/0 s2/1/0" == " ".join(hop.buffer for hop in finding.loop)
    assert [(hop.from_device, hop.from_port) for hop in finding.loop] == [("s2", "2"), ("s0", "1"), ("s1", "2")]
    assert [hop.because for hop in finding.loop] == [
        Because("h2", "h1", "0", "s0"),
        Because("h0", "h2", "0", "s1"),
        Because("h1", "h0", "0", "s2"),
    ]


def test_a_line_has_no_loop_to_tell() -> None:
    story = line()
    assert loop_findings(story.network, analyse(story.network, story.traffic)) == []


def test_what_one_buffer_waits_for_is_itself() -> None:
    """Both ports of a are on one cable: what came by it is sent by it again."""
    story = Story("a-a a-x a-y", "x").senders("y")
    story.at("a", "x", "a>a")
    (finding,) = loop_findings(story.network, analyse(story.network, story.traffic))
    assert finding.message == "one buffer waits for itself: s0 -> s0"
    assert finding.loop[0].device == finding.loop[0].from_device == "s0"


def test_the_loop_that_unread_rows_could_close_is_named() -> None:
    story = ring_of_three().at("c", "y", UNKNOWN)
    first, *_, last = worst_loop(story.network, analyse(story.network, story.traffic, worst=True)).split(" -> ")
    assert first == last


def test_a_stuck_set_lists_its_buffers() -> None:
    story = Story("a-b a-b b-c b-c c-a c-a a-x b-y c-z", "x y z")
    for s, after, host in ("abx", "bcy", "caz"):
        story.at(s, host, f"{s}>{host}")
        for column in "xyz".replace(host, ""):
            story.at(s, column, story.choice(ChoiceKind.ADAPTIVE, f"{s}>{after} {s}>{after}'"))
    found = analyse(story.network, story.traffic)
    finding = stuck_finding(story.network, found, found.stuck_set)
    assert finding.rule == "PP102"
    assert finding.message.startswith("6 buffers can be full of packets whose every choice lies among them: s0 port ")
