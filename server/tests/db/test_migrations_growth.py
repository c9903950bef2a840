# SPDX-License-Identifier: Apache-2.0
"""The upgrade counts what an older server's alerts say of later commits."""

from __future__ import annotations

import pytest
from nalm_server.alerts import repository
from nalm_server.alerts.models import AlertRow
from nalm_server.db import migrate
from nalm_server.git.commits import repository as commits
from nalm_server.ops.report_store import moving
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from nalm_server_seeded import add_judged
from sqlalchemy import select

pytestmark = pytest.mark.dialects


@pytest.mark.nightly
def test_commits_measured_after_a_culprit_are_counted(service: Service, database_url: str) -> None:
    service.upload(body_of(make_report(1)))
    add_judged(service)
    for number in (2, 3):
        service.clock.pass_seconds(60)
        service.upload(body_of(make_report(number)))
    with service.context.sessions() as session:
        (alert,) = session.scalars(select(AlertRow))
        culprit = commits.find(session, 1, sha(1))
        assert culprit is not None
        alert.commit_id, alert.confirmed_at = culprit.id, service.clock()
        session.commit()
        assert repository.measured_after(session, culprit.id, service.clock()) == 2
    service.clock.pass_seconds(60)
    service.upload(body_of(make_report(4)))  # after the confirmation
    list(moving.into_database(service.context))
    service.context.engine.dispose()
    migrate.downgrade(database_url, "0018")
    migrate.upgrade(database_url)
    with service.context.read_sessions() as session:
        assert list(session.scalars(select(AlertRow.measured_after))) == [2]
