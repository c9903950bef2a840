# SPDX-License-Identifier: Apache-2.0
"""Records requests of current API clients and the form of the answers, for test_recorded_exchanges.

    PYTHONPATH=tests/contract:server/tests/support .venv/bin/python tests/contract/record_exchanges.py

writes tests/contract/recorded. Run it when a version is released, before the API changes again: clients can
rely on the recorded answers.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from nalm_agent.daemon.spool import Label, Spool
from nalm_core.report.run_report import RunReport
from nalm_server_experiments import cells
from nalm_server_git import Repo, make_repo
from nalm_server_reports import body_of, make_report
from recorded_exchange import RECORDED, Exchange, Replay, packed, write_exchanges
from recorded_server import BUNDLE, recorded_server

NOT_RECORDED = {
    "DELETE /session": "the page's own: a cookie",
    "PUT /session/password": "the page's own: a cookie",
    "GET /sign-in/{provider}/start": "a browser's way to a sign-in provider",
    "GET /sign-in/{provider}/callback": "a browser's way from a sign-in provider",
}
COMMITS = 9
SLOWER = {"nat": 200.0}
FUNCTIONS = {"nat": {"nat_process": 200, "nat_lookup": 130}}
CAPABILITIES = {
    "lcores": 2,
    "pmu": False,
    "nics": 0,
    "hugepages_mb": 512,
    "memory_mb": 7800,
    "experiments": True,
    "isolated": True,
    "isolated_cpus": 1,
    "cpu_model": "synthetic",
}
HEALTH = {
    "disk_free_bytes": 5_000_000_000,
    "load": 0.4,
    "steal": 0.0,
    "temperature_celsius": 51.0,
    "frequency_mhz": 2100.0,
    "resolves": 0.01,
    "spool_items": 0,
}
HOST = {"host": "bench-vm-2", "host_class": "vm-2"}
GITHUB = ("X-Hub-Signature-256", "sha256=")
GITEA = ("X-Gitea-Signature", "")
GENERIC = ("X-Nalm-Signature-256", "sha256=")
CONFIRMED = "confirming.measurements.0"
"""The worker asks for an alert's confirmation a while after it opened the alert."""
VPP = Path(__file__).parents[2] / "server/tests/fixtures/vpp_show_runtime.txt"


class Recorder:
    """Sends requests and records them with the form of their answers."""

    def __init__(self, replay: Replay, shas: list[str]) -> None:
        self.replay, self.shas = replay, shas
        self.exchanges: list[Exchange] = []
        self.faults: list[str] = []
        self.places = {"project": "tiny", "scenario": "sfc_a", "host": HOST["host"]}

    def send(self, operation: str, status: int = 200, token: str | None = "admin", **given: Any) -> None:
        """Fields of an Exchange, `query`, and parts of the address by their names."""
        names = set(Exchange.__dataclass_fields__)
        query = urlencode(given.pop("query", {}), safe="${}", doseq=True)
        places = self.places | {name: given.pop(name) for name in set(given) - names}
        address = operation.partition(" ")[2].format(**places) + ("?" + query if query else "")
        try:
            answered = self.replay.send(Exchange(operation, address, token, **given))
        except KeyError as error:
            self.faults.append(f"{operation}: no value {error}")
            return
        if answered.status != status:
            self.faults.append(f"{operation}: status {answered.status}, expected {status}")
        self.exchanges.append(answered)

    def message(self) -> None:
        self.exchanges.append(self.replay.send(Exchange("message")))

    def upload(self, report: RunReport, status: int = 201, token: str = "upload", **query: Any) -> None:
        self.send("POST /reports", status, token, report=packed(body_of(report)), query=query)

    def run(self, number: int, base: int, head: int, **given: Any) -> RunReport:
        shas = self.shas
        return make_report(
            number, base=shas[base], head=shas[head], project="tiny", functions=FUNCTIONS, **given
        )

    def hook(
        self, forge: str, payload: Any, number: int, headers: dict[str, str], signature: Any = None
    ) -> None:
        self.send(
            f"POST /hooks/{forge}",
            202,
            None,
            text=json.dumps(payload),
            query={"project": "tiny"},
            headers={"Content-Type": "application/json", **headers},
            signature=signature,
            keep={"delivery": "delivery"},
        )
        self.send("GET /projects/{project}/deliveries", until="0.worked_at", keep={"waiting": "0.job_ids.0"})

    def push(self, number: int, first: int = 0) -> None:
        before, after = self.shas[first], self.shas[number]
        commit = {"id": after, "message": f"commit {number}", "timestamp": "2026-11-21T09:00:00Z"}
        commit |= {"author": {"name": "Mona", "email": "mona@example.org"}}
        payload = {"ref": "refs/heads/main", "before": before, "after": after, "commits": [commit]}
        payload |= {"head_commit": commit, "deleted": False, "forced": False}
        headers = {"X-GitHub-Event": "push", "X-GitHub-Delivery": f"recorded-{number}"}
        self.hook("github", payload, number, headers, GITHUB)


