# SPDX-License-Identifier: Apache-2.0
"""A real nalm server, and an administrator's client of its API."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from nalm_server_waiting import until
from processes import Program, free_port


class Nalm(Program):
    """`nalm-server up` without its agent. `start` can change the interval of reconciliation."""

    def __init__(self, home: Path) -> None:
        self.state = home / "state"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(
            "nalm",
            [
                str(Path(sys.executable).with_name("nalm-server")),
                "up",
                "--no-agent",
                "--port",
                str(self.port),
                "--state",
                str(self.state),
            ],
            home,
            NALM_OUTGOING_ALLOW="127.0.0.1",
            NALM_PUBLIC_URL=self.url,
            NALM_RECONCILE_SECONDS="0",
        )

    def start(self, reconcile_seconds: int = 0) -> None:
        self._environment["NALM_RECONCILE_SECONDS"] = str(reconcile_seconds)
        super().start()

        def healthy() -> bool:
            with suppress(httpx.TransportError):
                return httpx.get(f"{self.url}/api/v1/health").is_success
            return False

        until(healthy, f"nalm; its log is {self.log}")

    def token(self, name: str) -> str:
        return (self.state / f"{name}.token").read_text().strip()

    def call(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        answer = self.send(method, path, "admin", json=body, params=params or None)
        return answer.json() if answer.content else None

    def send(self, method: str, path: str, who: str, **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token(who)}"}
        answer = httpx.request(method, f"{self.url}/api/v1{path}", headers=headers, timeout=60, **given)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer
