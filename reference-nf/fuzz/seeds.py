# SPDX-License-Identifier: BSD-3-Clause
"""Makes the inputs that fuzzing starts from: the shipped captures and configurations, cut to size."""

import re
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

NF_FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(NF_FOLDER))

from spec.fragments import cut  # noqa: E402
from spec.pcap import read_pcap, write_pcap  # noqa: E402

FRAMES = 80  # of each capture: its beginning, with the programs' handshakes
FRAME_BYTES = 400  # of a longer frame: its beginning, as a truncated frame
TALK_FRAMES = 8
LINES = 6  # of a file of routes or rules, because Hyperscan takes time for each pattern
CROWD = 10
SMALL_MTU = 100  # a shortened frame in five fragments
SERVICE, SERVICE_PORT = bytes([198, 51, 100, 80]), struct.pack(">H", 443)
IP_AT, SOURCE_AT, L4_AT = 14, 26, 34  # in frames without IP options
REPAIRED, AS_IT_IS, REPLY, ERROR, RUN, SHORT = 0, 1, 2, 3, 4, 1 << 3  # talk.h

# Has no form feed, which separates files in an input of fuzz_config.
TINY_FRAME = bytes.fromhex(
    "02000000000202000000000108004500001c000100004011aed00a0000010a0000021000200000080000"
)


def captured() -> Iterator[list[bytes]]:
    for path in sorted((NF_FOLDER / "traffic").glob("*.pcap")):
        yield read_pcap(path)[:FRAMES]


def packets() -> Iterator[bytes]:
    for frames in captured():
        yield from (frame[:FRAME_BYTES] for frame in frames)


def record(what: int, data: bytes = b"", pause: int = 0) -> bytes:
    return struct.pack("<BBH", what, pause, len(data)) + data


def crowd(frame: bytes) -> bytes:
    """The frame from consecutive source ports, then from a neighbour's: more flows than small tables hold."""
    parts = []
    for n in range(CROWD):
        source = frame[SOURCE_AT : SOURCE_AT + 3] + bytes([frame[SOURCE_AT + 3] ^ (2 * n >= CROWD)])
        ports = struct.pack(">H", 2000 + n) + frame[L4_AT + 2 :]
        parts.append(record(REPAIRED, frame[:SOURCE_AT] + source + frame[SOURCE_AT + 4 : L4_AT] + ports))
    return b"".join(parts)


def hairpin(frame: bytes) -> bytes:
    """The frame, then a reply from another inside host, to the outside address."""
    neighbour = frame[SOURCE_AT : SOURCE_AT + 3] + bytes([frame[SOURCE_AT + 3] ^ 1])
    server = frame[SOURCE_AT + 4 : SOURCE_AT + 8]
    change = bytes(SOURCE_AT - IP_AT) + bytes(a ^ b for a, b in zip(server, neighbour, strict=True))
    return record(REPAIRED | RUN, frame) + record(REPLY, change) + record(REPLY) + record(ERROR, change)


def to_service(frame: bytes) -> bytes:
    """The frame, addressed to a service of conf/lb_services.txt."""
    addressed = frame[: SOURCE_AT + 4] + SERVICE + frame[SOURCE_AT + 8 : L4_AT + 2]
    return addressed + SERVICE_PORT + frame[L4_AT + 4 :]


def is_client(frame: bytes) -> bool:
    """TCP or UDP over IPv4 without options, from the inside of the shipped configurations."""
    return frame[12:15] == b"\x08\x00\x45" and frame[23] in (6, 17) and frame[SOURCE_AT] == 10


def is_version_6(frame: bytes) -> bool:
    """Without padding, since a datagram is made of all its bytes."""
    return frame[12:14] == b"\x86\xdd" and len(frame) == IP_AT + 40 + int.from_bytes(frame[18:20], "big")


