# SPDX-License-Identifier: Apache-2.0
"""The data of one confirmation in progress, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle, ports
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.confirmation_schemas import PlanState
from nalm_server.alerts.figures import figures_of
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.own_metrics import SEEN_ONCE, beside_cycles
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.campaigns.confirmation import evidence
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.steps import ConfirmationResult
from nalm_server.jobs.models import CampaignRow


@dataclass(frozen=True)
class Case:
    """Requires the locks of project and campaign."""

    session: Session
    project: ProjectRow
    campaign: CampaignRow
    alert: AlertRow
    now: datetime

    @property
    def result(self) -> ConfirmationResult:
        return ConfirmationResult.model_validate(self.campaign.result)

    @cached_property
    def evidence(self) -> list[Seen]:
        """The first results, by scenario."""
        return evidence.seen(self.session, self.alert)

    def note(self, **result: Any) -> None:
        self.campaign.result = {**self.campaign.result, **result}

    def goes_on(self, state: PlanState, why: str) -> None:
        self.campaign.state, self.campaign.message, self.campaign.updated_at = state, why, self.now

    def ends(self, state: PlanState, why: str, alert: AlertRow | None = None, *, again: bool = True) -> None:
        """Ends the confirmation and updates the alert, or the one it was merged into. again: it was
        measured."""
        self.goes_on(state, why)
        self.campaign.finished_at, self.campaign.requested_by = self.now, None
        if state is PlanState.CONFIRMED:
            lifecycle.confirm(self.session, alert or self.alert, why, self.now, again=again)
        elif state is PlanState.DISMISSED:
            self._dismiss(alert or self.alert, why)
        elif state is PlanState.INCONCLUSIVE:
            ports.changed(self.session, self.alert, self.now)

    def _dismiss(self, alert: AlertRow, why: str) -> None:
        """Cycles did not move, but what was seen beside them stands, unless it was measured again itself."""
        moves = alerts.moves(self.session, alert.id)
        if any(not figures_of(moves, one.scenario) for one in beside_cycles(moves)):
            lifecycle.confirm(self.session, alert, f"{why}; {SEEN_ONCE}", self.now, again=False)
        else:
            lifecycle.dismiss(self.session, alert, why, self.now)
