# SPDX-License-Identifier: Apache-2.0
"""Documents of the role planner."""

from __future__ import annotations

from nalm_core.models.documents.base import Answer, Document, Lcores, NotNegative, Positive
from nalm_core.models.roles import Work, greatest_rate, shortest_way, whole_lcores

ASSUMES = "r lcores of a role do r times the work of one: no contention (Wu et al., Eq. 2)."


class RoleWork(Document):
    """Cycles per packet of each role; 0: the role has no lcore."""

    dispatch: NotNegative
    workers: NotNegative
    databases: NotNegative


class RolesInput(Document):
    work: RoleWork
    lcores: Lcores
    """Lcores to share out."""
    frequency_hz: Positive
    measured_pps: Positive | None = None
    """A rate that was measured with the split that is predicted."""


class RolePlan(Document):
    """Lcores of each role, and the rate of the slowest."""

    dispatch: float
    workers: float
    databases: float
    pps: float
    bottleneck: str
    denominator: float
    """Cycles of one packet through all roles."""


class RolesAnswer(Answer):
    work: RoleWork
    frequency_hz: float
    whole: RolePlan
    """The best split into whole lcores."""
    greatest_rate: RolePlan
    shortest_way: RolePlan
    measured_pps: float | None
    error: float | None
    """Predicted / measured - 1."""


def roles_answer(given: RolesInput) -> RolesAnswer:
    """Raises ModelInputError."""
    work = Work(given.work.dispatch, given.work.workers, given.work.databases)
    whole = whole_lcores(work, given.lcores, given.frequency_hz)
    measured = given.measured_pps
    return RolesAnswer.model_validate(
        {
            "assumes": ASSUMES,
            "notes": [],
            "work": work,
            "frequency_hz": given.frequency_hz,
            "whole": whole,
            "greatest_rate": greatest_rate(work, given.lcores, given.frequency_hz),
            "shortest_way": shortest_way(work, given.lcores, given.frequency_hz),
            "measured_pps": measured,
            "error": None if measured is None else whole.pps / measured - 1,
        }
    )