def record(one: Recorder) -> None:
    service(one)
    webhooks(one)
    experiment(one)
    agents(one)
    findings(one)
    views(one)
    campaigns(one)
    settings(one)
    people(one)


def service(one: Recorder) -> None:
    one.send("GET /health", token=None)
    one.send("GET /health/live", token=None)
    one.send("GET /health/ready", token=None)
    one.send("GET /metrics-catalogue", token=None)
    one.send("GET /session", token=None)
    one.send("GET /sign-in/providers", token=None)
    one.send("GET /projects")
    new = {"name": "second", "repository": "/srv/second.git", "default_branch": "main", "public": False}
    one.send("POST /projects", 201, json=new | {"check_repository": False})
    one.send("PATCH /projects/{project}", project="second", json={"public": True})
    one.send("GET /projects/{project}", token=None)
    hook = {"name": "room", "kind": "webhook", "url": "${receiver}", "events": ["regressed", "recovered"]}
    one.send("POST /projects/{project}/integrations", 201, json=hook, keep={"integration": "id"})
    one.send("POST /projects/{project}/integrations/{number}/test", number="${integration}")
    one.message()
    one.send("GET /projects/{project}/integrations")
    change = {"enabled": True}
    one.send("PATCH /projects/{project}/integrations/{number}", number="${integration}", json=change)


def webhooks(one: Recorder) -> None:
    one.send("GET /projects/{project}/branch-filters")
    rules = {
        "branches": ["main"],
        "paths_ignore": ["docs/**"],
        "push_commits": "tip",
        "fork_pull_requests": "approve",
        "measure_tags": True,
    }
    one.send("PUT /projects/{project}/branch-filters", json=rules)
    one.push(1)
    gitlab = {"object_kind": "push", "ref": "refs/heads/main", "before": one.shas[1], "after": one.shas[2]}
    gitlab |= {"checkout_sha": one.shas[2]}
    headers = {"X-Gitlab-Event": "Push Hook", "Idempotency-Key": "2", "X-Gitlab-Token": "${secret}"}
    one.hook("gitlab", gitlab, 2, headers)
    gitea = {"ref": "refs/heads/main", "before": one.shas[2], "after": one.shas[3], "commits": []}
    headers = {"X-Gitea-Event": "push", "X-Gitea-Delivery": "recorded-gitea"}
    one.hook("gitea", gitea, 3, headers, GITEA)
    pull = {"number": 7, "base": "main", "title": "nat: longer keys", "from_fork": True, "fork": "mona/nf"}
    pull |= {"author": "mona", "url": "https://example.org/7", "state": "open"}
    generic = {"ref": "refs/heads/topic", "before": one.shas[3], "after": one.shas[-1], "pull_request": pull}
    one.hook("generic", generic, 4, {"X-Nalm-Delivery": "recorded-4"}, GENERIC)
    one.send("POST /jobs/{job_id}/approve", job_id="${waiting}", json={"reason": "read"})
    one.send("POST /jobs/{job_id}/cancel", job_id="${waiting}", json={"reason": "read"})
    one.send("POST /projects/{project}/deliveries/{number}/redeliver", 202, number="${delivery}")
    one.send("POST /projects/{project}/deliveries/trial")
    one.send("GET /projects/{project}/branches")
    one.send("GET /projects/{project}/tags", until="0.name")
    one.send("GET /projects/{project}/pull-requests", query={"state": "open"})
    one.send("GET /projects/{project}/revisions", query={"q": one.shas[1][:7]})


