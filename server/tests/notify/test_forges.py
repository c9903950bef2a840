# SPDX-License-Identifier: Apache-2.0
"""Statuses and comments in the form of each forge, and the meaning of its refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc import jwt
from joserfc.jwk import RSAKey
from nalm_core.verdict.verdict import Verdict
from nalm_server.alerts.confirmation_schemas import PlanState
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import AlertState
from nalm_server.base import outgoing
from nalm_server.base.settings import Settings
from nalm_server.jobs.schemas import JobState
from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.forges.alert_status import Known, standings
from nalm_server.notify.forges.comment import is_needed, marker
from nalm_server.notify.forges.comments import gone
from nalm_server.notify.forges.factory import make_forge
from nalm_server.notify.forges.github_app import app_token
from nalm_server.notify.forges.gitlab_listing import read_merge_request
from nalm_server.notify.forges.job_status import JobSaid, Said, conclude
from nalm_server.notify.forges.protocol import Comment, Forge, ForgeState, NullForge, Status
from nalm_server.notify.messages import text_of
from nalm_server_forge import SOMEBODY, FakeForge
from nalm_server_pulls import Pull, as_gitlab
from nalm_server_sockets import Loopback, Reply, serving

PENDING = Status("abc", ForgeState.PENDING, "queued", "http://nalm/p/demo", "nalm/demo")
NEWS = Comment(3, marker("demo"), f"{marker('demo')}\nregressed", is_needed=True)
NOTHING = replace(NEWS, body=f"{marker('demo')}\nsame", is_needed=False)
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()


@dataclass
class Setup:
    fake: FakeForge
    forge: Forge
    server: Loopback


@pytest.fixture(params=["github", "github_app", "gitlab", "gitea"])
def setup(request: pytest.FixtureRequest) -> Iterator[Setup]:
    fake = FakeForge(request.param)
    config: dict[str, Any] = {"repository": "me/nf", "app_id": 5, "installation_id": 9}
    secret = PEM if request.param == "github_app" else "good"
    settings = Settings(outgoing_allow="127.0.0.1")
    with serving(fake) as server, outgoing.client(settings) as client:
        yield Setup(fake, make_forge(request.param, {**config, "url": server.url}, secret, client), server)


def test_status_is_set_and_replaced(setup: Setup) -> None:
    number = setup.forge.set_status(PENDING, None)
    done = replace(PENDING, state=ForgeState.NEUTRAL, text="inconclusive")
    setup.forge.set_status(done, number)
    setup.forge.set_status(done, None)  # its number was lost
    fake = setup.fake
    if fake.kind == "github_app":
        (check,) = fake.checks.values()
        assert (check["status"], check["conclusion"], check["name"]) == ("completed", "neutral", "nalm/demo")
        assert check["output"]["title"] == "inconclusive"
        return
    neutral = {"github": "success", "gitlab": "success", "gitea": "warning"}[fake.kind]
    assert [(sha, body["state"]) for sha, body in fake.statuses[:2]] == [("abc", "pending"), ("abc", neutral)]
    assert {body.get("context") or body.get("name") for _, body in fake.statuses} == {"nalm/demo"}
    assert fake.statuses[-1][1]["target_url"] == "http://nalm/p/demo"


def test_one_comment_is_written_then_edited(setup: Setup) -> None:
    assert setup.forge.write_comment(NOTHING, None) is None, "nothing to say"
    number = setup.forge.write_comment(NEWS, None)
    assert setup.forge.write_comment(NOTHING, number) == number, "what it says is outdated"
    (comment,) = setup.fake.comments.values()
    assert (str(comment["id"]), comment["body"]) == (number, NOTHING.body)


def test_comment_is_found_again_among_many_and_never_anybody_elses(setup: Setup) -> None:
    foreign = setup.fake.say(NEWS.body, SOMEBODY)
    for number in range(120):
        setup.fake.say(f"I quote {marker('demo')} {number}", SOMEBODY)
    first = setup.forge.write_comment(NEWS, None)
    again = setup.forge.write_comment(replace(NEWS, body=f"{NEWS.body} again"), None)
    assert first == again and again != str(foreign)
    assert setup.fake.comments[foreign]["body"] == NEWS.body
    assert sum(one["body"].startswith(marker("demo")) for one in setup.fake.comments.values()) == 2


def test_deleted_comment_is_written_again(setup: Setup) -> None:
    assert setup.forge.write_comment(NOTHING, "4711") is None
    assert setup.forge.write_comment(NEWS, "4711") is not None


def test_lost_answer_is_tried_again_without_a_second_comment(setup: Setup) -> None:
    setup.forge.check()
    setup.fake.lose_answers = 1
    with pytest.raises(SendError) as lost:
        setup.forge.write_comment(NEWS, None)
    assert lost.value.after is Next.AGAIN
    setup.forge.write_comment(NEWS, None)
    assert len(setup.fake.comments) == 1


@pytest.mark.parametrize(
    ("reply", "after", "pause", "said"),
    [
        (Reply(401), Next.NEVER, None, "give the integration another"),
        (Reply(403, b'{"message":"Resource not accessible"}'), Next.NEVER, None, "not accessible"),
        (Reply(403, headers={"Retry-After": "61"}), Next.AGAIN, 61, "403"),
        (Reply(403, headers={"X-RateLimit-Remaining": "0"}), Next.AGAIN, None, "403"),
        (Reply(404), Next.NEVER, None, "no such repository"),
        (Reply(422, b'{"message":"No commit found"}'), Next.NEVER, None, "No commit found"),
        (Reply(429, headers={"Retry-After": "5"}), Next.AGAIN, 5, "429"),
        (Reply(429, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), Next.AGAIN, None, "429"),
        (Reply(502), Next.AGAIN, None, "502"),
        (Reply(302, headers={"Location": "http://10.0.0.1/"}), Next.NEVER, None, "has moved"),
        (Reply(cut=True), Next.AGAIN, None, "disconnected"),
        (Reply(200, b"<html>"), Next.NEVER, None, "is this its API's address"),
    ],
)
def test_refusals_say_what_to_do(
    setup: Setup, reply: Reply, after: Next, pause: float | None, said: str
) -> None:
    setup.fake.troubles = [reply]
    with pytest.raises(SendError, match=said) as failed:
        setup.forge.set_status(PENDING, None)
    assert (failed.value.after, failed.value.pause_seconds) == (after, pause)
    assert "good" not in str(failed.value), "the token is told nobody"


def test_check_names_who_it_is(setup: Setup) -> None:
    assert setup.forge.check() in ("nalm-bot", "App 5")


def test_pull_requests_are_listed_page_by_page_and_one_alone_tells_how_it_ended(setup: Setup) -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    pulls = [Pull(number, "a" * 40, "b" * 40, now, fork=number == 2) for number in range(1, 6)]
    setup.fake.pulls = {one.number: one for one in pulls}
    setup.fake.pulls[5] = pulls[4].ended("merged", merged_as="c" * 40)
    setup.fake.page_size = 3
    listed = list(setup.forge.open_pull_requests())
    assert [(one.now.number, one.now.from_fork) for one in listed] == [
        (1, False),
        (2, True),
        (3, False),
        (4, False),
    ]
    first = listed[0].now
    assert (first.state, first.head_sha, first.base_branch, first.author) == (
        "open",
        "a" * 40,
        "main",
        "mona",
    )
    assert listed[0].updated_at.replace(microsecond=0) == now
    merged = setup.forge.pull_request(5)
    assert merged is not None and (merged.now.state, merged.now.merged_as) == ("merged", "c" * 40)
    with pytest.raises(SendError) as missing:
        setup.forge.pull_request(6)
    assert gone(missing.value)
    setup.fake.troubles = [Reply(502, b"the server behind answered 404")]
    with pytest.raises(SendError) as away:
        setup.forge.pull_request(5)
    assert not gone(away.value)


@pytest.mark.parametrize(
    ("merge", "squash", "of_the_branch"),
    [("d", None, "d"), ("d", "e", "d"), (None, "e", "e"), (None, None, None)],
    ids=["merged", "squashed and merged", "squashed and fast-forwarded", "fast-forwarded"],
)
def test_what_a_branch_has_of_a_merge_request(
    merge: str | None, squash: str | None, of_the_branch: str | None
) -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    merged = as_gitlab(Pull(1, "a" * 40, "b" * 40, now, state="merged"), alone=True)
    for name, given in (("merge_commit_sha", merge), ("squash_commit_sha", squash)):
        merged[name] = given and given * 40
    assert read_merge_request(merged).now.merged_as == (of_the_branch and of_the_branch * 40)


def test_apps_token_is_signed_and_short_lived() -> None:
    made = jwt.decode(app_token(5, PEM, 1000.0), RSAKey.import_key(PEM), algorithms=["RS256"])
    assert made.claims == {"iat": 940, "exp": 1540, "iss": "5"}
    with pytest.raises(SendError, match="no RSA key"):
        app_token(5, "nonsense", 1000.0)


def test_no_empty_message_is_sent() -> None:
    nobody = NullForge()
    assert (nobody.set_status(PENDING, "1"), nobody.write_comment(NEWS, None), nobody.check()) == (
        "1",
        None,
        "nobody",
    )


def said(outcome: str, scenario: str = "sfc_a") -> Said:
    made = {"outcome": outcome, "reason": "why", "summary": "why", "scenario": scenario}
    return Said(scenario, "0" * 32, Verdict.model_validate(made))


def job(state: JobState, held: str | None = None, message: str | None = None) -> JobSaid:
    return JobSaid(state, held, message)


@pytest.mark.parametrize(
    ("of", "outcomes", "expected"),
    [
        (job(JobState.QUEUED), [], (ForgeState.PENDING, "queued")),
        (job(JobState.QUEUED, "a fork's pull request"), [], (ForgeState.PENDING, "waits: a fork's")),
        (job(JobState.MEASURING), ["same"], (ForgeState.PENDING, "being measured")),
        (job(JobState.DONE), ["same"], (ForgeState.SUCCESS, "same")),
        (job(JobState.DONE), ["improved"], (ForgeState.SUCCESS, "improved")),
        (job(JobState.DONE), ["regressed"], (ForgeState.FAILURE, "regressed")),
        (job(JobState.DONE), ["broken"], (ForgeState.FAILURE, "broken: why")),
        (job(JobState.DONE), ["inconclusive"], (ForgeState.NEUTRAL, "inconclusive")),
        (job(JobState.INVALID), ["invalid"], (ForgeState.ERROR, "could not measure: why")),
        (job(JobState.FAILED, None, "disk full"), [], (ForgeState.ERROR, "could not measure: disk full")),
        (job(JobState.CANCELLED), [], (ForgeState.ERROR, "not measured: cancelled")),
        (job(JobState.SUPERSEDED), [], (ForgeState.NEUTRAL, "not measured: something newer")),
        (None, ["regressed"], (ForgeState.FAILURE, "regressed")),
    ],
)
def test_what_a_commit_shows(
    of: JobSaid | None, outcomes: list[str], expected: tuple[ForgeState, str]
) -> None:
    concluded = conclude(of, [said(one) for one in outcomes])
    assert concluded is not None
    assert concluded[0] is expected[0] and concluded[1].startswith(expected[1])


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("same", (ForgeState.NEUTRAL, "table_bytes missing: same: why")),
        ("regressed", (ForgeState.FAILURE, "regressed")),
    ],
)
def test_a_gating_metric_that_head_lacks_is_no_success(
    outcome: str, expected: tuple[ForgeState, str]
) -> None:
    lacks = {"metric": "table_bytes", "unit": "bytes", "better": "lower", "outcome": "missing", "base": 1.0}
    lacks |= {"gates": True, "margin": 0.05, "reason": "head: it printed 'no'"}
    found = said(outcome)
    verdict = Verdict.model_validate(found.verdict.model_dump() | {"metrics": [lacks]})
    concluded = conclude(None, [replace(found, verdict=verdict)])
    assert concluded is not None
    assert concluded[0] is expected[0] and concluded[1].startswith(expected[1])


def test_a_check_that_a_metric_fails_has_a_comment_whatever_the_cycles_are() -> None:
    worse = {"metric": "table_bytes", "unit": "bytes", "better": "lower", "outcome": "regressed"}
    worse |= {"gates": True, "margin": 0.05, "base": 1.0, "head": 2.0, "ratio": 2.0}
    same = said("same").verdict
    failing = Verdict.model_validate(same.model_dump() | {"metrics": [worse]})
    assert (is_needed([same]), is_needed([same, failing])) == (False, True)


@pytest.mark.parametrize(("outcome", "size"), [("regressed", "+30.0 %"), ("improved", "-23.1 %")])
def test_a_run_under_load_names_the_figure_that_changed(outcome: str, size: str) -> None:
    summary = f"Latency p99 {size} {outcome}"
    verdict = said(outcome).verdict.model_copy(update={"summary": summary, "culprit_stages": ["nat"]})
    concluded = conclude(None, [Said("sfc_a:rate", "0" * 32, verdict)])
    assert concluded is not None and concluded[1] == f"{outcome}: {summary}"
    mail = text_of("demo", "sfc_a:rate", "a" * 40, verdict, fixes=None)
    assert mail == f"demo sfc_a:rate aaaaaaa: {concluded[1]}"


def known(fate: Fate, state: AlertState | None, plan: PlanState | None = None) -> Known:
    return Known("sfc_a", fate, state, plan)


@pytest.mark.parametrize(
    ("of", "state", "text"),
    [
        (known(Fate.ALERT, AlertState.NEW), ForgeState.PENDING, "being measured again: regressed"),
        (
            known(Fate.ALERT, AlertState.NEW, PlanState.INCONCLUSIVE),
            ForgeState.NEUTRAL,
            "not confirmed when measured again: regressed",
        ),
        (known(Fate.ALERT, AlertState.CONFIRMED), ForgeState.FAILURE, "regressed"),
        (known(Fate.ALERT, AlertState.REOPENED), ForgeState.FAILURE, "regressed"),
        (
            known(Fate.ALERT, AlertState.PARTLY_FIXED),
            ForgeState.FAILURE,
            "partly fixed by a later commit: regressed",
        ),
        (known(Fate.ALERT, AlertState.FIXED), ForgeState.FAILURE, "fixed by a later commit: regressed"),
        (
            known(Fate.ALERT, AlertState.DISMISSED),
            ForgeState.SUCCESS,
            "not seen again when measured a second time: regressed",
        ),
        (known(Fate.ALERT, AlertState.FALSE_ALARM), ForgeState.SUCCESS, "false alarm: regressed"),
        (known(Fate.EXPECTED, AlertState.EXPECTED), ForgeState.SUCCESS, "expected: regressed"),
        (known(Fate.EXPECTED, AlertState.CONFIRMED), ForgeState.SUCCESS, "expected: regressed"),
        (known(Fate.MUTED, AlertState.NEW), ForgeState.NEUTRAL, "muted: regressed"),
        (known(Fate.BELOW_FLOOR, None), ForgeState.SUCCESS, "no larger than known noise: regressed"),
    ],
)
def test_a_regression_shows_as_its_alert_stands(of: Known, state: ForgeState, text: str) -> None:
    found = replace(said("regressed"), standing=standings([of])["sfc_a"])
    concluded = conclude(None, [found, said("improved", "b")])
    assert concluded is not None
    assert concluded[0] is state and concluded[1].startswith(text) and len(concluded[1]) <= 140
    same = conclude(None, [replace(said("same"), standing=found.standing)])
    assert same is not None and same[0] is ForgeState.SUCCESS


def test_a_confirmed_scenario_speaks_before_one_that_is_being_measured_again() -> None:
    again = replace(said("broken", "a"), standing=standings([known(Fate.ALERT, AlertState.NEW)])["sfc_a"])
    concluded = conclude(None, [again, said("regressed", "b")])
    assert concluded is not None and concluded[0] is ForgeState.FAILURE


def test_worst_scenario_speaks_for_all_in_the_room_there_is() -> None:
    concluded = conclude(None, [said("same", "a"), said("regressed", "b"), said("improved", "c")])
    assert concluded is not None
    assert concluded[0] is ForgeState.FAILURE and concluded[1].endswith("(b; 2 more)")
    assert conclude(None, []) is None
    long = conclude(job(JobState.FAILED, None, "x" * 500), [])
    assert long is not None and len(long[1]) == 140
