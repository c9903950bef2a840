# SPDX-License-Identifier: Apache-2.0
"""The processes of the grown form: API with page, worker, beat."""

from __future__ import annotations

from nalm_server.app.embedded.first_tokens import make_first_tokens
from nalm_server.app.embedded.up import end_by_signals
from nalm_server.app.serving import listen
from nalm_server.app.serving import serve as serve_http
from nalm_server.base.settings import Settings
from nalm_server.cli.contexts import context_of
from nalm_server.worker.processes import run_beat, run_worker
from nalm_server.worker.wakers import CeleryWaker


def serve(settings: Settings, redis_url: str) -> None:
    """Serves API and page until a signal."""
    waker = CeleryWaker(redis_url)
    with context_of(settings, waker) as context:
        end_by_signals()
        listening = listen(settings.host, settings.port)
        make_first_tokens(context)
        try:
            serve_http(context, listening)
        finally:
            waker.stop()


def work(settings: Settings, redis_url: str) -> int:
    """Runs a worker until a signal. Returns its exit code."""
    waker = CeleryWaker(redis_url)
    with context_of(settings, waker) as context:
        code = run_worker(context, redis_url, settings.worker_threads)
        waker.stop()
    return code


def beat(settings: Settings, redis_url: str) -> None:
    """Runs a beat until a signal."""
    with context_of(settings):
        run_beat(redis_url)
