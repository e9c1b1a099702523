"""The numbers of telnet: commands (RFC 854, RFC 885, RFC 1184) and options."""

from __future__ import annotations

SE = 240
NOP = 241
BRK = 243
AYT = 246
EC = 247
EL = 248
GA = 249
SB = 250
WILL = 251
WONT = 252
DO = 253
DONT = 254
IAC = 255
EOF = 236
EOR = 239

FIRST_COMMAND = EOF
"""Bytes below this mean nothing after an IAC."""

VERBS = frozenset({WILL, WONT, DO, DONT})

BINARY = 0
ECHO = 1
SUPPRESS_GO_AHEAD = 3
TIMING_MARK = 6
TERMINAL_TYPE = 24
END_OF_RECORD = 25
WINDOW_SIZE = 31
LINEMODE = 34
CHARSET = 42
MSSP = 70
COMPRESS2 = 86
GMCP = 201
