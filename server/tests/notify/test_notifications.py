# SPDX-License-Identifier: Apache-2.0
"""Notifications are stored with their event, sent later, retried, and never sent twice, on both databases."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from nalm_server.alerts.lifecycle import dismiss
from nalm_server.alerts.models import AlertRow
from nalm_server.auth.access import project_repository as projects
from nalm_server.base.settings import Settings
from nalm_server.db.reports.store import StoreAwayError, path_of
from nalm_server.git.commits.order import record
from nalm_server.jobs.approvals import Origin
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason, JobState
from nalm_server.jobs.service import enqueue, move
from nalm_server.notify import backoff, repository, tasks
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.models import NotificationRow
from nalm_server.notify.tasks import drain
from nalm_server_forge import FakeForge
from nalm_server_harness import Clock, Prepared, Service, make_service
from nalm_server_reports import body_of, make_report, sha
from nalm_server_sockets import Loopback, Reply, Seen, serving
from sqlalchemy import select

SLOWER = {"nat": 180.0}
MORE = {"nat": 400}


@pytest.fixture
def service(make_settings: Callable[..., Settings], clock: Clock, prepared: Prepared) -> Iterator[Service]:
    made = make_service(make_settings(outgoing_allow="127.0.0.1"), clock, prepared)
    yield made
    made.context.engine.dispose()


def connect(service: Service, kind: str, **given: Any) -> Any:
    body = {"name": kind, "kind": kind, **given}
    return service.post("/projects/demo/integrations", "admin", 201, body)


def connect_forge(service: Service, server: Loopback, **given: Any) -> Any:
    return connect(service, "github", url=server.url, repository="me/nf", token="good", **given)


def reported(service: Service, **params: Any) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    answer = service.client.get("/api/v1/projects/demo/notifications", params=params, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


def pull_request(service: Service, number: int, *, fork: str | None = None) -> int:
    """A job of pull request 3 at commit `number`, given to an agent unless it is held."""
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        commit = record(session, project.id, sha(number), sha(number - 1))
        job = enqueue(
            session,
            commit,
            sha(number - 1),
            reason=JobReason.PULL_REQUEST,
            why="opened",
            now=service.clock(),
            origin=Origin(fork),
            pull_request=3,
        )
        if fork is None:
            job.fence = 1
            for state in (JobState.LEASED, JobState.MEASURING):
                move(session, job, state, service.clock(), "test")
        session.commit()
        return job.id


def finish(
    service: Service, job_id: int, state: JobState = JobState.DONE, message: str | None = None
) -> None:
    with service.context.sessions() as session:
        job = session.get_one(JobRow, job_id)
        job.message = message
        move(session, job, state, service.clock(), "test")
        session.commit()


def measure(service: Service, number: int, **given: Any) -> int:
    job_id = pull_request(service, number)
    service.upload(body_of(make_report(number, **given)), token="agent", job_id=job_id, fence=1)
    finish(service, job_id)
    return job_id


@pytest.mark.dialects
def test_one_comment_follows_a_pull_request_from_queue_to_verdict(service: Service) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        connect_forge(service, server)
        pull_request(service, 1, fork="2")
        drain(service.context)
        assert [body["state"] for _, body in fake.statuses] == ["pending"]
        assert fake.statuses[0][1]["description"].startswith("waits: pull request 3 comes from a fork")
        measure(service, 2, head_costs=SLOWER, head_ipps=MORE)
        drain(service.context)
        where, status = fake.statuses[-1]
        assert (where, status["state"]) == (sha(2), "failure")
        assert status["description"].startswith("regressed +1")
        assert "in nat: instructions; 70 instructions more" in status["description"]
        assert status["target_url"].endswith(f"/p/demo/runs/{2:032x}")
        (comment,) = fake.comments.values()
        assert "regressed" in comment["body"] and "nat" in comment["body"]
        measure(service, 4)
        drain(service.context)
        assert fake.statuses[-1][1]["state"] == "success"
        assert "regressed" not in next(iter(fake.comments.values()))["body"], "brought up to date"
        assert len(fake.comments) == 1
    assert {(one["kind"], one["state"]) for one in reported(service)} == {
        ("status", "sent"),
        ("comment", "sent"),
    }


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("dismissed", "not seen again when measured a second time: regressed +1"),
        ("false_alarm", "false alarm: regressed +1"),
        ("expected", "expected: regressed +1"),
    ],
)
def test_a_commits_status_follows_its_alert(service: Service, state: str, said: str) -> None:
    fake = FakeForge("github")

    def shown() -> tuple[str, str]:
        drain(service.context)
        return fake.statuses[-1][1]["state"], fake.statuses[-1][1]["description"]

    with serving(fake) as server:
        connect_forge(service, server)
        service.upload(body_of(make_report(2, head_costs=SLOWER)))
        assert shown()[0] == "pending" and shown()[1].startswith("being measured again: regressed +1")
        if state == "dismissed":
            with service.context.sessions() as session:
                dismiss(session, session.scalars(select(AlertRow)).one(), "same", service.clock())
                session.commit()
        else:
            service.confirm_alerts()
            assert shown()[0] == "failure" and shown()[1].startswith("regressed +1")
            (alert,) = service.get("/projects/demo/alerts")
            service.post(f"/alerts/{alert['id']}/state", "admin", 200, {"state": state, "why": "known"})
        now = shown()
    assert now[0] == "success" and now[1].startswith(said)


@pytest.mark.dialects
def test_nothing_is_said_of_a_pull_request_that_changes_nothing(service: Service) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        connect_forge(service, server)
        measure(service, 2)
        drain(service.context)
        assert fake.comments == {} and fake.statuses[-1][1]["state"] == "success"
        sent = len(fake.statuses)
        drain(service.context)
        assert len(fake.statuses) == sent, "the same is not told again"


@pytest.mark.dialects
def test_what_could_not_be_measured_is_not_the_authors_fault(service: Service) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        connect_forge(service, server, comments=False)
        finish(service, pull_request(service, 2), JobState.FAILED, "the bench host ran out of disk")
        drain(service.context)
        assert fake.statuses[-1][1]["state"] == "error"
        assert fake.statuses[-1][1]["description"] == "could not measure: the bench host ran out of disk"


@pytest.mark.dialects
def test_a_forge_that_is_away_gets_the_present_state_after_a_pause(service: Service, clock: Clock) -> None:
    fake = FakeForge("github", troubles=[Reply(503), Reply(429, headers={"Retry-After": "900"})])
    with serving(fake) as server:
        connect_forge(service, server)
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        drain(service.context)
        service.confirm_alerts()
        service.upload(body_of(make_report(2)))
        drain(service.context)
        assert len(server.seen) == 1, "nothing is sent to what is away"
        clock.pass_seconds(backoff.BREATH_SECONDS)
        drain(service.context)
        clock.pass_seconds(899)
        drain(service.context)
        assert len(server.seen) == 2, "nor before the time it asked for"
        clock.pass_seconds(600)
        drain(service.context)
        assert {where: body["state"] for where, body in fake.statuses} == {
            sha(1): "failure",
            sha(2): "success",
        }
    assert {one["state"] for one in reported(service)} == {"sent"}


@pytest.mark.dialects
def test_gives_up_with_the_reason_and_is_sent_again_by_hand(service: Service, clock: Clock) -> None:
    fake = FakeForge("github", troubles=[Reply(500)] * backoff.RETRY.tries)
    with serving(fake) as server:
        connect_forge(service, server)
        service.upload(body_of(make_report(1)))
        for _ in range(backoff.RETRY.tries + 3):
            drain(service.context)
            clock.pass_seconds(2 * backoff.RETRY.longest_seconds)
        assert len(server.seen) == backoff.RETRY.tries
        (one,) = reported(service, state="failed")
        assert (one["tries"], one["next_try_at"]) == (backoff.RETRY.tries, None) and "500" in one[
            "last_error"
        ]
        service.post(f"/projects/demo/notifications/{one['id']}/redeliver", "admin", 202, None)
        drain(service.context)
        assert [one["state"] for one in reported(service)] == ["sent"]
    service.post("/projects/demo/notifications/4711/redeliver", "admin", 404, None)


def test_pauses_grow_and_spread() -> None:
    shortest = [backoff.before_next(tries, None, 0.0) for tries in range(1, backoff.RETRY.tries)]
    longest = [backoff.before_next(tries, None, 1.0) for tries in range(1, backoff.RETRY.tries)]
    assert shortest == sorted(shortest) and all(a < b for a, b in zip(shortest, longest, strict=True))
    assert longest[-1] <= timedelta(seconds=1.25 * backoff.RETRY.longest_seconds)
    assert backoff.before_next(1, 900, 0.0) == timedelta(seconds=900)
    assert backoff.before_next(1, 1e9, 0.0) == timedelta(seconds=backoff.LONGEST_REQUESTED_SECONDS)


def verified(seen: Seen, secret: str) -> Any:
    """As a receiver that follows Standard Webhooks does."""
    signed = f"{seen.headers['webhook-id']}.{seen.headers['webhook-timestamp']}.".encode() + seen.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mine = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert seen.headers["webhook-signature"] == f"v1,{mine}"
    return json.loads(seen.body)


@pytest.mark.dialects
def test_webhook_is_signed_and_the_same_at_each_try(service: Service, clock: Clock) -> None:
    replies = [Reply(503), Reply(204, b"")]
    with serving(lambda _seen: replies.pop(0)) as server:
        made = connect(service, "webhook", url=f"{server.url}/hook", events=["regressed"])
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        service.upload(body_of(make_report(2)))
        drain(service.context)
        clock.pass_seconds(60)
        drain(service.context)
        first, second = server.seen
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert verified(first, made["signing_secret"]) == verified(second, made["signing_secret"])
        body = json.loads(second.body)
    assert (body["version"], body["event"], body["commit"], body["branch"]) == (
        1,
        "regressed",
        sha(1),
        "main",
    )
    assert body["url"].endswith(f"/p/demo/alerts/{body['alert_id']}") and body["run_id"] == f"{1:032x}"
    assert body["verdict"]["culprit_stages"] == ["nat"]
    listed = service.client.get(
        "/api/v1/projects/demo/integrations", headers={"Authorization": f"Bearer {service.tokens['admin']}"}
    )
    assert made["signing_secret"] not in listed.text, "shown once"


def test_message_whose_answer_was_lost_is_never_sent_again_by_itself(service: Service, clock: Clock) -> None:
    with serving(lambda _seen: Reply(cut=True)) as server:
        connect(service, "chat", url=f"{server.url}/services/T0/B0/secret")
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        for _ in range(3):
            drain(service.context)
            clock.pass_seconds(7200)
        assert len(server.seen) == 1
        (one,) = reported(service, state="unsure")
        assert "secret" not in json.dumps(one)
        text = json.loads(server.seen[0].body)["text"]
        assert text.startswith(f"demo {sha(1)[:7]}: regressed") and "sfcˍa" in text


def test_an_alert_of_several_scenarios_is_reported_with_their_overall_change(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "chat", url=f"{server.url}/chat", name="chat")
        connect(service, "webhook", url=f"{server.url}/hook", name="hook")
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.upload(body_of(make_report(101, base=0, head=1, scenario="sfc_b")))
        service.confirm_alerts()
        drain(service.context)
        bodies = {one.path: json.loads(one.body) for one in server.seen}
    line = bodies["/chat"]["text"].splitlines()[1]
    assert line.startswith("Overall: cycles per packet +")
    assert line.endswith("over 2 scenarios: 1 regressed, 1 same")
    assert f"Overall: {bodies['/hook']['overall']}" == line


@pytest.mark.dialects
def test_one_whose_secret_has_another_key_stops_no_other(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        made = connect(service, "chat", url=f"{server.url}/chat")
        connect(service, "webhook", url=f"{server.url}/hook")
        with service.context.sessions() as session:
            session.get_one(IntegrationRow, made["id"]).secret = Fernet(Fernet.generate_key()).encrypt(b"x")
            session.commit()
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        drain(service.context)
        assert [one.path for one in server.seen] == ["/hook"]
    (one,) = reported(service, state="failed")
    assert one["tries"] == 1 and "could not be composed" in one["last_error"]
    assert "restore secret.key" in one["last_error"]


def test_one_that_cannot_be_composed_for_now_is_retried(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_given: object) -> None:
        raise StoreAwayError("The report store gave no valid answer.")

    fake = FakeForge("github")
    with serving(fake) as server:
        connect_forge(service, server)
        measure(service, 2, head_costs=SLOWER)
        with monkeypatch.context() as patched:
            patched.setattr(tasks, "status_of", away)
            drain(service.context)
        assert fake.statuses == []
        (one,) = [one for one in reported(service, state="waiting") if one["kind"] == "status"]
        assert "no valid answer" in one["last_error"]
        clock.pass_seconds(2 * backoff.BREATH_SECONDS)
        drain(service.context)
        assert fake.statuses[-1][1]["state"] == "failure"
    assert {one["state"] for one in reported(service)} == {"sent"}


def test_a_comment_leaves_out_a_lost_report(service: Service) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        connect_forge(service, server)
        job_id = pull_request(service, 2)
        for number, scenario in ((2, "sfc_a"), (102, "sfc_b")):
            report = make_report(number, base=1, head=2, scenario=scenario, head_costs=SLOWER)
            service.upload(body_of(report), token="agent", job_id=job_id, fence=1)
        finish(service, job_id)
        lost = hashlib.sha256(body_of(make_report(2, base=1, head=2, head_costs=SLOWER))).hexdigest()
        (service.context.settings.state_dir / "reports" / path_of(lost)).unlink()
        drain(service.context)
    (comment,) = fake.comments.values()
    assert "sfc_b" in comment["body"] and "sfc_a" not in comment["body"]
    assert {one["state"] for one in reported(service)} == {"sent"}


@pytest.mark.dialects
@pytest.mark.parametrize(("kind", "state"), [("github", "waiting"), ("webhook", "unsure")])
def test_sender_that_dies_leaves_nothing_doubled(
    service: Service, clock: Clock, kind: str, state: str
) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        if kind == "github":
            connect_forge(service, server)
        else:
            connect(service, kind, url=server.url)
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        with service.context.sessions() as session:
            assert repository.claim(session, clock()) is not None
            session.commit()
        drain(service.context)
        assert server.seen == [], "another has it"
        clock.pass_seconds(repository.LEASE.total_seconds() + 1)
        drain(service.context)
        assert len(server.seen) == (1 if state == "waiting" else 0)
        assert [one["state"] for one in reported(service)] == ["sent" if state == "waiting" else "unsure"]


@pytest.mark.dialects
def test_two_senders_at_once_send_each_message_once(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "webhook", url=server.url)
        for number in range(1, 9):
            service.upload(body_of(make_report(number, head_costs=SLOWER)))
        service.confirm_alerts()
        senders = [threading.Thread(target=drain, args=(service.context,)) for _ in range(3)]
        for one in senders:
            one.start()
        for one in senders:
            one.join()
        assert sorted(json.loads(one.body)["commit"] for one in server.seen) == sorted(map(sha, range(1, 9)))


@pytest.mark.dialects
def test_something_new_while_the_old_is_being_sent_is_sent_too(service: Service) -> None:
    fake = FakeForge("github")
    job_id = pull_request(service, 2)

    def meanwhile(seen: Seen) -> Reply:
        if not fake.statuses:
            service.upload(body_of(make_report(2, head_costs=SLOWER)), token="agent", job_id=job_id, fence=1)
            finish(service, job_id)
        return fake(seen)

    with serving(meanwhile) as server:
        connect_forge(service, server, comments=False)
        with service.context.sessions() as session:
            move(session, session.get_one(JobRow, job_id), JobState.QUEUED, service.clock(), "lost")
            for state in (JobState.LEASED, JobState.MEASURING):
                move(session, session.get_one(JobRow, job_id), state, service.clock(), "test")
            session.commit()
        drain(service.context)
    assert [body["state"] for _, body in fake.statuses] == ["pending", "failure"]


def test_only_what_was_requested_is_sent(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        url = server.url
        connect(service, "webhook", url=f"{url}/1", name="a", events=["improved"])
        connect(service, "webhook", url=f"{url}/2", name="b", scenarios=["other_*"])
        connect(service, "webhook", url=f"{url}/3", name="c", branches=["release/*"])
        connect(service, "webhook", url=f"{url}/4", name="d", enabled=False)
        connect(service, "webhook", url=f"{url}/5", name="e", branches=["pull/*"])
        connect(service, "webhook", url=f"{url}/6", name="f", branches=["ma*"], scenarios=["sfc_*"])
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        measure(service, 3, head_costs=SLOWER)
        drain(service.context)
        assert sorted(one.path for one in server.seen) == ["/5", "/6"]


@pytest.mark.dialects
def test_an_upload_of_a_pull_request_is_not_sent_as_one_of_the_default_branch(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "webhook", url=f"{server.url}/main", name="a", branches=["main"])
        connect(service, "webhook", url=f"{server.url}/pull", name="b", branches=["pull/*"])
        service.upload(body_of(make_report(1, head_costs=SLOWER)), proposed="true")
        drain(service.context)
        (message,) = server.seen
    assert message.path == "/pull" and json.loads(message.body)["branch"] is None


def test_a_message_names_the_branch_that_was_pushed(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "webhook", url=f"{server.url}/main", name="a", branches=["main"])
        connect(service, "webhook", url=f"{server.url}/release", name="b", branches=["release/*"])
        for number, end in ((1, JobState.UPLOADING), (2, JobState.FAILED)):
            with service.context.sessions() as session:
                project = projects.find(session, "demo")
                assert project is not None
                commit = record(session, project.id, sha(number), sha(number - 1), listed=False)
                given: Any = {"reason": JobReason.PUSH, "why": "pushed", "branch": "release/1"}
                job = enqueue(session, commit, sha(number - 1), now=service.clock(), **given)
                job.fence = 1
                for state in (JobState.LEASED, JobState.MEASURING, end):
                    move(session, job, state, service.clock(), "test")
                session.commit()
            if end is JobState.UPLOADING:
                report = body_of(make_report(number, head_costs=SLOWER))
                service.upload(report, token="agent", job_id=job.id, fence=1)
        drain(service.context)
        bodies = [(one.path, json.loads(one.body)) for one in server.seen]
    assert [(path, body["event"], body["branch"]) for path, body in bodies] == [
        ("/release", "regressed", "release/1"),
        ("/release", "failed", "release/1"),
    ]


@pytest.mark.dialects
@pytest.mark.parametrize("reason", [JobReason.BACKFILL, JobReason.BISECT, JobReason.CONFIRM])
def test_measurements_of_the_past_alarm_nobody(service: Service, reason: JobReason) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "webhook", url=server.url, events=["regressed", "failed"])
        connect_forge(service, server)
        with service.context.sessions() as session:
            project = projects.find(session, "demo")
            assert project is not None
            commit = record(session, project.id, sha(1), sha(0))
            job = enqueue(session, commit, sha(0), reason=reason, why="x", now=service.clock())
            job.fence = 1
            for state in (JobState.LEASED, JobState.MEASURING):
                move(session, job, state, service.clock(), "test")
            session.commit()
        service.upload(body_of(make_report(1, head_costs=SLOWER)), token="agent", job_id=job.id, fence=1)
        drain(service.context)
        assert server.seen == []
        with service.context.read_sessions() as session:
            assert session.scalars(select(NotificationRow)).all() == []


@pytest.mark.dialects
def test_integrations_are_tried_switched_and_removed(service: Service) -> None:
    fake = FakeForge("github")
    with serving(fake) as server:
        made = connect_forge(service, server)
        path = f"/projects/demo/integrations/{made['id']}"
        assert "good" not in json.dumps(made) and made["signing_secret"] is None
        tried = service.post(f"{path}/test", "admin", 200, None)
        assert tried == {"works": True, "message": "The repository can be read as nalm-bot."}
        fake.troubles = [Reply(401)]
        tried = service.post(f"{path}/test", "admin", 200, None)
        assert not tried["works"] and "give the integration another" in tried["message"]
        hook = connect(service, "webhook", url=server.url)
        tried = service.post(f"/projects/demo/integrations/{hook['id']}/test", "admin", 200, None)
        assert "401" in tried["message"]
        headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
        changed = service.client.patch(f"/api/v1{path}", json={"enabled": False}, headers=headers)
        assert changed.json()["enabled"] is False
        service.upload(body_of(make_report(1)))
        assert reported(service) == []
        assert service.client.delete(f"/api/v1{path}", headers=headers).status_code == 204
        service.post(f"{path}/test", "admin", 404, None)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"kind": "webhook", "url": "http://169.254.169.254/latest"}, 422, "own network"),
        ({"kind": "webhook", "url": "http://192.168.7.7:1/"}, 422, "own network"),
        ({"kind": "chat", "url": "http://10.0.0.1/x"}, 422, "own network"),
        ({"kind": "gitlab", "url": "ftp://x", "repository": "a/b", "token": "t"}, 422, ""),
        ({"kind": "github", "url": "http://127.0.0.1", "repository": "a/../b?x", "token": "t"}, 422, ""),
        ({"kind": "email", "recipients": ["a@b\r\nBcc: c@d"]}, 422, ""),
        ({"kind": "email", "recipients": ["a@example.org"]}, 422, "NALM_MAIL_SERVER"),
        ({"kind": "pigeon"}, 422, ""),
    ],
)
def test_wrong_integrations_are_refused(
    service: Service, body: dict[str, Any], status: int, said: str
) -> None:
    answer = service.post("/projects/demo/integrations", "admin", status, {"name": "x", **body})
    assert said in answer["error"]["message"]


def test_names_are_one_each(service: Service) -> None:
    with serving(lambda _seen: Reply()) as server:
        connect(service, "webhook", url=server.url)
        body = {"name": "webhook", "kind": "webhook", "url": server.url}
        service.post("/projects/demo/integrations", "admin", 409, body)


@pytest.mark.parametrize("caller", [None, "agent", "upload"])
def test_only_maintainers_reach_integrations(service: Service, caller: str | None) -> None:
    with serving(lambda _seen: Reply()) as server:
        made = connect(service, "webhook", url=server.url, events=["regressed"])
        service.upload(body_of(make_report(1, head_costs=SLOWER)))
        service.confirm_alerts()
        (one,) = reported(service)
        path = f"/projects/demo/integrations/{made['id']}"
        refused = 403 if caller else 401
        service.request("PATCH", path, caller, refused, json={"enabled": False})
        service.request("DELETE", path, caller, refused)
        service.request("POST", f"{path}/test", caller, refused)
        service.request("POST", f"/projects/demo/notifications/{one['id']}/redeliver", caller, refused)
        assert server.seen == []
