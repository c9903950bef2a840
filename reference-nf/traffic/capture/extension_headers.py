# SPDX-License-Identifier: BSD-3-Clause
"""IPv6 extension headers, put on by the kernel at a program's wish (RFC 3542, RFC 8200, RFC 8754).

python3 extension_headers.py echo ADDRESS PORT             answers each UDP datagram with its payload
python3 extension_headers.py talk ADDRESS PORT WAYPOINT    sends to it, and to port 80, with each header
"""

import socket
import struct
import sys

PAD_N, ROUTER_ALERT, EXPERIMENT = 1, 5, 0x1E  # options: RFC 8200, RFC 2711, RFC 4727
SEGMENT_ROUTING = 4  # routing type: RFC 8754, section 2
TIMEOUT_S = 5


def options(*fields: tuple[int, bytes]) -> bytes:
    """A hop-by-hop or destination options header; the kernel fills in the next header."""
    body = b"".join(struct.pack("BB", kind, len(data)) + data for kind, data in fields)
    room = -(2 + len(body)) % 8
    if room == 1:
        room = 9  # PadN takes two bytes at least
    if room:
        body += struct.pack("BB", PAD_N, room - 2) + bytes(room - 2)
    return struct.pack("BB", 0, (2 + len(body)) // 8 - 1) + body


def segment_routing(waypoint: str) -> bytes:
    """By one waypoint; the kernel writes the destination into the segment left empty."""
    segments = bytes(16) + socket.inet_pton(socket.AF_INET6, waypoint)
    return struct.pack(">BBBBBBH", 0, len(segments) // 8, SEGMENT_ROUTING, 1, 1, 0, 0) + segments


def echo(address: str, port: int) -> None:
    """Answers until it is killed."""
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
        server.bind((address, port))
        while True:
            payload, sender = server.recvfrom(65535)
            server.sendto(payload, sender)


def talk(address: str, port: int, waypoint: str) -> None:
    """Datagrams, small and in fragments, with some combinations of headers; then HTTP with one of them."""
    hop_by_hop = socket.IPV6_HOPOPTS, options((ROUTER_ALERT, bytes(2)))
    destination = socket.IPV6_DSTOPTS, options((EXPERIMENT, b"nalm"))
    routing = socket.IPV6_RTHDR, segment_routing(waypoint)
    together = [hop_by_hop, routing, destination]
    for headers in ([hop_by_hop], [destination], [routing], [hop_by_hop, destination], together):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as client:
            client.settimeout(TIMEOUT_S)
            for option, header in headers:
                client.setsockopt(socket.IPPROTO_IPV6, option, header)
            for size in (40, 3000):
                client.sendto(bytes(range(40)) * (size // 40), (address, port))
                client.recv(65535)
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as client:
        client.settimeout(TIMEOUT_S)
        client.setsockopt(socket.IPPROTO_IPV6, *destination)
        client.connect((address, 80))
        client.sendall(b"GET /index.html HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n")
        while client.recv(65535):
            pass


if __name__ == "__main__":
    if sys.argv[1] == "echo":
        echo(sys.argv[2], int(sys.argv[3]))
    else:
        talk(sys.argv[2], int(sys.argv[3]), sys.argv[4])
