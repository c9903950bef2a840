# SPDX-License-Identifier: Apache-2.0
"""A report on its way in. `intake` takes every report; a draft is what its kind does differently."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import RunReport
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.tokens.principal import Principal
from nalm_server.db.reports.packing import Packed
from nalm_server.jobs.models import JobRow
from nalm_server.results.schemas import ReportTaken


@dataclass(frozen=True)
class Upload:
    """Parsed and packed, with who sent it."""

    report: RunReport
    packed: Packed
    caller: Principal
    job_id: int | None
    fence: int | None


@dataclass(frozen=True)
class Accepted:
    reply: ReportTaken
    keep: bool = True
    """A row refers to the report from now on, or did already."""


@dataclass(frozen=True)
class StoredReport:
    """A report that came in before under the same run id."""

    digest: str
    belongs: bool
    """To what this upload is of."""
    reply: ReportTaken


class Draft(ABC):
    """With all that is computed of the report before a transaction is open: that may take long, a writer's
    lock must not."""

    def __init__(self, upload: Upload) -> None:
        """Raises InvalidError or ForbiddenError for what is never taken."""
        self.upload = upload

    @property
    def report(self) -> RunReport:
        return self.upload.report

    def stored(self, session: Session, project: ProjectRow) -> StoredReport | None:
        """What the run id stands for already."""
        return None

    @abstractmethod
    def of_job(self, session: Session, job: JobRow) -> ReportTaken | None:
        """The result that the job has already in the place of this one: an agent that lost its lease after
        the upload measured twice, and the first counts."""

    @abstractmethod
    def store(self, session: Session, project: ProjectRow, job: JobRow | None, now: datetime) -> Accepted:
        """Makes its rows. The locks of project and job are held."""


def without_verdict(run_id: str, *, valid: bool, summary: str, new: bool) -> ReportTaken:
    """The reply to a report that is not judged. Its outcome says only whether it can be used: the API has no
    other word for that than `same`."""
    outcome = Outcome.SAME if valid else Outcome.INVALID
    return ReportTaken(run_id=run_id, outcome=outcome, display=outcome.value, summary=summary, new=new)
