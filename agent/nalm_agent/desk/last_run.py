# SPDX-License-Identifier: Apache-2.0
"""Keeps the runs of a repository's last check, bench or comparison on this host for `nalm explain`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report

from nalm_agent.measure.request import Request
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_agent.store.store import address

LAST = "last"


@dataclass(frozen=True)
class LastRun:
    """Runs of one pair of trees, one per scenario."""

    trees: Mapping[Arm, str]
    """git's tree hashes by arm, under which the store has the sources."""
    reports: list[RunReport]


def remember(home: Home, request: Request, report: RunReport) -> None:
    """Stores a run as the last one of its scenario and removes runs of other trees."""
    store, key = home.store(), address(str(request.repository.root))
    trees = {str(Arm.BASE): request.base.tree, str(Arm.HEAD): request.head.tree}
    known = store.document(LAST, key)
    runs = known["runs"] if known is not None and known["trees"] == trees else {}
    if runs.get(request.scenario, {}).get("run_id") == report.run_id:
        return
    runs[request.scenario] = json.loads(dump_report(report))
    store.put_document(LAST, key, {"trees": trees, "runs": runs})


def last_run(home: Home, repository: Repository) -> LastRun | None:
    """The last run; None if there is none, or if this version cannot read it."""
    known = home.store().document(LAST, address(str(repository.root)))
    if known is None:
        return None
    try:
        reports = [parse_report(json.dumps(one)) for one in known["runs"].values()]
    except ReportError:
        return None
    return LastRun({Arm(arm): tree for arm, tree in known["trees"].items()}, reports)
