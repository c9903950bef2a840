# SPDX-License-Identifier: Apache-2.0
"""A farm, and 200 commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from commits import COMMITS, make_commits
from farm import Farm
from processes import Postgres


@pytest.fixture(scope="session")
def commits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    repository, line = make_commits(tmp_path_factory.mktemp("repository") / "nf", COMMITS)
    return repository.path, line


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    made = Farm(tmp_path, Postgres(tmp_path))
    try:
        made.start()
        yield made
    finally:
        made.stop()
