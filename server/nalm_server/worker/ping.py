# SPDX-License-Identifier: Apache-2.0
"""Does this host's worker live."""

from __future__ import annotations

import socket
import sys

from nalm_server.worker.broker import make_celery

PING_SECONDS = 5.0


def worker_name() -> str:
    return f"nalm@{socket.gethostname()}"


def worker_answers(redis_url: str) -> bool:
    """Does this host's worker answer through Redis."""
    app = make_celery(redis_url)
    try:
        return bool(app.control.ping(destination=[worker_name()], timeout=PING_SECONDS))
    except OSError as error:
        sys.stderr.write(f"Redis cannot be reached: {error}\n")
        return False
