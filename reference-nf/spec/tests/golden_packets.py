# SPDX-License-Identifier: BSD-3-Clause
"""Golden packets: hand-made frames for every path through the stages, each with the name of its case."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import ICMP, IP, TCP, UDP, fragment
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    RouterAlert,
)
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from spec.checksum import checksum, ones_complement_sum, update

INSIDE_MAC, NF_MAC = "02:00:00:00:10:01", "02:00:00:00:20:01"
CLIENT, OTHER_CLIENT = "10.10.1.11", "10.10.3.77"
SERVER, OTHER_SERVER, UNROUTED = "192.0.2.10", "198.51.100.20", "203.0.113.9"
CLIENT6, SERVER6, UNROUTED6 = "2001:db8:10:1::11", "2001:db8:20::10", "fd00::1"
HTTP_GET = b"GET /index.html HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: curl/8.5\r\n\r\n"

TEXTS = {
    "http get": HTTP_GET,
    "http post": b"POST /login HTTP/1.1\r\nHost: shop.example.com\r\nContent-Length: 3\r\n\r\na=b",
    "http answer": b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html\r\n\r\n<html></html>",
    "path traversal": b"GET /../../../etc/passwd HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
    "sql injection": b"GET /items?id=1+UNION+ALL+SELECT+name+FROM+users HTTP/1.1\r\nHost: a\r\n\r\n",
    "script": b"GET /?q=<script>alert(1)</script> HTTP/1.1\r\nHost: a\r\n\r\n",
    "blocked host": b"GET / HTTP/1.1\r\nHost: blocked.example\r\n\r\n",
    "video host": b"GET / HTTP/1.1\r\nHost: cdn.video.example.net\r\nUser-Agent: Wget/1.21\r\n\r\n",
    "marked and dropped": b"GET /announce?info_hash=x HTTP/1.1\r\nHost: ads1.example.net\r\n\r\n",
    "tls from a blocked name": b"\x16\x03\x01\x00\x90\x01\x00\x00\x8c\x03\x03\x00\x0fblocked.example\x00",
    "server error": b"HTTP/1.1 503 Service Unavailable\r\nServer: nginx\r\n\r\n",
    "ssh": b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
    "sip": b"INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP client\r\n\r\n",
    "bittorrent": b"\x13BitTorrent protocol" + bytes(8) + b"i" * 20 + b"p" * 20,
    "bittorrent dht": b"d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe",
    "smtp": b"EHLO mail.example.net\r\n",
    "ftp": b"USER anonymous\r\n",
    "tls hello": b"\x16\x03\x01\x00\x90\x01\x00\x00\x8c\x03\x03"
    + bytes(32)
    + b"\x00\x00\x16\x00\x14\x00\x00\x11"
    b"www.example.com\x00",
    "quic": b"\xc3\x00\x00\x00\x01\x08" + bytes(40),
    "nothing known": b"zzzz yyyy xxxx",
    "binary": bytes(range(256)),
}

Golden = tuple[str, bytes]


def ether(packet: Packet) -> bytes:
    """The packet in an Ethernet frame, lengths and checksums filled in unless the packet sets them."""
    return bytes(Ether(src=INSIDE_MAC, dst=NF_MAC) / packet)


def ip(frame: bytes) -> IP:
    """The IPv4 packet in a frame."""
    return Ether(frame)[IP]


def udp_sum(packet: bytes) -> int:
    """One's complement sum of a UDP datagram in an IPv4 packet without options, its checksum taken as 0."""
    segment = packet[20:26] + b"\0\0" + packet[28:]
    pseudo = packet[12:20] + b"\0\x11" + len(segment).to_bytes(2, "big")
    return ones_complement_sum(pseudo + segment)


