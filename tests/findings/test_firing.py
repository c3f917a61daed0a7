"""Each rule on an input that fires it and on one, as near to it as can be, that does not."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import pauseproof
from pauseproof.findings.rules import BY_SLUG
from roce_texts import CABLES, ROUTES, changed
from shared_cases import shared_case

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
MINHOP, LASH = "ring5_minhop", "ring5_lash"
Make = Callable[[Path], Path]


def topology(name: str) -> Make:
    return lambda tmp_path: TOPOLOGIES / f"{name}.yaml"


def dump(name: str, file: str = "", pattern: str = "", replacement: str = "", count: int = 1) -> Make:
    """A copy of a folder in which ``pattern`` was found ``count`` times in ``file`` and replaced."""

    def make(tmp_path: Path) -> Path:
        folder = tmp_path / name
        shutil.copytree(TOPOLOGIES / "opensm" / name, folder)
        if file:
            text, found = re.subn(pattern, replacement, (folder / file).read_text(), flags=re.M | re.S)
            assert found == count
            (folder / file).write_text(text)
        return folder

    return make


def second(copied: str, pattern: str = "", replacement: str | Callable[[re.Match[str]], str] = "", count: int = 1) -> Make:
    """The ring with ``copied`` a second time under another name, changed."""

    def make(tmp_path: Path) -> Path:
        folder = dump(MINHOP)(tmp_path)
        text = (folder / copied).read_text()
        if pattern:
            text, found = re.subn(pattern, replacement, text, flags=re.M)
            assert found == count
        (folder / f"second-{copied}").write_text(text)
        return folder

    return make


def with_matrix(rows: str) -> Make:
    def make(tmp_path: Path) -> Path:
        folder = dump(MINHOP)(tmp_path)
        text = shared_case("opensm/ring5_minhop/dump_fts.txt").read_text()
        (folder / "dump_fts.txt").write_text(text + rows)
        return folder

    return make


def ethernet(routes: str = ROUTES, cables: str = CABLES) -> Make:
    """A folder of the small Clos, with these tables and this cabling."""

    def make(tmp_path: Path) -> Path:
        folder = tmp_path / "clos"
        folder.mkdir()
        (folder / "routes.csv").write_text(routes)
        (folder / "cables.csv").write_text(cables)
        return folder

    return make


def declaring(text: str) -> Make:
    """The small Clos, and what is declared beside it."""

    def make(tmp_path: Path) -> Path:
        folder = ethernet()(tmp_path)
        (folder / "pauseproof.yaml").write_text(text)
        return folder

    return make


def with_frr_table(state: str) -> Make:
    """The small Clos, and FRR's word on one more prefix of leaf1, whose entry has this state."""

    def make(tmp_path: Path) -> Path:
        folder = ethernet()(tmp_path)
        hops = '[{"fib": true, "ip": "10.1.1.3", "interfaceName": "swp1", "active": true}]'
        text = f'{{"10.99.0.0/24": [{{"protocol": "bgp", "internalStatus": 16, {state}, "nexthops": {hops}}}]}}'
        (folder / "leaf1.show_ip_route.json").write_text(text + "\n")
        return folder

    return make


def configured(**metadata: str) -> Make:
    """The small Clos, and a SONiC configuration of leaf1, whose hashes are configured."""

    def make(tmp_path: Path) -> Path:
        folder = ethernet()(tmp_path)
        rows = {"localhost": {"hostname": "leaf1", **metadata}}, {"GLOBAL": {"ecmp_hash_algorithm": "CRC"}}
        tables = {"DEVICE_METADATA": rows[0], "SWITCH_HASH": rows[1]}
        (folder / "leaf1.config_db.json").write_text(json.dumps(tables))
        return folder

    return make


def bundled(lag: str) -> Make:
    """The small Clos with two cables from leaf1 to each spine, bundled, and the hash of their cables."""
    bonds = "leaf1: {bond1: [swp1, swp11], bond2: [swp2, swp12]}"
    lags = f"lags: {{{bonds}, spine1: {{bond1: [swp1, swp11]}}, spine2: {{bond1: [swp1, swp11]}}}}"
    cables = CABLES + "leaf1,swp11,spine1,swp11,100G\nleaf1,swp12,spine2,swp11,100G\n"
    routes = re.sub(
        r"^(leaf1,.*,)swp([12])$", r"\1bond\2", re.sub(r"^(spine.*,)swp1$", r"\1bond1", ROUTES, flags=re.M), flags=re.M
    )

    def make(tmp_path: Path) -> Path:
        folder = ethernet(routes, cables)(tmp_path)
        (folder / "pauseproof.yaml").write_text(f"{lags}\nhashing: {{algorithm: crc16, seed: 1, lag: {lag}}}\n")
        return folder

    return make


