# SPDX-License-Identifier: Apache-2.0
"""Decided runs of this host, kept in the store: the same trees asked about again need no second measurement.

Only what the rounds decided is kept: what was inconclusive, invalid or broken is tried anew each time.
"""

from __future__ import annotations

import json

from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report

from nalm_agent import version
from nalm_agent.build.sandbox import isolation
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.measure.request import Request
from nalm_agent.native.toolchain import toolchain
from nalm_agent.store.home import Home
from nalm_agent.store.store import address

ANSWERS = "answers"
DECIDED = frozenset({"same", "improved", "regressed"})
_SAME_IS = "what a run loads"
"""What was compared to call two builds the same: an answer from before compared less."""
_FROM_DOCTOR = {"latencies_ns", "transfer_ns", "latencies_at"}
"""Of the fingerprint: measured at times of their own, and no part of what a run depends on."""


def result_address(request: Request) -> str:
    """All that a run depends on: both trees and their commits, the scenario, this host, this nalm."""
    arms = [(one.commit, one.tree, one.dirty) for one in (request.base, request.head)]
    host = fingerprint().model_dump(mode="json", exclude=_FROM_DOCTOR)
    return address(
        arms,
        request.scenario,
        request.profile,
        host,
        isolation(),
        toolchain().identity(),
        version(),
        _SAME_IS,
    )


def recall(home: Home, key: str) -> RunReport | None:
    """The run of that address; None if there is none, or this nalm cannot read it."""
    document = home.store().document(ANSWERS, key)
    try:
        return None if document is None else parse_report(json.dumps(document))
    except ReportError:
        return None


def keep(home: Home, key: str, report: RunReport, outcome: str) -> None:
    """Keeps a run that is decided."""
    if outcome in DECIDED:
        home.store().put_document(ANSWERS, key, json.loads(dump_report(report)))
