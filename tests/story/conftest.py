# SPDX-License-Identifier: Apache-2.0
"""The reference NF's history on a farm of two bench hosts that really measure it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from farm import Farm
from nalm_server.cli.demo.history import Merge, make_history
from nalm_server_waiting import until
from processes import Postgres

ROOT = Path(__file__).resolve().parents[2]
HOURS = 3600.0
HISTORY_PATIENCE = 2 * HOURS


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("history") / "nf.git"


@pytest.fixture(scope="session")
def merges(repository: Path) -> list[Merge]:
    return make_history(ROOT / "reference-nf", repository)


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory, repository: Path, merges: list[Merge]) -> Iterator[Farm]:
    """All merges are pushed and measured, and every finding is measured again."""
    home = tmp_path_factory.mktemp("farm")
    made = Farm(home, Postgres(home))
    try:
        made.start()
        made.add_project(repository)
        for name in ("agent-1", "agent-2"):
            made.parts[name].also(NALM_AGENT_NAME=name)
        made.work()
        for merge in merges:
            made.push(merge.parent, merge.sha)
        until(lambda: known(made) >= {one.sha for one in merges}, "every merge has a job, or needs none")
        until(made.is_at_rest, "every merge and finding measured", patience_seconds=HISTORY_PATIENCE)
        yield made
    finally:
        made.stop()


def known(farm: Farm) -> set[str]:
    """Commits with a decided verdict."""
    shown = farm.get("/projects/tiny/commits?limit=100")
    return {one["sha"] for one in shown if one["job"] is not None or one["skipped"]}