def talks() -> Iterator[bytes]:
    """Windows of each capture: unchanged, answered by a reply and an error each, and with pauses; and frames
    that fill tables or hairpin."""
    for frames in captured():
        for at in range(0, len(frames), TALK_FRAMES):
            window = [frame for frame in frames[at : at + TALK_FRAMES] if len(frame) <= 2 * FRAME_BYTES]
            yield b"".join(record(REPAIRED, frame) for frame in window)
            yield b"".join(
                record(REPAIRED | RUN, frame) + record(REPLY) + record(ERROR) + record(ERROR | SHORT)
                for frame in window[:2]
            )
            yield b"".join(record(AS_IT_IS, frame, pause=2) for frame in window[:3])
            talk = [to_service(frame) for frame in window if is_client(frame)]
            yield b"".join(record(REPAIRED | RUN, frame) + record(REPLY) for frame in talk)
            for frame in filter(is_client, window[:1]):
                yield crowd(frame)
                yield hairpin(frame)
                yield b"".join(record(REPAIRED, part) for part in reversed(cut(frame, SMALL_MTU)))
            for frame in filter(is_version_6, window[:2]):
                parts = cut(frame, SMALL_MTU, identification=bytes(4))
                yield b"".join(record(AS_IT_IS, part) for part in reversed(parts))
                yield b"".join(record(AS_IT_IS, part) for part in [*parts[:2], *parts[:1]])


def gtpu_messages() -> Iterator[bytes]:
    """User packets in tunnels of conf/upf_sessions.txt, with every kind of optional field; other messages."""
    inner = TINY_FRAME[IP_AT:]
    container = bytes((0, 0, 0, 0x85, 1, 0x10, 5, 0))
    chain = bytes((0, 0, 0, 0x40, 1, 0, 0, 0x85, 2, 0x10, 5, 0, 0, 0, 0, 0))
    for flags, more in ((0, b""), (2, bytes((0, 7, 0, 0))), (4, container), (4, chain), (7, container)):
        for kind in (255, 1, 26, 254):
            for teid in (0x1001, 0x1002, 9):
                length = len(more) + len(inner)
                yield struct.pack(">BBHI", 0x30 | flags, kind, length, teid) + more + inner


def in_tunnels() -> Iterator[bytes]:
    """Talks whose frames come by tunnels, and as plain packets to the subscribers."""
    for message in gtpu_messages():
        udp = struct.pack(">HHHH", 2152, 2152, 8 + len(message), 0) + message
        addresses = bytes((192, 0, 2, 1, 192, 0, 2, 254))
        ip = struct.pack(">BBHIBBH", 0x45, 0, 20 + len(udp), 0, 64, 17, 0) + addresses
        frame = TINY_FRAME[:IP_AT] + ip + udp
        yield record(REPAIRED | RUN, frame) + record(AS_IT_IS, frame)
    for host in (bytes((10, 10, 1, 11)), bytes((10, 10, 3, 77)), bytes((10, 10, 4, 1))):
        yield record(REPAIRED, TINY_FRAME[: SOURCE_AT + 4] + host + TINY_FRAME[SOURCE_AT + 8 :])


def element(kind: int, *parts: bytes) -> bytes:
    return struct.pack(">HH", kind, sum(map(len, parts))) + b"".join(parts)


