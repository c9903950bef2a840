# SPDX-License-Identifier: Apache-2.0
"""One confirmation at work: what its steps share, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle, ports
from nalm_server.alerts.confirmation_schemas import PlanState
from nalm_server.alerts.models import AlertRow
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.campaigns.confirmation.models import PlanRow


@dataclass(frozen=True)
class Case:
    """The locks of project and plan are held."""

    session: Session
    project: ProjectRow
    plan: PlanRow
    alert: AlertRow
    now: datetime

    def goes_on(self, state: PlanState, why: str) -> None:
        self.plan.state, self.plan.why, self.plan.updated_at = state, why, self.now

    def ends(self, state: PlanState, why: str, alert: AlertRow | None = None, *, again: bool = True) -> None:
        """The plan is over, and the alert, this or the one it became, hears why. again: it was measured."""
        self.goes_on(state, why)
        self.plan.finished_at, self.plan.requested_by = self.now, None
        if state is PlanState.CONFIRMED:
            lifecycle.confirm(self.session, alert or self.alert, why, self.now, again=again)
        elif state is PlanState.DISMISSED:
            lifecycle.dismiss(self.session, alert or self.alert, why, self.now)
        elif state is PlanState.INCONCLUSIVE:
            ports.changed(self.session, self.alert, self.now)
