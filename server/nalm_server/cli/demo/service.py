# SPDX-License-Identifier: Apache-2.0
"""The demo's embedded server: `nalm-server up` as a child that ends with the demo."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import httpx
from nalm_core.report.trials.kinds import RunKind, split_name

from nalm_server.app.context import open_context
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.settings import Settings
from nalm_server.campaigns.schedules import service as schedules
from nalm_server.campaigns.schedules.schemas import Against, ScheduleNew
from nalm_server.cli.demo.errors import DemoError
from nalm_server.jobs.requests import request_job
from nalm_server.jobs.schemas import JobRequest
from nalm_server.projects import service
from nalm_server.projects.schemas import ProjectNew

START_SECONDS = 60.0
STOP_SECONDS = 30.0
POLL_SECONDS = 0.1
SHOWN_LOG_LINES = 15


class Service:
    """A running `nalm-server up`. A context manager: it ends server and agent."""

    def __init__(self, state: Path, host: str, port: int) -> None:
        self.url = f"http://{host}:{port}"
        self.state = state
        self._log = state.parent / "server.log"
        command = [sys.executable, "-m", "nalm_server.cli.main", "up"]
        self._command = [*command, "--state", str(state), "--host", host, "--port", str(port)]
        # Ends with the demo, even if that is killed.
        if setpriv := shutil.which("setpriv"):
            self._command = [setpriv, "--pdeathsig", "TERM", *self._command]
        # The demo's commits are nalm's own: their builds need no isolation.
        isolation = {"NALM_ISOLATION": os.environ.get("NALM_ISOLATION", "auto")}
        self._environment = (
            os.environ
            | isolation
            | {
                "NALM_HOME": str(state.parent / "agent"),
                "NALM_AGENT_READ": str(state.parent / "repository"),
            }
        )

    def __enter__(self) -> Service:
        with self._log.open("ab") as log:
            # A session of its own: only the demo gets Ctrl-C; it then ends the server.
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait_until_healthy()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def check(self) -> None:
        """Raises DemoError with the end of the log if the server has ended."""
        code = self._process.poll()
        if code is None:
            return
        lines = self._log.read_text(errors="replace").splitlines()[-SHOWN_LOG_LINES:]
        raise DemoError("\n".join([f"the server ended with code {code}; the end of {self._log}:", *lines]))

    def project_secret(self, name: str, repository: Path, branch: str) -> str:
        """The project's webhook secret; adds the project if it does not exist."""
        with open_context(Settings(state_dir=self.state)) as context, context.sessions() as session:
            if projects.find(session, name) is None:
                new = ProjectNew(name=name, repository=str(repository), default_branch=branch, public=True)
                service.create_project(session, context, SYSTEM, new, context.clock())
                session.commit()
            return context.box.open(service.require(session, name).webhook_secret)

    def schedule_rates(self, project: str, since: str, scenario: str) -> None:
        """Adds a schedule that measures rates, latency and loss of each merge after `since`, if there is
        none."""
        with open_context(Settings(state_dir=self.state)) as context, context.sessions() as session:
            if schedules.list_schedules(session, SYSTEM, project):
                return
            new = ScheduleNew(
                name="rates",
                cron="* * * * *",
                against=Against.EACH,
                kind=RunKind.RATE,
                scenarios=[scenario],
                since=since,
            )
            schedules.create(session, SYSTEM, project, new, context.clock())
            session.commit()

    def measure_again(self, project: str, base: str, head: str, history: str) -> None:
        """Queues one more measurement of two commits."""
        scenario, kind = split_name(history)
        with open_context(Settings(state_dir=self.state)) as context:
            request = JobRequest(kind=kind, head=head, base=base, scenarios=[scenario])
            request_job(context, SYSTEM, project, request)

    def _wait_until_healthy(self) -> None:
        ends = time.monotonic() + START_SECONDS
        with httpx.Client(timeout=5) as client:
            while time.monotonic() < ends:
                self.check()
                with contextlib.suppress(httpx.TransportError):
                    if client.get(f"{self.url}/api/v1/health").status_code == httpx.codes.OK:
                        return
                time.sleep(POLL_SECONDS)
        raise DemoError(f"the server did not answer on {self.url} in {START_SECONDS:.0f} s; see {self._log}")

    def _stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
