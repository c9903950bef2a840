# SPDX-License-Identifier: Apache-2.0
"""Checks a capture's link type: an NF silently drops packets of other types than Ethernet.

Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng. Other files are left to the NF.
"""

from __future__ import annotations

import struct
from pathlib import Path

from nalm_agent.runtime.errors import ConfigError

ETHERNET = 1
NAMES = {
    0: "loopback",
    12: "raw IP",
    101: "raw IP",
    105: "802.11",
    113: "Linux cooked",
    276: "Linux cooked v2",
}
_MICROSECONDS, _NANOSECONDS, _PCAPNG = 0xA1B2C3D4, 0xA1B23C4D, 0x0A0D0D0A
_PCAPNG_ORDER = 0x1A2B3C4D
_INTERFACE = 1
HEAD_BYTES = 65536


def require_ethernet(path: Path, name: str) -> None:
    """Raises ConfigError for a capture whose (first) link type is not Ethernet."""
    with path.open("rb") as file:
        link_type = link_type_of(file.read(HEAD_BYTES))
    if link_type not in (None, ETHERNET):
        called = NAMES.get(link_type, "another")
        raise ConfigError(
            f"the traffic file {name} has link type {link_type} ({called}), but an NF needs Ethernet (1)",
            hint="capture on one interface, not on `any`; for raw IP: `tcprewrite --dlt=enet`",
        )


def link_type_of(head: bytes) -> int | None:
    """Link type of a capture's first interface, by the file's first bytes; None if it is no capture."""
    for order in "<>":
        if len(head) >= 24 and struct.unpack(order + "I", head[:4])[0] in (_MICROSECONDS, _NANOSECONDS):
            return int(struct.unpack(order + "I", head[20:24])[0] & 0xFFFF)
        if len(head) >= 28 and struct.unpack(order + "II", head[:4] + head[8:12]) == (_PCAPNG, _PCAPNG_ORDER):
            return _first_interface(head, order)
    return None


def _first_interface(head: bytes, order: str) -> int | None:
    at = 0
    while at + 12 <= len(head):
        kind, size = struct.unpack(order + "II", head[at : at + 8])
        if kind == _INTERFACE:
            return int(struct.unpack(order + "H", head[at + 8 : at + 10])[0])
        if size < 12:
            return None
        at += size
    return None