def pfcp_messages() -> Iterator[bytes]:
    """What an SMF says of a session: 3GPP TS 29.244, 7.5."""
    one = struct.pack(">I", 1)
    teid = bytes((1,)) + one + bytes((4, 3, 2, 1))
    text = b"permit out 17 from any 53 to assigned"
    sdf = bytes((1, 0)) + struct.pack(">H", len(text)) + text
    volume = bytes((7,)) + struct.pack(">QQQ", 1000, 2000, 3000)
    quota = element(73, bytes((1,)) + struct.pack(">Q", 9000))
    detect = [
        element(2, element(20, b"\x00"), element(21, teid), element(23, sdf), element(124, b"\x05")),
        element(2, element(20, b"\x00"), element(21, b"\x0d\x07"), element(93, bytes((2, 10, 0, 0, 1)))),
        element(2, element(20, b"\x01"), element(93, bytes((3, 10, 0, 0, 1)) + bytes(16))),
    ]
    rest = element(29, one) + element(95, b"\x00") + element(108, one) + element(109, one) + element(81, one)
    tunnel = element(84, b"\x01\x00" + one + bytes((192, 0, 2, 1)))
    parts = [
        *(element(1, element(56, bytes((0, n + 2))), pdi, rest) for n, pdi in enumerate(detect)),
        element(3, element(108, one), element(44, b"\x02"), element(4, element(42, b"\x00"), tunnel)),
        element(7, element(109, one), element(25, b"\x05"), element(26, bytes(10)), element(124, b"\x09")),
        element(6, element(81, one), element(31, volume), quota),
        element(10, element(108, one), element(44, b"\x0c"), element(11, element(42, b"\x00"), tunnel)),
        element(9, element(56, b"\x00\x01"), detect[0], rest),
        element(14, element(109, one), element(25, b"\x00")),
        element(13, element(81, one), element(31, volume)),
        element(13, element(81, one), element(37, b"\x02\x01"), quota),
        element(77, element(81, one)),
        *(
            element(15 + n, element(kind, one[-2:] if n == 0 else one))
            for n, kind in enumerate((56, 108, 81, 109))
        ),
    ]
    node = element(60, bytes((0, 127, 0, 0, 2)))
    whole = node + element(57, b"\x02" + struct.pack(">Q", 7) + bytes((127, 0, 0, 2))) + b"".join(parts[:6])
    for body in (*parts, b"".join(parts[:6]), b"".join(parts)):
        yield struct.pack(">BBHQI", 0x21, 50, 12 + len(body), 1, 0x100) + body
        yield struct.pack(">BBHQI", 0x21, 52, 12 + len(body), 1, 0x100) + body
    for kind, body in ((50, whole), (54, b"")):
        yield struct.pack(">BBHQI", 0x21, kind, 12 + len(body), 1, 0x100) + body
    for kind, body in ((1, element(96, one)), (5, node + element(96, one)), (9, node)):
        yield struct.pack(">BBHI", 0x20, kind, 4 + len(body), 0x100) + body


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += b"\0" * (-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str) -> bytes:
    """A section with an interface, and a block of names, which is skipped."""
    return b"".join(
        [
            block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order),
            block(1, struct.pack(order + "HHI", 1, 0, 0), order),
            block(4, struct.pack(order + "HH", 0, 0), order),
        ]
    )


def simple(frame: bytes, order: str, lie: int = 0) -> bytes:
    """A packet whose length field is too large by `lie`."""
    return block(3, struct.pack(order + "I", len(frame) + lie) + frame, order)


def enhanced(frame: bytes, order: str, lie: int = 0) -> bytes:
    sizes = struct.pack(order + "II", len(frame) + lie, len(frame) + lie)
    return block(6, struct.pack(order + "III", 0, 0, 0) + sizes + frame, order)


def captures(folder: Path) -> Iterator[bytes]:
    for frames in captured():
        few = [frame for frame in frames if len(frame) < FRAME_BYTES][:4]
        scratch = folder / "scratch"
        write_pcap(scratch, few)
        yield scratch.read_bytes()
        scratch.unlink()
        for order in "<>":
            yield section(order) + b"".join(simple(frame, order) + enhanced(frame, order) for frame in few)
        for lie in (4, 12, 20):
            yield section("<") + simple(few[0], "<", lie)
            yield section("<") + enhanced(few[0], "<", lie)


def tiny_capture() -> bytes:
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    return header + struct.pack("<IIII", 0, 0, len(TINY_FRAME), len(TINY_FRAME)) + TINY_FRAME


