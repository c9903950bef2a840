# SPDX-License-Identifier: Apache-2.0
"""Created on first start: tokens in files, a registered agent, an administrator's link."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from nalm_server.auth.accounts.service import first_link
from nalm_server.auth.tokens import repository as tokens
from nalm_server.auth.tokens.models import TokenRow
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.auth.tokens.service import digest_of, new_secret
from nalm_server.db.context import Context
from nalm_server.db.secrets import write_private
from nalm_server.jobs.agents.local import host_of, register_local

AGENT_TOKEN = "agent.token"
ADMIN_TOKEN = "admin.token"
FIRST_LINK = "first-sign-in.link"


@dataclass(frozen=True)
class FirstTokens:
    agent_file: Path
    agent_name: str | None
    """The host to which the token in the file is bound; None: it is shared."""


def make_first_tokens(context: Context, *, with_agent: bool = False) -> FirstTokens:
    """The administrator's token and an agent's: for the server's own agent a registered one, else a shared
    token. NALM_AGENT_TOKEN is shared, too, or bound to NALM_AGENT_NAME if that is given.

    A known token keeps its kind: hosts that share it continue.
    """
    settings = context.settings
    _known_from_file(context, ADMIN_TOKEN, Scope.ADMIN)
    own = (settings.agent_name or socket.gethostname()) if with_agent else None
    agent_file, agent_name = _known_from_file(context, AGENT_TOKEN, Scope.AGENT, own)
    if settings.agent_token is not None:
        name = None if with_agent else settings.agent_name
        _make_known(context, settings.agent_token.get_secret_value(), Scope.AGENT, name)
    _invite_first_administrator(context)
    return FirstTokens(agent_file, agent_name)


def _known_from_file(
    context: Context, name: str, scope: Scope, host: str | None = None
) -> tuple[Path, str | None]:
    """A token in a file of the state directory that only its owner can read, created on first start."""
    path = context.settings.state_dir / name
    write_private(path, new_secret().encode())
    return path, _make_known(context, path.read_text().strip(), scope, host)


def _make_known(context: Context, token: str, scope: Scope, host: str | None = None) -> str | None:
    """The host to which the token is bound, now or from before."""
    digest, now = digest_of(token), context.clock()
    with context.sessions() as session:
        if tokens.find(session, digest) is None:
            row = TokenRow(digest=digest, scope=scope, name=f"local {scope}", created_at=now)
            tokens.add(session, row)
            if host is not None:
                register_local(session, host, digest, now)
            session.commit()
        return host_of(session, digest)


def _invite_first_administrator(context: Context) -> None:
    """Prints a one-time link until an administrator has signed in: on a terminal, else into a file of the
    state directory, so that no journal or container log has it."""
    with context.sessions() as session:
        invitation = first_link(session, context, SYSTEM, context.clock())
        session.commit()
    path = context.settings.state_dir / FIRST_LINK
    path.unlink(missing_ok=True)
    if invitation is None:
        return
    until = f"{invitation.expires_at:%Y-%m-%d %H:%M} UTC"
    if sys.stdout.isatty():
        print(f"Sign in once, until {until}: {invitation.link}", flush=True)
    else:
        write_private(path, f"{invitation.link}\n".encode())
        print(f"Nobody has signed in yet: {path} has a one-time link, good until {until}.", flush=True)
