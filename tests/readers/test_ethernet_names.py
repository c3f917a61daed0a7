import numpy as np
import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.ethernet_names import Names, names_in_use
from pauseproof.readers.roce_records import CableRecords


def naming(*devices: str) -> CableRecords:
    nan, ports = np.full(len(devices), np.nan, np.float32), ["p"] * len(devices)
    lines = np.arange(1, len(devices) + 1, dtype=np.int32)
    return CableRecords("f", "x", devices, ports, ["other"] * len(devices), ports, nan, nan, lines)


@pytest.mark.parametrize(
    ("stated", "known", "used"),
    [
        ("leaf1.example.com", {"leaf1"}, "leaf1"),
        ("leaf1.example.com", {"leaf1", "leaf1.example.com"}, "leaf1.example.com"),
        ("leaf1.example.com", {"leaf2"}, "leaf1.example.com"),
        ("LEAF1", {"leaf1"}, "leaf1"),
        ("LEAF1", {"leaf1", "Leaf1"}, "LEAF1"),
        ("10.0.0.1", {"10"}, "10.0.0.1"),
    ],
)
def test_names_of_devices(stated: str, known: set[str], used: str) -> None:
    assert names_in_use([naming(stated)], known, {}).device(stated) == used


def test_a_server_that_two_files_name_differently() -> None:
    assert names_in_use([naming("gpu1"), naming("gpu1.rack2")], (), {}).device("gpu1.rack2") == "gpu1"


def test_one_short_name_for_two_devices_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^f:2: 'l\.a' and 'l\.b' could both be 'l'"):
        names_in_use([naming("l.a", "l.b")], {"l"}, {})
    assert names_in_use([naming("l.a.", "l.A")], {"l"}, {}).device("l.A") == "l"


def test_names_win_over_aliases_unless_the_file_speaks_in_aliases() -> None:
    names = Names({}, {"l": {"e2": "e4", "e4": "e12"}})
    assert names.end("l", "e4") == ("l", "e4") and names.end("l", "e4", alias_first=True) == ("l", "e12")
    assert names.end("l", "e2") == ("l", "e4") and names.end("k", "e2") == ("k", "e2")
