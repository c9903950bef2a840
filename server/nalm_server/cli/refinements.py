# SPDX-License-Identifier: Apache-2.0
"""`nalm-server refinements`: pairs that idle hosts measure on to a finer margin."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.text.percents import margin_percent

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.campaigns.refinements import standing
from nalm_server.campaigns.refinements.schemas import Refinement, RefinementPlan, RefinementPlanNew
from nalm_server.campaigns.refinements.service import REFINEMENTS
from nalm_server.cli.common import State, out, validated
from nalm_server.cli.contexts import opened
from nalm_server.projects import service as projects


def refinements(
    project: Annotated[str, typer.Argument(help="Name of the project.")],
    *,
    minutes_per_day: Annotated[
        int | None,
        typer.Option(help="Let idle hosts measure this long each day; 0: never.", min=0, max=1440),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Change of cycles in per cent to which pairs are measured on, 0.1 or more."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Newest refinements to show.", min=1, max=500)] = 10,
    state: State = None,
) -> None:
    """Shows which undecided pairs idle hosts measure on; sets how long each day, and to which margin.

    Example: nalm-server refinements my-nf --minutes-per-day 120 --margin 0.2
    """
    with opened(state) as context:
        with context.sessions() as session:
            now = standing.shown(session, projects.require(session, project))
            if minutes_per_day is not None or margin is not None:
                with validated():
                    request = RefinementPlanNew(
                        minutes_per_day=now.minutes_per_day if minutes_per_day is None else minutes_per_day,
                        margin=now.margin if margin is None else margin / 100,
                    )
                now = standing.change(session, SYSTEM, project, request, context.clock())
                session.commit()
            found = REFINEMENTS.page(session, SYSTEM, project, limit)
        out.print(_plan_text(now), markup=False)
        for one in found:
            out.print(_text(one), markup=False)


def _plan_text(plan: RefinementPlan) -> str:
    if plan.minutes_per_day == 0:
        return "idle hosts measure no pair on: --minutes-per-day lets them"
    return f"idle hosts measure on {plan.minutes_per_day} minutes a day, to {margin_percent(plan.margin)}"


def _text(one: Refinement) -> str:
    progress = f"{one.progress.done} of {one.progress.total} jobs done"
    reason = "" if one.message is None else f": {one.message}"
    return f"refinement {one.id}: {one.state}, to {margin_percent(one.margin)}, {progress}{reason}"
