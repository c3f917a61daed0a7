"""NCCL topology files (``NCCL_TOPO_DUMP_FILE``, ``NCCL_TOPO_FILE``): the GPUs and NICs of a node, and which NICs each GPU uses.

``<system>`` holds ``<cpu>``, these nest ``<pci>``; a device is a ``<pci>`` whose class says so (0x03.. a GPU, 0x02.. a NIC).
Dumps have ``<gpu dev rank>`` and ``<nic><net name dev port guid speed>`` inside; files that clouds ship end at the ``<pci>``.

A GPU uses the NICs nearest to it: at the same PCI switch, then over several, then at the same CPU, then anywhere. Of ``m``
equally near ones GPU ``dev`` begins with number ``dev mod g`` (its bits mirrored where ``m`` is a power of two) and takes
``ceil(m/g)``, where ``g`` GPUs are near to the first of them: ``ncclTopoGetLocalNetType`` of NCCL's ``src/graph/topo.cc``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.problems import Problems
from pauseproof.readers.source import Source
from pauseproof.readers.xml_tree import Element, read_xml

NAME = "NCCL topology"
_GPU, _NIC = ("0x03", "0x120000"), "0x02"
MOST_DEVICES = 64  # of a kind, in one node
_NUMBER = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")


@dataclass(frozen=True)
class Gpu:
    """``dev`` is NCCL's number for it, ``within`` the CPU and PCI switches around it, outermost first."""

    dev: int
    busid: str
    within: tuple[int, ...]
    line: int


@dataclass(frozen=True)
class Nic:
    """``name`` is empty and ``guid`` 0 in files that are no dump. ``speed`` is Gb/s, 0 where it is not known."""

    dev: int
    name: str
    port: int
    guid: int
    speed: float
    busid: str
    within: tuple[int, ...]
    line: int


@dataclass(frozen=True)
class NcclTopology:
    """``gpus`` and ``nics`` in the order of their numbers; ``gpu_nics[g]`` are places among ``nics``."""

    file: str
    gpus: tuple[Gpu, ...]
    nics: tuple[Nic, ...]
    gpu_nics: tuple[tuple[int, ...], ...]


def read(source: Source) -> NcclTopology:
    """Parse and check one file. Raises BadInput."""
    root = read_xml(source)
    if root.tag != "system":
        raise BadInput.at(Place(source.path, root.line), f"begins with <{root.tag}>; expected <system>, an NCCL topology")
    problems = Problems(source.path)
    found = list(_devices(root, problems))
    gpus = sorted((one for one in found if isinstance(one, Gpu)), key=lambda gpu: gpu.dev)
    nics = sorted((one for one in found if isinstance(one, Nic)), key=lambda nic: nic.dev)
    _check("GPU", _GPU[0], [(gpu.dev, gpu.line) for gpu in gpus], root, problems)
    _check("NIC", _NIC, [(nic.dev, nic.line) for nic in nics], root, problems)
    problems.raise_any()
    return NcclTopology(source.path, tuple(gpus), tuple(nics), tuple(nearest(g, gpus, nics) for g in gpus))


def _check(what: str, code: str, devices: Sequence[tuple[int, int]], root: Element, problems: Problems) -> None:
    """Each number once, and at least one device."""
    if len(devices) > MOST_DEVICES:
        problems.add(root.line, f"{len(devices)} {what}s in one node; expected at most {MOST_DEVICES}")
        problems.raise_any()
    if not devices:
        problems.add(root.line, f"no {what} in it; expected a <pci> of class {code}.. or more")
    for (dev, line), (other, again) in pairwise(devices):
        if dev == other:
            problems.add(again, f"a second {what} with dev {dev}, first in line {line}")


