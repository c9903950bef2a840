# SPDX-License-Identifier: BSD-3-Clause
"""A VLAN port in user space: what the kernel sends on a TAP device leaves on the parent with tags, and back.

python3 vlan_port.py PARENT TAP TAG...    TAG: TPID in hex, colon, VLAN identifier; outermost first
"""

import fcntl
import os
import select
import socket
import struct
import sys

# linux/if_tun.h, linux/if_packet.h, linux/if_ether.h
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 263, 8, 1 << 4
AUXDATA = struct.Struct("=IIIHHHH")  # status, len, snaplen, mac, net, vlan_tci, vlan_tpid
ETH_P_ALL = 3
MAC_BYTES = 12  # both addresses; the tags follow
VLAN_IDENTIFIER = 0x0FFF


def open_tap(name: str) -> int:
    """The file whose reads are the frames the kernel sends on the TAP device."""
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return tap


def open_parent(name: str) -> socket.socket:
    """A socket for whole frames, which says the outermost tag apart: the kernel takes it out of the frame."""
    parent = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    parent.bind((name, ETH_P_ALL))
    parent.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    return parent


def outer_tag(ancillary: list[tuple[int, int, bytes]]) -> bytes:
    """The tag that the kernel took out of a received frame, without priority; empty when it had none."""
    for level, kind, data in ancillary:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, *_, tci, tpid = AUXDATA.unpack(data[: AUXDATA.size])
            if status & TP_STATUS_VLAN_VALID:
                return struct.pack(">HH", tpid, tci & VLAN_IDENTIFIER)
    return b""


def untagged(parent: socket.socket, tags: bytes) -> bytes | None:
    """The next frame for this port without its tags; None when it is another port's, or was sent."""
    frame, ancillary, _, address = parent.recvmsg(2048, 256)
    whole = frame[:MAC_BYTES] + outer_tag(ancillary) + frame[MAC_BYTES:]
    sent = address[2] == socket.PACKET_OUTGOING
    end = MAC_BYTES + len(tags)
    # A frame with a further tag after these belongs to another port.
    mine = whole[MAC_BYTES:end] == tags and whole[end : end + 2] not in (b"\x81\x00", b"\x88\xa8")
    return None if sent or not mine else whole[:MAC_BYTES] + whole[end:]


def main(parent_name: str, tap_name: str, *tag_words: str) -> None:
    """Passes frames until it is killed."""
    tags = b"".join(
        struct.pack(">HH", int(tpid, 16), int(vlan)) for tpid, vlan in (word.split(":") for word in tag_words)
    )
    tap, parent = open_tap(tap_name), open_parent(parent_name)
    while True:
        ready, _, _ = select.select([tap, parent.fileno()], [], [])
        if tap in ready:
            frame = os.read(tap, 2048)
            parent.send(frame[:MAC_BYTES] + tags + frame[MAC_BYTES:])
        if parent.fileno() in ready and (received := untagged(parent, tags)) is not None:
            os.write(tap, received)


if __name__ == "__main__":
    main(*sys.argv[1:])
