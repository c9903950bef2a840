#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_includes.py: fails if parts of src depend on each other in a cycle.

A part is a header with the source file of the same name. It depends on the parts whose headers it includes. A
header that declares what another part defines depends on that part.
"""

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
DECLARED = re.compile(r"^(?!static\b|typedef\b|return\b)[a-z][\w \t*]*\b(\w+)\([^;{]*\)[^;{]*;", re.M)
DEFINED = re.compile(r"^(?!static\b)[a-z][\w \t*]*\b(\w+)\([^;{]*\)\n\{", re.M)


def main() -> int:
    """Prints a cycle, if there is one."""
    source = Path(__file__).resolve().parent.parent / "src"
    texts = {
        path.relative_to(source): path.read_text()
        for path in sorted(source.rglob("*.*"))
        if path.suffix in (".c", ".h", ".cpp", ".hpp") and not path.stem.endswith("_test")
    }
    needs = {path.with_suffix(""): set[Path]() for path in texts}
    declared = {}
    for path, text in texts.items():
        part = path.with_suffix("")
        needs[part] |= {Path(name).with_suffix("") for name in INCLUDE.findall(text) if Path(name) in texts}
        if path.suffix in (".h", ".hpp"):
            declared |= dict.fromkeys(DECLARED.findall(text), part)
    for path, text in texts.items():
        if path.suffix in (".c", ".cpp"):
            for name in DEFINED.findall(text):
                needs[declared.get(name, path.with_suffix(""))].add(path.with_suffix(""))
    for part, needed in needs.items():
        needed.discard(part)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        print("reference-nf/src:", " <- ".join(str(part) for part in error.args[1]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
