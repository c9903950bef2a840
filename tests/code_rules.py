# SPDX-License-Identifier: Apache-2.0
"""Rules of the code that no ordinary linter has. Prints violations; exits with 1 if there are any.

Run it by the Python whose packages `make install-test` installed: they tell which package a module is of.
"""

from __future__ import annotations

import ast
import gc
import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("core/nalm_core", "agent/nalm_agent", "server/nalm_server")
"""Packages whose classes and imports are checked; other rules are of all code."""
NAMES_AS_THEY_WERE = "migrations/"
"""Migrations keep the names of their time."""
MOST_MODULES = 2
"""Maximum number of modules of one room that define a class of the same name."""
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
"""Words that are no terms of docs/glossary.md, and their replacements."""

AS_STORED: Mapping[tuple[str, str], str] = {
    ("server/nalm_server/views/exports/rows.py", "worth"): "former name of the column `severity`",
    ("web/src/features/settings/search.ts", "telling"): "former name of a tab in addresses",
    ("web/src/shared/logic/text/figureFiles.ts", "told_by"): "column of saved tables",
}
"""Names of documents and columns, by module, that stay as stored or served."""
FORMER = "former_name"
"""The function that also serves a field under its former name."""
DESCRIPTION = ROOT / "server/openapi.json"


WITHIN_GDB = {"gdb", "nalm_gdb"}
"""Modules of the Python inside of gdb, which no package brings."""


NO_NAME = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=>)[^<>{}();=]*(?=<)""",
    re.DOTALL,
)
"""Comments, strings and text of elements in C and TypeScript."""


@dataclass(frozen=True)
class Definition:
    name: str
    kind: str
    line: int


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Of a Python module."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def _is_former(node: ast.AST) -> bool:
    match node:
        case ast.AnnAssign(value=ast.Call(func=ast.Name(id=name))):
            return name == FORMER
    return False


def definitions(path: Path) -> Iterator[Definition]:
    """Names of classes, functions, parameters and variables that the module defines."""
    former = {node.target for node in nodes(path) if isinstance(node, ast.AnnAssign) and _is_former(node)}
    for node in nodes(path):
        if node in former:
            continue
        match node:
            case ast.ClassDef(name=name, lineno=line):
                yield Definition(name, "class", line)
            case ast.FunctionDef(name=name, lineno=line) | ast.AsyncFunctionDef(name=name, lineno=line):
                yield Definition(name, "function", line)
            case ast.arg(arg=name, lineno=line):
                yield Definition(name, "parameter", line)
            case ast.Name(id=name, ctx=ast.Store(), lineno=line):
                yield Definition(name, "variable", line)


def other_names(path: Path) -> Iterator[Definition]:
    """Names that a module in C or TypeScript uses, each once."""
    text = NO_NAME.sub(lambda gone: "\n" * gone[0].count("\n") or " ", path.read_text())
    seen = set[str]()
    for line, code in enumerate(text.splitlines(), start=1):
        for name in re.findall(r"[A-Za-z_]\w*", code):
            if name not in seen:
                seen.add(name)
                yield Definition(name, "name", line)


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


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


def declared_packages(room: str) -> set[str]:
    """Packages that the room's pyproject.toml asks for, with extras."""
    project = tomllib.loads((ROOT / room).parent.joinpath("pyproject.toml").read_text())["project"]
    extras = project.get("optional-dependencies", {}).values()
    requirements = [*project["dependencies"], *(one for extra in extras for one in extra)]
    return {package_name(re.split(r"[^A-Za-z0-9._-]", one)[0]) for one in requirements}


def package_name(text: str) -> str:
    """As package indexes compare names (PEP 503)."""
    return re.sub(r"[-_.]+", "-", text).lower()


def imported_modules(path: Path) -> Iterator[str]:
    """Top modules that the module imports, anywhere in it."""
    for node in nodes(path):
        match node:
            case ast.Import(names=names):
                yield from (one.name.partition(".")[0] for one in names)
            case ast.ImportFrom(module=str(name), level=0):
                yield name.partition(".")[0]


def import_faults(room: str, brought_by: Mapping[str, list[str]]) -> Iterator[str]:
    declared, own = declared_packages(room), Path(room).name
    for path in sorted((ROOT / room).rglob("*.py")):
        for module in sorted(set(imported_modules(path)) - sys.stdlib_module_names - WITHIN_GDB - {own}):
            packages = {package_name(one) for one in brought_by.get(module, [module])}
            if not packages & declared:
                shown = " or ".join(sorted(packages))
                yield f"{path.relative_to(ROOT)}: {module}: {Path(room).parent}/pyproject.toml lacks {shown}"


def served_names(part: object, where: str = "") -> Iterator[tuple[str, str]]:
    """Place and name of fields, parameters and values of the API description, without deprecated ones."""
    if isinstance(part, list):
        for item in part:
            yield from served_names(item, where)
    if not isinstance(part, dict) or part.get("deprecated") is True:
        return
    values = [*part.get("enum", []), part.get("const")] if isinstance(part.get("enum", []), list) else []
    yield from ((where, value) for value in values if isinstance(value, str))
    if "in" in part and isinstance(part.get("name"), str):
        yield where, part["name"]
    for key, inner in part.items():
        if key == "properties":
            for name, field in inner.items():
                if isinstance(field, dict) and field.get("deprecated") is not True:
                    yield where, name
                    yield from served_names(field, f"{where} {name}")
        elif key in ("schemas", "paths"):
            for name, described in inner.items():
                if not _deprecated_path(described):
                    yield name, name
                    yield from served_names(described, name)
        else:
            yield from served_names(inner, where)


def _deprecated_path(described: Mapping[str, object]) -> bool:
    """Whether every method of the address is deprecated."""
    methods = [one for one in described.values() if isinstance(one, dict) and "responses" in one]
    return bool(methods) and all(one.get("deprecated") is True for one in methods)


def served_faults() -> Iterator[str]:
    for where, name in sorted(set(served_names(json.loads(DESCRIPTION.read_text())))):
        for word in re.split(r"[^a-z]+", "_".join(words(name))):
            if word in INSTEAD:
                yield f"server/openapi.json: {where}: `{name}`: say {INSTEAD[word]}"


def main() -> int:
    faults, names = list(served_faults()), set[tuple[str, str]]()
    brought_by = packages_distributions()
    for room in ROOMS:
        faults += import_faults(room, brought_by)
        classes: dict[str, set[str]] = defaultdict(set)
        for path in sorted((ROOT / room).rglob("*.py")):
            for one in definitions(path):
                if one.kind == "class" and not one.name.startswith("_"):
                    classes[one.name].add(str(path.relative_to(ROOT / room)))
        faults += class_faults(room, classes)
    outside = (":!web/src/shared/api/schema.d.ts", f":!{NAMES_AS_THEY_WERE}")
    for path in tracked("*.py", "*.c", "*.h", "*.cpp", "web/*.ts", "web/*.tsx", *outside):
        text = f"{path.name}\n{path.read_text()}".lower()
        if not any(word in text for word in INSTEAD):  # to parse it takes longer
            continue
        found = list(definitions(path) if path.suffix == ".py" else other_names(path))
        faults += word_faults(path, found)
        names |= {(str(path.relative_to(ROOT)), one.name) for one in found}
    faults += stored_faults(names)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    gc.disable()  # the garbage collector would search the nodes of all modules again and again
    sys.exit(main())
