# SPDX-License-Identifier: Apache-2.0
"""The server accepts what `nalm-mutants` sends of a campaign."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from nalm_agent.mutants.record import Record, read_records
from nalm_agent.mutants.send import trial_of
from nalm_server.self_test.schemas import TrialsNew

RECORDED = Path(__file__).parents[2] / "agent" / "tests" / "recorded" / "mutants.jsonl"
SINCE = {
    "at": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "host": "bench-1",
    "host_class": "amd-epyc-2c-2.6ghz-nohuge",
    "version": "0.1.0",
}


def with_place(record: Record) -> Record:
    """The campaign was recorded before records had host and time."""
    return record.model_copy(update=SINCE)


def test_a_recorded_campaign_is_taken() -> None:
    records = [with_place(one) for one in read_records(RECORDED)]
    sent = [trial for one in records if (trial := trial_of(one)) is not None]
    taken = TrialsNew.model_validate_json(json.dumps({"trials": sent}))
    assert len(taken.trials) == len(sent)
    assert {one.kind for one in taken.trials} == {"mutant", "equal", "aa"}
    assert len({one.key for one in taken.trials}) == len(sent)