def experiment(one: Recorder) -> None:
    """The agent's requests: a complete job, a returned one, a failed one, and an experiment."""
    lease = HOST | {"wait_seconds": 0, "pool": "default", "api": 1, "version": "0.1.0", "health": HEALTH}
    lease |= {"capabilities": CAPABILITIES}
    keep = {"job": "job_id", "fence": "fence", "base": "base_sha", "head": "head_sha"}
    one.send("POST /agent/lease", 200, "agent", json=lease, keep=keep)
    progress = {"fence": "${fence}", "step": "measuring", "detail": "nat", "fraction": 0.5, "health": HEALTH}
    progress |= {"log_tail": "measuring sfc_a"}
    one.send("POST /agent/jobs/{job_id}/progress", token="agent", job_id="${job}", json=progress)
    one.send("GET /live", query={"job": "${job}"})
    held = {"job_id": "${job}", "fence": "${fence}"}
    values = one.replay.values
    report = make_report(100, base=values["base"], head=values["head"], project="tiny", functions=FUNCTIONS)
    one.upload(report, token="agent", **held)
    done = {"fence": "${fence}", "outcome": "done", "message": "measured"}
    one.send("POST /agent/jobs/{job_id}/finish", token="agent", job_id="${job}", json=done)
    one.send("POST /agent/lease", 200, "agent", json=lease, keep=keep)
    back = {"fence": "${fence}", "reason": "the host is drained"}
    one.send("POST /agent/jobs/{job_id}/release", token="agent", job_id="${job}", json=back)
    one.send("POST /agent/lease", 200, "agent", json=lease, keep=keep)
    broken = {"fence": "${fence}", "outcome": "failed", "message": "no compiler", "kind": "infrastructure"}
    one.send("POST /agent/jobs/{job_id}/finish", token="agent", job_id="${job}", json=broken)
    one.send("POST /projects/{project}/jobs", 201, json={"head": one.shas[5]}, keep={"made": "id"})
    one.send("POST /jobs/{job_id}/boost", job_id="${made}", json={"reason": "soon"})
    one.send("POST /jobs/{job_id}/cancel", job_id="${made}", json={"reason": "not now"})
    one.send("POST /jobs/{job_id}/retry", job_id="${made}", json={"reason": "now"})
    one.send("POST /jobs/{job_id}/reject", 409, job_id="${made}", json={})
    one.send("POST /jobs/{job_id}/cancel", job_id="${made}", json={})
    one.send("POST /jobs/{job_id}/cancel", job_id="${job}", json={})
    one.send("GET /jobs", query={"project": "tiny", "limit": 50})
    one.send("GET /jobs/{job_id}", job_id="${made}")
    new = {"kind": "features", "revision": one.shas[1], "names": ["sfc_a"], "cell_seconds": 5.0}
    one.send("POST /projects/{project}/experiments", 201, json=new, keep={"experiment": "id"})
    keep |= {"seed": "experiment.seed"}
    one.send("POST /agent/lease", 200, "agent", json=lease, keep=keep)
    for cell in cells(values["head"], values["seed"], first_run=200):
        one.upload(cell.model_copy(update={"project": "tiny"}), token="agent", **held)
    one.send("POST /agent/jobs/{job_id}/finish", token="agent", job_id="${job}", json=done)
    one.send("GET /projects/{project}/experiments", until="0.finished_at")
    number = {"experiment_id": "${experiment}"}
    one.send("GET /experiments/{experiment_id}", **number)
    one.send("GET /experiments/{experiment_id}/cells/{number}/report", number="1", **number)
    one.send("POST /experiments/{experiment_id}/cancel", 409, **number)


