"""Orders, weights, bundles and buckets from the text of dumps to the groups of a network, and to decisions."""

import json
from pathlib import Path
from typing import Any

import pytest

import pauseproof
from pauseproof.hashing.settings import hashes_of
from pauseproof.routing.network import Network
from roce_texts import CABLES, ROUTES

HOPS = [("10.1.2.3", "swp2", 3), ("10.1.1.3", "swp1", 1)]  # the second spine first, and heavier
LOCAL = [("10.1.1.2/31", "swp1"), ("10.1.2.2/31", "swp2"), ("10.10.1.0/24", "swp31")]
REMOTE = ("10.10.2.0/24", "10.10.3.0/24")


def frr(hops: Any = HOPS) -> str:
    def entry(prefix: str, protocol: str, nexthops: list[dict[str, Any]]) -> dict[str, Any]:
        return {prefix: [{"prefix": prefix, "protocol": protocol, "selected": True, "installed": True, "nexthops": nexthops}]}

    out = dict[str, Any]()
    for prefix, port in LOCAL:
        out |= entry(prefix, "connected", [{"fib": True, "directlyConnected": True, "interfaceName": port, "active": True}])
    for prefix in REMOTE:
        out |= entry(
            prefix, "bgp", [{"fib": True, "ip": a, "interfaceName": p, "weight": w, "active": True} for a, p, w in hops]
        )
    return json.dumps(out, indent=1) + "\n"


def appl_db(hops: Any = HOPS, **more: Any) -> str:
    fields = {"nexthop": ",".join(a for a, _, _ in hops), "ifname": ",".join(p for _, p, _ in hops)}
    fields["weight"] = ",".join(str(w) for _, _, w in hops)
    rows = {f"ROUTE_TABLE:{prefix}": fields for prefix in REMOTE}
    rows |= {f"ROUTE_TABLE:{prefix}": {"nexthop": "0.0.0.0", "ifname": port} for prefix, port in LOCAL}
    return json.dumps({**rows, **more}, indent=1) + "\n"


def ip_routes(hops: Any = HOPS) -> str:
    expanded = [{"gateway": a, "dev": p, "weight": w, "flags": []} for a, p, w in hops]
    rows: list[dict[str, Any]] = [{"dst": prefix, "dev": port, "protocol": "kernel", "scope": "link"} for prefix, port in LOCAL]
    rows.append({"dst": REMOTE[0], "nhid": 7, "protocol": "bgp", "nexthops": expanded})
    rows.append({"dst": REMOTE[1], "nhid": 7, "protocol": "bgp"})
    return json.dumps(rows) + "\n"


def ip_nexthops(hops: Any = HOPS, **more: Any) -> str:
    single = [{"id": i, "gateway": a, "dev": p} for i, (a, p, _) in enumerate(hops, start=1)]
    group = [{"id": i, "weight": w} for i, (_, _, w) in enumerate(hops, start=1)]
    return json.dumps([*single, {"id": 7, "group": group, **more}]) + "\n"


def network(folder: Path, **files: str) -> Network:
    """The small Clos in which leaf1's table is told by other files; ``__`` stands for a dot."""
    rest = "".join(row for row in ROUTES.splitlines(keepends=True) if not row.startswith("leaf1,"))
    for name, text in {"routes.csv": rest, "cables.csv": CABLES, **files}.items():
        (folder / name.replace("__", ".")).write_text(text)
    return pauseproof.load(folder)


def group(network: Network) -> tuple[list[tuple[str, int]], int, str]:
    """(next hops with their weights, buckets, what is unclear) of leaf1's group."""
    fabric = network.fabric
    (decision,) = hashes_of(network).groups(list(fabric.node_name).index("leaf1"))
    found = decision.grouping
    names = [("+".join(fabric.node_name[int(fabric.link_dst[l])] for l in m.links), m.weight) for m in found.members]
    return names, found.buckets, found.unclear


TURNED = [("spine2", 3), ("spine1", 1)]


def test_frr(tmp_path: Path) -> None:
    assert group(network(tmp_path, leaf1__show_ip_route__json=frr())) == (TURNED, 0, "")