def _devices(root: Element, problems: Problems) -> Iterator[Gpu | Nic]:
    """All GPUs and NICs. Where a file numbers none, they are numbered in its order."""
    counts = {"gpu": 0, "nic": 0}
    places = count(1)
    todo: list[tuple[Element, tuple[int, ...]]] = [(child, ()) for child in reversed(root.children)]
    while todo:
        element, around = todo.pop()
        kind = _kind(element, problems) if element.tag == "pci" else ""
        if kind:
            found: list[Gpu | Nic] = [*(_gpus if kind == "gpu" else _nics)(element, around, problems)]
            yield from found or [_unnumbered(kind, counts[kind], element, around)]
            counts[kind] += max(len(found), 1)
        elif element.tag == "nic":  # beside the PCI tree: a network that is no PCI device
            yield from _nets(element, element, around, problems)
        elif element.tag in ("cpu", "pci"):
            inner = (*around, next(places))
            todo.extend((child, inner) for child in reversed(element.children))


def _kind(pci: Element, problems: Problems) -> str:
    """``gpu``, ``nic``, or nothing: a switch."""
    if "class" not in pci.attributes or "busid" not in pci.attributes:
        problems.add(pci.line, "a <pci> without class or busid; expected both")
        return ""
    code = pci.attributes["class"]
    return "gpu" if code.startswith(_GPU) else "nic" if code.startswith(_NIC) else ""


def _unnumbered(kind: str, dev: int, pci: Element, around: tuple[int, ...]) -> Gpu | Nic:
    busid = pci.attributes["busid"]
    return Gpu(dev, busid, around, pci.line) if kind == "gpu" else Nic(dev, "", 1, 0, 0.0, busid, around, pci.line)


def _gpus(pci: Element, around: tuple[int, ...], problems: Problems) -> Iterator[Gpu]:
    for gpu in pci.all("gpu"):
        yield Gpu(_number(gpu, "dev", problems, 10), pci.attributes["busid"], around, gpu.line)


def _nics(pci: Element, around: tuple[int, ...], problems: Problems) -> Iterator[Nic]:
    for nic in pci.all("nic"):
        yield from _nets(nic, pci, around, problems)


def _nets(nic: Element, pci: Element, around: tuple[int, ...], problems: Problems) -> Iterator[Nic]:
    for net in nic.all("net"):
        said = net.attributes
        yield Nic(
            _number(net, "dev", problems, 10),
            said.get("name", ""),
            _number(net, "port", problems, 10) if "port" in said else 1,
            _number(net, "guid", problems, 16) if "guid" in said else 0,
            _number(net, "speed", problems, 10) / 1000 if "speed" in said else 0.0,
            pci.attributes.get("busid", ""),
            around,
            net.line,
        )


def _number(element: Element, key: str, problems: Problems, base: int) -> int:
    text = element.attributes.get(key, "")
    try:
        if _NUMBER.fullmatch(text):
            return int(text, 16 if text[:2].lower() == "0x" else base)
    except ValueError:
        pass
    problems.add(element.line, f"{key} of <{element.tag}> is {text[:40]!r}; expected a number")
    return 0


def _distance(a: Sequence[int], b: Sequence[int]) -> int:
    """0: one PCI switch between them, 1: several, 2: the CPU, 3: further."""
    common = sum(1 for _ in _shared(a, b))
    if common < 2:
        return 3 - common
    return 0 if len(a) == len(b) == common else 1


def _shared(a: Sequence[int], b: Sequence[int]) -> Iterator[int]:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return
        yield x


def nearest(gpu: Gpu, gpus: Sequence[Gpu], nics: Sequence[Nic]) -> tuple[int, ...]:
    """The NICs that a GPU uses, as places among ``nics``: its own first."""
    away = [_distance(gpu.within, nic.within) for nic in nics]
    near = [i for i, distance in enumerate(away) if distance == min(away)]
    back = [_distance(other.within, nics[near[0]].within) for other in gpus]
    neighbours = back.count(min(back))
    first = gpu.dev % neighbours
    if len(near) & (len(near) - 1) == 0:
        first = _mirrored(first, len(near))
    return tuple(near[(first + k) % len(near)] for k in range(-(-len(near) // neighbours)))


def _mirrored(value: int, power: int) -> int:
    """The bits of ``value`` below ``power``, in the other order.

    >>> [_mirrored(i, 4) for i in range(4)]
    [0, 2, 1, 3]
    """
    bits = power.bit_length() - 1
    return sum(1 << (bits - 1 - b) for b in range(bits) if value >> b & 1)
