# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/detection-quality: how well the service judges."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from nalm_core.report.run_report import RunReport

from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.self_test import service, trials
from nalm_server.self_test.schemas import Controls, JudgedTrial, Quality, TrialKind, TrialsNew, TrialsTaken

router = api_router("detection quality", "/projects/{project}/detection-quality")
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
    """Shows detection rate, false-alarm rate, delay and accepted share of findings: now, and by month."""
    return service.show(session, caller, project, days=days, months=months, now=now)


@router.put("/controls", responses=documented(401, 403, 404, 413))
def set_controls(project: ProjectName, controls: Controls, session: Db, caller: Caller, now: Now) -> Controls:
    """Sets the number of controls per day. For maintainers."""
    return service.set_controls(session, caller, project, controls, now)


@router.post("/trials", status_code=201, responses=documented(401, 403, 404, 413))
def add_trials(
    project: ProjectName, request: TrialsNew, session: Db, caller: Caller, now: Now
) -> TrialsTaken:
    """Stores trials whose truth is known, as `nalm-mutants` makes them. Repeating it changes nothing."""
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
) -> list[JudgedTrial]:
    """Lists trials, newest first. Kinds `aa`, `unchanged` and `moved` are the controls."""
    return trials.listed(session, caller, project, kinds=kind, limit=limit, below=below)


@router.get("/trials/{trial_id}/report", response_model=RunReport, responses=documented(401, 403, 404))
def get_trial_report(project: ProjectName, trial_id: TrialId, session: ReadDb, caller: Caller) -> Response:
    """Returns the run report of a control that raised a false alarm."""
    content = trials.report(session, caller, project, trial_id)
    return Response(content, media_type="application/json")
