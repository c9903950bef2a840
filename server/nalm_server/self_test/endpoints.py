# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/quality: how well the service judges."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from nalm_core.report.run_report import RunReport

from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.self_test import service, trials
from nalm_server.self_test.schemas import Controls, Quality, Trial, TrialKind, TrialsNew, TrialsTaken

router = APIRouter(prefix="/projects/{project}/quality", tags=["quality"])
TrialId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a trial.")]


@router.get("", responses=documented(401, 403, 404))
def get_quality(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    now: Now,
    *,
    days: Annotated[
        int, Query(ge=1, le=3650, description="Number of past days of trials and findings.")
    ] = 90,
    months: Annotated[int, Query(ge=1, le=120, description="Number of past months.")] = 12,
) -> Quality:
    """Detection rate, false-alarm rate, delay, share of findings people accepted: now, and month by month."""
    return service.show(session, caller, project, days=days, months=months, now=now)


@router.put("/controls", responses=documented(401, 403, 404, 413))
def set_controls(project: ProjectName, controls: Controls, session: Db, caller: Caller, now: Now) -> Controls:
    """How often a day code is measured against itself. For maintainers."""
    return service.set_controls(session, caller, project, controls, now)


@router.post("/trials", status_code=201, responses=documented(401, 403, 404, 413))
def add_trials(
    project: ProjectName, request: TrialsNew, session: Db, caller: Caller, now: Now
) -> TrialsTaken:
    """Takes trials whose truth is known, as `nalm-mutants` makes them. Sending them again changes nothing."""
    return trials.take(session, caller, project, request.trials, now)


@router.get("/trials", responses=documented(401, 403, 404))
def list_trials(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    kind: Annotated[list[TrialKind] | None, Query(max_length=10)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    below: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="Only older ones than this number.")
    ] = None,
) -> list[Trial]:
    """Trials, newest first. Of kind `aa`, `unchanged` and `moved` they are the control series."""
    return trials.listed(session, caller, project, kinds=kind, limit=limit, below=below)


@router.get("/trials/{trial_id}/report", response_model=RunReport, responses=documented(401, 403, 404))
def get_trial_report(project: ProjectName, trial_id: TrialId, session: ReadDb, caller: Caller) -> Response:
    """The run report of a control that alarmed."""
    content = trials.report(session, caller, project, trial_id)
    return Response(content, media_type="application/json")
