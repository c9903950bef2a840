# SPDX-License-Identifier: Apache-2.0
"""Each command of a CI template is run as that CI would run it: real git, real `nalm`, a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ci_scripts import (
    ROOT,
    TEMPLATES,
    Workspace,
    github,
    github_workflow,
    gitlab,
    gitlab_jobs,
    jenkins,
    steps,
)
from contract_server import ContractServer
from nalm_core.report.run_report import Arm
from nalm_core.report.serialization import parse_report

NALM_TOML = """version = 1
[project]
name = "tiny"
[build]
commands = [["gcc", "-O2", "-I{source}", "-o", "{build}/tiny_nf", "{source}/tiny_nf.c"]]
artifacts = ["tiny_nf"]
paths = ["tiny_nf.c", "nalm_probe.h"]
[run]
command = ["{build}/tiny_nf", "--features", "{features}", "--traffic", "{traffic}"]
[scenarios.tiny]
features = ["alpha", "beta"]
traffic = "capture.bin"
packets = 20000
"""
CIS = ("github", "gitlab", "jenkins")
FAKE_NALM = """#!/bin/sh
echo "$*" >>"$FAKE_LOG"
env | grep -q '^NALM_TOKEN=.' && echo "saw the token: $1" >>"$FAKE_LOG"
[ "$1" != doctor ] || exit "$FAKE_CODE"
[ "$1" = check ] || exit 0
echo '{}' >nalm-run.json
echo '### nalm: `regressed` "so"' >nalm.md
exit "$FAKE_CODE"
"""


@dataclass
class Origin:
    """A repository on a forge: main has begin and words, topic branches off before words."""

    url: str
    begin: str
    words: str
    topic: str


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    """No commit changes the NF, so that none needs to be measured; begin is ten days old."""
    work = Workspace(tmp_path_factory.mktemp("origin") / "nf", Path("/nonexistent"))
    work.path.mkdir()
    (work.path / "tiny_nf.c").write_bytes((ROOT / "agent/tests/nf/tiny_nf.c").read_bytes())
    (work.path / "nalm_probe.h").write_bytes((ROOT / "reference-nf/probe/nalm_probe.h").read_bytes())
    (work.path / "nalm.toml").write_text(NALM_TOML)
    (work.path / "capture.bin").write_text("packets")
    work.git("init", "-q", "-b", "main")
    work.git("config", "uploadpack.allowAnySHA1InWant", "true")
    old = f"{datetime.now(UTC) - timedelta(days=10):%Y-%m-%dT%H:%M:%SZ}"
    begin = committed(work, "nf: begin", GIT_COMMITTER_DATE=old)
    (work.path / "README").write_text("words\n")
    words = committed(work, "docs: say more")
    work.git("checkout", "-q", "-b", "topic", begin)
    (work.path / "NOTES").write_text("notes\n")
    topic = committed(work, "docs: note it")
    work.git("update-ref", "refs/changes/34/1234/5", topic)
    work.git("checkout", "-q", "main")
    return Origin(work.path.as_uri(), begin, words, topic)


def committed(work: Workspace, subject: str, **env: str) -> str:
    work.git("add", "-A")
    work.git("commit", "-q", "-m", subject, **env)
    return work.git("rev-parse", "HEAD")


@pytest.fixture
def clone(origin: Origin, tmp_path: Path) -> Workspace:
    """As a CI checks out, the whole history."""
    return cloned(origin, tmp_path)


def cloned(origin: Origin, folder: Path, *options: str) -> Workspace:
    home = folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "-q", *options, origin.url, folder / "clone"], check=True)
    work = Workspace(folder / "clone", home)
    work.git("fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*", *options)
    return work


@pytest.fixture
def fake(clone: Workspace, tmp_path: Path) -> Workspace:
    """The clone with a `nalm` of a given exit code, which says what it was called with."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "nalm").write_text(FAKE_NALM)
    (tools / "nalm").chmod(0o755)
    clone.tools.append(tools)
    return clone


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[ContractServer]:
    state = tmp_path_factory.mktemp("server") / "state"
    state.mkdir()
    shutil.copy(sqlite_template, state / "nalm.db")
    running = ContractServer(state)
    yield running
    running.end()


