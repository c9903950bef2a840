# SPDX-License-Identifier: Apache-2.0
"""Words that people read: none of docs, pages and help may use these; each has a plain one in its place.

Usage: python tests/prose_rules.py [FILE ...]   (without files: all of them)
Prints a line for each place and exits with 1 if there is one. The words of identifiers are code_rules.py's.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READ_BY_PEOPLE = (
    "*.md",
    "docs/*.md",
    "web/src/*.ts",
    "web/src/*.tsx",
    "server/nalm_server/cli/*.py",
    "agent/nalm_agent/cli/*.py",
)
LEFT_OUT = ("web/src/shared/api/schema.d.ts", "CHANGELOG.md")
"""Made from the API's description, whose texts are checked where they are written; and past wording."""

INSTEAD = {
    r"dear(?:er|est)\b": "slower, more expensive",
    r"anew\b": "again, from the start",
    r"(?:by worth|worthiest)\b": "by severity, by impact",
    r"nobody has it\b": "unassigned",
    r"who deals with it\b": "assignee",
    r"(?:people|nobody|anybody|everybody) (?:was|were|is|are) told\b": "notified",
    r"takes? it back\b": "reverts",
    r"anybody may read it\b": "public: visible without signing in",
    r"(?:ended|ends) lately\b": "recent",
    r"nothing waits\b": "the queue is empty",
    r"sees changes from\b": "detectable change",
    r"clock apart\b": "clock offset",
    r"stolen time\b": "CPU steal",
    r"nine in ten\b": "90th percentile",
    r"shut out\b": "disable",
    r"let in\b": "enable, admit",
    r"first-level (?:data|instruction) misses\b": "L1d misses, L1i misses",
    r"(?:make|made) the project\b": "create the project",
    r"make a token\b": "create a token",
    r"(?:hath|whilst|hither|thither|henceforth|lest)\b": "a plain word",
}
RULES = [(re.compile(rf"(?<![\w-]){pattern}", re.IGNORECASE), plain) for pattern, plain in INSTEAD.items()]


def main(arguments: list[str]) -> int:
    files = [Path(one) for one in arguments] or sorted(_tracked())
    faults = [fault for file in files for fault in faults_of(file)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def faults_of(file: Path) -> Iterator[str]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        for pattern, plain in RULES:
            if found := pattern.search(line):
                yield f"{file}:{number}: {found.group()!r}: write {plain}"


def _tracked() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *READ_BY_PEOPLE], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if name not in LEFT_OUT and (ROOT / name).is_file():
            yield (ROOT / name).relative_to(Path.cwd()) if Path.cwd() == ROOT else ROOT / name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
