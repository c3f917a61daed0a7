"""SONiC's tables of a switch: what the reader makes of them is what they were made of."""

import json

from pauseproof.readers.declared import Declarations
from pauseproof.repair.sonic_tables import sonic_tables, unlike
from pauseproof.routing.fabric_classes import FabricClasses
from sonic_texts import DUAL_TOR, config, configs, named_fabric, qos_row


def test_the_tables_read_back_as_the_profiles_that_they_were_made_of() -> None:
    fabric = named_fabric(DUAL_TOR)
    rows = {"Ethernet0": qos_row("AZURE_UPLINK", "2,3,4,6"), "Ethernet4": qos_row("AZURE", "3,4")}
    given = configs(config("UT", rows))
    s = list(fabric.node_name).index("UT")
    sides = FabricClasses(fabric, given, Declarations("")).sides(s)
    text = sonic_tables(fabric, s, sides)
    again = FabricClasses(fabric, configs(text), Declarations("")).sides(s)
    for port in (1, 2):
        before, after = sides[port], again[port]
        assert before is not None and after is not None
        assert after.profile == before.profile
    tables = json.loads(text)
    assert len(tables["DSCP_TO_TC_MAP"]) == 2 and len(tables["TC_TO_QUEUE_MAP"]) == 1
    assert {row["pfc_enable"] for row in tables["PORT_QOS_MAP"].values()} == {"2,3,4,6", "3,4"}


def test_ports_whose_classes_are_not_known_are_left_out() -> None:
    fabric = named_fabric(DUAL_TOR)
    assert "PORT_QOS_MAP" not in json.loads(sonic_tables(fabric, 0, [None] * 4))


def test_files_of_switches_with_hostile_names_stay_in_the_folder() -> None:
    assert unlike(["../../x", "a b", "a_b", "A_B", ""]) == ["______x", "a_b", "a_b.2", "A_B.3", "_"]
