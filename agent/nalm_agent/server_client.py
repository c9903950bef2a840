# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the server's API: survives restarts of the server, gives up on refusals."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import BaseModel

from nalm_agent.errors import ServerError

TIMEOUT_SECONDS = 30.0
LEASE_WAIT_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0


class LeaseLostError(Exception):
    """The job was given to someone else; what is known of it must not be sent."""


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


class ServerClient:
    """One server, one agent token. `say` is told when the server cannot be reached, once per outage."""

    def __init__(
        self,
        address: str,
        token: str,
        say: Callable[[str], None],
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = address.rstrip("/")
        self._say, self._pause = say, pause
        self._client = httpx.Client(
            base_url=f"{self._address}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
        )

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def lease(self, host: str, host_class: str, wait_seconds: float) -> Lease | None:
        """The next job, None if there is none within the wait."""
        body = {"host": host, "host_class": host_class, "wait_seconds": wait_seconds}
        answer = self._insist("POST", "/agent/lease", json=body, timeout=wait_seconds + TIMEOUT_SECONDS)
        return None if answer.status_code == HTTPStatus.NO_CONTENT else Lease.model_validate(answer.json())

    def progress(self, lease: Lease, step: str, detail: str, fraction: float) -> None:
        """Renews the lease. An unreachable server is left to the next renewal. Raises LeaseLostError."""
        body = {"fence": lease.fence, "step": step, "detail": detail, "fraction": fraction}
        try:
            answer = self._client.post(f"/agent/jobs/{lease.job_id}/progress", json=body)
        except httpx.TransportError:
            return
        if answer.status_code == HTTPStatus.CONFLICT:
            raise LeaseLostError(answer.text)

    def upload(self, lease: Lease, report: bytes) -> dict[str, Any]:
        """Uploads a run report; sending it again after a lost answer changes nothing."""
        answer = self._insist(
            "POST",
            "/reports",
            params={"job_id": lease.job_id, "fence": lease.fence},
            content=gzip.compress(report),
            headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
        )
        taken: dict[str, Any] = answer.json()
        return taken

    def finish(self, lease: Lease, outcome: str, message: str | None) -> None:
        """Ends the job."""
        body = {"fence": lease.fence, "outcome": outcome, "message": message}
        self._insist("POST", f"/agent/jobs/{lease.job_id}/finish", json=body)

    def _insist(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A request, repeated while the server is away or says it is at fault itself.

        Raises LeaseLostError for 409, ServerError for any other refusal.
        """
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                answer = self._client.request(method, path, **options)
                trouble = f"answers {answer.status_code}" if answer.is_server_error else None
            except httpx.TransportError as error:
                trouble = f"cannot be reached ({error})"
            if trouble is None:
                return self._accepted(answer, path)
            if pause == FIRST_PAUSE_SECONDS:
                self._say(f"{self._address} {trouble}; trying again")
            self._pause(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _accepted(self, answer: httpx.Response, path: str) -> httpx.Response:
        if answer.status_code == HTTPStatus.CONFLICT:
            raise LeaseLostError(answer.text)
        if answer.is_success:
            return answer
        hint = "see the server's log for this request"
        if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            hint = "give a token of scope agent with --token-file"
        raise ServerError(
            f"{self._address} refused {path}: {answer.status_code}", hint=hint, log=answer.text[:2000]
        )