def fix_ip_checksum(frame: bytearray) -> None:
    """Corrects the header checksum for the frame's stated header length, if the header is complete."""
    header = (frame[14] & 15) * 4 if len(frame) > 14 else 0
    if 20 <= header <= len(frame) - 14:
        frame[24:26] = b"\0\0"
        frame[24:26] = checksum(bytes(frame[14 : 14 + header])).to_bytes(2, "big")


def towards(frame: bytes, address: int) -> bytes:
    """The UDP packet, which has no IP options, with another destination and right checksums. Scapy takes a
    hundred times as long to make another packet."""
    at, size, udp = (30, 4, 34) if frame[14] >> 4 == 4 else (38, 16, 54)
    old, new = frame[at : at + size], address.to_bytes(size, "big")
    changed = bytearray(frame[:at] + new + frame[at + size :])
    if size == 4:
        changed[24:26] = update(int.from_bytes(frame[24:26], "big"), old, new).to_bytes(2, "big")
    total = update(int.from_bytes(frame[udp + 6 : udp + 8], "big"), old, new)
    changed[udp + 6 : udp + 8] = (total or 0xFFFF).to_bytes(2, "big")
    return bytes(changed)


def out(**fields: Any) -> IP:
    """An IPv4 header from a client to a server; `fields` override."""
    return IP(**{"src": CLIENT, "dst": SERVER, "id": 7, **fields})


def out6(**fields: Any) -> IPv6:
    """An IPv6 header from a client to a server; `fields` override."""
    return IPv6(**{"src": CLIENT6, "dst": SERVER6, **fields})


def good() -> Iterator[Golden]:
    """Well-formed packets from the inside."""
    yield "tcp syn", ether(out() / TCP(sport=40001, dport=80, flags="S"))
    yield "tcp with payload", ether(out() / TCP(sport=40001, dport=80, flags="PA") / HTTP_GET)
    yield "tcp, same port to another server", ether(out(dst=OTHER_SERVER) / TCP(sport=40001, dport=443))
    yield "tcp, other client, same port", ether(out(src=OTHER_CLIENT) / TCP(sport=40001, dport=80))
    yield (
        "tcp with options",
        ether(out() / TCP(sport=40002, dport=80, options=[("MSS", 1460), ("SAckOK", b""), ("WScale", 7)])),
    )
    yield (
        "udp",
        ether(out(dst=OTHER_SERVER) / UDP(sport=5353, dport=53) / DNS(qd=DNSQR(qname="www.example.com"))),
    )
    yield "udp without checksum", ether(out() / UDP(sport=5354, dport=53, chksum=0) / b"no checksum")
    yield "udp without payload", ether(out() / UDP(sport=5355, dport=9))
    yield "icmp echo", ether(out() / ICMP(type=8, id=321, seq=1) / b"abcdefgh")
    yield "ip options", ether(out(options=[b"\x94\x04\x00\x00"]) / UDP(sport=5356, dport=9) / b"router alert")
    yield "odd payload length", ether(out() / UDP(sport=5357, dport=9) / b"odd")
    yield "ethernet padding", ether(out() / UDP(sport=5358, dport=9) / b"x") + bytes(17)
    yield "full MTU", ether(out() / TCP(sport=40003, dport=80, flags="A") / bytes(1460))
    yield "tos and df", ether(out(tos=0xB8, flags="DF") / UDP(sport=5359, dport=9) / b"ef")
    yield "checksum that becomes ffff", ether(out(id=0xFFFF) / UDP(sport=65535, dport=65535) / b"\xff\xff")


def limits() -> Iterator[Golden]:
    """Packets that end in L3FWD."""
    yield "ttl 1", ether(out(ttl=1) / UDP(sport=6001, dport=9) / b"t")
    yield "ttl 0", ether(out(ttl=0) / UDP(sport=6001, dport=9) / b"t")
    yield "ttl 2", ether(out(ttl=2) / UDP(sport=6001, dport=9) / b"t")
    yield "no route", ether(out(dst=UNROUTED) / UDP(sport=6002, dport=9) / b"t")


