"""SONiC's minigraph.xml: the links that are planned for one switch (DeviceLinkBase), and what its neighbours are.

    <DeviceLinkBase>
      <ElementType>DeviceInterfaceLink</ElementType>
      <EndDevice>spine1</EndDevice> <EndPort>Ethernet1</EndPort>
      <StartDevice>leaf1</StartDevice> <StartPort>Ethernet13/1</StartPort>
      <Bandwidth>100000</Bandwidth>
    </DeviceLinkBase>

Ports of the switch go by their alias, not by the name that tables use. Bandwidth is Mb/s. Management, serial and logical
links (those of smart cables lie on ports that have a link already) carry no traffic of the fabric.
"""

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_roles import role_of
from pauseproof.readers.measures import NAN, speed_of
from pauseproof.readers.problems import shown
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source
from pauseproof.readers.xml_tree import Element, read_xml

NAME = "minigraph"
DATA_LINKS = ("DeviceInterfaceLink", "UnderlayInterfaceLink")
OTHER_LINKS = ("DeviceMgmtLink", "DeviceSerialLink", "MgmtLink", "LogicalLink", "DeviceChassisLink")


def matches(head: bytes) -> bool:
    """Whether the root of the XML is a DeviceMiniGraph.

    >>> matches(b'<DeviceMiniGraph xmlns="x">')
    True
    """
    return b"<DeviceMiniGraph" in head


def read(source: Source) -> CableRecords:
    """The planned links. Raises BadInput."""
    root, rows = read_xml(source), CableRows(source.path, NAME)
    if root.tag != "DeviceMiniGraph":
        rows.problems.add(root.line, f"the root is <{root.tag[:40]}>; expected <DeviceMiniGraph>")
    for link in root.every("DeviceLinkBase"):
        kind = link.text_of("ElementType")
        if kind in DATA_LINKS:
            a, b = ((link.text_of(f"{end}Device"), link.text_of(f"{end}Port")) for end in ("Start", "End"))
            rows.add(link.line, a, b, _bandwidth(rows, link))
        elif kind not in OTHER_LINKS:
            known = ", ".join((*DATA_LINKS, *OTHER_LINKS))
            rows.problems.add(link.line, f"a link of the type {shown(kind.encode())}; expected one of {known}")
    for device in root.every("Device"):
        if role := role_of(device.attributes.get("type", "")):
            rows.roles[device.text_of("Hostname")] = role
    return rows.records(whole=False)


def _bandwidth(rows: CableRows, link: Element) -> float:
    text = link.text_of("Bandwidth")
    try:
        return speed_of(f"{text}M") if text and text != "0" else NAN
    except ValueError as error:
        rows.problems.add(link.line, f"Bandwidth in Mb/s: {error}")
        return NAN
