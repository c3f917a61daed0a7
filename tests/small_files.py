"""One small file of each format, by the module that reads it; all GUIDs are invented."""

from route_files import ROUTE_FILES

SL2VL = """\
Switch 0x00000000000b0001, base LID 3, "leaf one"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   1   : 0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3 
2   1   : 7  6  5  4  3  2  1  0  7  6  5  4  3  2  1  15 
#--------------------------------------------------------

Channel Adapter 0x00000000000a0002, base LID 7, "n1 HCA-1"
#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
#--------------------------------------------------------
0   0   : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15 
#--------------------------------------------------------

"""  # noqa: W291

SLVL = """\
0x00000000000b0001 0 1 0x01 0x23 0x01 0x23 0x01 0x23 0x01 0x23
0x00000000000b0001 2 1 0x76 0x54 0x32 0x10 0x76 0x54 0x32 0x1f
"""

PSL = """\
0x00000000000a0001 8 3
0x00000000000a0001 12 15
0x00000000000a0003 7 0
"""

PATH_RECORDS = """\
Channel Adapter 0x00000000000a0002, base LID 7, "n1 HCA-1", port 1
# LID  : SL : MTU : RATE
0x0003 : 0  : 4   : 3   
0x0008 : 2  : 4   : 3   
0x0009 : UNREACHABLE

Switch 0x00000000000b0001, base LID 3, "leaf one", port 0
# LID  : SL : MTU : RATE
0x0007 : 1  : 4   : 3   

"""  # noqa: W291

GUID2LID = """\
0x00000000000b0001 0x0003 0x0003

0x00000000000a0002 0x0008 0x0009

"""

MCFDBS = """\

Switch 0x00000000000b0001
LID    : Out Port(s)
0xC000 : 0x001  0x00B 
0xC001 : 0x000 

Switch 0x00000000000b0002
LID    : Out Port(s)
"""  # noqa: W291

FAR = """\
File version: 1
Switch 0x00000000000b0001 "leaf one"
Groups Definition:
Group SubGroup WHBF Ports
------
1     0        -    1,2
1     1        -    4
2     0        -    3
LFT Definition:
LID    StaticPort LidState Group
------
0x0007 3          Static   -
0x0008 1          Free     1
0x0009 255        HBF      2

Switch 0x00000000000b0002 "spine"
Groups Definition:
Group  Sub Group  WHBF  Ports
-----------------------------
0      0          0     1, 2,
LFT Definition:
PLFT_NUM: 0, top: 0x0008
LID     Static Port  Lid State  Group
-------------------------------------
0x0007  1            Static     0
0x0008  2            Bounded    0
"""

PLFT = """\
PLFT map
Switch 0x00000000000b0001 0 1
"""

IBNETDISCOVER = """\
#
# Topology file: generated on Tue Jan  2 03:04:05 2024
#
# Initiated from node 00000000000a0001 port 00000000000a0002

vendid=0x2c9
devid=0xd2f0
sysimgguid=0xb0001
switchguid=0xb0001(b0001)
Switch\t4 "S-00000000000b0001"\t\t# "leaf one" enhanced port 0 lid 3 lmc 0
[3]\t"H-00000000000a0001"[1](a0002) \t\t# "n1 HCA-1" lid 7 4xEDR

vendid=0x2c9
devid=0x1017
sysimgguid=0xa0001
caguid=0xa0001
Ca\t2 "H-00000000000a0001"\t\t# "n1 HCA-1"
[1](a0002) \t"S-00000000000b0001"[3]\t\t# lid 7 lmc 0 "leaf one" lid 3 4xEDR
"""

IBNETDISCOVER_PORTS = """\
SW     3  3 0x00000000000b0001 4x EDR - CA     7  1 0x00000000000a0002 ( 'leaf one' - 'n1 HCA-1' )
CA     7  1 0x00000000000a0002 4x EDR - SW     3  3 0x00000000000b0001 ( 'n1 HCA-1' - 'leaf one' )
"""

