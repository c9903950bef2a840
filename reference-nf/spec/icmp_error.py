# SPDX-License-Identifier: BSD-3-Clause
"""ICMP errors and the beginning of a packet that they quote, as a translator rewrites them (RFC 5508)."""

from dataclasses import dataclass

from spec.checksum import ones_complement_sum, update
from spec.packet import ETHERNET_BYTES, ICMP, TCP, UDP, Packet
from spec.stage import with_bytes

DESTINATION_UNREACHABLE, TIME_EXCEEDED, PARAMETER_PROBLEM = 3, 11, 12
ERRORS = (DESTINATION_UNREACHABLE, TIME_EXCEEDED, PARAMETER_PROBLEM)
ECHO_REQUEST, ECHO_REPLY = 8, 0
CARRIED_MINIMUM = 8  # bytes of the transport header: RFC 792
L4_CHECKSUM = {TCP: 16, UDP: 6, ICMP: 2}

End = tuple[int, int, int]  # protocol, address, port or ICMP identifier


@dataclass(frozen=True, slots=True)
class Carried:
    """The quoted packet of an error; offsets are in the frame."""

    ip: int
    l4: int
    end: int
    protocol: int
    source: End
    destination: End
    query: int  # type, of ICMP

    def port_at(self, of_source: bool) -> int:
        """Offset of an end's port or identifier."""
        if self.protocol == ICMP:
            return self.l4 + 4
        return self.l4 + (0 if of_source else 2)


def is_error(packet: Packet) -> bool:
    """Whether a whole ICMP packet over IPv4 is an error."""
    return packet.protocol == ICMP and packet.frame[packet.l4] in ERRORS


def carried(packet: Packet) -> Carried | str:
    """The quoted packet, or an outcome's name if it is wrong (REQ-3)."""
    frame, ip, end = packet.frame, packet.l4 + 8, packet.end
    if end - ip < 20 + CARRIED_MINIMUM or ones_complement_sum(frame[packet.l4 : end]) != 0xFFFF:
        return "malformed"
    header = (frame[ip] & 15) * 4
    if frame[ip] >> 4 != 4 or header < 20 or ip + header + CARRIED_MINIMUM > end:
        return "malformed"
    header_sum = ones_complement_sum(frame[ip : ip + header])
    if _word(frame, ip + 2) < header + CARRIED_MINIMUM or header_sum != 0xFFFF:
        return "malformed"
    if _word(frame, ip + 6) & 0x1FFF:
        return "fragment"
    protocol, l4 = frame[ip + 9], ip + header
    if protocol not in L4_CHECKSUM or (protocol == ICMP and frame[l4] not in (ECHO_REQUEST, ECHO_REPLY)):
        return "unsupported_protocol"
    source, destination = (int.from_bytes(frame[at : at + 4], "big") for at in (ip + 12, ip + 16))
    ports = (_word(frame, l4 + 4),) * 2 if protocol == ICMP else (_word(frame, l4), _word(frame, l4 + 2))
    return Carried(
        ip, l4, end, protocol, (protocol, source, ports[0]), (protocol, destination, ports[1]), frame[l4]
    )


def rewrite_carried(packet: Packet, inside: Carried, of_source: bool, is_now: End) -> Packet:
    """Replaces an end of the quoted packet. Updates checksums by RFC 1624, the ICMP message's last."""
    frame = packet.frame
    address_at, port_at = inside.ip + (12 if of_source else 16), inside.port_at(of_source)
    was = frame[address_at : address_at + 4], frame[port_at : port_at + 2]
    now = is_now[1].to_bytes(4, "big"), is_now[2].to_bytes(2, "big")
    ip_sum = frame[inside.ip + 10 : inside.ip + 12]
    new_ip_sum = update(int.from_bytes(ip_sum, "big"), was[0], now[0]).to_bytes(2, "big")
    changes = [(address_at, now[0]), (port_at, now[1]), (inside.ip + 10, new_ip_sum)]
    old, new = was[0] + was[1] + ip_sum, now[0] + now[1] + new_ip_sum
    l4_at = inside.l4 + L4_CHECKSUM[inside.protocol]
    if l4_at + 2 <= inside.end:
        l4_sum = frame[l4_at : l4_at + 2]
        # ICMP has no pseudo-header
        summed = (was[1], now[1]) if inside.protocol == ICMP else (was[0] + was[1], now[0] + now[1])
        new_l4_sum = _transport_sum(inside.protocol, l4_sum, *summed)
        changes.append((l4_at, new_l4_sum))
        old, new = old + l4_sum, new + new_l4_sum
    around = packet.l4 + 2
    changes.append((around, update(_word(frame, around), old, new).to_bytes(2, "big")))
    return with_bytes(packet, *changes)


def rewrite_address(packet: Packet, address_at: int, address: int) -> Packet:
    """Replaces an address of the packet itself; ICMP has no pseudo-header."""
    frame, at = packet.frame, ETHERNET_BYTES + 10
    new = address.to_bytes(4, "big")
    ip_sum = update(_word(frame, at), frame[address_at : address_at + 4], new)
    return with_bytes(packet, (address_at, new), (at, ip_sum.to_bytes(2, "big")))


def _transport_sum(protocol: int, old_sum: bytes, was: bytes, now: bytes) -> bytes:
    if protocol == UDP and old_sum == b"\0\0":
        return old_sum
    new_sum = update(int.from_bytes(old_sum, "big"), was, now)
    return (0xFFFF if protocol == UDP and new_sum == 0 else new_sum).to_bytes(2, "big")


def _word(frame: bytes, at: int) -> int:
    return int.from_bytes(frame[at : at + 2], "big")
