# SPDX-License-Identifier: Apache-2.0
"""Queues the measurements that confirm a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from nalm_core.findings.bisection import more_time

from nalm_server.alerts.confirmation_schemas import Remeasurement
from nalm_server.campaigns import hosts
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.confirmation import repository
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.git.commits.order import record
from nalm_server.jobs.schemas import JobReason

MOST_OPEN = 10
"""Maximum number of a project's confirmations queued or in progress."""


@dataclass(frozen=True)
class Order:
    """One measurement to queue: on which host, with how much time."""

    remeasurement: Remeasurement
    only: str | None = None
    avoid: str | None = None
    seconds: float | None = None

    @property
    def where(self) -> str:
        if self.only is not None:
            return self.only
        if self.remeasurement is Remeasurement.INSTEAD:
            return f"another host, because {self.avoid} is no longer in the pool"
        return f"a host other than {self.avoid}" if self.avoid is not None else "any host"


def add_step(case: Case, seen: Seen, remeasurement: Remeasurement, **answered: Any) -> StepRow:
    """answered: the step's fields that identify its job or campaign."""
    step = StepRow(
        campaign_id=case.campaign.id,
        ordinal=campaigns.next_ordinal(case.session, case.campaign.id),
        state=StepState.QUEUED,
        base_sha=seen.base_sha,
        head_sha=seen.head_sha,
        scenario=seen.scenario,
        detail={
            "remeasurement": remeasurement,
            "first_host": seen.host,
            "figures": [one.model_dump() for one in seen.figures],
        },
        started_at=case.now,
        **answered,
    )
    return campaigns.add_step(case.session, step)


def room(case: Case) -> bool:
    return repository.open_jobs(case.session, case.project.id) < MOST_OPEN


def first(case: Case, found: Sequence[Seen]) -> None:
    """Queues measurements on the host that saw the finding first, and on another one if one is available."""
    for group in _by_pair(found):
        host = group[0].host
        if host is None:
            _queue(case, group, Order(Remeasurement.SAME))
        elif not hosts.is_there(case.session, case.project, host):
            _queue(case, group, Order(Remeasurement.INSTEAD, avoid=host))
        else:
            _queue(case, group, Order(Remeasurement.SAME, only=host))
            if hosts.another(case.session, case.project, host, group[0].needs, case.now):
                _queue(case, group, Order(Remeasurement.OTHER, avoid=host))


def again(case: Case, found: Sequence[Seen], given: float | None) -> None:
    """Queues a longer measurement on the host that saw it first. given: seconds of the earlier one."""
    for group in _by_pair(found):
        _queue(case, group, Order(Remeasurement.SAME, only=group[0].host, seconds=more_time(given)))


def _by_pair(found: Sequence[Seen]) -> list[list[Seen]]:
    """Groups for one job each: scenarios of the same two commits on the same host."""

    def pair(one: Seen) -> tuple[str, str, str, str]:
        return one.base_sha, one.head_sha, one.host or "", one.needs or ""

    return [list(group) for _, group in groupby(sorted(found, key=pair), key=pair)]


def _queue(case: Case, group: Sequence[Seen], order: Order) -> None:
    queue(
        case.session,
        case.campaign,
        [add_step(case, seen, order.remeasurement, budget_seconds=order.seconds) for seen in group],
        record(case.session, case.project.id, group[0].head_sha, None, listed=False),
        reason=JobReason.CONFIRM,
        why=f"confirms alert {case.alert.id}, on {order.where}",
        now=case.now,
        scenarios=[seen.scenario for seen in group],
        only_host=order.only,
        not_host=order.avoid,
        needs=group[0].needs,
    )