def agents(one: Recorder) -> None:
    one.send("POST /agents/invitations", 201, json={"pool": "default", "hours": 1.0})
    invited = {"pool": "default", "name": "bench-9", "hours": 1.0}
    one.send("POST /agents/invitations", 201, json=invited, keep={"invitation": "token"})
    one.send("GET /agents/invitations")
    one.send("DELETE /agents/invitations/{invitation_id}", 204, invitation_id="1")
    new = {"invitation": "${invitation}", "name": "bench-9", "host_class": "vm-2", "pool": "default"}
    new |= {"api": 1, "version": "0.1.0", "capabilities": CAPABILITIES}
    one.send("POST /agent/register", 201, None, json=new, keep={"bench": "token"})
    one.send("POST /agent/rotate", 201, "bench", keep={"rotated": "token"})
    one.send("POST /agent/rotated", 204, token="rotated")
    one.send("GET /hosts", query={"pool": "default"})
    one.send("GET /hosts/{host}")
    one.send("GET /hosts/{host}/health", query={"hours": 24})
    one.send("GET /hosts/{host}/noise")
    one.send("POST /hosts/{host}/drain")
    one.send("POST /hosts/{host}/resume")
    one.send("PATCH /hosts/{host}", host="bench-9", json={"pool": "lab"})
    one.send("POST /hosts/{host}/revoke", host="bench-9")
    one.send("GET /pools")
    one.send("PUT /projects/{project}/pool", json={"pool": "default"})


def findings(one: Recorder) -> None:
    """A regression in two scenarios, people's decisions about it, and its fix."""
    one.upload(one.run(1, 1, 2))
    one.upload(one.run(1, 1, 2), 200)
    one.upload(one.run(2, 2, 3, head_costs=SLOWER, head_ipps={"nat": 400}))
    one.upload(one.run(3, 2, 3, head_costs=SLOWER, scenario="sfc_b"))
    one.send("GET /projects/{project}/alerts", query={"state": "new"}, keep={"alert": "0.id"}, until="0.id")
    alert = {"alert_id": "${alert}"}
    one.send("GET /alerts/{alert_id}", until=CONFIRMED, **alert)
    one.send("POST /alerts/{alert_id}/confirm", 409, **alert)
    one.send("POST /alerts/{alert_id}/bisect", 409, **alert)
    one.send("POST /alerts/{alert_id}/assign", json={"assignee": None}, **alert)
    one.send("POST /alerts/{alert_id}/comments", 201, json={"text": "longer keys"}, **alert)
    known = {"state": "acknowledged", "why": "longer keys"}
    one.send("POST /alerts/{alert_id}/state", json=known, **alert)
    one.send("GET /alerts/{alert_id}", **alert)
    expected = {"state": "expected", "why": "longer keys", "bound": 1.5}
    one.send("POST /alerts/{alert_id}/state", json=expected, **alert)
    one.send("GET /projects/{project}/expectations")
    again = {"state": "reopened", "why": "too much"}
    one.send("POST /alerts/{alert_id}/state", json=again, **alert)
    fixed = {"state": "fixed", "why": "shorter keys", "fixed_by": one.shas[4]}
    one.send("POST /alerts/{alert_id}/state", json=fixed, **alert)
    one.upload(one.run(4, 5, 6, head_costs=SLOWER))
    one.send(
        "GET /projects/{project}/alerts", query={"commit": one.shas[6]}, keep={"other": "0.id"}, until="0.id"
    )
    one.send("GET /alerts/{alert_id}", until=CONFIRMED, alert_id="${other}")
    wrong = {"state": "false_alarm", "why": "the host"}
    one.send("POST /alerts/{alert_id}/state", json=wrong, alert_id="${other}")
    one.send("GET /projects/{project}/floors", keep={"floor": "0.id"})
    one.send("DELETE /projects/{project}/floors/{number}", 204, number="${floor}")
    mute = {"scenario": "sfc_*", "until": "2999-01-01T00:00:00Z", "why": "the host moves"}
    one.send("POST /projects/{project}/mutes", 201, json=mute, keep={"mute": "id"})
    one.send("GET /projects/{project}/mutes")
    one.send("DELETE /projects/{project}/mutes/{number}", 204, number="${mute}")
    orders = ({"order": "worth", "limit": 5, "offset": 0}, {"order": "new", "scenario": "sfc_a"})
    for query in orders:
        one.send("GET /projects/{project}/alerts", query=query)
    sent = {"state": "sent", "limit": 10}
    one.send("GET /projects/{project}/notifications", query=sent, keep={"sent": "0.id"}, until="0.id")
    one.send("POST /projects/{project}/notifications/{number}/redeliver", 202, number="${sent}")