def test_appl_db_is_sorted_by_orchagent(tmp_path: Path) -> None:
    """The last bytes are 3 and 3, the third ones 1 and 2."""
    assert group(network(tmp_path, leaf1__appl_db__json=appl_db())) == (TURNED[::-1], 0, "")


def test_frr_of_a_sonic_switch_is_sorted_too(tmp_path: Path) -> None:
    files = {
        "leaf1__show_ip_route__json": frr(),
        "leaf1__config_db__json": '{"DEVICE_METADATA": {"localhost": {"type": "ToRRouter"}}}\n',
    }
    assert group(network(tmp_path, **files)) == (TURNED[::-1], 0, "")


@pytest.mark.parametrize("buckets", [0, 64])
def test_the_kernel(tmp_path: Path, buckets: int) -> None:
    resilient = {"type": "resilient", "resilient_args": {"buckets": buckets}} if buckets else {}
    files = {"leaf1__route__json": ip_routes(), "leaf1__nexthop__json": ip_nexthops(**resilient)}
    assert group(network(tmp_path, **files)) == (TURNED, buckets, "")


def test_two_dumps_that_agree_and_two_that_do_not(tmp_path: Path) -> None:
    agreeing, other = tmp_path / "a", tmp_path / "b"
    agreeing.mkdir()
    other.mkdir()
    files = {"leaf1__route__json": ip_routes(), "leaf1__nexthop__json": ip_nexthops()}
    assert group(network(agreeing, leaf1__show_ip_route__json=frr(), **files)) == (TURNED, 0, "")
    found = group(network(other, leaf1__show_ip_route__json=frr(HOPS[::-1]), **files))
    assert found[2] == "two dumps of it list the same next hops in another order"


def test_seeds_of_appl_db_and_of_sysctl(tmp_path: Path) -> None:
    sonic, linux = tmp_path / "sonic", tmp_path / "linux"
    sonic.mkdir()
    linux.mkdir()
    table = {"SWITCH_TABLE:switch": {"ecmp_hash_seed": "12", "ecmp_hash_offset": "3", "lag_hash_seed": "4"}}
    hashes = hashes_of(network(sonic, leaf1__appl_db__json=appl_db(**table)))
    assert (hashes.ecmp(0).seed, hashes.ecmp(0).offset, hashes.lag(0).seed) == (12, 3, 4)
    where = appl_db(**table).partition('"SWITCH_TABLE')[0].count("\n") + 1
    assert str(hashes.ecmp(0).places["seed"]).endswith(f"leaf1.appl_db.json:{where}")
    sysctl = "net.ipv4.fib_multipath_hash_policy = 1\nnet.ipv4.fib_multipath_hash_seed = 99\n"
    found = hashes_of(network(linux, leaf1__show_ip_route__json=frr(), leaf1__sysctl=sysctl))
    assert found.ecmp(0).words == "linux of src-ip, dst-ip, proto, l4-src-port, l4-dst-port; policy 1, seed 99"
    (decision,) = found.groups(0)
    assert decision.known and decision.shares == pytest.approx((0.25, 0.75))


def test_bundles_of_appl_db(tmp_path: Path) -> None:
    hops = [("10.1.2.3", "swp2", 1), ("10.1.1.3", "PortChannel1", 1)]
    members = {f"LAG_MEMBER_TABLE:PortChannel1:{port}": {"status": "enabled"} for port in ("swp1", "swp11")}
    text = appl_db(hops, **members).replace('"ifname": "swp1"', '"ifname": "PortChannel1"')
    cables = CABLES + "leaf1,swp11,spine1,swp11,100G\n"
    rest = ROUTES.replace("spine1,10.1.1.2/31,,swp1\n", "spine1,10.1.1.2/31,,bond1\n").replace(
        ",10.1.1.2,swp1\n", ",10.1.1.2,bond1\n"
    )
    rows = "".join(row for row in rest.splitlines(keepends=True) if not row.startswith("leaf1,"))
    files = {"leaf1__appl_db__json": text, "cables.csv": cables, "routes.csv": rows}
    found = network(tmp_path, **files, pauseproof__yaml="lags: {spine1: {bond1: [swp1, swp11]}}\n")
    assert group(found) == ([("spine1+spine1", 1), ("spine2", 1)], 0, "")
