"""The names of hash functions and fields, for whoever needs the words alone (the command line, which imports no arrays)."""

RTAG7 = ("crc16", "ccitt", "crc32lo", "crc32hi", "xor16", "crc16-xor1", "crc16-xor2", "crc16-xor4", "crc16-xor8")
JENKINS_LO, JENKINS_HI = "jenkins-lo", "jenkins-hi"
MODELLED = (*RTAG7, JENKINS_LO, JENKINS_HI)
LINUX = "linux"
FIVE_TUPLE = ("src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port")
FIELDS = (*FIVE_TUPLE, "dest-qp", "bth-opcode", "in-port", "vlan", "flow-label")
