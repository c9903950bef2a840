# SPDX-License-Identifier: Apache-2.0
"""Equal digests run the same; what is not run does not count."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nalm_agent.artifacts.code_digest import code_digest
from nalm_agent.runtime.errors import BuildError

SOURCE = "int table[4]; int main(void) { return table[0] + 1; }\n"


def digest(folder: Path, source: str, *options: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "a.c").write_text(source)
    subprocess.run(["gcc", "-O2", *options, "-o", "a", "a.c"], cwd=folder, check=True)
    return code_digest([folder / "a"])


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("/* why */\n" + SOURCE, ()),
        (SOURCE, ("-g",)),
        (SOURCE, ("-Wl,--build-id=0x0102",)),
    ],
    ids=["comment", "debug information", "build id"],
)
def test_what_is_not_run_does_not_count(tmp_path: Path, source: str, options: tuple[str, ...]) -> None:
    assert digest(tmp_path / "a", SOURCE) == digest(tmp_path / "b", source, *options)


@pytest.mark.parametrize(
    "source",
    [
        SOURCE.replace("+ 1", "+ 2"),
        SOURCE.replace("table[4];", "table[4] = {7};"),
        SOURCE.replace("table[4]", "table[4096]"),
    ],
    ids=["code", "data", "bss"],
)
def test_what_is_run_counts(tmp_path: Path, source: str) -> None:
    assert digest(tmp_path / "a", SOURCE) != digest(tmp_path / "b", source)


def test_a_call_by_another_name_counts(tmp_path: Path) -> None:
    """The machine code is the same: only what the loader puts behind it differs."""
    calls = "long random(void), lrand48(void); int main(void) { return (int)random(); }\n"
    assert digest(tmp_path / "a", calls) != digest(
        tmp_path / "b", calls.replace("(int)random", "(int)lrand48")
    )


def test_exports_that_change_places_count(tmp_path: Path) -> None:
    exports = "int first(int n) { return n * 3; }\nint other(int n) { return n * 5; }\n"
    swapped = exports.replace("first", "X").replace("other", "first").replace("X", "other")
    options = ("-shared", "-fPIC")
    assert digest(tmp_path / "a", exports, *options) != digest(tmp_path / "b", swapped, *options)


def test_missing_and_foreign_artifacts(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"the build made no nf"):
        code_digest([tmp_path / "nf"])
    (tmp_path / "nf").write_text("#!/bin/sh\n")
    with pytest.raises(BuildError, match="nf is not an ELF file"):
        code_digest([tmp_path / "nf"])
