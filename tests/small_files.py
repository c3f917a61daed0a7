"""One small file of each format that goes with cabling: a leaf with two hosts, all GUIDs invented."""

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

SMALL_FILES = {
    "sl2vl": SL2VL,
    "slvl": SLVL,
    "psl": PSL,
    "path_records": PATH_RECORDS,
    "guid2lid": GUID2LID,
    "mcfdbs": MCFDBS,
    "far": FAR,
    "unmodelled": PLFT,
}
