"""The certificates of ``topologies/`` in ``proofs/catalogue/``. As a program, it writes them anew:

    python tests/proofs/catalogue.py

They name no release and no place on a disk, so that they go stale only when a topology, or what is proved of it, changes.
"""

import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

import yaml

import pauseproof
from pauseproof.deadlock.certificate_file import certificate_bytes
from pauseproof.findings.verdict import Undecided

ROOT = Path(__file__).resolve().parents[2]
CABLING = "clos4x2.layer1_topology.json"
FOLDER = ROOT / "proofs" / "catalogue"
AGAIN = "run `python tests/proofs/catalogue.py`, and look at what changes"


class Entry(NamedTuple):
    """A name, and the files and folders that make one fabric, as they are called from the root of the project."""

    name: str
    paths: tuple[Path, ...]


def entries() -> list[Entry]:
    """Every topology. The dumps of ``frr/`` share their cabling; ``a+b`` in its answers is folder ``a`` with ``b.yaml``."""
    topologies = Path("topologies")
    yamls = [(path.stem, (path,)) for path in (ROOT / topologies).glob("*.yaml")]
    folders = [(path.name, (path,)) for path in (ROOT / topologies / "opensm").iterdir()]
    frr = ROOT / topologies / "frr"
    answers = yaml.safe_load((frr / "expected.yaml").read_text())
    dumps = [(f"frr-{name}", (frr / CABLING, *(_part(frr, part) for part in name.split("+")))) for name in answers]
    return [Entry(name, tuple(path.relative_to(ROOT) for path in paths)) for name, paths in sorted([*yamls, *folders, *dumps])]


def _part(folder: Path, name: str) -> Path:
    return folder / name if (folder / name).is_dir() else folder / f"{name}.yaml"


def certificate_of(entry: Entry) -> dict[str, Any] | None:
    """What is proved of an entry; None where it is undecided. The working folder must be the root."""
    try:
        certificate = pauseproof.prove(pauseproof.load(*entry.paths))
    except Undecided:
        return None
    return {**certificate, "tool": "pauseproof", "fabric": {**certificate["fabric"], "name": entry.name}}


def file_of(entry: Entry) -> Path:
    """Where its certificate is."""
    return FOLDER / f"{entry.name}.json.gz"


def content_of(certificate: dict[str, Any]) -> bytes:
    """The bytes under the compression, which may differ from one zlib to the next."""
    return certificate_bytes(certificate, "")


def write_all() -> None:
    """Write every certificate whose content changed, and remove those of no entry."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {file_of(entry): certificate for entry in entries() if (certificate := certificate_of(entry)) is not None}
    for file in FOLDER.iterdir():
        if file not in wanted:
            file.unlink()
    for file, certificate in wanted.items():
        if not file.exists() or gzip.decompress(file.read_bytes()) != content_of(certificate):
            file.write_bytes(certificate_bytes(certificate, file.name))


if __name__ == "__main__":
    os.chdir(ROOT)
    write_all()