def views(one: Recorder) -> None:
    run, two = {"run_id": f"{2:032x}"}, {"base": one.shas[2], "head": one.shas[3]}
    one.send("GET /overview")
    one.send("GET /projects/{project}/commits", query={"limit": 50})
    one.send("GET /projects/{project}/commits/{sha}", sha=one.shas[3])
    one.send("GET /projects/{project}/scenarios")
    one.send("GET /projects/{project}/scenarios/{scenario}/history", query={"metric": "cpp", "stage": "nat"})
    one.send("GET /projects/{project}/scenarios/{scenario}/functions")
    one.send("GET /projects/{project}/lines", query={"scenario": "sfc_a", "metric": "cpp", "branch": "main"})
    one.send("GET /projects/{project}/change-points")
    one.send("GET /projects/{project}/change-points/hosts")
    for part in ("", "/code", "/all"):
        one.send(f"GET /projects/{{project}}/compare{part}", query=two)
    one.send("GET /projects/{project}/compare/measured", query={"revision": one.shas[3]})
    source = {"function": "nat_lookup", "stage": "nat"}
    one.send("GET /projects/{project}/compare/source", query=two | source)
    one.send("GET /projects/{project}/ncpp", query={"by": "commit"})
    one.send("GET /projects/{project}/features")
    one.send("GET /projects/{project}/features/{name}/history", name="nat")
    one.send("GET /projects/{project}/models")
    one.send("GET /projects/{project}/ablation")
    for part in ("", "/report", "/code"):
        one.send(f"GET /runs/{{run_id}}{part}", **run)
    one.send("GET /runs/{run_id}/source", query=source, **run)
    for form in ("junit", "sarif", "markdown"):
        one.send("GET /runs/{run_id}/{form}", form=form, **run)
        one.send("GET /projects/{project}/commits/{sha}/{form}", sha=one.shas[3], form=form)
    for table in (
        "series",
        "functions",
        "alerts",
        "change-points",
        "experiments",
        "prices",
        "ncpp",
        "trials",
    ):
        for form in ("json", "csv"):
            one.send("GET /projects/{project}/export", query={"table": table, "format": form})
    one.send("POST /projects/{project}/feed-token", 201, keep={"feed": "token"})
    one.send("GET /projects/{project}/feed.atom", token=None, query={"token": "${feed}"})


