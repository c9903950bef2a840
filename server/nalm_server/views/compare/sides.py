# SPDX-License-Identifier: Apache-2.0
"""Runs of a commit: its own, and those with it as base."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.report.run_report import Arm
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results import repository as runs
from nalm_server.results.repository import JudgedRun


@dataclass(frozen=True)
class Side:
    """One run, and the arm in it that is the commit."""

    judged: JudgedRun
    arm: Arm


@dataclass(frozen=True)
class SideFilter:
    """Conditions on a commit's runs; None: any."""

    scenario: str | None = None
    host: str | None = None

    def takes(self, side: Side) -> bool:
        """Includes confirmations on another host only if that host is named."""
        judged = side.judged
        if self.host is None and judged.run.beside:
            return False
        return self.scenario in (None, judged.scenario) and self.host in (None, judged.host)


def sides_of(session: Session, commit: CommitRow, scenario: str | None = None) -> list[Side]:
    """The commit's own runs, then those with it as base; by scenario's name, newest first. scenario: only
    its runs."""
    own = [Side(one, Arm.HEAD) for one in runs.of_commits(session, [commit.id], scenario)]
    with_it = runs.with_base(session, commit.project_id, commit.sha, scenario)
    as_base = [Side(one, Arm.BASE) for one in with_it]
    return sorted(own + as_base, key=lambda side: side.judged.scenario)


def usable(side: Side) -> bool:
    """Broken and invalid runs are not compared."""
    return side.judged.verdict.outcome not in ("broken", "invalid") and not side.judged.verdict.unchanged