def written(text: str) -> Make:
    """A topology file."""

    def make(tmp_path: Path) -> Path:
        path = tmp_path / "topology.yaml"
        path.write_text(text)
        return path

    return make


MATRIX = """Multicast mlids [0xC000-0xC3FF] of switch Lid 2 guid 0x0000000000200000 (S0):
     Ports: 0 1 2 3 4
 MLid
0xc000      x x
1 valid mlids dumped
"""
WHOLE = dump(MINHOP)
FDBS, LST = "opensm.fdbs", "opensm-subnet.lst"
CLOS = ethernet()
CLASSES = "lossless: [3, 4]\ntraffic: {data: 26}\n"
REMAP = "remaps: [{{at: spine1, dscp: {{{}}}}}]\n"
ONE_CABLE = r"^\{ SW .*\{S0\} LID:0002 PN:01 \} \{ SW .*\{S1\}.*\n|^\{ SW .*\{S1\}.*PN:02 \} \{ SW .*\{S0\}.*\n"

CASES: dict[str, tuple[Make, Make]] = {
    "cyclic-buffer-dependency": (topology("ring5"), topology("ring5-dateline")),
    "stuck-set": (topology("ring3-parallel-reselecting"), topology("mesh4x4-adaptive-committed")),
    "unknown-may-loop": (topology("unknown-row"), topology("unknown-row-harmless")),
    "depends-on-adaptive": (topology("two-buffer-reselecting"), topology("mesh4x4-adaptive-reselecting")),
    "livelock": (topology("two-buffer-reselecting"), topology("two-buffer-hashed")),
    "path-sl-missing": (dump(LASH, "path-sl.psl", r"\A[^\n]*\n", "", 1), dump(LASH)),
    "unroutable-pairs": (topology("black-hole"), topology("clos4x2")),
    "forwarding-loop": (topology("forwarding-loop"), topology("ring5")),
    "black-hole": (topology("black-hole"), topology("dead-port")),
    "route-to-dead-port": (topology("dead-port"), topology("black-hole")),
    "table-disagreement": (second(FDBS, r"^0x0001 : 001 ", "0x0001 : 002 ", 2), second(FDBS)),
    "table-missing": (dump(MINHOP, FDBS, r"dump_ucast_routes: Switch 0x0000000000200004.*?(?=dump_ucast|\Z)"), WHOLE),
    "table-truncated": (dump(MINHOP, FDBS, r"0x000D [^\n]*\n(0x[^\n]*\n)*\Z"), WHOLE),
    "lid-without-owner": (dump(MINHOP, FDBS, r"^(0x000F[^\n]*\n)", r"\g<1>0x0010 : 001  : 01   : yes\n", 5), WHOLE),
    "sl2vl-missing": (dump(LASH, "opensm-sl2vl.dump", r"^1   2   :[^\n]*\n(.*)\Z", r"\1"), dump(LASH)),
    "sl2vl-folded": (dump(LASH, "opensm-sl2vl.dump", r"(?<= : )0  1[ 0-9]+$", "0 " * 16, 125), dump(LASH)),
    "multicast-matrix-skipped": (with_matrix(MATRIX), with_matrix("")),
    "cabling-disagreement": (
        second(LST, r"(?<=\{S0\} LID:0002 PN:)0([12])", lambda port: "02" if port[1] == "1" else "01", 4),
        second(LST),
    ),
    "cabling-only-in-one": (second(LST, ONE_CABLE, "", 2), second(LST)),
    "wrong-host": (
        dump(MINHOP, FDBS, r"(Switch 0x0000000000200000\n[^\n]*\n)0x0001 : 003 ", r"\g<1>0x0001 : 004 "),
        WHOLE,
    ),
    "next-hop-unknown": (ethernet(changed(ROUTES, r"(leaf1,10.10.2.0/24),10.1.1.3,", r"\1,10.1.9.9,")), CLOS),
    "uncabled-link": (ethernet(cables=changed(CABLES, "^leaf1,swp1,.*\n", "")), CLOS),
    "subnet-without-ports": (
        ethernet(changed(ROUTES, "^leaf1,10.10.1.0/24,,swp31", "leaf1,10.10.1.0/24,,swp31\nleaf1,10.20.1.0/24,,vlan20")),
        ethernet(changed(ROUTES, "^leaf1,10.10.1.0/24,,swp31", "leaf1,10.10.1.0/24,,swp31\nleaf1,10.20.1.0/24,,swp30")),
    ),
    "switch-without-cables": (ethernet(ROUTES + "leaf4,10.10.4.0/24,,swp31\n"), CLOS),
    "valley-path": (
        ethernet(changed(ROUTES, "^(spine1,10.10.1.0/24),10.1.1.2,swp1", r"\1,10.1.1.4,swp2")),
        ethernet(changed(ROUTES, "^spine1,10.10.1.0/24,10.1.1.2,swp1\n", "")),
    ),
    "asymmetric-ecmp": (ethernet(changed(ROUTES, "^spine2,10.10.1.0/24,10.1.2.2,swp1\n", "")), CLOS),
    "route-not-installed": (
        with_frr_table('"selected": true'),
        with_frr_table('"selected": true, "installed": true'),
    ),
    "lossless-class-falls-lossy": (declaring(CLASSES + REMAP.format("26: 8")), declaring(CLASSES + REMAP.format("26: 34"))),
    "pause-misses-queue": (
        declaring(CLASSES + REMAP.format("26: 34").replace("dscp:", "queue: old, dscp:")),
        declaring(CLASSES + REMAP.format("26: 34")),
    ),
    "hash-unknown": (declaring("hashing: {seed: 1}\n"), declaring("hashing: {algorithm: crc16}\n")),
    "fixed-source-port": (
        declaring("hashing: {algorithm: crc16, source-port: 49152}\n"),
        declaring("hashing: {algorithm: crc16, source-port: by-qp}\n"),
    ),
    "hash-without-flow-fields": (
        declaring("hashing: {algorithm: crc16, fields: [src-ip, dst-ip, proto]}\n"),
        declaring("hashing: {algorithm: crc16, fields: [src-ip, dst-ip, l4-src-port]}\n"),
    ),
    "lag-hash-repeats-ecmp": (bundled("{algorithm: crc16, seed: 2}"), bundled("{algorithm: crc16, seed: 1, offset: 3}")),
    "hash-seed-beyond-range": (configured(type="SpineRouter"), configured(type="LeafRouter")),
    "only-seeds-differ": (
        written("fat-tree: {k: 4}\nhashing: {algorithm: crc16, tiers: {1: {seed: 10}}}\n"),
        written("fat-tree: {k: 4}\nhashing: {algorithm: crc16, tiers: {1: {seed: 10, offset: 10}}}\n"),
    ),
    "hash-default-shadowed": (configured(type="FabricSpineRouter"), configured(type="SpineRouter")),
    "hash-member-without-share": (
        declaring("hashing: {algorithm: crc16, buckets: 1}\n"),
        declaring("hashing: {algorithm: crc16, buckets: 2}\n"),
    ),
    "flows-are-spread": (declaring("hashing: {mode: spray}\n"), declaring("hashing: {mode: hash, algorithm: crc16}\n")),
    "depends-on-path-sl": (dump(LASH), WHOLE),
    "other-traffic-differs": (dump(LASH), WHOLE),
    "dump-fts-top-lid": (
        lambda tmp_path: shared_case("opensm/ring16_dump_fts_defect"),
        lambda tmp_path: shared_case("opensm/ring5_minhop"),
    ),
    "hash-polarization": (topology("fat-tree-k8-polarized"), topology("fat-tree-k8-offsets")),
}
ELSEWHERE = {
    "unreached-members": "tests/findings/test_polarized.py: only `pauseproof hash` looks for them",
    "chains-not-counted": "tests/findings/test_polarized.py: needs a fabric of thousands of switches",
    "hot-link": "tests/findings/test_loads.py: only where a job is asked about",
    "idle-links": "tests/findings/test_loads.py: it says nothing of deadlock",
    "incast": "tests/findings/test_loads.py: only where a job is asked about",
    "slowdown-not-sampled": "tests/findings/test_loads.py: only where a job is asked about",
    "job-not-delivered": "tests/findings/test_loads.py: only where a job is asked about",
    "loop-not-carried": "tests/loads/test_carried.py: only where a job is asked about",
    "loop-not-realizable": "tests/deadlock/test_realize_network.py: only where it is asked what hashes realize",
    "escape-set-fails": "tests/findings/test_extra.py: only where lanes are said to be an escape",
    "cabling-left-out": "tests/readers/test_clab.py: only cabling of Ethernet has such entries",
    "repeated-stale-block": "tests/readers: needs a table of more than 128 LIDs",
}


def fired(path: Path) -> set[str]:
    report = pauseproof.verify(pauseproof.load(path))
    return {finding.slug for fabric in report.fabrics for finding in fabric.findings}


@pytest.mark.parametrize("slug", CASES)
def test_it_fires(slug: str, tmp_path: Path) -> None:
    assert slug in fired(CASES[slug][0](tmp_path))


@pytest.mark.parametrize("slug", CASES)
def test_it_stays_silent(slug: str, tmp_path: Path) -> None:
    assert slug not in fired(CASES[slug][1](tmp_path))


def test_every_rule_is_tried_somewhere() -> None:
    assert CASES.keys() | ELSEWHERE.keys() == BY_SLUG.keys()
    assert not CASES.keys() & ELSEWHERE.keys()
