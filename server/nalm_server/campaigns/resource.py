# SPDX-License-Identifier: Apache-2.0
"""Campaigns of one kind as the API has them: created, listed, shown, cancelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from nalm_core.text.commit_name import short
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.project_repository import name_of
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError
from nalm_server.campaigns import repository, service
from nalm_server.db.context import Context
from nalm_server.jobs import approvals, revisions
from nalm_server.jobs.models import CampaignRow

Brief = TypeVar("Brief")
Detail = TypeVar("Detail")


@dataclass(frozen=True)
class Resource(Generic[Brief, Detail]):
    kind: str
    briefs: Callable[[Session, str, Sequence[CampaignRow]], list[Brief]]
    """The short forms of campaigns of the named project."""
    detail: Callable[[Session, str, CampaignRow], Detail]

    def create(
        self, context: Context, caller: Principal, project: ProjectRow, spec: dict[str, Any], base: str
    ) -> Detail:
        """Stores the campaign, which a worker then plans. base: the commit that measurements compare with."""
        now = context.clock()
        with context.sessions() as session:
            approvals.require_base(session, project.id, base)
            campaign = service.start(session, project.id, self.kind, spec, requested_by=caller.name, now=now)
            subject = f"{self.kind} {campaign.number}"
            record(session, caller, f"{self.kind}.create", subject, now, project_id=project.id)
            detail = self.detail(session, project.name, campaign)
            session.commit()
        return detail

    def page(
        self, session: Session, caller: Principal, project: str, limit: int, *only: ColumnElement[bool]
    ) -> list[Brief]:
        """Lists campaigns, newest first."""
        row = require_project(session, caller, project, Role.READER)
        campaigns = repository.of_project(session, row.id, self.kind, limit, *only)
        return self.briefs(session, row.name, campaigns)

    def get(self, session: Session, caller: Principal, number: int) -> Detail:
        return self._shown(session, service.require(session, caller, self.kind, number, Role.READER))

    def cancel(self, session: Session, caller: Principal, number: int, now: datetime) -> Detail:
        return self._shown(session, service.cancel(session, caller, self.kind, number, now))

    def _shown(self, session: Session, campaign: CampaignRow) -> Detail:
        return self.detail(session, name_of(session, campaign.project_id), campaign)


def resolve_ends(context: Context, project: ProjectRow, **ends: str) -> list[str]:
    """Resolves two revisions to commits, by parameter name: the older one first."""
    commits = [revisions.resolve(context, project, revision) for revision in ends.values()]
    if len(set(commits)) == 1:
        old, new = ends
        raise InvalidError(
            f"{old.capitalize()} and {new} are both {short(commits[0])}: there is nothing between them."
        )
    return commits


def common(campaign: CampaignRow, schema: Any, project: str) -> dict[str, Any]:
    """Returns the schema's fields that every campaign has."""
    names = (name for name in schema.model_fields if hasattr(campaign, name) and name != "id")
    return {"id": campaign.number, "project": project, **{name: getattr(campaign, name) for name in names}}