def begin(path: Path) -> bytes:
    """The file's first lines, without comments."""
    lines = [line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#")]
    return b"".join(lines[:LINES])


def configurations() -> Iterator[bytes]:
    """Each shipped configuration followed by the files that it names, as fuzz_config.c splits them."""
    for path in sorted((NF_FOLDER / "conf").glob("*.conf")):
        files: list[bytes] = []

        def bring(match: re.Match[str], folder: Path = path.parent, files: list[bytes] = files) -> str:
            named = folder / match["value"]
            if not named.is_file():
                return match[0]
            files.append(tiny_capture() if named.suffix == ".pcap" else begin(named))
            return f"{match['key']} = {len(files) + 1}"

        text = re.sub(r"(?m)^(?P<key>\w+) *= *(?P<value>\S+)$", bring, path.read_text())
        text = re.sub(r"(?m)^(\w*generated) *= *\d+$", r"\1 = 3", text)
        sets = b"chain.batch=32\nmodel.workers=2\n"
        yield b"\f".join([text.encode(), sets, *files])
        yield b"\f".join([re.sub(r"(?m)^#.*\n|^\n", "", text).encode(), b"", *files])


def mods(lines: list[bytes]) -> bytes:
    """Flow-mods of some of the entries: each goes, comes back, and does something else."""
    names = [b" ".join(line.split()[:4]) for line in lines if line.startswith(b"flow")][::7]
    return b"\n".join(
        line
        for name in names
        for line in (b"delete " + name, b"add " + name + b" write:output=3", b"modify " + name + b" drop")
    )


def pipelines() -> Iterator[bytes]:
    """Each shipped file of flow entries, whole and each line on its own, with flow-mods and windows of
    the talks."""
    windows = [talk for talk in talks() if talk][:40]
    routes = [
        b"flow 0 16 eth_type=0x0800,ipv4_dst=192.%d.0.0/16 write:group=%d" % (n, n % 3 + 1) for n in range(9)
    ]
    yield b"\n".join(routes) + b"\f" + mods(routes) + b"\f" + windows[0]
    for path in sorted((NF_FOLDER / "conf").glob("openflow_*.txt")):
        lines = [line for line in path.read_bytes().splitlines() if line and not line.startswith(b"#")]
        yield from (b"\n".join(lines) + b"\f" + mods(lines) + b"\f" + talk[:2000] for talk in windows[::4])
        heads = [line for line in lines if not line.startswith(b"flow")]
        for number, line in enumerate(lines):
            if line.startswith(b"flow"):
                alone = re.sub(rb"^flow \d+", b"flow 0", line)
                yield (
                    b"\n".join([*heads, alone])
                    + b"\f"
                    + mods([alone])
                    + b"\f"
                    + windows[number % len(windows)][:1000]
                )


def field_files() -> Iterator[bytes]:
    """The shipped field definition file, and one that has each width and the most fields."""
    yield (NF_FOLDER / "conf" / "hop_fields.txt").read_bytes()
    yield b"len,4\n" + b"".join(b"own%d,%d\n" % (n, 1 << n % 4) for n in range(15))


def openflow_words() -> Iterator[str]:
    """What flow entries are made of, as lines of a libFuzzer dictionary."""
    text = "".join(path.read_text() for path in (NF_FOLDER / "conf").glob("openflow_*.txt"))
    rules = (NF_FOLDER / "src/flow_rules").glob("*.c")
    named = re.findall(r'\{"([a-z0-9_]+)"', "".join(path.read_text() for path in rules))
    found = (
        {"add flow", "modify flow", "delete flow"}
        | set(named)
        | set(re.findall(r"[a-z0-9_]+[=:]|(?<==)[0-9a-fx.:/]+", text))
    )
    return (f'"{word}"' for word in sorted(found))


def words() -> Iterator[str]:
    """Words of the configurations as lines of a libFuzzer dictionary."""
    found = set()
    for path in (NF_FOLDER / "conf").glob("*.conf"):
        found |= set(re.findall(r"\[\w+\]|\w+ = |(?<== )[\w,./]+", path.read_text()))
    for path in (NF_FOLDER / "src").glob("*/*_config.c"):
        found |= set(re.findall(r'"([a-z_]{2,})"', path.read_text()))
    return (f'"{word}"' for word in sorted(found))


def write(folder: Path, inputs: Iterable[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(inputs):
        (folder / f"seed_{number}").write_bytes(data)


def make_seeds(folder: Path) -> None:
    """Writes FOLDER/<program>/seed_<n> for each program, and FOLDER/config.dict."""
    write(folder / "packet", packets())
    write(folder / "capture", captures(folder))
    write(folder / "config", configurations())
    write(folder / "chain", [*talks(), *in_tunnels()])
    write(folder / "gtpu", gtpu_messages())
    write(folder / "pfcp", pfcp_messages())
    write(folder / "fields", field_files())
    write(folder / "openflow", pipelines())
    (folder / "openflow.dict").write_text("\n".join([*openflow_words(), '"\\x0c"', '"\\x0a"', ""]))
    (folder / "config.dict").write_text("\n".join([*words(), '"\\x0c"', '"\\x0a"', ""]))
