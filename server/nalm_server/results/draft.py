# SPDX-License-Identifier: Apache-2.0
"""A report before it is stored. `intake` handles every report; a draft is what differs by kind."""

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
    """A parsed and compressed report, with its sender."""

    report: RunReport
    packed: Packed
    caller: Principal
    job_id: int | None
    fence: int | None
    proposed: bool = False
    """The sender says that head is not on the default branch."""
    project: str | None = None
    """Without a job; None: the one that the report names."""


@dataclass(frozen=True)
class Accepted:
    reply: ReportTaken
    keep: bool = True
    """A row refers to the report, from now on or already."""


@dataclass(frozen=True)
class StoredReport:
    """A report stored earlier under the same run id."""

    digest: str
    belongs: bool
    """It is of the same job and project as this upload."""
    reply: ReportTaken


class Draft(ABC):
    """Computes all it can from the report before a transaction begins: that may take long, and must not hold
    a writer's lock."""

    def __init__(self, upload: Upload) -> None:
        """Raises InvalidError or ForbiddenError for a report that is never accepted."""
        self.upload = upload

    @property
    def report(self) -> RunReport:
        return self.upload.report

    def stored(self, session: Session, project: ProjectRow) -> StoredReport | None:
        """The stored report with this run id."""
        return None

    @abstractmethod
    def of_job(self, session: Session, job: JobRow) -> ReportTaken | None:
        """The result that the job has already in the place of this one. An agent that lost its lease after an
        upload measures twice; the first result counts."""

    @abstractmethod
    def store(self, session: Session, project: ProjectRow, job: JobRow | None, now: datetime) -> Accepted:
        """Inserts the rows. The caller holds the locks of project and job."""


def without_verdict(run_id: str, *, valid: bool, summary: str, new: bool) -> ReportTaken:
    """The answer to a report that is not judged. Its outcome says only whether the report is valid: the API
    has no word for that but `same`."""
    outcome = Outcome.SAME if valid else Outcome.INVALID
    return ReportTaken(run_id=run_id, outcome=outcome, display=outcome.value, summary=summary, new=new)