_HOST = (
    "CA-SM Ports:01 SystemGUID:00000000000a0001 NodeGUID:00000000000a0001 PortGUID:00000000000a0002"
    " VenID:0002C9 DevID:1017 Rev:00000000 {n1 HCA-1} LID:0007 PN:01"
)
_LEAF = (
    "SW Ports:04 SystemGUID:00000000000b0001 NodeGUID:00000000000b0001 PortGUID:00000000000b0001"
    " VenID:000002C9 DevID:D2F0 Rev:000000A0 {leaf one} LID:0003 PN:03"
)
SUBNET_LST = f"{{ {_HOST} }} {{ {_LEAF} }} PHY=4x LOG=ACT SPD=25\n{{ {_LEAF} }} {{ {_HOST} }} PHY=4x LOG=ACT SPD=25\n"

DB_CSV = """\
START_NODES
NodeDesc,NumPorts,NodeType,NodeGUID,PortGUID,LocalPortNum
"leaf one",4,2,0x00000000000b0001,0x00000000000b0001,1
"n1 HCA-1",1,1,0x00000000000a0001,0x00000000000a0002,1
END_NODES
START_PORTS
NodeGuid,PortGuid,PortNum,LID,LMC,OpVLs
0x00000000000b0001,0x00000000000b0001,0,3,0,N/A
0x00000000000b0001,0x00000000000b0001,3,3,0,4
0x00000000000a0001,0x00000000000a0002,1,7,0,4
END_PORTS
START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x00000000000b0001,3,0x00000000000a0001,1
END_LINKS
"""

IBUTILS_TOPO = """\
MTS2400 SL1-1
    P1 -4x-5G-> MT23108 H-1 P1
"""

FDBS = """\
dump_ucast_routes: Switch 0x00000000000b0001
LID    : Port : Hops : Optimal
0x0001 : UNREACHABLE
0x0002 : UNREACHABLE
0x0003 : 000  : 00   : yes
0x0004 : UNREACHABLE
0x0005 : UNREACHABLE
0x0006 : UNREACHABLE
0x0007 : 003  : 01   : yes
"""

LFTS = """\
Unicast lids [0-7] of switch Lid 3 guid 0x00000000000b0001 ('leaf one'):
0x0003 000 # Switch portguid 0x00000000000b0001: 'leaf one'
0x0007 003 # Channel Adapter portguid 0x00000000000a0002: 'n1 HCA-1'
7 lids dumped
"""

FTS = """\
Unicast lids [0x0-0x7] of switch DR path slid 0; dlid 0; 0,1,2 guid 0x00000000000b0001 (leaf one):
  Lid  Out   Destination
       Port     Info 
0x0003 000 : (Switch portguid 0x00000000000b0001: 'leaf one')
0x0007 003 : (Channel Adapter portguid 0x00000000000a0002: 'n1 HCA-1')
2 valid lids dumped 
"""  # noqa: W291

IBNETDISCOVER_CACHE = bytes.fromhex("8FE7832B 00000001") + bytes(64)

NATIVE = """\
fat-tree: {k: 4}
"""

CABLE_CSV = """\
a_device,a_port,b_device,b_port,speed,length
leaf1,swp1,spine1,swp1,100G,3
"""

LAYER1 = """\
{"edges": [
  {"node1": {"hostname": "leaf1", "interfaceName": "swp1"},
   "node2": {"hostname": "spine1", "interfaceName": "swp1"}}
]}
"""

CLAB = """\
name: lab
topology:
  kinds:
    nokia_srlinux: {image: srlinux}
  nodes:
    leaf1: {kind: nokia_srlinux}
    spine1: {kind: linux}
  links:
    - endpoints: ["leaf1:e1-1", "spine1:swp1"]
"""

