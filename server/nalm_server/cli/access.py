# SPDX-License-Identifier: Apache-2.0
"""`nalm-server account` and `member`: who may sign in, and who has which role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from nalm_server.auth.access import people
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.schemas import ProjectRole
from nalm_server.auth.accounts import passwords, service
from nalm_server.auth.accounts.schemas import AccountChange, AccountInvitation, AccountNew
from nalm_server.auth.sign_in.schemas import PasswordChange
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.errors import NalmError
from nalm_server.cli.common import State, err, listed, out, validated
from nalm_server.cli.contexts import opened
from nalm_server.db.context import Context
from nalm_server.projects import service as projects

account_app = typer.Typer(help="People who may sign in.", no_args_is_help=True, rich_markup_mode=None)
member_app = typer.Typer(help="People's roles in a project.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="The account's name.")]
Project = Annotated[str, typer.Argument(help="The project's name.")]


@contextmanager
def _writing(state: State) -> Iterator[tuple[Session, Context]]:
    """Commits at the end. Prints an error as one line and exits with code 2."""
    with opened(state) as context, context.sessions() as session:
        try:
            yield session, context
            session.commit()
        except NalmError as error:
            err.print(f"nalm-server: {error.message}")
            raise typer.Exit(2) from error


def _print(invitation: AccountInvitation) -> None:
    out.print(
        f"{invitation.name} signs in once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC, by\n"
        f"{invitation.link}",
        markup=False,
    )


@account_app.command("add")
def account_add(
    name: Name,
    administrator: Annotated[
        bool, typer.Option("--administrator", help="Make it an administrator of the server.")
    ] = False,
    state: State = None,
) -> None:
    """Adds an account and prints a one-time link for its owner, once.

    Example: nalm-server account add mona
    """
    with _writing(state) as (session, context):
        new = AccountNew(name=name, administrator=administrator)
        _print(service.add(session, context, SYSTEM, new, context.clock()))


@account_app.command("link")
def account_link(name: Name, state: State = None) -> None:
    """Prints a new one-time link for an account; the previous one becomes invalid.

    Example: nalm-server account link mona
    """
    with _writing(state) as (session, context):
        row = service.require(session, name)
        _print(service.invite(session, context, SYSTEM, row, context.clock()))


@account_app.command("list")
def account_list(state: State = None) -> None:
    """Lists the accounts.

    Example: nalm-server account list
    """
    with opened(state) as context, context.read_sessions() as session:
        for one in listed(service.list_accounts(session), "accounts"):
            kind = "administrator" if one.administrator else "-"
            signed_in = f"signed in {one.signed_in_at:%Y-%m-%d}" if one.signed_in_at else "never signed in"
            out.print(
                f"{one.name}  {kind}  {'disabled' if one.disabled else signed_in}",
                markup=False,
            )


@account_app.command("disable")
def account_disable(
    name: Name,
    enable: Annotated[bool, typer.Option("--enable", help="Enable the account again.")] = False,
    state: State = None,
) -> None:
    """Disables an account: ends its sessions at once, and rejects its sign-ins and tokens.

    Example: nalm-server account disable mona
    """
    with _writing(state) as (session, context):
        row = service.require(session, name)
        service.change(session, SYSTEM, row, AccountChange(disabled=not enable), context.clock())


@account_app.command("password")
def account_password(
    name: Name,
    password: Annotated[
        str,
        typer.Option(
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            help="The password. Without the option, the command prompts for it.",
        ),
    ],
    state: State = None,
) -> None:
    """Sets an account's password; prompts for it twice.

    Example: nalm-server account password mona
    """
    with validated():
        hashed = passwords.hash_of(PasswordChange(new=password).new)
    with _writing(state) as (session, context):
        service.set_password(session, SYSTEM, service.require(session, name), hashed, context.clock())


@member_app.command("add")
def member_add(
    project: Project,
    name: Name,
    role: Annotated[ProjectRole, typer.Option(help="What the account may do.")] = Role.READER,
    state: State = None,
) -> None:
    """Sets an account's role in a project.

    Example: nalm-server member add my-nf mona --role developer
    """
    with _writing(state) as (session, context):
        row = projects.require(session, project)
        people.set_role(session, SYSTEM, row, name, role=role, now=context.clock())


@member_app.command("remove")
def member_remove(project: Project, name: Name, state: State = None) -> None:
    """Removes an account's role in a project.

    Example: nalm-server member remove my-nf mona
    """
    with _writing(state) as (session, context):
        people.remove(session, SYSTEM, projects.require(session, project), name, context.clock())


@member_app.command("list")
def member_list(project: Project, state: State = None) -> None:
    """Lists the members of a project with their roles.

    Example: nalm-server member list my-nf
    """
    with _writing(state) as (session, _):
        for one in listed(people.list_people(session, projects.require(session, project)), "members"):
            out.print(f"{one.account}  {one.role}", markup=False)
