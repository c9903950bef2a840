# SPDX-License-Identifier: Apache-2.0
"""The server's answers have what agents and commands read, and both sides use the same queues."""

from __future__ import annotations

import pytest
from nalm_core.wire import history, jobs, queues, uploads
from nalm_server.changepoints import schemas as changepoints
from nalm_server.jobs.agents import registration_schemas
from nalm_server.jobs.agents import schemas as agents
from nalm_server.results import schemas as runs
from nalm_server.self_test import schemas as trials
from nalm_server.views.history import schemas as histories
from nalm_server.worker import broker
from pydantic import BaseModel


@pytest.mark.parametrize(
    ("read", "answered"),
    [
        (jobs.Lease, agents.Lease),
        (jobs.LeasedExperiment, agents.LeasedExperiment),
        (jobs.Registered, registration_schemas.Registered),
        (uploads.StoredRun, runs.ReportTaken),
        (uploads.StoredTrials, trials.TrialsTaken),
        (history.History, histories.History),
        (history.Point, histories.HistoryPoint),
        (history.ChangePoint, changepoints.ChangePoint),
        (history.Segment, changepoints.Segment),
        (history.Lines, histories.Lines),
        (history.BranchLine, histories.ScenarioLine),
        (history.StageColumns, histories.StageColumns),
        (history.CommitColumns, histories.CommitColumns),
        (history.Value, histories.Value),
    ],
)
def test_the_server_answers_what_is_read(read: type[BaseModel], answered: type[BaseModel]) -> None:
    assert set(read.model_fields) <= set(answered.model_fields)


def test_server_and_agents_meet_at_the_same_queues() -> None:
    """Both read the names in core; agents of other versions use these names."""
    assert (queues.pool_queue("fast"), queues.WAKE_TASK) == ("nalm.pool.fast", "nalm.wake")
    assert broker.TRANSPORT["sep"] == queues.SEPARATOR == ":"
    assert broker.TRANSPORT["priority_steps"] == list(queues.PRIORITY_STEPS) == [0, 3, 6, 9]
