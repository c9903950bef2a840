# SPDX-License-Identifier: Apache-2.0
"""`nalm-server agent` and `nalm-server pool`: bench hosts, their agents, and the projects they measure."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.cli.common import State, err, listed, out
from nalm_server.cli.contexts import opened
from nalm_server.jobs.agents import registration
from nalm_server.jobs.agents.registration_schemas import InvitationNew, PoolChoiceError, pool_name
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.schemas import BenchHost

agent_app = typer.Typer(help="Bench hosts and their agents.", no_args_is_help=True, rich_markup_mode=None)
pool_app = typer.Typer(
    help="Pools: which hosts measure which projects.", no_args_is_help=True, rich_markup_mode=None
)

Name = Annotated[str, typer.Argument(help="Name of the host.")]
Pool = Annotated[str, typer.Argument(help="Name of the pool: small letters, digits, hyphens.")]


@agent_app.command("invite")
def invite(
    pool: Annotated[str, typer.Option(help="Pool that the host joins.")] = "default",
    name: Annotated[
        str | None,
        typer.Option(help="Only for the host of this name; also lets a registered host register again."),
    ] = None,
    hours: Annotated[float, typer.Option(help="Hours that the invitation is valid.", min=0.01, max=720)] = 24,
    state: State = None,
) -> None:
    """Prints a one-time token for `nalm agent register`, once.

    Example: nalm-server agent invite --pool lab > invitation
    """
    with opened(state) as context, context.sessions() as session:
        invitation = InvitationNew(pool=_checked(pool), name=name, hours=hours)
        invited = registration.invite(session, SYSTEM, invitation, context.clock())
        session.commit()
        sys.stdout.write(invited.token + "\n")


@agent_app.command("list")
def list_command(
    pool: Annotated[str | None, typer.Option(help="Only hosts of this pool.")] = None, state: State = None
) -> None:
    """Lists the hosts, each with its state and the reason for it.

    Example: nalm-server agent list --pool lab
    """
    with opened(state) as context, context.read_sessions() as session:
        for host in listed(service.list_hosts(session, pool, context.clock()), "hosts"):
            _print(host)


@agent_app.command("drain")
def drain(name: Name, state: State = None) -> None:
    """Gives a host no new jobs; it finishes its current one.

    Example: nalm-server agent drain bench-07
    """
    with opened(state) as context, context.sessions() as session:
        _print(service.drain(session, SYSTEM, name, context.clock()))
        session.commit()


@agent_app.command("resume")
def resume(name: Name, state: State = None) -> None:
    """Gives a drained host jobs again.

    Example: nalm-server agent resume bench-07
    """
    with opened(state) as context, context.sessions() as session:
        _print(service.resume(session, SYSTEM, name, context.clock()))
        session.commit()


@agent_app.command("revoke")
def revoke(name: Name, state: State = None) -> None:
    """Revokes a host's credentials at once; a new invitation lets it register again.

    Example: nalm-server agent revoke bench-07
    """
    with opened(state) as context, context.sessions() as session:
        _print(service.revoke(session, SYSTEM, name, context.clock()))
        session.commit()


@agent_app.command("move")
def move(name: Name, pool: Pool, state: State = None) -> None:
    """Moves a host into another pool. If its agent has a broker, restart the agent.

    Example: nalm-server agent move bench-07 lab
    """
    with opened(state) as context, context.sessions() as session:
        _print(service.move(session, SYSTEM, name, _checked(pool), context.clock()))
        session.commit()


@pool_app.command("list")
def pool_list(state: State = None) -> None:
    """Lists the pools with their hosts, projects and waiting jobs.

    Example: nalm-server pool list
    """
    with opened(state) as context, context.read_sessions() as session:
        for one in service.pools(session, context.clock()):
            hosts = ", ".join(f"{number} {kind}" for kind, number in one.hosts.items()) or "no host"
            projects = " ".join(one.projects) or "no project"
            out.print(f"{one.name}  {hosts}  {one.queued} queued  {projects}", markup=False)


@pool_app.command("bind")
def pool_bind(
    project: Annotated[str, typer.Argument(help="Name of the project.")], pool: Pool, state: State = None
) -> None:
    """Sets the pool that measures a project.

    Example: nalm-server pool bind my-nf lab
    """
    with opened(state) as context, context.sessions() as session:
        service.bind(session, SYSTEM, project, _checked(pool), context.clock())
        session.commit()


def _checked(pool: str) -> str:
    try:
        return pool_name(pool)
    except PoolChoiceError as error:
        err.print(f"nalm-server: {error}")
        raise typer.Exit(2) from error


def _print(host: BenchHost) -> None:
    reason = f" ({host.reason})" if host.reason else ""
    job = f"  job {host.job_id}" if host.job_id else ""
    out.print(f"{host.name}  {host.pool}  {host.state}{reason}{job}", markup=False)
