# SPDX-License-Identifier: Apache-2.0
"""Uploads the results of a campaign to a server, which shows the quality of its verdicts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from nalm_agent.mutants.record import Record
from nalm_agent.mutants.score import is_aa, is_planted, score

if TYPE_CHECKING:
    from nalm_agent.desk.sending import Sending

AT_ONCE = 200


def send(sending: Sending, project: str, records: Sequence[Record]) -> str:
    """Uploads records and returns a line about them. Raises UsageError, ServerError."""
    trials = [trial for record in records if (trial := trial_of(record)) is not None]
    new = known = 0
    with sending.uploader() as uploader:
        for some in _batches(trials):
            taken = uploader.trials(project, json.dumps({"trials": some}).encode())
            new, known = new + taken.new, known + taken.known
    left_out = len(records) - len(trials)
    return (
        f"{sending.server}: {new} new, {known} known before; {left_out} not sent: nothing was measured, or "
        "nobody noted when"
    )


def _batches(trials: Sequence[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    left = iter(trials)
    while some := list(islice(left, AT_ONCE)):
        yield some


def trial_of(record: Record) -> dict[str, object] | None:
    """A record in the server's format; None if it was not measured, or is too old to have host and time."""
    found = score(record)
    if found is None or record.at is None or record.outcome == "error":
        return None
    expected, at = record.expected, record.at.isoformat()
    kind = "aa" if is_aa(record) else "mutant" if is_planted(record) else "equal"
    return {
        "key": hashlib.sha256(f"{record.key}\0{record.host}\0{at}".encode()).hexdigest(),
        "kind": kind,
        "name": record.name,
        "scenario": record.scenario,
        "expected": expected.expect,
        "category": None if is_aa(record) else expected.kind,
        "size": expected.cpp if expected.cpp is not None else expected.ipp,
        "outcome": record.outcome,
        "correct": found.found,
        "stage_right": found.stage_right,
        "cause_right": found.cause_right,
        "ratio_cpp": record.ratio_cpp,
        "low": record.low,
        "high": record.high,
        "host": record.host,
        "host_class": record.host_class,
        "version": record.version,
        "measured_at": at,
    }
