# SPDX-License-Identifier: Apache-2.0
"""The Atom feed: valid XML whatever a commit is called, and private where the project is."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.models import RunRow
from nalm_server.views.feeds.atom import Entry, render
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import update

pytestmark = pytest.mark.dialects

SLOWER = {"nat": 180.0}
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def test_feed_lists_findings_newest_first(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs=SLOWER)))
    service.upload(body_of(make_report(2)))
    service.upload(body_of(make_report(3, status="broken")))
    assert "regressed" not in service.client.get("/api/v1/projects/demo/feed.atom").text, "nobody is told yet"
    service.clock.pass_seconds(60)
    service.confirm_alerts()
    answer = service.client.get("/api/v1/projects/demo/feed.atom")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/atom+xml")
    feed = ET.fromstring(answer.content)
    titles = [one.text or "" for one in feed.findall("a:entry/a:title", ATOM)]
    assert titles[0].startswith(f"demo {sha(3)[:7]}: broken")
    assert titles[1].startswith(f"demo {sha(1)[:7]}: regressed") and len(titles) == 2
    link = feed.find("a:entry/a:link", ATOM)
    assert link is not None and link.get("href", "").endswith("/p/demo/alerts/2")


def test_private_feed_has_a_token_of_its_own_that_a_new_one_replaces(service: Service) -> None:
    service.post("/projects", "admin", 201, {"name": "quiet", "repository": "/srv/quiet.git"})
    path = "/api/v1/projects/quiet/feed.atom"
    assert service.client.get(path).status_code == 404
    addresses = [service.post("/projects/quiet/feed-token", "admin", 201, None)["url"] for _ in range(2)]
    old, new = (urlsplit(one) for one in addresses)
    assert service.client.get(f"{new.path}?{new.query}").status_code == 200
    assert service.client.get(f"{old.path}?{old.query}").status_code == 404
    assert service.client.get(f"/api/v1/projects/quiet?{new.query}").status_code == 404, "for the feed alone"


@given(st.text(), st.text())
def test_any_text_makes_readable_xml(title: str, text: str) -> None:
    entry = Entry("urn:x", title, text, "http://nalm/p/x?a=1&b=2", datetime(2026, 11, 21, tzinfo=UTC))
    read = ET.fromstring(render("urn:f", title, "http://nalm/", [entry, entry]))
    assert len(read.findall("a:entry", ATOM)) == 2


@pytest.mark.parametrize("values", [{"beside": True}, {"job_id": True}])
def test_runs_that_say_nothing_about_their_commit_are_in_no_feed_and_no_overview(
    service: Service, values: dict[str, bool]
) -> None:
    """A link over a distance on the one hand, a bisection's candidate on the other."""
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, base=0, head_costs=SLOWER)))
    with service.context.sessions() as session:
        commit = commits.find(session, 1, sha(2))
        assert commit is not None
        bisect, now = JobReason.BISECT, service.clock()
        job = jobs.enqueue(session, commit, sha(0), reason=bisect, why="bisect 1", now=now)
        given = {"beside": True} if "beside" in values else {"job_id": job.id}
        session.execute(update(RunRow).where(RunRow.run_id == f"{2:032x}").values(given))
        session.commit()
    assert "<entry>" not in service.client.get("/api/v1/projects/demo/feed.atom").text
    assert service.get("/projects/demo")["last_verdict"]["outcome"] == "same"
