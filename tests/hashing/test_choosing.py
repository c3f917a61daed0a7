"""Decisions as far as they are known: a next hop that is known, in a bundle that is not, and the reverse."""

from hashing.cases import headers
from hashing.reference import Packet, rtag7
from pauseproof.hashing.choosing import choose
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.headers import FIELDS, FIVE_TUPLE
from pauseproof.hashing.setting import Setting
from pauseproof.routing.groups import Grouping, Member

PACKET = Packet(4, 0x0A000101, 0x0A000201)
H = headers([PACKET])
CRC = Setting(algorithm="crc16", fields=FIVE_TUPLE, seed=0)
NOTHING = Setting(unknown=("algorithm: nothing tells it",))
BUNDLES = Grouping((Member((1, 4)), Member((2, 3))))
EVERY = frozenset(FIELDS)


def decision(ecmp: Setting, lag: Setting, grouping: Grouping = BUNDLES) -> Decision:
    lags = tuple(Stage("lag", lag, lag.selection((1, 1))) for _ in grouping.members)
    return Decision(0, grouping.links, grouping, Stage("ecmp", ecmp, ecmp.selection((1, 1))), lags)


def test_both_are_known() -> None:
    found = choose(decision(CRC, CRC), H, EVERY)
    value = rtag7(PACKET, "crc16", FIVE_TUPLE)
    assert value == 0xA3CF
    assert found.links == (3,) and found.why == ()  # odd: the second member, and its second cable
    assert [(pick.stage.name, pick.value, pick.member, pick.members) for pick in found.picks] == [
        ("ecmp", value, 1, 2),
        ("lag", value, 1, 2),
    ]


def test_the_bundle_is_known_and_its_cable_is_not() -> None:
    found = choose(decision(CRC, NOTHING), H, EVERY)
    assert (found.links, found.why) == ((2, 3), ("lag algorithm: nothing tells it",))
    assert len(found.picks) == 1


def test_the_next_hop_is_not_known() -> None:
    found = choose(decision(NOTHING, CRC), H, EVERY)
    assert (found.links, found.why, found.picks) == ((1, 2, 3, 4), ("ecmp algorithm: nothing tells it",), ())


def test_other_reasons() -> None:
    unclear = Grouping(BUNDLES.members, "two routes list it in another order")
    assert choose(decision(CRC, CRC, unclear), H, EVERY).why == ("two routes list it in another order",)
    assert choose(decision(Setting("spray"), CRC), H, EVERY).why == ("ecmp sprays packets",)
    assert choose(decision(CRC, CRC), None, EVERY).why == ("the addresses that ecmp hashes are not known",)
    assert choose(decision(CRC, CRC), H, EVERY - {"dst-ip"}).why == ("ecmp hashes dst-ip, which was not given",)
    both_same = Grouping((Member((1,)), Member((1,))))
    assert choose(decision(NOTHING, CRC, both_same), H, EVERY).why == ()  # whichever it is, the link is the same
