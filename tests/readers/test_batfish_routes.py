import json
from typing import Any

import pytest

from pauseproof.readers.batfish_routes import matches, read
from route_facts import Told, table, tables
from route_files import BATFISH_ROUTES, ROUTE_CSV
from texts import cuts_that_pass, refusal, source_of

EXPECTED = {
    "10.10.4.0/24": ("forward", ("10.1.1.5@swp1", "10.1.2.5@swp2")),
    "10.10.2.0/24": ("connected", ("@swp31",)),
}


def row(hop: Any, **changes: Any) -> dict[str, Any]:
    return {"Node": "leaf2", "VRF": "default", "Network": "10.0.0.0/24", "Next_Hop": hop, "Protocol": "bgp", **changes}


def told(*hops: Any, **changes: Any) -> Told:
    text = json.dumps([row(hop, **changes) for hop in hops])
    assert matches(text.encode())
    return tables(read(source_of(text)))["leaf2", "default"]["10.0.0.0/24"]


def test_csv() -> None:
    (record,) = read(source_of(BATFISH_ROUTES))
    assert (record.device, record.vrf, record.format) == ("leaf2", "default", "batfish-routes")
    assert table(record) == EXPECTED
    assert record.line.tolist() == [2, 4]


def test_only_a_cut_between_rows_is_not_seen() -> None:
    ends = [at + 1 for at, letter in enumerate(BATFISH_ROUTES) if letter == "\n"]
    assert cuts_that_pass(read, BATFISH_ROUTES) == ends[1:-1]


def objects() -> list[dict[str, Any]]:
    """The same rows as objects."""
    hops = [{"type": "interface", "interface": f"swp{i}", "ip": f"10.1.{i}.5"} for i in (1, 2)]
    return [
        *(row(hop, Network="10.10.4.0/24") for hop in hops),
        row({"type": "interface", "interface": "swp31"}, Network="10.10.2.0/24", Protocol="connected"),
    ]


def test_json_rows_and_the_answer_of_the_service() -> None:
    answer = [{**one, "Node": {"id": "node-leaf2", "name": "leaf2"}} for one in objects()]
    for value in (objects(), {"answerElements": [{"class": "table", "rows": answer}]}):
        text = json.dumps(value, indent=1)
        assert matches(text.encode())
        (record,) = read(source_of(text))
        assert table(record) == EXPECTED
        lines = text.split("\n")
        assert all(lines[number - 1].strip() == "{" for number in record.line.tolist())


def test_forms_of_next_hops() -> None:
    assert told("ip 10.1.1.5") == told({"type": "ip", "ip": "10.1.1.5"}) == ("forward", ("10.1.1.5@",))
    assert told("discard") == told({"type": "discard"}) == ("discard", ())
    assert told("vni 7 vtep 10.9.0.1") == told({"type": "vtep", "vni": 7, "vtep": "10.9.0.1"}) == ("forward", ("@>10.9.0.1",))
    assert told('interface "Ethernet 1" ip 10.1.1.5') == ("forward", ("10.1.1.5@Ethernet 1",))
    assert told("interface lo", Protocol="local") == ("local", ("@lo",))


def test_columns_of_older_versions() -> None:
    def older(address: str, interface: str) -> Told:
        return told("spine1", Next_Hop_IP=address, Next_Hop_Interface=interface)

    assert older("10.1.1.5", "dynamic") == ("forward", ("10.1.1.5@",))
    assert older("AUTO/NONE(-1l)", "swp31") == ("connected", ("@swp31",))
    assert older("AUTO/NONE(-1l)", "null_interface") == ("discard", ())


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (row("vrf red"), "'vrf red' is no next hop that is modelled"),
        (row({"type": "vrf", "vrf": "red"}), "'vrf red' is no next hop that is modelled"),
        (row("somewhere"), "'somewhere' is no next hop that is modelled"),
        (row(None), "'' is no next hop that is modelled"),
        (row("ip x"), "'x' is no IP address"),
        (row("ip 10.1.1.5", Network="10.0.0.1/8"), "has bits set behind its length"),
        (row("ip 10.1.1.5", Node=None), "the row has no Node, VRF or Network"),
        (row("x", Next_Hop_IP="None", Next_Hop_Interface="dynamic"), "has neither an address nor an interface"),
        (row("discard", Network="20.0.0.0/8"), "the route is discard here and forward in line 1"),
        (7, "is no row"),
    ],
)
def test_bad_rows(bad: Any, said: str) -> None:
    good = row("ip 10.1.1.5", Network="20.0.0.0/8")
    (problem,) = refusal(read, f"[{json.dumps(good)},\n{json.dumps(bad)}]")
    assert problem.startswith("2: ") and said in problem


def test_an_answer_without_rows() -> None:
    assert "has no rows" in refusal(read, '{"answerElements": [{"summary": "Node VRF Network Next_Hop"}]}')[0]


@pytest.mark.parametrize(
    "text",
    [
        ROUTE_CSV,
        "Node,VRF,Network,Status,Next_Hop,AS_Path\n",
        '[{"Node":"a","VRF":"default","Network":"10.0.0.0/8","Status":["BEST"],"Next_Hop":"x"}]',
        '[{"dst":"10.0.0.0/8"}]',
        "Node,Interface\n",
    ],
)
def test_what_is_no_such_file(text: str) -> None:
    assert not matches(text.encode())
