# SPDX-License-Identifier: Apache-2.0
"""Toxiproxy before API, Redis and PostgreSQL: slow and cut networks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import httpx
from nalm_server_waiting import until
from processes import Program, free_port

TOXIPROXY = Path(__file__).parents[2] / ".cache" / "faults" / "toxiproxy"


class Network:
    """One toxiproxy; `port(name)` connects to a part through it."""

    def __init__(self, home: Path) -> None:
        assert TOXIPROXY.exists(), "toxiproxy is missing: `make test-faults` installs it"
        port = free_port()
        self._api = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10)
        self._program = Program("toxiproxy", [str(TOXIPROXY), "-port", str(port)], home)
        self._program.start()
        until(self._answers, "toxiproxy")

    def _answers(self) -> bool:
        with suppress(httpx.TransportError):
            return self._api.get("/version").is_success
        return False

    def lead(self, name: str, listen: int, upstream: int) -> None:
        proxy = {"name": name, "listen": f"127.0.0.1:{listen}", "upstream": f"127.0.0.1:{upstream}"}
        self._api.post("/proxies", json=proxy).raise_for_status()

    def slow(self, name: str, latency_ms: int) -> None:
        toxic = {
            "name": "slow",
            "type": "latency",
            "attributes": {"latency": latency_ms, "jitter": latency_ms},
        }
        self._api.post(f"/proxies/{name}/toxics", json=toxic).raise_for_status()

    def silent(self, name: str) -> None:
        """Connections stay open but transfer nothing."""
        toxic = {"name": "silent", "type": "timeout", "attributes": {"timeout": 0}}
        self._api.post(f"/proxies/{name}/toxics", json=toxic).raise_for_status()

    def cut(self, name: str) -> None:
        """Connections are reset, new ones refused."""
        self._api.post(f"/proxies/{name}", json={"enabled": False}).raise_for_status()

    def mend(self) -> None:
        self._api.post("/reset").raise_for_status()

    def stop(self) -> None:
        self._api.close()
        self._program.kill()
