# SPDX-License-Identifier: BSD-3-Clause
"""Writes the web servers' files and the telephone's speech, the same at every run."""

import json
import random
import struct
import sys
import zlib
from pathlib import Path

WORDS = ["packet", "flow", "route", "queue", "burst", "cache", "cycle", "core", "ring", "table", "hash",
         "lookup", "prefix", "port", "checksum", "stage"]  # fmt: skip


SAMPLES_PER_SECOND = 8000  # of G.711


def png(draw: random.Random, width: int, height: int) -> bytes:
    """A picture of grey noise (RFC 2083), stored, not compressed: the same with every zlib."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + draw.randbytes(width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def speech(draw: random.Random) -> bytes:
    """0.8 seconds that look like G.711: near silence, then louder samples of either sign, by turns."""
    loud = [draw.choice([0x30, 0xB0]) + draw.randrange(0x40) for _ in range(SAMPLES_PER_SECOND)]
    quiet = [draw.choice([0x7E, 0x7F, 0xFE, 0xFF]) for _ in range(SAMPLES_PER_SECOND)]
    spells = range(0, SAMPLES_PER_SECOND * 8 // 10, SAMPLES_PER_SECOND // 10)
    return b"".join(
        bytes((quiet if number % 3 == 0 else loud)[at : at + SAMPLES_PER_SECOND // 10])
        for number, at in enumerate(spells)
    )


def main(folder: Path, speech_file: Path) -> None:
    """Pages, JSON answers, image-like and download-like bodies into `folder`, speech into `speech_file`."""
    draw = random.Random(2023)

    def text(words: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(words))

    (folder / "index.html").write_text(f"<html><title>Example</title><p>{text(40)}</p></html>\n")
    (folder / "article.html").write_text(
        "<html>" + "".join(f"<p>{text(80)}</p>\n" for _ in range(16)) + "</html>"
    )
    (folder / "items.json").write_text(
        json.dumps([{"id": n, "name": text(2), "price": n * 7} for n in range(60)])
    )
    (folder / "logo.png").write_bytes(png(draw, 80, 48))
    (folder / "download.bin").write_bytes(draw.randbytes(36000))
    (folder / "shop.html").write_text(
        '<html><link rel="stylesheet" href="shop.css"><script src="shop.js"></script>'
        f'<h1>{text(3)}</h1><img src="photo.png"><img src="logo.png"><p>{text(300)}</p></html>\n'
    )
    (folder / "shop.css").write_text(
        "".join(f".{word} {{ margin: {n}px }}\n" for n, word in enumerate(WORDS))
    )
    (folder / "shop.js").write_text(
        "".join(f'function {word}() {{ return "{text(4)}" }}\n' for word in WORDS)
    )
    (folder / "photo.png").write_bytes(png(draw, 100, 70))
    speech_file.write_bytes(speech(draw))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