def odd() -> Iterator[Golden]:
    """Fragments, other protocols, other EtherTypes, packets to unknown inside hosts."""
    whole = out(flags=0) / UDP(sport=7001, dport=9) / (b"fragment" * 40)
    for number, part in enumerate(fragment(whole, fragsize=160)):
        yield f"fragment {number}", ether(part)
    yield "gre", ether(out(proto=47) / Raw(b"\x00\x00\x08\x00payload"))
    yield "sctp", ether(out(proto=132) / Raw(bytes(24)))
    yield "icmp unreachable", ether(out() / ICMP(type=3, code=3) / bytes(IP(src=SERVER, dst=CLIENT) / UDP()))
    yield "icmp timestamp", ether(out() / ICMP(type=13, id=5, seq=5))
    yield "vlan", bytes(Ether(src=INSIDE_MAC, dst=NF_MAC) / Dot1Q(vlan=7) / out() / UDP(sport=7002, dport=9))
    yield "ipv6", ether(IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP(sport=7003, dport=9) / b"six")
    yield "arp", ether(ARP(psrc="10.10.1.11", pdst="10.10.0.1"))
    yield "from outside, no mapping", ether(IP(src=SERVER, dst="100.64.0.9") / TCP(sport=80, dport=2048))
    yield "from outside, udp, no mapping", ether(IP(src=SERVER, dst="100.64.0.1") / UDP(sport=53, dport=9))


def ipv6() -> Iterator[Golden]:
    """IPv6: transport protocols, extension headers, fragments, hop limits, wrong lengths."""
    udp = UDP(sport=7101, dport=9) / b"six"
    yield "ipv6 tcp", ether(out6() / TCP(sport=7100, dport=80, flags="PA") / HTTP_GET)
    yield "ipv6 udp, flow label and class", ether(out6(tc=0xB8, fl=0xABCDE) / udp)
    yield "ipv6 echo", ether(out6() / ICMPv6EchoRequest(id=7, seq=1) / b"abcdefgh")
    yield "ipv6 other client", ether(out6(src="2001:db8:10:3::31", dst="2001:db8::1") / udp)
    yield "ipv6 outward", ether(out6(dst="2606:4700::1111") / udp)
    yield "ipv6 no route", ether(out6(dst=UNROUTED6) / udp)
    for limit in (0, 1, 2, 255):
        yield f"ipv6 hop limit {limit}", ether(out6(hlim=limit) / udp)
    yield "ipv6 hop by hop", ether(out6() / IPv6ExtHdrHopByHop(options=[RouterAlert()]) / udp)
    yield "ipv6 routing", ether(out6() / IPv6ExtHdrRouting(addresses=["2001:db8::5"]) / udp)
    chain = IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt() / IPv6ExtHdrRouting() / IPv6ExtHdrDestOpt()
    yield "ipv6 four extension headers", ether(out6() / chain / TCP(sport=7102, dport=80) / HTTP_GET)
    yield "ipv6 atomic fragment", ether(out6() / IPv6ExtHdrFragment(id=5) / udp)
    yield "ipv6 first fragment", ether(out6() / IPv6ExtHdrFragment(id=6, m=1) / udp)
    yield "ipv6 later fragment", ether(out6() / IPv6ExtHdrFragment(nh=17, id=6, offset=8) / Raw(bytes(64)))
    yield "ipv6 extension cut short", ether(out6(nh=0) / Raw(b"\x11\x04" + bytes(6)))
    yield "ipv6 no next header", ether(out6(nh=59))
    yield "ipv6 unknown protocol", ether(out6(nh=253) / Raw(bytes(12)))
    yield "ipv6 udp cut short", ether(out6(nh=17) / Raw(bytes(5)))
    yield "ipv6 icmp of version 4", ether(out6(nh=1) / Raw(bytes(8)))
    yield "ipv6 payload length above frame", ether(out6(plen=99) / udp)
    yield "ipv6 payload length below frame", ether(out6(plen=11) / udp) + bytes(7)
    yield "ipv6 version 7", ether(out6(version=7) / udp)
    whole = ether(out6() / udp)
    for kept in (14, 15, 30, 53, 54, 60):
        yield f"ipv6 cut to {kept}", whole[:kept]


