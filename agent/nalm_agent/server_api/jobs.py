# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the server's API: survives restarts of the server, gives up on refusals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx
from nalm_core.report.cell import Kind
from pydantic import BaseModel

from nalm_agent import version
from nalm_agent.runtime.errors import ServerError

API = 1
"""Of the agents' part of the server's API: an older server, or a newer one, says what to do about it."""
TIMEOUT_SECONDS = 30.0
RELEASE_SECONDS = 5.0
"""How long giving a job back may take, when the agent is asked to end."""
LEASE_WAIT_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
NOT_WORKING = "Nalm-Agent-State"
"""Header of an answer without a job: why this host is given none."""

NEWER_REPORT = "report_newer"
"""Name of the server's error for a report in which it does not know something."""


class LeaseLostError(Exception):
    """The job was given to someone else; what is known of it must not be sent."""


class ServerAwayError(Exception):
    """The server cannot be reached, or says it is at fault itself."""

    pause_seconds = 0.0
    """At least so long until it is asked again."""
    hint = "is the address right, and is nalm-server running?"
    """For a command that does not try again."""


class VersionsApartError(ServerAwayError):
    """Server and agent are of versions that do not go together."""

    pause_seconds = 300.0
    """Somebody has to upgrade one of them first."""
    hint = "install the agent of the server's version"


class ServerOlderError(VersionsApartError):
    """The server does not know what this agent tells it yet."""


class LeasedExperiment(BaseModel):
    """Cells to be measured, as nalm.toml of the commit has them."""

    id: int
    kind: Kind
    names: list[str]
    seed: int


class Lease(BaseModel):
    """A job, as the server hands it out."""

    job_id: int
    fence: int
    project: str
    repository: str
    base_sha: str
    head_sha: str
    reason: str
    lease_seconds: float
    scenarios: list[str] | None = None
    """Measure only these; None: all that nalm.toml has measured by default."""
    measured: list[str] = []
    """Scenarios whose result the server has."""
    budget_seconds: float | None = None
    """Time for the rounds of a scenario; None: as nalm.toml says."""
    experiment: LeasedExperiment | None = None
    """To be measured in place of the scenarios."""
    control: bool = False
    """Measure although the code is equal."""


class Registered(BaseModel):
    """What an invitation is exchanged for."""

    name: str
    pool: str
    token: str
    broker_url: str | None = None


