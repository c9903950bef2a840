# SPDX-License-Identifier: Apache-2.0
"""An engine of the test's own (or DOCKER_HOST's), with stand-ins for pulled images."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_server_waiting import until

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "compose"


@pytest.fixture(scope="session")
def engine() -> Iterator[dict[str, str]]:
    """The environment in which `docker` reaches the engine. Images are kept for the next run."""
    if "DOCKER_HOST" in os.environ:
        environment = dict(os.environ)
        yield with_stand_ins(environment)
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    socket = Path("/run") / f"nalm-docker-{os.getpid()}.sock"
    environment = os.environ | {"DOCKER_HOST": f"unix://{socket}"}
    with (CACHE / "dockerd.log").open("wb") as log:
        command = ["dockerd", "--data-root", CACHE / "data", "--exec-root", CACHE / "exec"]
        options = ["--pidfile", CACHE / "pid", "-H", f"unix://{socket}"]
        process = subprocess.Popen([*command, *options], stdout=log, stderr=log)

    def ready() -> bool:
        assert process.poll() is None, (CACHE / "dockerd.log").read_text(errors="replace")[-2000:]
        done = subprocess.run(["docker", "version"], env=environment, capture_output=True, check=False)
        return done.returncode == 0

    try:
        until(ready, "dockerd")
        yield with_stand_ins(environment)
    finally:
        process.terminate()
        process.wait(60)


def with_stand_ins(environment: dict[str, str]) -> dict[str, str]:
    subprocess.run([HERE / "stand_ins.sh", CACHE / "stand-ins"], env=environment, check=True)
    return environment