def campaigns(one: Recorder) -> None:
    bisect = {"good": one.shas[1], "bad": one.shas[7], "scenario": "sfc_a"}
    one.send("POST /projects/{project}/bisections", 201, json=bisect, keep={"bisect": "id"})
    one.send("GET /projects/{project}/bisections")
    one.send("GET /bisections/{bisect_id}", bisect_id="${bisect}", until="steps")
    one.send("POST /bisections/{bisect_id}/cancel", bisect_id="${bisect}")
    backfill = {"first": one.shas[4], "last": one.shas[7], "every": 1, "scenarios": ["sfc_a"]}
    one.send("POST /projects/{project}/backfills", 201, json=backfill, keep={"backfill": "id"})
    one.send("GET /projects/{project}/backfills")
    one.send("GET /backfills/{backfill_id}", backfill_id="${backfill}")
    one.send("POST /backfills/{backfill_id}/cancel", backfill_id="${backfill}")
    schedule = {"name": "nightly", "cron": "0 3 * * *", "against": "previous", "scenarios": ["sfc_a"]}
    one.send("POST /projects/{project}/schedules", 201, json=schedule | {"enabled": True})
    one.send("GET /projects/{project}/schedules")
    off = {"enabled": False, "cron": "0 4 * * *"}
    one.send("PATCH /projects/{project}/schedules/{schedule}", schedule="nightly", json=off)
    one.send("DELETE /projects/{project}/schedules/{schedule}", 204, schedule="nightly")
    trial = {"key": "0" * 16, "kind": "aa", "name": "a-a/001", "scenario": "sfc_a", "expected": "same"}
    trial |= {
        "outcome": "same",
        "correct": True,
        "measured_at": "2026-11-20T12:00:00Z",
        **HOST,
        "ratio_cpp": 1.0,
    }
    trial |= {"low": 0.99, "high": 1.01, "version": "0.1.0"}
    one.send("POST /projects/{project}/detection-quality/trials", 201, "upload", json={"trials": [trial]})
    one.send("GET /projects/{project}/detection-quality/trials", query={"kind": "aa"}, keep={"trial": "0.id"})
    one.send("GET /projects/{project}/detection-quality/trials/{trial_id}/report", 404, trial_id="${trial}")
    one.send("GET /projects/{project}/detection-quality", query={"days": 90})
    one.send("PUT /projects/{project}/detection-quality/controls", json={"controls_per_day": 2})


def settings(one: Recorder) -> None:
    one.send("GET /projects/{project}/queue")
    one.send("PUT /projects/{project}/queue", json={"latest_only": True})
    one.send("GET /projects/{project}/retention")
    one.send("PUT /projects/{project}/retention", json={"report_days": 90, "log_days": 30})
    query = {
        "format": "vpp-runtime",
        "commit": one.shas[7],
        "scenario": "vpp",
        "time": "2026-11-20T12:00:00Z",
    }
    query |= {"host_class": "vm-2"}
    one.send("POST /projects/{project}/imports", 201, text=VPP.read_text(), query=query)
    one.send("PUT /projects/{project}/read-token", 204, json={"user": "x-access-token", "token": "read"})
    one.send("DELETE /projects/{project}/read-token", 204)
    one.send(
        "POST /projects/{project}/webhook-secret",
        json={"overlap_hours": 24},
        keep={"secret": "webhook_secret"},
    )
    one.send("DELETE /projects/{project}/integrations/{number}", 204, number="${integration}")


