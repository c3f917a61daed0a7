"""The ``routing`` key: what is read from it, and what is refused."""

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.native import read
from pauseproof.readers.native_lines import BgpLine, RoutingLine
from pauseproof.readers.source import Source


def routing(value: str) -> RoutingLine:
    data = f"leaf-spine: {{leaves: 2, spines: 2}}\nrouting: {value}\n".encode()
    line = read(Source("t.yaml", data, data)).routing
    assert line is not None
    return line


def refusal(value: str) -> str:
    with pytest.raises(BadInput) as error:
        routing(value)
    return str(error.value)


def bgp(value: str) -> BgpLine:
    line = routing(f"{{engine: bgp, {value}}}").bgp
    assert line is not None
    return line


def test_only_bgp_has_a_line_of_bgp() -> None:
    assert routing("bgp").bgp == routing("{engine: bgp}").bgp == BgpLine()
    assert routing("ecmp").bgp is routing("{engine: updown, roots: leaf0}").bgp is None


def test_as_numbers_by_switch_or_rule() -> None:
    line = bgp('as: {"spine*": 65000, leaf0: 4294967294}')
    assert [(word.text, number) for word, number in line.asn] == [("spine*", 65000), ("leaf0", 4294967294)]
    assert line.asn[0].switch.place == ("t.yaml", 2, 29)
    assert (bgp("as: clos").rule.text, bgp("as: clos").asn) == ("clos", ())


def test_allowas_in_everywhere_or_by_switch() -> None:
    assert [(word.text, number) for word, number in bgp("allowas-in: 2").allowed] == [("*", 2)]
    assert [(word.text, number) for word, number in bgp("allowas-in: {leaf0: 1}").allowed] == [("leaf0", 1)]


def test_relax_is_off_unless_the_file_says_true() -> None:
    assert [bgp(f"multipath-relax: {value}").relax for value in ("true", "false")] == [True, False]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{engine: bgp, as: same}", "t.yaml:2:28: as 'same' is not known; expected one of clos, distinct"),
        ("{engine: bgp, as: {leaf0: 0}}", "AS must be a whole number from 1 to 4294967294, found '0'"),
        ("{engine: bgp, as: {leaf0: 65536000000}}", "found '65536000000'"),
        ("{engine: bgp, as: {leaf0: [1]}}", "AS must be a single value, found a list"),
        ("{engine: bgp, as: [1]}", "as must be a single value, found a list"),
        ("{engine: bgp, allowas-in: 11}", "allowas-in must be a whole number from 0 to 10, found '11'"),
        ("{engine: bgp, multipath-relax: yes}", "multipath-relax 'yes' is not known"),
        ("{engine: bgp, escape: updown}", "an escape is for the engine minimal-adaptive, not for bgp"),
        ("{engine: ecmp, as: distinct}", "'as' is for the engine bgp, not for ecmp"),
        ("{engine: ecmp, multipath-relax: true}", "'multipath-relax' is for the engine bgp, not for ecmp"),
    ],
)
def test_what_is_refused(value: str, said: str) -> None:
    assert said in refusal(value)
