# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up`: migrate, make secrets, serve API and page, keep one agent; all of it ends together."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import structlog
import uvicorn
from fastapi import FastAPI

from nalm_server import migrate
from nalm_server.app import make_app
from nalm_server.context import Context, make_context
from nalm_server.embedded.agent import AgentKeeper, agent_command, find_agent
from nalm_server.embedded.failure import StartError, explained
from nalm_server.secrets_store import write_private
from nalm_server.settings import Settings
from nalm_server.tokens import repository as tokens
from nalm_server.tokens.service import Scope, digest_of, new_secret

log = structlog.get_logger()

AGENT_TOKEN = "agent.token"
ADMIN_TOKEN = "admin.token"
LOCK = "up.lock"
BACKLOG = 512


def up(settings: Settings, host: str, port: int, *, with_agent: bool) -> None:
    """Serves until SIGINT or SIGTERM. Raises StartError with a message for a person."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    with explained(settings.state_dir), _only_one(settings.state_dir):
        listening = _listen(host, port)
        migrate.upgrade(settings.resolved_database_url)
        context = make_context(settings)
        ensure_token(context, ADMIN_TOKEN, Scope.ADMIN)
        token_file = ensure_token(context, AGENT_TOKEN, Scope.AGENT)
        if settings.agent_token is not None:
            _make_known(context, settings.agent_token.get_secret_value(), Scope.AGENT)
        keeper = _keeper(_url(host, listening), token_file, settings) if with_agent else None
        try:
            _serve(context, listening, keeper)
        finally:
            if keeper is not None:
                keeper.stop()
            context.engine.dispose()


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


def _listen(host: str, port: int) -> socket.socket:
    """Bound before anything else is touched, so that a taken port changes nothing."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise StartError(f"--host {host} is no address of this machine: {error.strerror}.") from error
    listening = socket.socket(family, kind)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} of {host} is taken by another program: end it (`ss -ltnp 'sport = :{port}'` "
                "names it), or choose another one with --port."
            ) from error
        raise StartError(f"Port {port} of {host} cannot be served: {error.strerror}.") from error
    return listening


def _url(host: str, listening: socket.socket) -> str:
    """Where the local agent reaches the server."""
    port = listening.getsockname()[1]
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


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
            tokens.add(
                session, digest, scope=scope, name=f"local {scope}", now=context.clock(), project_id=None
            )
            session.commit()


def _keeper(url: str, token_file: Path, settings: Settings) -> AgentKeeper | None:
    nalm = find_agent()
    if nalm is None:
        log.warning(
            "no local agent: the command `nalm` is missing; install nalm-agent, or start with --no-agent"
        )
        return None
    return AgentKeeper(agent_command(nalm, url, token_file.resolve(), settings.state_dir))


class _Server(uvicorn.Server):
    """Starts the agent once requests are answered; ends without leaving requests waiting."""

    def __init__(self, app: FastAPI, config: uvicorn.Config, keeper: AgentKeeper | None, url: str) -> None:
        super().__init__(config)
        self._app = app
        self._keeper = keeper
        self._url = url

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.ending = True  # leases that wait for work are answered now
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        log.info("serving", url=self._url)
        if self._keeper is not None:
            self._keeper.start()


def _serve(context: Context, listening: socket.socket, keeper: AgentKeeper | None) -> None:
    host, port = listening.getsockname()[:2]
    app = make_app(context)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        lifespan="off",
    )
    _Server(app, config, keeper, f"http://{host}:{port}").run(sockets=[listening])