def people(one: Recorder) -> None:
    one.send("POST /accounts", 201, json={"name": "mona", "administrator": False})
    one.send("GET /accounts")
    one.send("PATCH /accounts/{account}", account="mona", json={"administrator": True, "disabled": False})
    one.send("POST /accounts/{account}/link", 201, account="mona", keep={"link": "link"})
    one.send("POST /session", token=None, json={"link": "${link}"}, keep={"csrf": "csrf"})
    page = {"Cookie": "${cookie}", "X-CSRF-Token": "${csrf}"}
    mine = {"name": "mine", "scope": "read", "days": 30}
    keep = {"mine": "id", "mona": "token"}
    one.send("POST /tokens", 201, None, json=mine, headers=page, keep=keep)
    one.send("PUT /projects/{project}/people/{account}", account="mona", json={"role": "developer"})
    one.send("GET /projects/{project}/people")
    one.send("DELETE /projects/{project}/people/{account}", 204, account="mona")
    new = {"name": "ci", "scope": "upload", "days": 30}
    one.send("POST /projects/{project}/tokens", 201, json=new, keep={"ci": "id"})
    one.send("GET /projects/{project}/tokens")
    one.send("DELETE /projects/{project}/tokens/{token_id}", 204, token_id="${ci}")
    watch = {"project": "tiny", "scenario": "sfc_*", "stage": "*", "author": "*"}
    one.send("POST /me/subscriptions", 201, None, json=watch, headers=page, keep={"watch": "id"})
    one.send("GET /me/subscriptions", token="mona")
    one.send("GET /me/alerts", token="mona", query={"order": "worth"})
    one.send("DELETE /me/subscriptions/{number}", 204, None, headers=page, number="${watch}")
    one.send("GET /tokens", token=None, headers=page)
    one.send("DELETE /tokens/{token_id}", 204, None, headers=page, token_id="${mine}")
    one.send("GET /audit", query={"limit": 5})
    one.send("GET /projects/{project}/audit", query={"limit": 5})


def record_documents() -> None:
    """nalm.toml as in the documents, run reports, and the content of an agent's spool."""
    root = Path(__file__).parents[2]
    documented = (root / "docs/nalm-toml.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", documented, re.S)
    texts = [one for one in blocks if "version = 1" in one] + [(root / "reference-nf/nalm.toml").read_text()]
    for number, text in enumerate(texts):
        (RECORDED / f"nalm-{number}.toml").write_text(text)
    reports = [make_report(1, project="tiny", functions=FUNCTIONS), cells("a" * 40, 1)[0]]
    for number, report in enumerate(reports):
        (RECORDED / f"report-{number}.json").write_bytes(body_of(report))
    spool = Spool(RECORDED / "spool")
    for item in list(spool.items()):
        spool.remove(item)
    result = {"outcome": "failed", "message": "no compiler", "kind": "infrastructure"}
    for kind, reported, body in (("report", {}, b"report"), ("finish", result, b"")):
        label = {"kind": kind, "server": "http://127.0.0.1:9", "job_id": 7, "fence": 3, "told": reported}
        spool.put(Label.model_validate(label), body)


def make_commits(home: Path) -> Repo:
    """COMMITS on main and one on `topic`."""
    repo = make_repo(home)
    for number in range(COMMITS):
        repo.commit(f"commit {number}", "nat.c")
    repo.git("tag", "v1", "main~2")
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.commit("topic", "nat.c")
    repo.push("main", "topic", "v1")
    return repo


def not_recorded(exchanges: list[Exchange]) -> list[str]:
    """Operations that are neither recorded nor exempt."""
    described = json.loads((Path(__file__).parents[2] / "server/openapi.json").read_text())["paths"]
    every = {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in described.items()
        for method in methods
    }
    missing = every - {one.operation for one in exchanges} - NOT_RECORDED.keys()
    return [f"{operation}: not recorded" for operation in sorted(missing)]


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    record_documents()
    with tempfile.TemporaryDirectory() as folder:
        repo = make_commits(Path(folder) / "made")
        shas = repo.bare("rev-list", "--reverse", "topic").split()
        BUNDLE.unlink(missing_ok=True)
        subprocess.run(["git", "-C", repo.path, "bundle", "create", "--quiet", BUNDLE, "--all"], check=True)
        home = Path(folder) / "server"
        home.mkdir()
        with recorded_server(home) as replay:
            recorder = Recorder(replay, shas)
            record(recorder)
        if faults := recorder.faults + not_recorded(recorder.exchanges):
            raise SystemExit("\n".join(faults))
        write_exchanges(recorder.exchanges)


if __name__ == "__main__":
    main()
