# SPDX-License-Identifier: Apache-2.0
"""Each room declares the packages that it imports, and no others. Agent and server need core of their own."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
NOT_IMPORTED = {
    "psycopg": "SQLAlchemy loads it by the database's address",
    "uvloop": "uvicorn's event loop, where it is there",
    "httptools": "uvicorn's reader of HTTP, where it is there",
}
NOT_PACKAGES = {"gdb"}
"""Modules of programs that run our code."""


def declared(room: str) -> set[str]:
    project = tomllib.loads((ROOT / room / "pyproject.toml").read_text())["project"]
    extras = [one for names in project.get("optional-dependencies", {}).values() for one in names]
    return {canonicalize_name(Requirement(one).name) for one in [*project["dependencies"], *extras]}


@cache
def imported(room: str) -> dict[str, Path]:
    """Packages by their names at the registry, each with a file that imports it."""
    distributions = packages_distributions()
    found: dict[str, Path] = {}
    for file in (ROOT / room / f"nalm_{room}").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            for module in _modules(node):
                if module in sys.stdlib_module_names | NOT_PACKAGES | {f"nalm_{room}", "nalm_gdb"}:
                    continue
                names = ["nalm-core"] if module == "nalm_core" else distributions.get(module, [module])
                found |= {canonicalize_name(name): file for name in names}
    return found


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name.partition(".")[0] for one in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return [node.module.partition(".")[0]]
    return []


@pytest.mark.parametrize("room", ["core", "agent", "server"])
def test_what_is_imported_is_declared(room: str) -> None:
    known = declared(room)
    assert {name: file for name, file in imported(room).items() if name not in known} == {}


@pytest.mark.parametrize("room", ["core", "agent", "server"])
def test_what_is_declared_is_imported(room: str) -> None:
    assert declared(room) - imported(room).keys() - NOT_IMPORTED.keys() == set()


@pytest.mark.parametrize("room", ["agent", "server"])
def test_a_wheel_needs_core_of_its_own_version(room: str, tmp_path: Path) -> None:
    """pip would keep an older one that is installed."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT / room, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    version = wheel.name.split("-")[1]
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"nalm_{room}-{version}.dist-info/METADATA").decode()
    assert f"Requires-Dist: nalm-core=={version}" in metadata.splitlines()
