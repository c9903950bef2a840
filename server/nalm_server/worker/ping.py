# SPDX-License-Identifier: Apache-2.0
"""Checks whether this host's worker, or any beat, is running."""

from __future__ import annotations

import socket
import sys

from celery import Celery

from nalm_server.worker.broker import TRANSPORT

PING_SECONDS = 5.0


def worker_name() -> str:
    return f"nalm@{socket.gethostname()}"


def worker_answers(redis_url: str) -> bool:
    """True if this host's worker answers through Redis."""
    return _answers(redis_url, destination=[worker_name()])


def beat_answers(redis_url: str) -> bool:
    """True if any beat answers through Redis. A beat with a stuck schedule does not."""
    return _answers(redis_url, pattern="celerybeat@*", matcher="glob", limit=1)


def _answers(redis_url: str, **whom: object) -> bool:
    app = Celery("nalm", broker=redis_url, set_as_current=False)
    app.conf.broker_transport_options = TRANSPORT
    try:
        return bool(app.control.ping(timeout=PING_SECONDS, **whom))
    except OSError as error:
        sys.stderr.write(f"Redis cannot be reached: {error}\n")
        return False
