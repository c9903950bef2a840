# SPDX-License-Identifier: Apache-2.0
"""Reports contain source lines only of the repository's own files, and only if nalm.toml allows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.build.side_source import MOST_FILE_BYTES, read_inside
from nalm_agent.config.nalm_toml import parse
from nalm_agent.measure.source_of_report import with_source
from nalm_agent.runtime.errors import ConfigError
from nalm_core.report.run_report import Arm
from nalm_core_source import counted
from tiny import NALM_TOML

OWN, OUTSIDE = "src/nat.c", "/usr/include/stdio.h"
COSTS = {"nat": {OWN: {1: 5}, "escape.h": {1: 5}, OUTSIDE: {1: 5}, "../secret.h": {1: 5}}}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree with a symbolic link out of it, and what must not be read beside it."""
    (tmp_path / "secret.h").write_text("secret\n")
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / OWN).write_bytes(b"\tint caf\xe9;\r\n")
    (tree / "escape.h").symlink_to("../secret.h")
    return tree


def test_only_files_of_the_repository_are_in_a_report(tree: Path) -> None:
    report = with_source(counted(COSTS, COSTS), parse(NALM_TOML), tree, tree)
    assert report.source_text is not None
    assert report.source_text.of(Arm.HEAD) == {OWN: {1: "\tint caf\ufffd;"}}


def test_nothing_is_read_where_it_is_withheld(tree: Path) -> None:
    config = parse(NALM_TOML.replace('name = "tiny"', 'name = "tiny"\nsource_in_reports = false'))
    report = with_source(counted(COSTS, COSTS), config, tree, tree)
    assert report.source_text is not None
    assert (report.source_text.withheld, report.source_text.files) == (True, [])


def test_a_report_without_lines_has_no_text(tree: Path) -> None:
    report = counted({}, {})
    assert with_source(report, parse(NALM_TOML), tree, tree) is report


def test_the_switch_is_a_switch() -> None:
    wrong = NALM_TOML.replace('name = "tiny"', 'name = "tiny"\nsource_in_reports = "no"')
    with pytest.raises(ConfigError, match="source_in_reports"):
        parse(wrong)


def test_generated_files_are_too_large_to_read(tree: Path) -> None:
    (tree / "big.c").write_bytes(b"x" * (MOST_FILE_BYTES + 1))
    assert read_inside(tree, "big.c") is None


@pytest.mark.parametrize("name", ["nowhere.c", "src", "a" * 300, "a\0b", "nat.c/" * 1000])
def test_what_cannot_be_read_has_no_text(tree: Path, name: str) -> None:
    assert read_inside(tree, name) is None