class ServerClient:
    """One server, one agent token. `say` is told when the server cannot be reached, once per outage."""

    def __init__(
        self,
        address: str,
        token: str | None,
        say: Callable[[str], None],
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address.rstrip("/")
        self._say, self._pause = say, pause
        self._client = httpx.Client(
            base_url=f"{self.address}/api/v1",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
        )
        self.not_working: str | None = None
        """Why the server gave no job, when it is not for want of one."""

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def lease(
        self, host: str, host_class: str, wait_seconds: float, about: dict[str, object] | None = None
    ) -> Lease | None:
        """The next job, None if there is none within the wait. about: health, capabilities, pool."""

        def ask() -> httpx.Response:
            body: dict[str, object] = {"host": host, "host_class": host_class, "wait_seconds": wait_seconds}
            if about is not None:
                body |= {"api": API, "version": version(), "clock": datetime.now(UTC).isoformat(), **about}
            return self._once("POST", "/agent/lease", json=body, timeout=wait_seconds + TIMEOUT_SECONDS)

        answer = self._insist(ask)
        if answer.status_code != HTTPStatus.NO_CONTENT:
            self.not_working = None
            return Lease.model_validate(answer.json())
        self.not_working = answer.headers.get(NOT_WORKING)
        return None

    def progress(
        self,
        lease: Lease,
        step: str,
        detail: str,
        fraction: float,
        more: dict[str, object] | None = None,
    ) -> None:
        """Renews the lease. An unreachable server is left to the next renewal. Raises LeaseLostError."""
        body = {"fence": lease.fence, "step": step, "detail": detail, "fraction": fraction, **(more or {})}
        try:
            answer = self._client.post(f"/agent/jobs/{lease.job_id}/progress", json=body)
        except httpx.TransportError:
            return
        if answer.status_code == HTTPStatus.CONFLICT:
            raise LeaseLostError(answer.text)

    def upload(self, job_id: int, fence: int, report: bytes) -> None:
        """Uploads a run report (gzip); sending it again after a lost answer changes nothing.

        Raises ServerAwayError (ServerOlderError), LeaseLostError, ServerError.
        """
        self._once(
            "POST",
            "/reports",
            params={"job_id": job_id, "fence": fence},
            content=report,
            headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
        )

    def finish(self, job_id: int, told: dict[str, object]) -> None:
        """Ends the job. Raises ServerAwayError, LeaseLostError, ServerError."""
        self._once("POST", f"/agent/jobs/{job_id}/finish", json=told)

    def release(self, lease: Lease, reason: str) -> bool:
        """Gives the job back, to be given to another host at once. False: the server did not take it."""
        body = {"fence": lease.fence, "reason": reason}
        path = f"/agent/jobs/{lease.job_id}/release"
        try:
            return self._client.post(path, json=body, timeout=RELEASE_SECONDS).is_success
        except httpx.TransportError:
            return False

    def register(self, told: dict[str, object]) -> Registered:
        """Exchanges an invitation for credentials of the agent's own. Raises ServerAwayError, ServerError."""
        body = {"api": API, "version": version(), **told}
        return Registered.model_validate(self._once("POST", "/agent/register", json=body).json())

    def rotate(self) -> str:
        """New credentials; the old ones stay good until `rotated` is called with the new."""
        return str(self._once("POST", "/agent/rotate").json()["token"])

    def rotated(self) -> None:
        """Makes every credential but the one this client has worthless."""
        self._once("POST", "/agent/rotated")

    def _insist(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        """A request, made anew while the server is away or says it is at fault itself.

        Raises LeaseLostError for 409, ServerError for any other refusal.
        """
        for pause in pauses():
            try:
                return ask()
            except ServerAwayError as error:
                self.wait(error, pause)
        raise AssertionError("pauses never end")

    def wait(self, error: ServerAwayError, pause: float) -> None:
        """Says so, once per outage, and waits."""
        if pause == FIRST_PAUSE_SECONDS:
            slowly = f" every {error.pause_seconds / 60:g} minutes" if error.pause_seconds else ""
            self._say(f"{error}; trying again{slowly}")
        self._pause(max(pause, error.pause_seconds))

    def _once(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            answer = self._client.request(method, path, **options)
        except httpx.TransportError as error:
            raise ServerAwayError(f"{self.address} cannot be reached ({error})") from error
        if answer.is_server_error or answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise ServerAwayError(f"{self.address} answers {answer.status_code}")
        return self._accepted(answer, path)

    def _accepted(self, answer: httpx.Response, path: str) -> httpx.Response:
        if answer.status_code == HTTPStatus.CONFLICT:
            raise LeaseLostError(_told(answer, "message"))
        if answer.is_success:
            return answer
        if _told(answer, "name") == NEWER_REPORT:
            raise ServerOlderError(
                f"{self.address} is older than this agent: upgrade the server first; results wait here"
            )
        if answer.status_code == HTTPStatus.UPGRADE_REQUIRED:
            raise VersionsApartError(f"{self.address}: {_told(answer, 'message').rstrip('.')}")
        hint = "see the server's log for this request"
        if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            hint = "`nalm agent register` gets a credential; or give a token of scope agent with --token-file"
        raise ServerError(
            f"{self.address} refused {path}: {answer.status_code}",
            hint=hint,
            log=_told(answer, "message"),
            status=answer.status_code,
        )


def pauses() -> Iterator[float]:
    """Longer and longer, without end."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _told(answer: httpx.Response, field: str) -> str:
    """Of the server's error, or whatever it said."""
    try:
        return str(answer.json()["error"][field])
    except (ValueError, KeyError, TypeError):
        return answer.text[:2000]
