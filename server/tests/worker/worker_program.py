# SPDX-License-Identifier: Apache-2.0
"""A worker of the grown form whose drain writes a line to a file. Arguments: file, state directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nalm_server.app.context import make_context
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server.worker.kinds import Work
from nalm_server.worker.processes import run_worker
from nalm_server.worker.registry import WORKERS, Worker


def main() -> int:
    done = Path(sys.argv[1])

    def drain(_context: Context) -> None:
        with done.open("a") as file:
            file.write(f"{os.getppid()}\n")  # the worker, whose pool does it
        while done.with_name("hold").exists():  # until the test lets go, or kills this process
            continue

    def fails(_context: Context) -> None:
        raise ValueError("this kind cannot be done today")

    WORKERS.clear()
    WORKERS[Work.DELIVERIES] = Worker(drain, 60)
    WORKERS[Work.JOBS] = Worker(fails, 60)
    settings = Settings(state_dir=Path(sys.argv[2]))
    assert settings.redis_url
    return run_worker(make_context(settings), settings.redis_url, 2)


if __name__ == "__main__":
    sys.exit(main())