def malformed() -> Iterator[Golden]:
    """Packets whose lengths contradict each other or the frame."""
    tcp = ether(out() / TCP(sport=8001, dport=80) / b"payload")
    udp = ether(out() / UDP(sport=8002, dport=9) / b"payload")
    for kept in (10, 13, 14, 20, 33, 34, 41, 53):
        yield f"tcp cut to {kept}", tcp[:kept]
    for kept in (34, 38, 41, 48):
        yield f"udp cut to {kept}", udp[:kept]
    yield "icmp cut to 38", ether(out() / ICMP() / b"x")[:38]
    yield "ip version 5", ether(out(version=5) / UDP(sport=8003, dport=9))
    yield "header length 4", ether(out(ihl=1) / UDP(sport=8004, dport=9) / bytes(40))
    yield "header length 60, not there", ether(out(ihl=15) / UDP(sport=8005, dport=9))
    yield "total length 0", ether(out(len=0) / UDP(sport=8006, dport=9) / b"x")
    yield "total length below header", ether(out(len=16) / UDP(sport=8007, dport=9) / b"x")
    yield "total length above frame", ether(out(len=400) / UDP(sport=8008, dport=9) / b"x")
    yield "udp length 7", ether(out() / UDP(sport=8009, dport=9, len=7) / b"x")
    yield "udp length above packet", ether(out() / UDP(sport=8010, dport=9, len=99) / b"x")
    yield "udp length below packet", ether(out() / UDP(sport=8011, dport=9, len=9) / b"xyz")
    yield "tcp header length 4", ether(out() / TCP(sport=8012, dport=80, dataofs=1) / b"x")
    yield "tcp header beyond packet", ether(out() / TCP(sport=8013, dport=80, dataofs=15) / b"x")
    yield "only ethernet", ether(Raw(b""))
    yield "one byte", b"\x02"


def payloads() -> Iterator[Golden]:
    """Application data for DPI, in TCP and UDP, from and to clients."""
    for number, (name, text) in enumerate(TEXTS.items()):
        yield f"{name} in tcp", ether(out() / TCP(sport=9000 + number, dport=8000, flags="PA") / text)
        yield f"{name} in udp", ether(out() / UDP(sport=9000 + number, dport=8000) / text)
        ecn = IP(src=SERVER, dst=OTHER_SERVER, id=7, tos=0xFF)
        yield f"{name}, from outside, with DSCP and ECN", ether(ecn / UDP(sport=8000, dport=9) / text)
    yield "dns query", ether(out() / UDP(sport=9900, dport=53) / DNS(qd=DNSQR(qname="api.example.net")))


N3, ACCESS_NODE = "192.0.2.254", "192.0.2.1"


def gtpu(
    teid: int,
    inner: bytes,
    flags: int = 0,
    more: bytes = b"",
    *,
    kind: int = 255,
    length: int | None = None,
    **outer: Any,
) -> bytes:
    """A GTP-U message from an access node; `more`: optional fields and extension headers."""
    stated = len(more) + len(inner) if length is None else length
    header = bytes((0x30 | flags, kind)) + stated.to_bytes(2, "big") + teid.to_bytes(4, "big")
    fields = {"src": ACCESS_NODE, "dst": N3, "id": 0, **outer}
    return ether(IP(**fields) / UDP(sport=40000, dport=2152) / Raw(header + more + inner))


