"""One small file of each format of Ethernet forwarding tables and addresses, by the module that reads it."""

FRR_ROUTES = """\
{
  "10.10.4.0/24":[
    {
      "prefix":"10.10.4.0/24",
      "prefixLen":24,
      "protocol":"bgp",
      "vrfName":"default",
      "selected":true,
      "destSelected":true,
      "installed":true,
      "table":254,
      "internalStatus":16,
      "nexthops":[
        {
          "flags":3,
          "fib":true,
          "ip":"10.1.1.5",
          "afi":"ipv4",
          "interfaceName":"swp1",
          "active":true,
          "weight":1
        },
        {
          "flags":3,
          "fib":true,
          "ip":"10.1.2.5",
          "afi":"ipv4",
          "interfaceName":"swp2",
          "active":true,
          "weight":1
        }
      ]
    }
  ],
  "10.10.2.0/24":[
    {
      "prefix":"10.10.2.0/24",
      "prefixLen":24,
      "protocol":"connected",
      "vrfName":"default",
      "selected":true,
      "destSelected":true,
      "installed":true,
      "table":254,
      "internalStatus":16,
      "nexthops":[
        {
          "flags":3,
          "fib":true,
          "directlyConnected":true,
          "interfaceName":"swp31",
          "active":true
        }
      ]
    }
  ]
}
"""

LINUX_ROUTES = """\
[{"dst":"10.10.4.0/24","nhid":21,"protocol":"bgp","metric":20,"flags":[],"nexthops":[
   {"gateway":"10.1.1.5","dev":"swp1","weight":1,"flags":[]},
   {"gateway":"10.1.2.5","dev":"swp2","weight":1,"flags":[]}]},
 {"dst":"10.10.2.0/24","dev":"swp31","protocol":"kernel","scope":"link","prefsrc":"10.10.2.1","flags":[]}]
"""

LINUX_NEXTHOPS = """\
[{"id":16,"gateway":"10.1.1.5","dev":"swp1","scope":"link","protocol":"zebra","flags":[]},
 {"id":20,"gateway":"10.1.2.5","dev":"swp2","scope":"link","protocol":"zebra","flags":[]},
 {"id":21,"group":[{"id":16},{"id":20}],"protocol":"zebra","flags":[]}]
"""

LINUX_ADDRESSES = """\
[{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"mtu":65536,"addr_info":[
   {"family":"inet","local":"127.0.0.1","prefixlen":8,"scope":"host","label":"lo"},
   {"family":"inet","local":"10.0.0.12","prefixlen":32,"scope":"global","label":"lo"}]},
 {"ifindex":2,"ifname":"swp1","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":9100,"addr_info":[
   {"family":"inet","local":"10.1.1.4","prefixlen":31,"scope":"global","label":"swp1"},
   {"family":"inet6","local":"fe80::5","prefixlen":64,"scope":"link"}]}]
"""

EOS_ROUTES = """\
{
  "vrfs": {
    "default": {
      "routingDisabled": false,
      "allRoutesProgrammedHardware": true,
      "routes": {
        "10.10.4.0/24": {
          "hardwareProgrammed": true, "routeType": "eBGP", "routeAction": "forward", "directlyConnected": false,
          "vias": [{"nexthopAddr": "10.1.1.5", "interface": "Ethernet1"},
                   {"nexthopAddr": "10.1.2.5", "interface": "Ethernet2"}]
        },
        "10.10.2.0/24": {
          "hardwareProgrammed": true, "routeType": "connected", "routeAction": "forward", "directlyConnected": true,
          "vias": [{"interface": "Ethernet31"}]
        }
      }
    }
  }
}
"""

AFT = """\
{"openconfig-network-instance:network-instances": {"network-instance": [
 {"name": "DEFAULT", "afts": {
  "ipv4-unicast": {"ipv4-entry": [
   {"prefix": "10.10.4.0/24", "state": {"prefix": "10.10.4.0/24", "next-hop-group": "7"}},
   {"prefix": "10.10.2.0/24", "state": {"prefix": "10.10.2.0/24", "next-hop-group": "8"}}]},
  "next-hop-groups": {"next-hop-group": [
   {"id": "7", "state": {"id": "7"}, "next-hops": {"next-hop": [
    {"index": "1", "state": {"index": "1", "weight": "1"}}, {"index": "2", "state": {"index": "2", "weight": "1"}}]}},
   {"id": "8", "state": {"id": "8"}, "next-hops": {"next-hop": [{"index": "3", "state": {"index": "3"}}]}}]},
  "next-hops": {"next-hop": [
   {"index": "1", "state": {"ip-address": "10.1.1.5"}, "interface-ref": {"state": {"interface": "Ethernet1"}}},
   {"index": "2", "state": {"ip-address": "10.1.2.5"}, "interface-ref": {"state": {"interface": "Ethernet2"}}},
   {"index": "3", "state": {}, "interface-ref": {"state": {"interface": "Ethernet31"}}}]}}}]}}
"""

BATFISH_ROUTES = """\
,Node,VRF,Network,Next_Hop,Protocol,Metric,Admin_Distance,Tag
0,leaf2,default,10.10.4.0/24,interface swp1 ip 10.1.1.5,bgp,0,20,
1,leaf2,default,10.10.4.0/24,interface swp2 ip 10.1.2.5,bgp,0,20,
2,leaf2,default,10.10.2.0/24,interface swp31,connected,0,0,
"""

ROUTE_CSV = """\
device,prefix,next_hop,interface
leaf2,10.10.4.0/24,10.1.1.5,swp1
leaf2,10.10.4.0/24,10.1.2.5,swp2
leaf2,10.10.2.0/24,,swp31
"""

APPL_DB = """\
{
  "ROUTE_TABLE:10.10.4.0/24": {"nexthop": "10.1.1.5,10.1.2.5", "ifname": "Ethernet0,Ethernet4"},
  "ROUTE_TABLE:10.10.2.0/24": {"nexthop": "0.0.0.0", "ifname": "Ethernet120"},
  "INTF_TABLE:Ethernet0": {"NULL": "NULL"},
  "INTF_TABLE:Ethernet0:10.1.1.4/31": {"scope": "global", "family": "IPv4"}
}
"""

ROUTE_FILES: dict[str, str | bytes] = {
    "frr_routes": FRR_ROUTES,
    "linux_routes": LINUX_ROUTES,
    "linux_nexthops": LINUX_NEXTHOPS,
    "linux_addresses": LINUX_ADDRESSES,
    "eos_routes": EOS_ROUTES,
    "aft": AFT,
    "batfish_routes": BATFISH_ROUTES,
    "route_csv": ROUTE_CSV,
    "appl_db": APPL_DB,
}
