# SPDX-License-Identifier: BSD-3-Clause
"""GTP-U version 1 (3GPP TS 29.281): headers with optional fields and extension headers, tunnels over IPv4."""

import struct
from dataclasses import dataclass

from spec.checksum import checksum

PORT = 2152
ECHO_REQUEST, ECHO_RESPONSE, G_PDU = 1, 2, 255
SESSION_CONTAINER = 0x85
HAS_NPDU, HAS_SEQUENCE, HAS_EXTENSION = 1, 2, 4
EXTENSIONS_MAX = 8
RECOVERY = 14
TTL = 64


class MalformedError(ValueError):
    """Another version, or lengths that contradict each other."""


class UnknownExtensionError(ValueError):
    """An extension header that its receiver has to know, and does not."""


@dataclass(frozen=True)
class Message:
    """What a UDP payload to port 2152 holds."""

    kind: int
    teid: int
    sequence: int
    payload: bytes
    qfi: int = 0


def read_message(data: bytes) -> Message:
    """The message at the begin of a UDP payload (5.1, 5.2)."""
    if len(data) < 8 or data[0] >> 4 != 3:
        raise MalformedError
    flags = data[0] & (HAS_NPDU | HAS_SEQUENCE | HAS_EXTENSION)
    kind, length, teid = struct.unpack_from(">BHI", data, 1)
    end = 8 + length
    if end > len(data) or (flags and length < 4):
        raise MalformedError
    if not flags:
        return Message(kind, teid, 0, data[8:end])
    sequence, _, following = struct.unpack_from(">HBB", data, 8)
    at, qfi = _behind_extensions(data[:end], 12, following if flags & HAS_EXTENSION else 0)
    return Message(kind, teid, sequence if flags & HAS_SEQUENCE else 0, data[at:end], qfi)


def _behind_extensions(data: bytes, at: int, kind: int) -> tuple[int, int]:
    """Where the payload begins, and the QFI of the last PDU Session Container."""
    qfi = 0
    for _ in range(EXTENSIONS_MAX):
        if kind == 0:
            return at, qfi
        length = data[at] * 4 if at < len(data) else 0
        if length == 0 or at + length > len(data):
            raise MalformedError
        if kind != SESSION_CONTAINER and kind & 0x80:
            raise UnknownExtensionError
        if kind == SESSION_CONTAINER:
            qfi = data[at + 2] & 0x3F
        kind = data[at + length - 1]
        at += length
    if kind:
        raise MalformedError
    return at, qfi


def outer(
    source: bytes, destination: bytes, source_port: int, destination_port: int, payload: bytes
) -> bytes:
    """An IPv4 packet, DF set, identification 0, that holds UDP without checksum."""
    header = (
        struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), 0, 0x4000, TTL, 17, 0) + source + destination
    )
    header = header[:10] + checksum(header).to_bytes(2, "big") + header[12:]
    return header + struct.pack(">HHHH", source_port, destination_port, 8 + len(payload), 0) + payload


def g_pdu(teid: int, qfi: int, packet: bytes) -> bytes:
    """A user packet in a tunnel; with a downlink PDU Session Container for a QFI (TS 38.415, 5.5.2.1)."""
    more = bytes((0, 0, 0, SESSION_CONTAINER, 1, 0, qfi, 0)) if qfi else b""
    flags = HAS_EXTENSION if qfi else 0
    return struct.pack(">BBHI", 0x30 | flags, G_PDU, len(more) + len(packet), teid) + more + packet


def echo_response(sequence: int) -> bytes:
    """The answer to an echo request (7.2.2), its restart counter 0 (8.2)."""
    return struct.pack(">BBHIHBBBB", 0x32, ECHO_RESPONSE, 6, 0, sequence, 0, 0, RECOVERY, 0)
