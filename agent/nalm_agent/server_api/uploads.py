# SPDX-License-Identifier: Apache-2.0
"""Uploads run reports and trials to a server. The server stores each once, so a repeated upload is safe."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import httpx
from nalm_core.wire.uploads import StoredRun, StoredTrials
from pydantic import BaseModel, ValidationError

from nalm_agent.runtime.errors import ServerError, UsageError
from nalm_agent.server_api.client import HttpClient, ServerAwayError, refusal, retry

REQUEST_SECONDS = 60.0
_TOKEN = "give an upload token of this project in NALM_TOKEN or with --token-file"
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: _TOKEN,
    HTTPStatus.FORBIDDEN: _TOKEN,
    HTTPStatus.NOT_FOUND: "check --server, and that the server has the project of nalm.toml's [project] name",
    HTTPStatus.CONFLICT: "a saved report must not be edited; measure again to make another run",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the server's operator can raise NALM_REPORT_BYTES",
    HTTPStatus.UNPROCESSABLE_ENTITY: "commit before measuring; if you did, the server may be older than nalm",
}


Model = TypeVar("Model", bound=BaseModel)


class Uploader:
    """A client for one server and one token, with a time limit for outages."""

    def __init__(
        self,
        address: str,
        token: str,
        timeout_seconds: float,
        say: Callable[[str], None],
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = HttpClient(address, token, timeout_seconds=REQUEST_SECONDS, transport=transport)
        self.address = self._client.address
        self._say, self._pause, self._clock = say, pause, clock
        self._ends = clock() + timeout_seconds

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def link(self, project: str, run_id: str) -> str:
        """The run's page."""
        return f"{self.address}/p/{quote(project, safe='')}/runs/{run_id}"

    def send(self, report: bytes, *, proposed: bool = False) -> StoredRun:
        """Uploads a report. proposed: its head is not on the default branch. Raises UsageError if it is
        refused, ServerError if the outage lasts."""
        path = "/reports?proposed=true" if proposed else "/reports"
        return self._send(path, gzip.compress(report), "gzip", StoredRun)

    def trials(self, project: str, trials: bytes) -> StoredTrials:
        """Uploads trials as JSON. Raises as `send`."""
        path = f"/projects/{quote(project, safe='')}/detection-quality/trials"
        return self._send(path, trials, "identity", StoredTrials)

    def _send(self, path: str, body: bytes, encoding: str, kind: type[Model]) -> Model:
        headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
        answer = retry(lambda: self._client.request("POST", path, content=body, headers=headers), self._wait)
        if answer.is_success:
            try:
                return kind.model_validate_json(answer.content)
            except ValidationError as error:
                raise UsageError(
                    f"{self.address} is not a nalm server, by its answer", hint="check --server"
                ) from error
        if answer.is_redirect:
            to = answer.headers.get("location", "somewhere else")
            raise UsageError(f"{self.address} redirects to {to}", hint="give that address with --server")
        refused = refusal(answer)
        hint = _HINTS.get(answer.status_code, "see the server's log for this request")
        raise UsageError(
            f"{self.address}: {refused.message} ({answer.status_code})", log=refused.details, hint=hint
        )

    def _wait(self, error: ServerAwayError, pause: float) -> None:
        """Raises ServerError if the server stays unreachable for too long."""
        seconds = max(pause, error.retry_after_seconds)
        if self._clock() + seconds > self._ends:
            raise ServerError(
                error.sentence,
                hint="`nalm submit` can send the saved report later; --timeout sets how long to try",
            ) from error
        self._say(f"{error.sentence}; trying again in {seconds:g} s")
        self._pause(seconds)
