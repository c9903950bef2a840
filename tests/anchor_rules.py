# SPDX-License-Identifier: Apache-2.0
"""Prints a line for each link of a document to a missing heading. Exits with 1 if there is one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^```.*?^```", re.S | re.M)
HEADING = re.compile(r"^#+ (.+)$", re.M)
LINK = re.compile(r"\]\(([^)#: ]*)#([^) ]+)\)")


def main() -> int:
    command = ["git", "ls-files", "-z", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    faults = [fault for name in filter(None, listed) for fault in faults_of(ROOT / name)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def faults_of(document: Path) -> Iterator[str]:
    if document.is_file():
        for name, anchor in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
            target = document.parent / name if name else document
            if target.suffix == ".md" and target.is_file() and anchor not in anchors(target.resolve()):
                yield f"{document.relative_to(ROOT)}: {name}#{anchor}"


@cache
def anchors(document: Path) -> set[str]:
    """The anchors that GitHub makes of a document's headings."""
    found: set[str] = set()
    for heading in HEADING.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).strip().replace(" ", "-")
        numbers = [anchor, *(f"{anchor}-{number}" for number in range(1, 100))]
        found.add(next(one for one in numbers if one not in found))
    return found


if __name__ == "__main__":
    sys.exit(main())
