# SPDX-License-Identifier: Apache-2.0
"""The Celery application of API, worker, beat and the embedded form: tasks, queue, routes, schedule.

A task has no arguments and no result: rows of the database say what to do. So a message may be lost or
repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Celery, Task
from celery.schedules import schedule
from nalm_core.wire.backoff import Backoff

from nalm_server.db.context import Context
from nalm_server.worker.broker import TRANSPORT, list_of
from nalm_server.worker.drain import drain_kind
from nalm_server.worker.kinds import Work
from nalm_server.worker.registry import WORKERS, Worker

SERVER_QUEUE = "nalm.server"
RETRY = Backoff(first_seconds=2.0, longest_seconds=60.0, tries=4)
"""Retries of a failed task. Its schedule runs it in any case."""
TIME_LIMIT_SECONDS = 3600
"""The task's process is killed after this time; other workers take over its claims."""
SOFT_TIME_LIMIT_SECONDS = TIME_LIMIT_SECONDS - 300
PROCESS_START_SECONDS = 60.0
MOST_WAITING = 100
"""Maximum number of waiting messages: more would add nothing, and fill Redis while workers are away."""
BEGAN, BEGAN_SECONDS = datetime.now(UTC), time.monotonic()


def task_name(kind: Work) -> str:
    return f"nalm.work.{kind}"


class BackgroundTask(Task):  # type: ignore[misc] # the package has no types
    """A task of the server's workers, with Celery's options for acknowledgement, retries and limits."""

    acks_late = True
    reject_on_worker_lost = True
    ignore_result = True
    autoretry_for = (Exception,)
    retry_backoff = RETRY.first_seconds
    retry_backoff_max = RETRY.longest_seconds
    max_retries = RETRY.tries
    time_limit = TIME_LIMIT_SECONDS
    soft_time_limit = SOFT_TIME_LIMIT_SECONDS

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Sends a message, unless enough are waiting."""
        route = self.app.conf.task_routes[self.name]
        with self.app.connection_for_write() as connection:
            if enough_wait(connection, route["queue"], route["priority"]):
                return None
            return super().apply_async(*args, **options | {"connection": connection})


def enough_wait(connection: Any, queue: str, priority: int = 0) -> bool:
    """True if further messages would add nothing."""
    return int(connection.default_channel.client.llen(list_of(queue, priority))) >= MOST_WAITING


def make_celery(broker_url: str, context: Context | None = None) -> Celery:
    """With all registered tasks. Without a context they can be sent but not run."""
    app = Celery("nalm", broker=broker_url, task_cls=BackgroundTask, set_as_current=False)
    app.conf.update(
        broker_transport_options=TRANSPORT if broker_url.startswith("redis") else {},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_default_queue=SERVER_QUEUE,
        task_routes={
            task_name(kind): {"queue": SERVER_QUEUE, "priority": worker.priority}
            for kind, worker in WORKERS.items()
        },
        task_serializer="json",
        accept_content=["json"],
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2},
        worker_prefetch_multiplier=1,
        worker_proc_alive_timeout=PROCESS_START_SECONDS,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        beat_schedule={str(kind): _entry(kind, worker) for kind, worker in WORKERS.items()},
        beat_scheduler="celery.beat:Scheduler",
        beat_enable_remote_control=True,
    )
    for kind in WORKERS:
        app.task(_body(kind, context), name=task_name(kind), shared=False)
    return app


def _body(kind: Work, context: Context | None) -> Callable[[], None]:
    def work() -> None:
        assert context is not None
        drain_kind(context, kind)

    return work


def _entry(kind: Work, worker: Worker) -> dict[str, Any]:
    """Due when beat starts, then at a pace that does not depend on the host's clock."""
    return {
        "task": task_name(kind),
        "schedule": schedule(worker.every_seconds, nowfun=_steady_now),
        "last_run_at": BEGAN - timedelta(seconds=worker.every_seconds),
    }


def _steady_now() -> datetime:
    return BEGAN + timedelta(seconds=time.monotonic() - BEGAN_SECONDS)
