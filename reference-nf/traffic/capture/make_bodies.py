# SPDX-License-Identifier: BSD-3-Clause
"""Writes the web servers' files: text, JSON and incompressible bytes, the same at every run."""

import json
import random
import sys
from pathlib import Path

WORDS = ["packet", "flow", "route", "queue", "burst", "cache", "cycle", "core", "ring", "table", "hash",
         "lookup", "prefix", "port", "checksum", "stage"]  # fmt: skip


def main(folder: Path) -> None:
    """Small page, middle page, JSON answer, image-like and download-like bodies into `folder`."""
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