PTM_DOT = """\
## as planned
graph G {
    "leaf1":"swp1" -- "spine1":"swp1"
}
"""

LLDP_TABLE = """\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  -----------------
Ethernet0    spine1          Ethernet4          BR            leaf1:Ethernet0
Ethernet4    server1         0c:42:a1:00:00:01  O             enp1s0
--------------------------------------------------
Total entries displayed:  2
"""

LLDPCTL = """\
{"lldp": {"interface": {"swp1": {
  "via": "LLDP",
  "chassis": {"spine1": {"id": {"type": "mac", "value": "00:00:00:00:00:0b"}}},
  "port": {"id": {"type": "ifname", "value": "swp4"}, "descr": "to leaf1"}
}}}}
"""

MINIGRAPH = """\
<DeviceMiniGraph xmlns="a" xmlns:i="b">
  <PngDec>
    <DeviceInterfaceLinks>
      <DeviceLinkBase>
        <ElementType>DeviceInterfaceLink</ElementType>
        <EndDevice>spine1</EndDevice>
        <EndPort>Ethernet1</EndPort>
        <StartDevice>leaf1</StartDevice>
        <StartPort>fortyGigE0/0</StartPort>
        <Bandwidth>40000</Bandwidth>
      </DeviceLinkBase>
    </DeviceInterfaceLinks>
    <Devices>
      <Device i:type="LeafRouter"><Hostname>leaf1</Hostname></Device>
    </Devices>
  </PngDec>
  <Hostname>leaf1</Hostname>
</DeviceMiniGraph>
"""

NODE_LINK = """\
{"directed": false, "multigraph": false, "graph": {},
 "nodes": [{"id": "leaf1"}, {"id": "spine1"}],
 "edges": [{"source": "leaf1", "target": "spine1"}]}
"""

GRAPHML = """\
<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <graph edgedefault="undirected">
    <node id="leaf1"/>
    <node id="spine1"/>
    <edge source="leaf1" target="spine1"/>
  </graph>
</graphml>
"""

CONFIG_DB = """\
{
 "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4"}},
 "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "4": "4"}}
}
"""

DECLARATIONS = """\
lossless: [3]
traffic: {data: 26}
"""

SYSCTL = """\
net.ipv4.conf.all.forwarding = 1
net.ipv4.fib_multipath_hash_fields = 7
net.ipv4.fib_multipath_hash_policy = 1
net.ipv4.fib_multipath_hash_seed = 4711
net.ipv4.fib_multipath_use_neigh = 1
net.ipv6.fib_multipath_hash_policy = 0
"""

SMALL_FILES: dict[str, str | bytes] = {
    "ibnetdiscover": IBNETDISCOVER,
    "ibnetdiscover_ports": IBNETDISCOVER_PORTS,
    "ibnetdiscover_cache": IBNETDISCOVER_CACHE,
    "subnet_lst": SUBNET_LST,
    "db_csv": DB_CSV,
    "ibutils_topo": IBUTILS_TOPO,
    "fdbs": FDBS,
    "lfts": LFTS,
    "fts": FTS,
    "native": NATIVE,
    "sl2vl": SL2VL,
    "slvl": SLVL,
    "psl": PSL,
    "path_records": PATH_RECORDS,
    "guid2lid": GUID2LID,
    "mcfdbs": MCFDBS,
    "far": FAR,
    "unmodelled": PLFT,
    "cable_csv": CABLE_CSV,
    "layer1": LAYER1,
    "clab": CLAB,
    "ptm_dot": PTM_DOT,
    "lldp_table": LLDP_TABLE,
    "lldpctl": LLDPCTL,
    "minigraph": MINIGRAPH,
    "node_link": NODE_LINK,
    "graphml": GRAPHML,
    "config_db": CONFIG_DB,
    "sysctl": SYSCTL,
    "declarations": DECLARATIONS,
    **ROUTE_FILES,
}
