# SPDX-License-Identifier: BSD-3-Clause
"""Writes the web servers' files and the telephone's speech: text, JSON, incompressible bytes; the same at every run."""

import json
import random
import sys
from pathlib import Path

WORDS = ["packet", "flow", "route", "queue", "burst", "cache", "cycle", "core", "ring", "table", "hash",
         "lookup", "prefix", "port", "checksum", "stage"]  # fmt: skip


SAMPLES_PER_SECOND = 8000  # of G.711


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
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + draw.randbytes(4000))
    (folder / "download.bin").write_bytes(draw.randbytes(36000))
    (folder / "shop.html").write_text(
        '<html><link rel="stylesheet" href="shop.css"><script src="shop.js"></script>'
        f'<h1>{text(3)}</h1><img src="photo.jpg"><img src="logo.png"><p>{text(300)}</p></html>\n'
    )
    (folder / "shop.css").write_text("".join(f".{word} {{ margin: {n}px }}\n" for n, word in enumerate(WORDS)))
    (folder / "shop.js").write_text("".join(f'function {word}() {{ return "{text(4)}" }}\n' for word in WORDS))
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + draw.randbytes(7000))
    speech_file.write_bytes(speech(draw))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
