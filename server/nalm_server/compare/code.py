# SPDX-License-Identifier: Apache-2.0
"""The code of two sides: what each function and source line costs a packet, and where it is written."""

from __future__ import annotations

from nalm_core.features import judged_arm
from nalm_core.flame import CallTree, counted_paths, flame_of, sampled_paths
from nalm_core.function_costs import SideOf, function_costs
from nalm_core.host_match import comparable, differences
from nalm_core.report import Arm, RunReport
from nalm_core.summary import summarise
from sqlalchemy.orm import Session

from nalm_server.compare.pairs import Apart, Pair, Together, found, read_report
from nalm_server.compare.schemas import CodeComparison
from nalm_server.forges.source_link import source_link
from nalm_server.integrations import repository as integrations
from nalm_server.projects.models import ProjectRow


def compare_code(session: Session, project: ProjectRow, asked: Pair) -> CodeComparison:
    """Raises NotFoundError for sides that were not measured, ReportExpiredError where the report is gone."""
    pair = found(session, project, asked)
    base, head = _together(session, pair) if isinstance(pair, Together) else _apart(session, pair)
    built = all(side.arm in side.report.arms for side in (base, head))
    return CodeComparison(
        base_sha=pair.old.sha,
        head_sha=pair.new.sha,
        functions=function_costs(base, head) if built else [],
        instruction_flame=flame_of(*(counted_paths(one.report, one.arm) for one in (base, head))),
        cycle_flame=flame_of(*(_sampled(one) for one in (base, head))),
        source_link=source_link(project.repository, integrations.enabled(session, project.id)),
    )


def _sampled(side: SideOf) -> CallTree | None:
    return None if side.cpp is None else sampled_paths(side.report, side.arm, side.cpp)


def _together(session: Session, pair: Together) -> tuple[SideOf, SideOf]:
    report = read_report(session, pair.judged)
    arm = judged_arm(report) or Arm.HEAD
    return (
        SideOf(report, Arm.BASE, _cpp(report, Arm.BASE)),
        SideOf(report, arm, _cpp(report, arm)),
    )


def _apart(session: Session, pair: Apart) -> tuple[SideOf, SideOf]:
    """Samples of hosts that cannot be compared are not put side by side: instructions are."""
    first, second = (read_report(session, side.judged) for side in (pair.before, pair.after))
    alike = comparable(differences(first.host, second.host))
    return (
        SideOf(first, pair.before.arm, _cpp(first, pair.before.arm) if alike else None),
        SideOf(second, pair.after.arm, _cpp(second, pair.after.arm) if alike else None),
    )


def _cpp(report: RunReport, arm: Arm) -> float | None:
    """The arm's cycles per packet, of the chain."""
    figure = summarise(report, arm).chain.get("cpp") if arm in report.arms else None
    return figure.value if figure else None
