# SPDX-License-Identifier: Apache-2.0
"""Keeps the launches of every measured run of this host in the store, about 0.2 KB per launch."""

from __future__ import annotations

import json
from pathlib import Path

from nalm_core.pooling.launches import RunLaunches, run_launches
from nalm_core.report.run_report import RunReport
from pydantic import ValidationError

from nalm_agent.desk.result_cache import given_identity
from nalm_agent.measure.request import Request
from nalm_agent.native.toolchain import toolchain
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home
from nalm_agent.store.store import address

LAUNCHES = "launches"
MOST_RUNS = 500
"""Runs that are kept; the oldest are removed."""


def pair_of(repository: Repository, project: str, scenario: str, base: Revision, head: Revision) -> str:
    """What identifies the two builds of a scenario, and how they run."""
    given = given_identity(repository)
    return address(project, scenario, base.tree, head.tree, toolchain().identity(), *given)


def remember(home: Home, request: Request, report: RunReport) -> None:
    """Stores the launches of a run; nothing without a pair that was measured."""
    pair = pair_of(request.repository, report.project, request.scenario, request.base, request.head)
    found = run_launches(report, pair)
    if found is None:
        return
    store = home.store()
    name = f"{found.started_at:%Y%m%dT%H%M%S}-{found.run_id}"
    store.put_document(LAUNCHES, name, found.model_dump(mode="json"))
    for old in _files(home)[:-MOST_RUNS]:
        old.unlink(missing_ok=True)


def runs(home: Home, project: str, scenario: str) -> list[RunLaunches]:
    """Runs of a scenario on this host, oldest first. Those that this version cannot read are left out."""
    read = [_read(path) for path in _files(home)]
    return [one for one in read if one is not None and (one.project, one.scenario) == (project, scenario)]


def _files(home: Home) -> list[Path]:
    folder = home.store().root / LAUNCHES
    return sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))


def _read(path: Path) -> RunLaunches | None:
    try:
        return RunLaunches.model_validate(json.loads(path.read_bytes()))
    except (OSError, ValueError, ValidationError):
        return None
