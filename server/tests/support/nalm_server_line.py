# SPDX-License-Identifier: Apache-2.0
"""A line of commits that stands in for the repository, and an agent that knows what each is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from nalm_core.report.defaults import BUDGET_SECONDS
from nalm_server.app import workers
from nalm_server.git import graph
from nalm_server.git.graph import GraphCommit, UnknownRevisionError
from nalm_server_harness import Service, Steady
from nalm_server_reports import COSTS, body_of, given_seconds, make_report, sha

WHEN = datetime(2026, 11, 1, tzinfo=UTC)


def info(number: int) -> GraphCommit:
    return GraphCommit(
        message=f"commit {number}",
        author="Mona",
        committed_at=WHEN,
        sha=sha(number),
        parent=sha(number - 1) if number else None,
    )


def use_line(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """Commits 0..length - 1 are the project's default branch."""
    places = {sha(number): number for number in range(length)}

    def first_parent(
        _context: Any, _project: Any, old: str | None, new: str, *, most: int = 1_000_000
    ) -> list[GraphCommit]:
        start = 0 if old is None else places[old] + 1
        return [info(number) for number in range(start, places[new] + 1)][-most:]

    def resolve(_context: Any, _project: Any, ref: str) -> str:
        if ref in ("main", "refs/heads/main"):
            return sha(length - 1)
        if ref not in places:
            raise UnknownRevisionError(f"The repository has no {ref}.")
        return ref

    monkeypatch.setattr(graph, "first_parent", first_parent)
    monkeypatch.setattr(graph, "resolve", resolve)
    monkeypatch.setattr(graph, "fetch", lambda _context, _project: None)


@dataclass
class Bench:
    """Measures whatever it is given: `costs` says what the stage nat costs at a commit."""

    service: Service
    costs: Mapping[str, float]
    outcomes: Mapping[str, str]
    """By head: `failed`, `inconclusive` or `broken` instead of a measurement."""
    measured: list[tuple[str, str]]
    run: int = 1000
    budget_seconds: float = BUDGET_SECONDS
    """That of nalm.toml."""
    host: str | None = None
    """The host that works; None: any."""

    def __post_init__(self) -> None:
        self._drain = Steady(self.service, workers.drain_jobs)

    def work(self) -> bool:
        """One job, if there is one."""
        self._drain()
        headers = {"Authorization": f"Bearer {self.service.tokens['agent']}"}
        expected = {"host": self.host or "bench-1", "host_class": "vm-2"}
        answer = self.service.client.post("/api/v1/agent/lease", json=expected, headers=headers)
        if answer.status_code == 204:
            return False
        self._measure(answer.json())
        return True

    def work_all(self) -> None:
        while self.work():
            pass
        self._drain()

    def _measure(self, lease: dict[str, Any]) -> None:
        base, head = lease["base_sha"], lease["head_sha"]
        self.measured.append((base, head))
        path = f"/agent/jobs/{lease['job_id']}/finish"
        outcome = self.outcomes.get(head)
        if outcome == "failed":
            reported = {
                "fence": lease["fence"],
                "outcome": "failed",
                "message": "no such file",
                "kind": "build",
            }
            self.service.post(path, "agent", 200, reported)
            return
        self.run += 1
        at = {key: {**COSTS, "nat": self.costs[commit]} for key, commit in (("b", base), ("h", head))}
        kind = {"broken": {"status": "broken"}, "invalid": {"failed_check": True}}.get(outcome or "", {})
        report = make_report(self.run, base=base, head=head, base_costs=at["b"], head_costs=at["h"], **kind)
        report = given_seconds(report, lease["budget_seconds"] or self.budget_seconds)
        if self.host is not None:
            report = report.model_copy(update={"host": report.host.model_copy(update={"name": self.host})})
        self.service.upload(body_of(report), token="agent", job_id=lease["job_id"], fence=lease["fence"])
        self.service.post(path, "agent", 200, {"fence": lease["fence"], "outcome": "done"})
