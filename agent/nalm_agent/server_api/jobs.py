# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the server's API. It survives restarts of the server and stops on refusals."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx
from nalm_core.wire.jobs import Lease, Registered

from nalm_agent import version
from nalm_agent.runtime.errors import ServerError
from nalm_agent.server_api.client import RETRY, HttpClient, ServerAwayError, refusal, retry

API = 1
"""Version of the agents' part of the API. A server of another version answers what to do."""
TIMEOUT_SECONDS = 30.0
RELEASE_SECONDS = 5.0
"""Time limit for giving a job back when the agent ends."""
LEASE_WAIT_SECONDS = 20.0
_ALSO_OF_PROXIES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
"""Refusals that hold whoever says them. Other answers that are not the API's are of a proxy, or of a page
that stands in for the server."""
NOT_WORKING = "Nalm-Agent-State"
"""Header of an answer without a job: why this host gets none."""

NEWER_REPORT = "report_newer"
"""Name of the server's error for a report with fields that it does not know."""


class LeaseLostError(Exception):
    """Another agent has the job; results must not be sent."""


class VersionsApartError(ServerAwayError):
    """The versions of server and agent are incompatible."""

    pause_seconds = 300.0
    """An operator must first upgrade one of them."""
    hint = "install the agent of the server's version"


class ServerOlderError(VersionsApartError):
    """The server is older and does not know what this agent sends."""


class ServerClient:
    """A client for one server and one agent token. `say` receives one line per outage of the server."""

    def __init__(
        self,
        address: str,
        token: str | None,
        say: Callable[[str], None],
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = HttpClient(address, token, timeout_seconds=TIMEOUT_SECONDS, transport=transport)
        self.address = self._client.address
        self._say, self._pause = say, pause
        self.not_working: str | None = None
        """Why the server gives this host no jobs; None if there is merely none."""

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def lease(
        self, host: str, host_class: str, wait_seconds: float, about: dict[str, object] | None = None
    ) -> Lease | None:
        """The next job; None if there is none within the wait. about: health, capabilities, pool."""

        def ask() -> httpx.Response:
            body: dict[str, object] = {"host": host, "host_class": host_class, "wait_seconds": wait_seconds}
            if about is not None:
                body |= {"api": API, "version": version(), "clock": datetime.now(UTC).isoformat(), **about}
            return self._once("POST", "/agent/lease", json=body, timeout=wait_seconds + TIMEOUT_SECONDS)

        answer = retry(ask, self.wait)
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
        """Renews the lease. Ignores an unreachable server until the next renewal. Raises LeaseLostError."""
        body = {"fence": lease.fence, "step": step, "detail": detail, "fraction": fraction, **(more or {})}
        try:
            answer = self._client.request("POST", f"/agent/jobs/{lease.job_id}/progress", json=body)
        except ServerAwayError:
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

    def finish(self, job_id: int, result: dict[str, object]) -> None:
        """Ends the job. Raises ServerAwayError, LeaseLostError, ServerError."""
        self._once("POST", f"/agent/jobs/{job_id}/finish", json=result)

    def release(self, lease: Lease, reason: str) -> bool:
        """Gives the job back for another host. Returns False if the server did not accept it."""
        body = {"fence": lease.fence, "reason": reason}
        path = f"/agent/jobs/{lease.job_id}/release"
        try:
            return self._client.request("POST", path, json=body, timeout=RELEASE_SECONDS).is_success
        except ServerAwayError:
            return False

    def register(self, about: dict[str, object]) -> Registered:
        """Exchanges an invitation for the agent's own credential. Raises ServerAwayError, ServerError."""
        body = {"api": API, "version": version(), **about}
        return Registered.model_validate(self._once("POST", "/agent/register", json=body).json())

    def rotate(self) -> str:
        """Requests a new token. The old one stays valid until `rotated` is called with the new one."""
        return str(self._once("POST", "/agent/rotate").json()["token"])

    def rotated(self) -> None:
        """Invalidates all tokens of the agent except the one of this client."""
        self._once("POST", "/agent/rotated")

    def wait(self, error: ServerAwayError, pause: float) -> None:
        """Reports an outage once, and waits."""
        if pause == RETRY.first_seconds:
            slowly = f" every {error.pause_seconds / 60:g} minutes" if error.pause_seconds else ""
            self._say(f"{error}; trying again{slowly}")
        self._pause(max(pause, error.pause_seconds, error.retry_after_seconds))

    def _once(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Raises ServerAwayError, also for an answer of another program, LeaseLostError for 409, ServerError
        for any other refusal."""
        answer = self._client.request(method, path, **options)
        if answer.is_success and _is_api(answer):
            return answer
        refused = refusal(answer)
        if not refused.name and answer.status_code not in _ALSO_OF_PROXIES:
            raise ServerAwayError(
                f"{self.address} answers {path} with {answer.status_code}, and not as a nalm server does",
                answer=refused.text,
            )
        if answer.status_code == HTTPStatus.CONFLICT:
            raise LeaseLostError(refused.text)
        if refused.name == NEWER_REPORT:
            raise ServerOlderError(
                f"{self.address} is older than this agent: upgrade the server first; results wait here"
            )
        if answer.status_code == HTTPStatus.UPGRADE_REQUIRED:
            raise VersionsApartError(f"{self.address}: {refused.text.rstrip('.')}")
        hint = "see the server's log for this request"
        if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            hint = "`nalm agent register` gets a credential; or give a token of scope agent with --token-file"
        raise ServerError(
            f"{self.address} refused {path}: {answer.status_code}",
            hint=hint,
            log=refused.text,
            status=answer.status_code,
        )


def _is_api(answer: httpx.Response) -> bool:
    """True for an answer with JSON or without a body."""
    kind = answer.headers.get("content-type", "")
    return answer.status_code == HTTPStatus.NO_CONTENT or kind.startswith("application/json")
