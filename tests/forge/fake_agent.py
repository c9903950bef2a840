# SPDX-License-Identifier: Apache-2.0
"""An agent with the real protocol and predefined results."""

from __future__ import annotations

import itertools
from typing import Any

from nalm_process import Nalm
from nalm_server_reports import COSTS, IPPS, body_of, make_report

RUNS = itertools.count(1)
SLOWER: dict[str, Any] = {
    "head_costs": {"nat": COSTS["nat"] * 1.05},
    "head_ipps": {"nat": IPPS["nat"] + 12},
}


class FakeAgent:
    def __init__(self, nalm: Nalm) -> None:
        self._nalm = nalm

    def lease(self) -> dict[str, Any]:
        """The next job, which must exist."""
        expected = {"host": "bench-1", "host_class": "vm-2", "wait_seconds": 20}
        answer = self._nalm.send("POST", "/agent/lease", "agent", json=expected)
        assert answer.status_code == 200, "no job is given out"
        job: dict[str, Any] = answer.json()
        return job

    def report(self, job: dict[str, Any], **costs: Any) -> str:
        """Reports building, measuring and uploading, uploads, and finishes. Returns the run's id."""
        held, path = {"fence": job["fence"]}, f"/agent/jobs/{job['job_id']}"
        for step in ("building", "measuring", "uploading"):
            self._nalm.send("POST", f"{path}/progress", "agent", json=held | {"step": step})
        made = make_report(
            next(RUNS), base=job["base_sha"], head=job["head_sha"], project=job["project"], **costs
        )
        self._nalm.send(
            "POST",
            "/reports",
            "agent",
            content=body_of(made),
            params={"job_id": job["job_id"], "fence": job["fence"]},
        )
        self._nalm.send("POST", f"{path}/finish", "agent", json=held | {"outcome": "done"})
        return made.run_id
