# SPDX-License-Identifier: Apache-2.0
"""Do this host's worker, and any beat, live."""

from __future__ import annotations

import socket
import sys

from celery import Celery

from nalm_server.worker.broker import TRANSPORT

PING_SECONDS = 5.0


def worker_name() -> str:
    return f"nalm@{socket.gethostname()}"


def worker_answers(redis_url: str) -> bool:
    """Does this host's worker answer through Redis."""
    return _answers(redis_url, destination=[worker_name()])


def beat_answers(redis_url: str) -> bool:
    """Does any beat answer through Redis. One whose schedule stands still does not."""
    return _answers(redis_url, pattern="celerybeat@*", matcher="glob", limit=1)


def _answers(redis_url: str, **whom: object) -> bool:
    app = Celery("nalm", broker=redis_url, set_as_current=False)
    app.conf.broker_transport_options = TRANSPORT
    try:
        return bool(app.control.ping(timeout=PING_SECONDS, **whom))
    except OSError as error:
        sys.stderr.write(f"Redis cannot be reached: {error}\n")
        return False
