"""The cables that a SONiC configuration declares (DEVICE_NEIGHBOR): what should be at the far end of each port.

The speed is that of the port, in Gb/s; CABLE_LENGTH gives metres (``40m``).
"""

import re

import numpy as np

from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import CableRecords, ConfigDb

HOST_TYPES = ("Server", "SmartCable")  # of DEVICE_NEIGHBOR_METADATA; the other types are switches
_LENGTH = re.compile(r"([0-9]{1,6})m")


def cables_of(config: ConfigDb, problems: Problems) -> CableRecords | None:
    """The declared cables; None where the table is not there."""
    neighbours = config.tables.get("DEVICE_NEIGHBOR", {})
    rows = [(port, row, config.lines["DEVICE_NEIGHBOR", port]) for port, row in neighbours.items()]
    for port, row, line in rows:
        if not row.get("name") or not row.get("port"):
            problems.add(line, f"DEVICE_NEIGHBOR|{port} needs the fields 'name' and 'port'")
    rows = [(port, row, line) for port, row, line in rows if row.get("name") and row.get("port")]
    if not rows:
        return None
    return CableRecords(
        config.file,
        "DEVICE_NEIGHBOR of config_db",
        a_device=[config.device] * len(rows),
        a_port=[row.get("local_port") or port for port, row, _ in rows],
        b_device=[row["name"] for _, row, _ in rows],
        b_port=[row["port"] for _, row, _ in rows],
        speed=np.array([_speed(config, port, problems) for port, _, _ in rows], np.float32),
        length=np.array([_length(config, port, problems) for port, _, _ in rows], np.float32),
        line=np.array([line for _, _, line in rows], np.int32),
        roles=_roles(config),
    )


def _roles(config: ConfigDb) -> dict[str, str]:
    metadata = config.tables.get("DEVICE_NEIGHBOR_METADATA", {})
    roles = {name: "host" if row["type"] in HOST_TYPES else "switch" for name, row in metadata.items() if row.get("type")}
    return roles | {config.device: "switch"}


def _speed(config: ConfigDb, port: str, problems: Problems) -> float:
    text = config.tables.get("PORT", {}).get(port, {}).get("speed", "")
    if not text:
        return float("nan")
    if not (text.isdecimal() and len(text) < 9):
        problems.add(config.lines["PORT", port], f"speed {text!r} of {port} must be a number of Mb/s")
        return float("nan")
    return int(text) / 1000


def _length(config: ConfigDb, port: str, problems: Problems) -> float:
    for name, row in config.tables.get("CABLE_LENGTH", {}).items():
        if port in row:
            if found := _LENGTH.fullmatch(row[port]):
                return float(found[1]) or float("nan")  # 0m: no cable was thought of
            problems.add(config.lines["CABLE_LENGTH", name], f"cable length {row[port]!r} of {port} must be metres, as 40m")
    return float("nan")
