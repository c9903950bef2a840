# SPDX-License-Identifier: Apache-2.0
"""`nalm-server job`, `backfill`, `bisect`, `experiment`: as in the API, for the administrator of this
host."""

from __future__ import annotations

from typing import Annotated

import typer
from nalm_core.report.cell import Kind
from nalm_core.report.trials.kinds import RunKind
from nalm_core.text.commit_name import short
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.campaigns.backfill import service as backfills
from nalm_server.campaigns.backfill.schemas import Backfill, BackfillNew
from nalm_server.campaigns.bisection import service as bisects
from nalm_server.campaigns.bisection.schemas import BisectDetail, BisectNew
from nalm_server.campaigns.experiments import service as experiments
from nalm_server.campaigns.experiments.schemas import ExperimentNew
from nalm_server.cli.common import State, listed, out, validated
from nalm_server.cli.contexts import opened
from nalm_server.jobs import actions, presentation, requests
from nalm_server.jobs.schemas import JobDetail, JobRequest, JobState

job_app = typer.Typer(
    help="Measurements that are queued, under way, or over.", no_args_is_help=True, rich_markup_mode=None
)

Number = Annotated[int, typer.Argument(help="Number of the job.", min=1, max=2**31 - 1)]
Because = Annotated[str, typer.Option(help="The reason, kept with the job.")]
Project = Annotated[str, typer.Argument(help="Name of the project.")]
ACTIONS = {
    "cancel": (actions.cancel, "Cancels a job; its agent learns of it at its next heartbeat."),
    "retry": (actions.retry, "Queues a job again that ended without a valid result."),
    "boost": (actions.boost, "Moves a queued job to the front of the queue."),
    "approve": (actions.approve, "Releases a job that waits for approval."),
    "reject": (actions.reject, "Cancels a job that waits for approval."),
}


@job_app.command("list")
def job_list(
    project: Annotated[str | None, typer.Option(help="Only jobs of this project.")] = None,
    state_is: Annotated[JobState | None, typer.Option("--state-is", help="Only jobs in this state.")] = None,
    limit: Annotated[int, typer.Option(help="How many to show, at most.", min=1, max=500)] = 50,
    state: State = None,
) -> None:
    """Lists jobs, newest first.

    Example: nalm-server job list --project my-nf --state-is failed
    """
    states = [state_is] if state_is else None
    with opened(state) as context, context.read_sessions() as session:
        jobs = presentation.list_jobs(session, SYSTEM, project=project, host=None, states=states, limit=limit)
        for one in listed(jobs, "jobs"):
            held = "  waits for approval" if one.held and one.state is JobState.QUEUED else ""
            out.print(
                f"{one.id}  {one.state}  {one.project}  {short(one.head_sha)}  {one.reason}{held}",
                markup=False,
            )


@job_app.command("show")
def job_show(number: Number, state: State = None) -> None:
    """Shows a job with each change of its state.

    Example: nalm-server job show 12
    """
    with opened(state) as context, context.read_sessions() as session:
        _print_job(presentation.get_job(session, number, context.clock()))


@job_app.command("request")
def job_request(
    project: Project,
    head: Annotated[str, typer.Argument(help="Commit, branch or tag to measure.")],
    *,
    base: Annotated[
        str | None, typer.Option(help="Commit that it is compared with; its parent or merge base by default.")
    ] = None,
    kind: Annotated[RunKind, typer.Option(help="What is measured.")] = RunKind.CYCLES,
    scenario: Annotated[list[str] | None, typer.Option(help="Only this scenario; may be repeated.")] = None,
    branch: Annotated[
        str | None,
        typer.Option(help="The branch whose thresholds apply. Default: HEAD, or its jobs' branch."),
    ] = None,
    state: State = None,
) -> None:
    """Requests a measurement of one commit.

    Examples:

    nalm-server job request my-nf main

    nalm-server job request my-nf main --base v1.0 --kind rate --scenario sfc_a
    """
    with validated():
        request = JobRequest(head=head, base=base, kind=kind, scenarios=scenario or None, branch=branch)
    with opened(state) as context:
        _print_job(requests.request_job(context, SYSTEM, project, request))


def _print_job(job: JobDetail) -> None:
    out.print(
        f"job {job.id} of {job.project}: {job.state}, {short(job.head_sha)} against {short(job.base_sha)}"
    )
    if job.held is not None and job.state is JobState.QUEUED:
        out.print(f"waits: {job.held}", markup=False)
    if job.approved_at is not None:
        out.print(f"approved by {job.approved_by} at {job.approved_at:%Y-%m-%d %H:%M:%S}", markup=False)
    if job.queue_position is not None:
        out.print(f"place {job.queue_position} in the queue")
    for one in job.transitions:
        who = f" ({one.who})" if one.who else ""
        out.print(f"  {one.at:%Y-%m-%d %H:%M:%S}  {one.state}  {one.reason}{who}", markup=False)