def tunnels() -> Iterator[Golden]:
    """GTP-U: what ends a tunnel here, in every form of its header, of each subscriber."""
    dns = bytes(out(dst="198.51.100.53") / UDP(sport=5300, dport=53) / b"query")
    web = bytes(out(dst="198.51.100.20") / TCP(sport=5301, dport=80, flags="PA") / HTTP_GET)
    container = bytes((0, 0, 0, 0x85, 1, 0x10, 5, 0))
    yield "uplink of the dedicated flow", gtpu(0x1001, dns)
    yield "uplink by a static policy", gtpu(0x1001, web)
    yield "uplink of the default flow", gtpu(0x1001, bytes(out() / UDP(sport=5302, dport=9999) / b"x"))
    yield "a policy that denies", gtpu(0x1001, bytes(out() / TCP(sport=5303, dport=25)))
    yield "uplink ping", gtpu(0x1001, bytes(out() / ICMP(type=8, id=9) / b"ping"))
    yield "session container", gtpu(0x1001, dns, 4, container)
    yield "sequence number", gtpu(0x1001, dns, 2, bytes((0, 7, 0, 0)))
    yield "n-pdu number", gtpu(0x1001, dns, 1, bytes((0, 0, 3, 0x85)))
    yield "all optional fields", gtpu(0x1001, dns, 7, bytes((0, 7, 3, 0x85, 1, 0x10, 5, 0)))
    two = bytes((0, 0, 0, 0x40, 1, 0, 0, 0x85, 2, 0x10, 5, 0, 0, 0, 0, 0))
    yield "an extension header that need not be known", gtpu(0x1001, dns, 4, two)
    yield "one that has to be known", gtpu(0x1001, dns, 4, bytes((0, 0, 0, 0xC0, 1, 0, 0, 0)))
    yield "inner packet padded", gtpu(0x1001, dns + bytes(5))
    yield "inner fragment", gtpu(0x1001, bytes(out(flags="MF") / UDP(sport=5300, dport=53) / bytes(32)))
    yield "inner protocol without ports", gtpu(0x1001, bytes(out(proto=47) / Raw(bytes(20))))
    yield "another subscriber's address", gtpu(0x1001, bytes(out(src=OTHER_CLIENT) / UDP(dport=53) / b"x"))
    six = bytes(out6() / UDP(sport=5304, dport=9) / b"six")
    yield "uplink of ipv6", gtpu(0x1002, six)
    yield "ipv6 of another prefix", gtpu(0x1002, bytes(out6(src="2001:db8:10:9::1") / UDP(dport=9)))
    yield "uplink of ipv4 there", gtpu(0x1002, bytes(out(src=OTHER_CLIENT) / UDP(dport=9) / b"four"))
    yield "a flow of its own by its qfi", gtpu(0x1002, six, 4, container)
    yield "another flow of that rule", gtpu(0x1002, six, 4, bytes((0, 0, 0, 0x85, 1, 0x10, 63, 0)))
    yield "a closed gate", gtpu(0x1003, bytes(out(dst=OTHER_SERVER) / TCP(sport=1, dport=88)))
    yield "a far that drops", gtpu(0x1003, bytes(out(dst=OTHER_SERVER) / TCP(sport=1, dport=89)))