def change_request(ci: str, origin: Origin) -> dict[str, str]:
    """What the CI says of topic, to be merged into main."""
    return {
        "github": {"BASE": origin.words, "HEAD": origin.topic},
        "gitlab": {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": origin.begin,
            "CI_COMMIT_SHA": origin.topic,
        },
        "jenkins": {"CHANGE_TARGET": "main"},
    }[ci]


def push(ci: str, origin: Origin) -> dict[str, str]:
    """What the CI says of a push of words to main."""
    return {
        "github": {"BASE": origin.begin, "HEAD": origin.words},
        "gitlab": {
            "CI_PIPELINE_SOURCE": "push",
            "CI_COMMIT_BEFORE_SHA": origin.begin,
            "CI_COMMIT_SHA": origin.words,
        },
        "jenkins": {"GIT_PREVIOUS_COMMIT": origin.begin},
    }[ci]


def scheduled(ci: str, head: str) -> dict[str, str]:
    return {
        "github": {"BASE": "", "HEAD": head},
        "gitlab": {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_SHA": head},
        "jenkins": {"SCHEDULED": "yes"},
    }[ci]


PROPOSED: dict[str, dict[str, str]] = {
    "github": {"PROPOSED": "--proposed"},
    "gitlab": {"CI_MERGE_REQUEST_IID": "7"},
    "jenkins": {"BRANCH_NAME": "PR-7"},
}
"""What the step that submits knows of a change request."""


def commits_of(run: Path) -> tuple[str, str]:
    report = parse_report(run.read_bytes())
    return report.arms[Arm.BASE].build.commit, report.arms[Arm.HEAD].build.commit


@pytest.mark.parametrize("ci", [CIS[0], *(pytest.param(one, marks=pytest.mark.nightly) for one in CIS[1:])])
def test_change_request_is_judged_where_it_branched_off_and_submitted(
    ci: str, clone: Workspace, origin: Origin, server: ContractServer
) -> None:
    clone.git("checkout", "-q", origin.topic)
    done = clone.run(ci, "judge", change_request(ci, origin))
    assert done.returncode == 0, done.stdout + done.stderr
    assert commits_of(clone.path / "nalm-run.json") == (origin.begin, origin.topic)
    assert "<testsuites" in (clone.path / "nalm.xml").read_text()
    assert json.loads((clone.path / "nalm.sarif").read_text())["version"] == "2.1.0"
    token = {"NALM_SERVER": server.url, "NALM_TOKEN": server.project["upload_token"]}
    sent = clone.run(ci, "submit", token | PROPOSED[ci])
    assert sent.returncode == 0, sent.stderr
    run_id = parse_report((clone.path / "nalm-run.json").read_bytes()).run_id
    assert f"{server.url}/p/tiny/runs/{run_id}" in sent.stdout
    assert server.http.get(f"/runs/{run_id}").json()["head_sha"] == origin.topic


@pytest.mark.parametrize("ci", CIS)
def test_only_the_default_branch_enters_the_history(
    ci: str, fake: Workspace, origin: Origin, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    (fake.path / "nalm-run.json").write_text("{}")
    merged = {"github": {"PROPOSED": ""}, "gitlab": {}, "jenkins": {"BRANCH_NAME": "main"}}
    for given in (PROPOSED[ci], merged[ci]):
        assert fake.run(ci, "submit", given | {"FAKE_LOG": str(log), "FAKE_CODE": "0"}).returncode == 0
    assert log.read_text().splitlines() == [
        "submit nalm-run.json --proposed --never-fail",
        "submit nalm-run.json --never-fail",
    ]
    if ci == "github":
        (submit,) = [step for step in github()["steps"] if step.get("name") == "Submit"]
        expression = "github.event_name == 'pull_request' && '--proposed' || ''"
        assert submit["env"]["PROPOSED"] == f"${{{{ {expression} }}}}"


@pytest.mark.parametrize("ci", CIS)
@pytest.mark.parametrize("code", [0, 1, 3, 4])
def test_push_is_compared_with_the_state_before(
    ci: str, code: int, fake: Workspace, origin: Origin, tmp_path: Path
) -> None:
    """And the exit code is handed on: GitHub has no word for inconclusive, GitLab and Jenkins map it."""
    fake.git("checkout", "-q", origin.words)
    log = tmp_path / "log"
    done = fake.run(ci, "judge", push(ci, origin) | {"FAKE_LOG": str(log), "FAKE_CODE": str(code)})
    assert done.returncode == (0 if (ci, code) == ("github", 3) else code), done.stderr
    head = "HEAD" if ci == "jenkins" else origin.words
    assert log.read_text().startswith(f"check --quiet --base {origin.begin} --head {head} ")


@pytest.mark.parametrize("ci", CIS)
def test_schedule_compares_with_a_week_ago(ci: str, fake: Workspace, origin: Origin, tmp_path: Path) -> None:
    log = tmp_path / "log"
    given = {"FAKE_LOG": str(log), "FAKE_CODE": "0"}
    fake.git("checkout", "-q", origin.words)
    assert fake.run(ci, "judge", scheduled(ci, origin.words) | given).returncode == 0
    assert f"--base {origin.begin} " in log.read_text()
    log.unlink()
    fake.git("checkout", "-q", "--orphan", "young")
    young = committed(fake, "nf: begin anew")
    done = fake.run(ci, "judge", scheduled(ci, young) | given)
    assert done.returncode == 0 and "nothing to compare with" in done.stdout
    assert not log.exists()


def test_a_shallow_clone_is_deepened(origin: Origin, tmp_path: Path) -> None:
    for ci, given in (("jenkins", change_request("jenkins", origin)), ("gerrit", gerrit(tmp_path))):
        folder = tmp_path / ci
        folder.mkdir()
        work = cloned(origin, folder, "--depth=1")
        tools = folder / "tools"
        tools.mkdir()
        (tools / "nalm").write_text(FAKE_NALM)
        (tools / "ssh").write_text("#!/bin/sh\ncat >/dev/null\n")
        for tool in tools.iterdir():
            tool.chmod(0o755)
        work.tools.append(tools)
        work.git("checkout", "-q", "origin/topic")
        log = folder / "log"
        done = work.run(ci, "judge", given | {"FAKE_LOG": str(log), "FAKE_CODE": "0"})
        assert done.returncode == 0, done.stderr
        assert f"--base {origin.begin} " in log.read_text()


def test_doctor_step_never_fails_the_job(fake: Workspace, tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = fake.run("gitlab", "doctor", {"FAKE_LOG": str(log), "FAKE_CODE": "2"})
    assert done.returncode == 0, done.stderr
    assert log.read_text().split() == ["doctor"]
    assert steps("jenkins")["doctor"][1] == steps("gitlab")["doctor"][1] == "nalm doctor || true"
    (doctor,) = [step for step in github()["steps"] if step.get("run") == "nalm doctor"]
    assert doctor["continue-on-error"] is True


@pytest.mark.parametrize("ci", CIS)
def test_a_week_has_a_table_of_what_the_host_shows(
    ci: str, fake: Workspace, origin: Origin, tmp_path: Path
) -> None:
    """GitHub's step itself is only of scheduled runs, and shows the table in the run's summary."""
    log, summary = tmp_path / "log", tmp_path / "summary"
    given = {"FAKE_LOG": str(log), "FAKE_CODE": "0", "GITHUB_STEP_SUMMARY": str(summary)}
    (fake.path / "nalm-noise.md").write_text("table\n")
    assert fake.run(ci, "noise", scheduled(ci, origin.words) | given).returncode == 0
    assert log.read_text() == "doctor --noise --all --seconds 30 --markdown nalm-noise.md\n"
    log.unlink()
    if ci == "github":
        (step,) = [one for one in github()["steps"] if "--noise" in one.get("run", "")]
        assert (step["if"], step["continue-on-error"]) == ("github.event_name == 'schedule'", True)
        assert summary.read_text() == "table\n"
    else:
        assert fake.run(ci, "noise", push(ci, origin) | given).returncode == 0
        assert not log.exists()


@pytest.mark.nightly
def test_check_submits_too_but_no_working_tree(
    clone: Workspace, origin: Origin, server: ContractServer
) -> None:
    token = {"NALM_SERVER": server.url, "NALM_TOKEN": server.project["upload_token"]}
    command = ("check", "--submit", "--base", origin.begin, "--head")
    done = clone.nalm(*command, origin.words, **token)
    assert done.returncode == 0 and f"{server.url}/p/tiny/runs/" in done.stdout, done.stderr
    (clone.path / "tiny_nf.c").write_text("changed")
    refused = clone.nalm(*command, "worktree", **token)
    assert refused.returncode == 2 and "not a commit" in refused.stderr
    assert clone.nalm("check", "--submit").returncode == 2


def test_a_mistake_in_nalm_toml_fails(clone: Workspace, origin: Origin) -> None:
    (clone.path / "nalm.toml").write_text(NALM_TOML + "\nsurprise = 1\n")
    head = committed(clone, "nf: break nalm.toml")
    done = clone.run("gitlab", "judge", push("gitlab", origin) | {"CI_COMMIT_SHA": head})
    assert done.returncode == 2 and "nalm.toml" in done.stderr


def gerrit(folder: Path) -> dict[str, str]:
    """What Jenkins' Gerrit Trigger says of a patch set."""
    change = {"GERRIT_CHANGE_NUMBER": "1234", "GERRIT_PATCHSET_NUMBER": "5"}
    where = {"GERRIT_REFSPEC": "refs/changes/34/1234/5", "GERRIT_HOST": "gerrit.example.org"}
    return change | where | {"SSH_LOG": str(folder / "ssh")}


@pytest.mark.parametrize(("code", "value"), [(0, 1), (1, -1), (3, 0), (4, 0)])
def test_gerrit_takes_a_vote_by_ssh(
    code: int, value: int, fake: Workspace, origin: Origin, tmp_path: Path
) -> None:
    ssh = fake.tools[0] / "ssh"
    ssh.write_text('#!/bin/sh\necho "$*" >"$SSH_LOG"\ncat >"$SSH_LOG.json"\n')
    ssh.chmod(0o755)
    log = tmp_path / "log"
    given = gerrit(tmp_path) | {"FAKE_LOG": str(log), "FAKE_CODE": str(code)}
    done = fake.run("gerrit", "judge", given | {"NALM_SERVER": "http://s"})
    assert done.returncode == (4 if code == 4 else 0), done.stderr
    (called,) = log.read_text().splitlines()
    assert called.startswith(f"check --quiet --base {origin.begin} --head {origin.topic} ")
    assert (tmp_path / "ssh").read_text() == "-p 29418 gerrit.example.org gerrit review --json 1234,5\n"
    review = json.loads((tmp_path / "ssh.json").read_text())
    message = '### nalm: `regressed` "so"\n'
    assert review == {"message": message, "labels": {"Nalm": value}, "tag": "autogenerated:nalm"}


@pytest.mark.nightly
def test_gerrit_takes_a_vote_by_rest_on_a_real_verdict(clone: Workspace, tmp_path: Path) -> None:
    reviews: list[tuple[str, dict[str, Any]]] = []

    class Gerrit(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reviews.append((self.path, json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Gerrit) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        given = gerrit(tmp_path) | {
            "GERRIT_URL": f"http://127.0.0.1:{http.server_port}",
            "NALM_LABEL": "Perf",
        }
        done = clone.run("gerrit", "judge", given)
        http.shutdown()
    assert done.returncode == 0, done.stderr
    ((path, review),) = reviews
    assert path == "/a/changes/1234/revisions/5/review"
    assert review["labels"] == {"Perf": 1} and review["message"].startswith("### nalm: same")


def test_forks_do_not_run_unseen() -> None:
    assert "github.event.pull_request.head.repo.full_name == github.repository" in github()["if"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in gitlab()["rules"][0]["if"]
    assert "when { expression { !env.CHANGE_FORK } }" in (TEMPLATES / "jenkins" / "Jenkinsfile").read_text()


def test_the_token_is_where_nothing_is_built() -> None:
    holders = [step["name"] for step in github()["steps"] if "NALM_TOKEN" in step.get("env", {})]
    assert holders == ["Submit"]
    assert "NALM_TOKEN" not in github()["env"]
    assert not any("NALM_TOKEN" in script for script in jenkins().values())
    submit = gitlab_jobs()["nalm-submit"]
    text = (TEMPLATES / "gitlab" / "nalm.gitlab-ci.yml").read_text()
    scope = re.search(r"environment scope `([\w-]+)`", text)
    assert scope and submit["environment"] == {"name": scope[1], "action": "access"}
    assert submit["after_script"] == ["rm -f nalm-run.json"]  # a later pipeline's job may find it
    assert "environment" not in gitlab() and "nalm submit" not in str(gitlab())
    assert submit["variables"] == {"GIT_STRATEGY": "none"} and submit["needs"] == ["nalm"]
    conditions = [rule["if"] for rule in submit["rules"]]
    assert conditions == [f"$NALM_SERVER && {rule['if']}" for rule in gitlab()["rules"]]
    assert {rule["when"] for rule in submit["rules"]} == {"always"}


def test_gerrit_measures_nothing_beside_a_token(fake: Workspace, tmp_path: Path) -> None:
    """A shell's `unset` leaves the variable in /proc/PID/environ, which an NF of the same user can read."""
    given = gerrit(tmp_path) | {"FAKE_LOG": str(tmp_path / "log"), "FAKE_CODE": "0"}
    done = fake.run("gerrit", "judge", given | {"NALM_SERVER": "http://s", "NALM_TOKEN": "t"})
    assert done.returncode == 2 and "`nalm submit`" in done.stderr
    assert not (tmp_path / "log").exists()


def test_jenkins_fetches_with_the_credentials_and_measures_without() -> None:
    text = (TEMPLATES / "jenkins" / "Jenkinsfile").read_text()
    assert [label for label, script in jenkins().items() if "git fetch" in script] == ["Fetch"]
    assert re.search(r"gitUsernamePassword\(.*\)\n\s*\]\) \{ fetch\(\) \}", text)
    assert text.index("label: 'Fetch'") < text.index("gitUsernamePassword(") < text.index("label: 'Judge'")


def test_jenkins_publishes_nothing_of_an_earlier_build(fake: Workspace) -> None:
    """All that is published is removed first, and it is published only where that was done: in one stage."""
    text = (TEMPLATES / "jenkins" / "Jenkinsfile").read_text()
    stage = text[text.index("stage('nalm')") :]
    assert stage.index("label: 'Clear'") < stage.index("label: 'Fetch'") < stage.index("        post {")
    assert "\n    post {" not in text
    [archived] = re.findall(r"artifacts: '([^']*)'", text)
    published = [*archived.split(","), *re.findall(r"testResults: '([^']*)'", text)]
    for name in published:
        (fake.path / name).write_text("old")
    assert fake.run("jenkins", "clear", {}).returncode == 0
    assert not any((fake.path / name).exists() for name in published)


def test_permissions_are_the_least() -> None:
    assert github_workflow()["permissions"] == {"contents": "read"}
    assert github()["permissions"] == {"contents": "read", "security-events": "write"}
    checkout = github()["steps"][0]["with"]
    assert checkout["fetch-depth"] == 0 and checkout["persist-credentials"] is False


def test_one_measurement_at_a_time_and_inconclusive_fails_nothing() -> None:
    assert gitlab()["resource_group"] == "nalm-bench" and gitlab()["variables"]["GIT_DEPTH"] == "0"
    assert gitlab()["allow_failure"] == {"exit_codes": 3}
    text = (TEMPLATES / "jenkins" / "Jenkinsfile").read_text()
    assert "disableConcurrentBuilds()" in text
    assert text.index("if (code == 3)") < text.index("else if (code != 0)")
