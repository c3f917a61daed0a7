from pathlib import Path

import pauseproof
from findings.test_firing import bundled, configured, declaring, ethernet
from pauseproof.reports.hashes import NOBODY, hash_lines
from pauseproof.reports.styled import plain
from shared_cases import shared_case


def told(path: Path) -> list[str]:
    return plain(hash_lines(pauseproof.load(path))).splitlines()


def test_nobody_speaks_of_hashes(tmp_path: Path) -> None:
    assert told(ethernet()(tmp_path)) == ["", "Hashes", f"  {NOBODY}"]


def test_infiniband_has_no_section() -> None:
    assert told(shared_case("opensm/ring5_minhop")) == []


def test_settings_with_their_sources(tmp_path: Path) -> None:
    lines = told(configured(type="LeafRouter")(tmp_path))
    five = "src-ip, dst-ip, proto, l4-src-port, l4-dst-port"
    assert lines[2] == f"  next hops at leaf1: crc16 of {five}; seed 10, offset 10"
    assert lines[3].startswith("    algorithm: ") and lines[3].endswith("leaf1.config_db.json:1")
    assert lines[4].startswith("    by default: fields: the five-tuple")
    assert "SONiC's default for type LeafRouter" in lines[4]
    assert lines[5].startswith("    CRC is modelled as Broadcom's CRC16-BISYNC")
    assert lines[6:8] == [
        "  next hops at leaf2, leaf3, spine1, spine2: not known",
        "    not known: algorithm: nothing tells it",
    ]


def test_bundles_and_the_source_port(tmp_path: Path) -> None:
    lines = told(bundled("{mode: dlb}")(tmp_path))
    assert "  cables of bundles at leaf1, spine1, spine2: balances by load" in lines
    assert lines[-1] == "  3 groups with bundles"


def test_a_declared_port(tmp_path: Path) -> None:
    lines = told(declaring("hashing: {algorithm: crc16, source-port: 4660}\n")(tmp_path))
    assert any(line.startswith("  all traffic has the UDP source port 4660 (") for line in lines)
