# SPDX-License-Identifier: Apache-2.0
"""`nalm-server links`: the comparisons behind a scenario's history."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.text.commit_name import short
from nalm_core.text.percents import share_percent

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.campaigns.links import service, standing
from nalm_server.campaigns.links.schemas import LinkReport, LinksNew, LinksPlanNew
from nalm_server.cli.common import State, out, validated
from nalm_server.cli.contexts import opened
from nalm_server.projects import service as projects
from nalm_server.results.links import backfill


def links(
    project: Annotated[str, typer.Argument(help="Name of the project.")],
    scenario: Annotated[str, typer.Argument(help="Name of the scenario.")],
    *,
    measure: Annotated[
        int | None,
        typer.Option(help="Measure this many further ones when no other job waits.", min=1, max=1000),
    ] = None,
    per_day: Annotated[
        int | None,
        typer.Option(
            help="Let idle hosts make this many of the project's each day; 0: none.", min=0, max=200
        ),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="First enter those of all stored reports of the project.")
    ] = False,
    state: State = None,
) -> None:
    """Shows how well a scenario's comparisons agree, and what further ones gain and cost.

    Examples: nalm-server links my-nf sfc_a --measure 20; nalm-server links my-nf sfc_a --per-day 4
    """
    with opened(state) as context:
        with context.read_sessions() as session:
            found = projects.require(session, project)
        for number in backfill.fill(context, found.id) if stored else ():
            out.print(f"{number} reports read", markup=False)
        with context.read_sessions() as session:
            report = service.report(session, found, scenario, context.clock())
        print_report(report)
        if per_day is not None:
            with context.sessions() as session:
                request = LinksPlanNew(links_per_day=per_day)
                plan = standing.change(session, SYSTEM, project, request, context.clock())
                session.commit()
            cost = "" if plan.seconds_per_day is None else f", {plan.seconds_per_day:.0f} s of a host"
            out.print(f"idle hosts make {plan.links_per_day} a day{cost}", markup=False)
        if measure is not None:
            with validated():
                new = LinksNew(scenario=scenario, most=measure)
            made = service.create(context, SYSTEM, project, new)
            out.print(f"links {made.id}: {made.state}", markup=False)


def print_report(report: LinkReport) -> None:
    cost = "" if report.seconds_each is None else f"; one more costs {report.seconds_each:.0f} s"
    out.print(f"{report.links} comparisons, {report.checks} checked by others{cost}", markup=False)
    for one in report.misfits:
        pair = f"{short(one.base_sha)}..{short(one.head_sha)}"
        out.print(
            f"does not fit: {one.kind} {one.run_id[:8]} of {pair} on {one.host}, "
            f"{one.misfit:+.1f} standard errors",
            markup=False,
        )
    for host in report.hosts:
        if not host.fits:
            out.print(f"does not fit: host {host.host}, {host.misfit:.1f} times its errors", markup=False)
    for link in report.planned:
        before = "unknown" if link.error_before is None else share_percent(link.error_before)
        pair = f"{short(link.base_sha)}..{short(link.head_sha)}"
        where = "" if link.host is None else f" on {link.host}"
        out.print(
            f"would gain: {pair} over {link.distance} commits{where}, "
            f"error {before} to {share_percent(link.error_after)}",
            markup=False,
        )
