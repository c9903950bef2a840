# SPDX-License-Identifier: Apache-2.0
"""`nalm-server serve`, `worker` and `beat`: the grown form, one process each.

Only a process imports `processes`: a health check (`--ping`) runs every half a minute.
"""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_server.base import logs
from nalm_server.base.settings import Settings
from nalm_server.cli.common import Host, Port, State, err, settings_of
from nalm_server.worker.ping import beat_answers, worker_answers

Ping = Annotated[
    bool, typer.Option("--ping", help="Only check whether one is running; exit code 1: none is.")
]


def serve(
    state: State = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """Serves API and page; `worker` and `beat` do the rest. Needs NALM_REDIS_URL and a migrated database.

    Example: nalm-server serve --host 0.0.0.0
    """
    settings, redis_url = _grown(settings_of(state, host=host, port=port))
    from nalm_server.cli import processes

    processes.serve(settings, redis_url)


def worker(state: State = None, ping: Ping = False) -> None:
    """Processes what the API stores: deliveries, jobs, notifications. Several may run.

    Example: nalm-server worker
    """
    settings, redis_url = _grown(settings_of(state))
    if ping:
        raise typer.Exit(0 if worker_answers(redis_url) else 1)
    from nalm_server.cli import processes

    raise typer.Exit(processes.work(settings, redis_url))


def beat(state: State = None, ping: Ping = False) -> None:
    """Starts each kind of background work periodically, in case its message was lost. Several may run.

    Example: nalm-server beat
    """
    settings, redis_url = _grown(settings_of(state))
    if ping:
        raise typer.Exit(0 if beat_answers(redis_url) else 1)
    from nalm_server.cli import processes

    processes.beat(settings, redis_url)


def _grown(settings: Settings) -> tuple[Settings, str]:
    logs.configure(as_json=settings.log_json)
    if settings.redis_url is None:
        err.print(
            "nalm-server: NALM_REDIS_URL is not set: serve, worker and beat communicate through Redis. "
            "On one host, `nalm-server up` does the same without Redis."
        )
        raise typer.Exit(2)
    return settings, settings.redis_url
