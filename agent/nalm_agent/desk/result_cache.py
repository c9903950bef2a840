# SPDX-License-Identifier: Apache-2.0
"""Keeps decided runs of this host in the store, so that the same trees need no second measurement.

Inconclusive, invalid and broken runs are not kept; they are measured again each time.
"""

from __future__ import annotations

import json
import os

from nalm_core.report.host_match import MEASURED
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report

from nalm_agent import version
from nalm_agent.build.sandbox import isolation
from nalm_agent.config.beside import named_beside
from nalm_agent.config.nalm_toml import parse
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.measure.request import Request
from nalm_agent.native.toolchain import toolchain
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_agent.store.store import address

ANSWERS = "answers"
DECIDED = frozenset({"same", "improved", "regressed"})
_SAME_IS = "what a run loads and reads, what commands and variables name, links, and what the loader is told"
"""What builds are compared by. Part of the address: earlier versions compared less."""


def result_address(request: Request) -> str:
    """Digest of all that a run depends on: both trees and commits, scenario, host, nalm's version."""

    arms = [(one.commit, one.tree, one.dirty) for one in (request.base, request.head)]
    return address(
        arms,
        request.scenario,
        request.profile,
        request.branch,
        *host_identity(),
        _SAME_IS,
        *given_identity(request.repository),
        *_effort(request),
    )


def host_identity() -> list[object]:
    """What a run depends on besides the commits: the host, its toolchain and libraries, nalm's version."""
    return [
        fingerprint().model_dump(mode="json", exclude=set(MEASURED)),
        isolation(),
        toolchain().identity(),
        version(),
        os.environ.get("LD_LIBRARY_PATH"),
    ]


def _effort(request: Request) -> list[dict[str, float]]:
    """What the command sets in place of nalm.toml."""
    given = {"margin": request.margin, "layouts": request.layouts, "seconds": request.budget_seconds}
    known = {name: value for name, value in given.items() if value is not None}
    return [known] if known else []


def given_identity(repository: Repository) -> list[str]:
    """What a nalm.toml from outside of the commits adds to an address: its text, and what it names there."""
    given = repository.given
    if given is None:
        return []
    scenarios = parse(given.text, given.name).scenarios.values()
    traffic = [path for one in scenarios if (path := one.traffic) is not None]
    named = [*named_beside([given.text]), *traffic]
    return [given.text, *(given.digest(path) or "" for path in named)]


def recall(home: Home, key: str) -> RunReport | None:
    """The run at this address; None if there is none, or if this version cannot read it."""
    document = home.store().document(ANSWERS, key)
    try:
        return None if document is None else parse_report(json.dumps(document))
    except ReportError:
        return None


def keep(home: Home, key: str, report: RunReport, outcome: str) -> None:
    """Keeps a run if its outcome is decided."""
    if outcome in DECIDED:
        home.store().put_document(ANSWERS, key, json.loads(dump_report(report)))