def no_tunnels() -> Iterator[Golden]:
    """What is wrong with a tunnel, and messages that bring no user packet."""
    dns = bytes(out(dst="198.51.100.53") / UDP(sport=5300, dport=53) / b"query")
    yield "extension header of length 0", gtpu(0x1001, dns, 4, bytes((0, 0, 0, 0x85, 0, 0, 0, 0)))
    yield "extension header beyond the message", gtpu(0x1001, b"", 4, bytes((0, 0, 0, 0x85, 9, 0, 0, 0)))
    for count in (8, 9):
        chain = b"".join(bytes((1, 0, 0, 0x40 if n + 1 < count else 0)) for n in range(count))
        yield f"{count} extension headers", gtpu(0x1001, dns, 4, bytes((0, 0, 0, 0x40)) + chain)
    yield "length above the datagram", gtpu(0x1001, dns, length=999)
    yield "length below the packet", gtpu(0x1001, dns, length=24)
    yield "no room for optional fields", gtpu(0x1001, b"ab", 2)
    yield "another version of gtp", gtpu(0x1001, dns, 0x70)
    yield (
        "gtp prime",
        ether(
            IP(src=ACCESS_NODE, dst=N3) / UDP(sport=1, dport=2152) / Raw(bytes((0x20, 255, 0, 0)) + bytes(8))
        ),
    )
    yield "header cut short", ether(IP(src=ACCESS_NODE, dst=N3) / UDP(sport=1, dport=2152) / Raw(bytes(7)))
    yield "nothing inside", gtpu(0x1001, b"")
    yield "no ip inside", gtpu(0x1001, b"\x95" + bytes(40))
    yield "inner packet cut", gtpu(0x1001, dns[:25])
    yield "no such tunnel", gtpu(0x9999, dns)
    yield "echo request", gtpu(0, b"", 2, bytes((0x12, 0x34, 0, 0)), kind=1)
    yield "echo request in a long frame", gtpu(0, bytes(60), 2, bytes((0, 1, 0, 0)), kind=1)
    yield "echo response", gtpu(0, b"\x0e\x00", 2, bytes((0, 1, 0, 0)), kind=2)
    yield "error indication", gtpu(0, b"\x10\x00\x00\x00\x01", kind=26)
    yield "end marker", gtpu(0x1001, b"", kind=254)
    yield "outer ip options", gtpu(0x1001, dns, options=[b"\x94\x04\x00\x00"])
    part = IP(src=ACCESS_NODE, dst=N3, flags="MF") / UDP(sport=1, dport=2152) / Raw(bytes(32))
    yield "outer fragment", ether(part)
    yield "outer udp cut short", ether(IP(src=ACCESS_NODE, dst=N3, proto=17) / Raw(bytes(5)))
    yield "to this end, another port", ether(IP(src=ACCESS_NODE, dst=N3) / UDP(sport=1, dport=53) / b"x")
    yield "to this end, tcp", ether(IP(src=ACCESS_NODE, dst=N3) / TCP(sport=1, dport=2152))


def to_subscribers() -> Iterator[Golden]:
    """Downlink: what is put into tunnels."""
    to = IP(src="198.51.100.53", dst=CLIENT, id=7)
    yield "downlink of the dedicated flow", ether(to / UDP(sport=53, dport=5300) / b"answer")
    yield "downlink of the default flow", ether(to / TCP(sport=80, dport=5301, flags="PA") / b"page")
    yield "downlink with ethernet padding", ether(to / UDP(sport=9, dport=9) / b"x") + bytes(17)
    yield "downlink full mtu", ether(to / TCP(sport=80, dport=5301) / bytes(1460))
    yield (
        "downlink fragment",
        ether(IP(src=SERVER, dst=CLIENT, flags="MF") / UDP(sport=53, dport=1) / bytes(32)),
    )
    yield "downlink ping", ether(to / ICMP(type=0, id=9) / b"ping")
    six = IPv6(src=SERVER6, dst="2001:db8:10:1:ffff::9")
    yield "downlink of ipv6", ether(six / UDP(sport=9, dport=5304) / b"answer")
    yield "downlink without qfi", ether(IP(src=SERVER, dst=OTHER_CLIENT) / UDP(sport=9, dport=9) / b"four")
    yield "downlink that would be kept", ether(IP(src=SERVER, dst="10.10.4.1") / UDP(sport=9, dport=9))
    yield "downlink to nobody", ether(IP(src=SERVER, dst="10.10.9.9") / UDP(sport=9, dport=9) / b"x")


def user_plane() -> tuple[Golden, ...]:
    """What the stages of the user plane tell apart."""
    return (*tunnels(), *no_tunnels(), *to_subscribers())


@cache
def every() -> tuple[Golden, ...]:
    """All of them, in a fixed order."""
    return (*good(), *limits(), *odd(), *ipv6(), *malformed(), *payloads())
