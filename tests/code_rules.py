# SPDX-License-Identifier: Apache-2.0
"""Rules of the Python code that no ordinary linter knows. Prints what breaks them; exit 1 when one is."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("core/nalm_core", "agent/nalm_agent", "server/nalm_server")
"""Those whose names keep the rules."""
MOST_MODULES = 2
"""Modules of one room that define a class of the same name."""
INSTEAD: Mapping[str, str] = {
    "anew": "again",
    "asked": "request, requested",
    "blind": "without a commit graph",
    "cheaper": "faster",
    "dearer": "slower, costlier",
    "dearest": "costliest",
    "happening": "event",
    "happenings": "events",
    "hearing": "heartbeat",
    "holding": "claim",
    "sitting": "session",
    "snag": "known failure",
    "snags": "known failures",
    "teaching": "feedback",
    "telling": "notify",
    "told": "reported, message, reply",
    "wanted": "request, filter, target",
    "worth": "severity",
}
"""Words that are no term of docs/glossary.md, and what is said instead."""

AS_STORED: Mapping[tuple[str, str], str] = {
    ("agent/nalm_agent/daemon/spool.py", "told"): "field of a document in the agent's spool",
    ("agent/nalm_agent/doctor/tunables.py", "wanted"): "field of what `nalm doctor --tune --json` prints",
    ("server/nalm_server/alerts/confirmation_schemas.py", "asked_at"): "field of the API",
    ("server/nalm_server/alerts/confirmation_schemas.py", "wanted"): "field of the API",
    ("server/nalm_server/alerts/models.py", "told"): "column",
    ("server/nalm_server/alerts/models.py", "worth"): "column",
    ("server/nalm_server/alerts/schemas.py", "told"): "field of the API",
    ("server/nalm_server/alerts/schemas.py", "worth"): "field of the API",
    ("server/nalm_server/campaigns/confirmation/steps.py", "wanted"): "field of a step's document",
    ("server/nalm_server/changepoints/models.py", "asked"): "column",
    ("server/nalm_server/cli/alert.py", "wanted"): "argument that the command's help shows",
    ("server/nalm_server/jobs/repository.py", "asked"): "field of the API, filled by name",
    ("server/nalm_server/jobs/schemas.py", "asked"): "field of the API",
    ("server/nalm_server/notify/models.py", "wanted"): "column",
    ("server/nalm_server/views/exports/rows.py", "worth"): "column of an export",
    ("server/nalm_server/views/live/schemas.py", "log_anew"): "field of the API",
}
"""Names of documents and columns, by module, that stay as they are stored or served."""


@dataclass(frozen=True)
class Definition:
    name: str
    kind: str
    line: int


def definitions(path: Path) -> Iterator[Definition]:
    """Names that the module gives to classes, functions, parameters and variables."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.ClassDef(name=name, lineno=line):
                yield Definition(name, "class", line)
            case ast.FunctionDef(name=name, lineno=line) | ast.AsyncFunctionDef(name=name, lineno=line):
                yield Definition(name, "function", line)
            case ast.arg(arg=name, lineno=line):
                yield Definition(name, "parameter", line)
            case ast.Name(id=name, ctx=ast.Store(), lineno=line):
                yield Definition(name, "variable", line)


def words(name: str) -> list[str]:
    """The words of a name, in either style."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")


def word_faults(path: Path, found: list[Definition]) -> Iterator[str]:
    shown = path.relative_to(ROOT)
    for word in words(path.stem):
        if word in INSTEAD:
            yield f"{shown}: module named `{word}`: say {INSTEAD[word]}"
    for one in found:
        if (str(shown), one.name) in AS_STORED:
            continue
        for word in words(one.name):
            if word in INSTEAD:
                yield f"{shown}:{one.line}: {one.kind} `{one.name}`: say {INSTEAD[word]}"


def stored_faults(names: set[tuple[str, str]]) -> Iterator[str]:
    for path, name in sorted(AS_STORED.keys() - names):
        yield f"tests/code_rules.py: {path} has no name `{name}`"


def class_faults(room: str, classes: Mapping[str, set[str]]) -> Iterator[str]:
    for name, modules in sorted(classes.items()):
        if len(modules) > MOST_MODULES:
            yield f"{room}: {len(modules)} modules have a class {name}: {', '.join(sorted(modules))}"


def main() -> int:
    faults, names = list[str](), set[tuple[str, str]]()
    for room in ROOMS:
        classes: dict[str, set[str]] = defaultdict(set)
        for path in sorted((ROOT / room).rglob("*.py")):
            found = list(definitions(path))
            faults += word_faults(path, found)
            names |= {(str(path.relative_to(ROOT)), one.name) for one in found}
            for one in found:
                if one.kind == "class" and not one.name.startswith("_"):
                    classes[one.name].add(str(path.relative_to(ROOT / room)))
        faults += class_faults(room, classes)
    faults += stored_faults(names)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
