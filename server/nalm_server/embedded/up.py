# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up`: migrate, make secrets, serve API and page, keep one agent; all of it ends together."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import structlog

from nalm_server import migrate
from nalm_server.accounts.service import first_link
from nalm_server.context import Context, make_context
from nalm_server.embedded.agent import AgentKeeper, agent_command, find_agent
from nalm_server.embedded.failure import StartError, explained
from nalm_server.secrets_store import write_private
from nalm_server.serving import listen, serve, url_of
from nalm_server.settings import Settings
from nalm_server.tokens import repository as tokens
from nalm_server.tokens.models import TokenRow
from nalm_server.tokens.principal import SYSTEM
from nalm_server.tokens.scopes import Scope
from nalm_server.tokens.service import digest_of, new_secret
from nalm_server.work.ticks import Ticks
from nalm_server.work.wakers import ThreadWaker

log = structlog.get_logger()

AGENT_TOKEN = "agent.token"
ADMIN_TOKEN = "admin.token"
LOCK = "up.lock"


def up(settings: Settings, host: str, port: int, *, with_agent: bool) -> None:
    """Serves until SIGINT or SIGTERM. Raises StartError with a message for a person."""
    end_by_signals()
    with explained(settings.state_dir), _only_one(settings.state_dir):
        listening = listen(host, port)
        if settings.public_url is None:
            settings = settings.model_copy(update={"public_url": url_of(host, listening)})
        migrate.upgrade(settings.resolved_database_url)
        waker = ThreadWaker()
        context = make_context(settings, waker=waker)
        token_file = make_first_tokens(context)
        keeper = _keeper(url_of(host, listening), token_file, settings) if with_agent else None
        ticks = Ticks(waker)

        def ready() -> None:
            waker.start(context)
            ticks.start()
            if keeper is not None:
                keeper.start()

        try:
            serve(context, listening, ready)
        finally:
            ticks.stop()
            if keeper is not None:
                keeper.stop()
            waker.stop()
            context.engine.dispose()


def end_by_signals() -> None:
    """The way out leads past every `finally`."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def make_first_tokens(context: Context) -> Path:
    """The administrator's token, and the local agent's, whose file is returned."""
    ensure_token(context, ADMIN_TOKEN, Scope.ADMIN)
    token_file = ensure_token(context, AGENT_TOKEN, Scope.AGENT)
    _invite_first_administrator(context)
    if context.settings.agent_token is not None:
        _make_known(context, context.settings.agent_token.get_secret_value(), Scope.AGENT)
    return token_file


def _invite_first_administrator(context: Context) -> None:
    """A one-time link on standard output, not in the log: until an administrator has signed in once."""
    with context.sessions() as session:
        invitation = first_link(session, context, SYSTEM, context.clock())
        session.commit()
    if invitation is not None:
        print(
            f"Sign in once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC: {invitation.link}", flush=True
        )


def _end(_number: int, _frame: FrameType | None) -> None:
    """uvicorn raises the signal that ended it once more: the way out must lead past the agent's end."""
    raise SystemExit(0)


@contextmanager
def _only_one(state_dir: Path) -> Iterator[None]:
    """Two servers on one state directory would fight over its agent and its database."""
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (state_dir / LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise StartError(
                f"Another nalm-server (process {lock.read().strip() or 'unknown'}) serves {state_dir}: "
                "end it first, or choose another place with --state."
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def ensure_token(context: Context, name: str, scope: Scope) -> Path:
    """A token in a file of the state directory that only its owner can read, made at first start."""
    path = context.settings.state_dir / name
    write_private(path, new_secret().encode())
    _make_known(context, path.read_text().strip(), scope)
    return path


def _make_known(context: Context, token: str, scope: Scope) -> None:
    digest = digest_of(token)
    with context.sessions() as session:
        if tokens.find(session, digest) is None:
            now = context.clock()
            tokens.add(session, TokenRow(digest=digest, scope=scope, name=f"local {scope}", created_at=now))
            session.commit()


def _keeper(url: str, token_file: Path, settings: Settings) -> AgentKeeper | None:
    nalm = find_agent()
    if nalm is None:
        log.warning(
            "no local agent: the command `nalm` is missing; install nalm-agent, or start with --no-agent"
        )
        return None
    return AgentKeeper(agent_command(nalm, url, token_file.resolve(), settings.state_dir))