def _add(verb: str) -> None:
    act, does = ACTIONS[verb]

    @job_app.command(verb, help=f"{does}\n\nExample: nalm-server job {verb} 12")
    def command(number: Number, because: Because = "", state: State = None) -> None:
        with opened(state) as context, context.sessions() as session:
            job = act(session, SYSTEM, number, because, context.clock())
            session.commit()
            out.print(f"job {job.id} is {job.state}")


for name in ACTIONS:
    _add(name)


def backfill(
    project: Project,
    first: Annotated[str, typer.Argument(help="Base of the first measurement; not measured itself.")],
    last: Annotated[str, typer.Argument(help="The last commit to measure.")],
    *,
    every: Annotated[int, typer.Option(help="Only every n-th commit.", min=1, max=10_000)] = 1,
    scenario: Annotated[list[str] | None, typer.Option(help="Only this scenario; may be repeated.")] = None,
    state: State = None,
) -> None:
    """Measures the commits after FIRST up to LAST that have no result yet.

    Example: nalm-server backfill my-nf v1.0 main --every 10
    """
    with validated():
        new = BackfillNew(first=first, last=last, every=every, scenarios=scenario or None)
    with opened(state) as context:
        _print_backfill(backfills.create(context, SYSTEM, project, new))


def _print_backfill(made: Backfill) -> None:
    out.print(f"backfill {made.id} is {made.state}: {short(made.first_sha)}..{short(made.last_sha)}")


def bisect(
    project: Project,
    good: Annotated[str, typer.Argument(help="A commit before the change.")],
    bad: Annotated[str, typer.Argument(help="A later commit that has it.")],
    *,
    scenario: Annotated[str, typer.Option(help="The scenario that changed.")],
    metric: Annotated[
        str | None,
        typer.Option(
            help="The figure that changed, as latency_p99_ns. Default: what decides the runs: cycles, or the "
            "worst figure of rates and soaks."
        ),
    ] = None,
    state: State = None,
) -> None:
    """Searches for the commit between GOOD and BAD that changed a scenario, or one of its figures.

    Examples:

    nalm-server bisect my-nf v1.0 main --scenario sfc_a

    nalm-server bisect my-nf v1.0 main --scenario sfc_a:rate --metric latency_p99_ns
    """
    with validated():
        new = BisectNew(good=good, bad=bad, scenario=scenario, metric=metric)
    with opened(state) as context:
        _print_bisect(bisects.create(context, SYSTEM, project, new))


def experiment(
    project: Project,
    kind: Annotated[Kind, typer.Argument(help="features, ablation, models, cores, queue, flows or roles.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Tables of nalm.toml. Default: all.")
    ] = None,
    *,
    revision: Annotated[
        str | None, typer.Option(help="Commit to measure. Default: the default branch's tip.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds for a cell, a load or a trial. Default: the agent's.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE,...",
            help="A parameter of an experiment under load; repeatable. cores, roles: lcores, launches. "
            "queue: batch, ring, frame, loads, arrivals. flows: shares, loads, packets, launches.",
        ),
    ] = None,
    state: State = None,
) -> None:
    """Measures features, variants, models, lcores, queues, flows or roles of one commit.

    Examples: nalm-server experiment my-nf features --revision v1.2

    nalm-server experiment my-nf queue nop --set batch=64,256 --set loads=0.2,0.8 --seconds 2
    """
    with validated():
        new = ExperimentNew.model_validate(
            {
                "kind": kind,
                "revision": revision,
                "names": names or [],
                "cell_seconds": seconds,
                "parameters": dict(_parameter(one) for one in parameters or []),
            }
        )
    with opened(state) as context:
        made = experiments.create(context, SYSTEM, project, new)
    out.print(f"experiment {made.id} is {made.state}: {made.kind} of {short(made.sha)}, job {made.job_id}")


def _parameter(text: str) -> tuple[str, object]:
    """`batch=64,256` as a name with one value, or with the values of a parameter that has several."""
    name, separator, values = text.partition("=")
    if not separator:
        raise typer.BadParameter(f"--set {text!r} is not NAME=VALUE")
    if name not in LoadParameters.model_fields or isinstance(getattr(NO_PARAMETERS, name), list):
        return name, [_value(one) for one in values.split(",")]
    return name, _value(values)


def _value(text: str) -> object:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _print_bisect(made: BisectDetail) -> None:
    out.print(f"bisect {made.id} is {made.state}: {short(made.good_sha)}..{short(made.bad_sha)}")
