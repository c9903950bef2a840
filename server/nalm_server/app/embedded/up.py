# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up`: migrates, creates secrets, serves API and page, runs one agent, and stops all of it."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import structlog

from nalm_server.app.context import make_context, open_context
from nalm_server.app.embedded.address import remember
from nalm_server.app.embedded.agent import AGENT_NAME, AgentKeeper, agent_command, find_agent
from nalm_server.app.embedded.agent_user import Start, agent_start
from nalm_server.app.embedded.failure import StartError, explained
from nalm_server.app.embedded.first_tokens import FirstTokens, make_first_tokens
from nalm_server.app.serving import listen, serve, url_of
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.db.secrets import KEY_NAME
from nalm_server.worker.wakers import ThreadWaker

log = structlog.get_logger()

LOCK = "up.lock"


def up(settings: Settings, *, with_agent: bool) -> None:
    """Serves until SIGINT or SIGTERM. Raises StartError with a message for people."""
    end_by_signals()
    os.umask(0o077)
    with explained(settings.state_dir), _only_one(settings.state_dir):
        listening = listen(settings.host, settings.port)
        if settings.public_url is None:
            settings = settings.model_copy(update={"public_url": url_of(settings.host, listening)})
            remember(settings)
        migrate.upgrade(settings.resolved_database_url)
        waker = ThreadWaker()
        nalm = _local_agent() if with_agent else None
        with open_context(settings) as before:
            first = make_first_tokens(before, with_agent=nalm is not None)
        keeper = None
        if nalm is not None:
            start = agent_start(settings, nalm, first.agent_file.resolve())
            settings = _restricted(settings, start)
            keeper = _keeper(nalm, url_of(settings.host, listening), first, start)
        context = make_context(settings, waker=waker)

        def ready() -> None:
            waker.start(context)
            waker.start_schedule()
            if keeper is not None:
                keeper.start()

        try:
            serve(context, listening, ready)
        finally:
            if keeper is not None:
                keeper.stop()
            waker.stop()
            context.engine.dispose()


def end_by_signals() -> None:
    """Makes signals run every `finally`."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _end(_number: int, _frame: FrameType | None) -> None:
    """uvicorn raises the signal that ended it again: the agent must be ended before."""
    raise SystemExit(0)


@contextmanager
def _only_one(state_dir: Path) -> Iterator[None]:
    """Two servers on one state directory would conflict over its agent and its database."""
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_private(state_dir)
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


def _make_private(state_dir: Path) -> None:
    """Removes others' rights to a state directory from an earlier version or another source. Not for the key:
    a key that others could read is rejected.
    """
    for path in (state_dir, *state_dir.iterdir()):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 and not path.is_symlink() and path.name != KEY_NAME:
            path.chmod(mode & 0o700)


def _local_agent() -> str | None:
    nalm = find_agent()
    if nalm is None:
        log.warning(
            "no local agent: the command `nalm` is missing; install nalm-agent, or start with --no-agent"
        )
    return nalm


def _restricted(settings: Settings, start: Start) -> Settings:
    """Logs what people who commit can do here. If that is much, disables forks' pull requests, unless the
    operator has enabled them.
    """
    if start.apart:
        log.info(start.about)
        return settings
    if settings.fork_pull_requests is not None:
        log.warning(start.about)
        return settings
    log.warning(f"{start.about}. Pull requests from forks are not measured (NALM_FORK_PULL_REQUESTS)")
    return settings.model_copy(update={"fork_pull_requests": "never"})


def _keeper(nalm: str, url: str, first: FirstTokens, start: Start) -> AgentKeeper:
    name = {AGENT_NAME: first.agent_name} if first.agent_name is not None else {}
    return AgentKeeper(agent_command(nalm, url, start), start.environment | name)
