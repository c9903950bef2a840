# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up` as a process: real HTTP and a real repository; all its processes end with it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from loaded_python import Program
from nalm_server.app.embedded.agent import AgentKeeper
from nalm_server.cli.main import app
from nalm_server.webhooks.signature import sign
from nalm_server_process import NALM_SERVER, loaded_server, running
from nalm_server_reports import body_of, make_report
from nalm_server_sockets import free_port
from nalm_server_waiting import until
from tiers import by_night
from typer.testing import CliRunner, Result

PATIENCE_SECONDS = 60


@pytest.fixture
def state(tmp_path: Path, sqlite_template: Path) -> Path:
    """A state directory with a migrated, empty database."""
    made = tmp_path / "state"
    made.mkdir()
    shutil.copy(sqlite_template, made / "nalm.db")
    return made


def up(state: Path, port: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """A start that fails."""
    command = [NALM_SERVER, "up", "--no-agent", "--port", str(port or free_port()), "--state", str(state)]
    return loaded_server().run(command, environment=os.environ | environment, timeout=PATIENCE_SECONDS)


def command(*arguments: str, **environment: str) -> Result:
    """The same in this process: for what does not serve."""
    return CliRunner().invoke(app, arguments, env=environment)


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Mona", "-c", "user.email=mona@example.org"]
    done = subprocess.run(
        ["git", "-C", str(where), *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_push_of_a_real_repository_becomes_a_verdict(state: Path, tmp_path: Path) -> None:
    """Webhook, lease, report, page's answers: by HTTP, the agent's part played here; then a restart.
    First the executable, then a fork."""
    repository = tmp_path / "nf"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    for subject in ("nat: begin", "nat: allocate ports per core"):
        git(repository, "commit", "-q", "--allow-empty", "-m", subject)
    base, head = git(repository, "rev-parse", "HEAD~", "HEAD").split()
    added = json.loads(
        command(
            "project",
            "add",
            "nf",
            "--public",
            "--repository",
            str(repository),
            "--json",
            "--state",
            str(state),
        ).stdout
    )
    push = {
        "ref": "refs/heads/main",
        "before": base,
        "after": head,
        "head_commit": {
            "id": head,
            "message": git(repository, "show", "-s", "--format=%B", head),
            "timestamp": git(repository, "show", "-s", "--format=%cI", head),
            "author": {"name": "Mona"},
        },
    }
    body = json.dumps(push).encode()
    headers = {
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": "1",
        "X-Hub-Signature-256": sign(added["webhook_secret"], body),
    }
    with running(state, "--no-agent", forked=False) as server:
        api = httpx.Client(base_url=server.api, timeout=PATIENCE_SECONDS)
        assert api.post("/hooks/github", content=body, headers=headers).status_code == 202
        agent = {"Authorization": f"Bearer {(state / 'agent.token').read_text()}"}
        asking = {"host": "h", "host_class": "vm-2", "wait_seconds": 60}
        lease = api.post("/agent/lease", json=asking, headers=agent).json()
        assert (lease["base_sha"], lease["head_sha"], lease["repository"]) == (base, head, str(repository))
        report = body_of(make_report(1, base=base, head=head, project="nf", head_costs={"nat": 190.0}))
        job = {"job_id": lease["job_id"], "fence": lease["fence"]}
        assert api.post("/reports", content=report, params=job, headers=agent).status_code == 201
        done = {"fence": lease["fence"], "outcome": "done"}
        assert api.post(f"/agent/jobs/{lease['job_id']}/finish", json=done, headers=agent).is_success
    with running(state, "--no-agent") as server:
        commit = httpx.get(f"{server.api}/projects/nf/commits").json()[0]
        assert (commit["subject"], commit["author"]) == ("nat: allocate ports per core", "Mona")
        assert commit["job"]["state"] == "done"
        assert commit["verdicts"][0]["outcome"] == "regressed"
        again = httpx.post(f"{server.api}/hooks/github", content=body, headers=headers)
        assert again.json()["reason"].startswith("this delivery was accepted before")


def children(process: Program | subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def agents(process: Program | subprocess.Popen[bytes]) -> list[psutil.Process]:
    found = []
    for child in children(process):
        with suppress(psutil.NoSuchProcess):
            if "agent" in child.cmdline():
                found.append(child)
    return found


@pytest.mark.parametrize("end", [*by_night(signal.SIGINT, signal.SIGTERM), signal.SIGKILL])
def test_agent_runs_beside_the_server_and_ends_with_it(
    state: Path, tmp_path: Path, end: signal.Signals
) -> None:
    with running(state, NALM_HOME=str(tmp_path / "home")) as server, httpx.Client() as client:
        process = server.process
        until(lambda: client.get(f"{server.api}/health").json()["agents_seen"] == 1, "the agent")
        agent = agents(process)[0]
        if end is signal.SIGINT:  # and once more for a child that dies
            agent.kill()
            agent = until(lambda: [one for one in agents(process) if one != agent], "another agent")[0]
        everyone = [agent, *children(process)]
        process.send_signal(end)
        process.wait(PATIENCE_SECONDS)
        _, alive = psutil.wait_procs(everyone, timeout=PATIENCE_SECONDS)
        assert not alive
        if end is not signal.SIGKILL:
            assert process.returncode == 0
            assert "Traceback" not in server.log.read_text()


def test_keeper_that_never_started_stops() -> None:
    AgentKeeper(["true"]).stop()


def test_taken_port_is_named_and_nothing_is_touched(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = up(tmp_path / "state", port)
    assert done.returncode == 4
    assert f"Port {port} of 127.0.0.1 is taken" in done.stderr
    assert "--port" in done.stderr
    assert not (tmp_path / "state" / "nalm.db").exists()


def test_second_server_on_one_state_directory_is_refused(state: Path) -> None:
    with running(state, "--no-agent") as server:
        done = up(state)
        assert done.returncode == 4
        assert f"process {server.pid}" in done.stderr


def test_commands_print_the_address_the_server_is_at(state: Path) -> None:
    with running(state, "--no-agent") as server:
        assert (
            f"{server.url}/sign-in#link=" in command("account", "link", "admin", "--state", str(state)).stdout
        )
    reported = command(
        "account", "link", "admin", "--state", str(state), NALM_PUBLIC_URL="https://nalm.example"
    )
    assert "https://nalm.example/sign-in#link=" in reported.stdout


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda state: state.write_text("a file"), "is no directory"),
        (lambda state: (state.mkdir(), (state / "nalm.db").write_bytes(b"x" * 5000)), "damaged"),
        (lambda state: (state.mkdir(), (state / "secret.key").write_text("key")), "chmod 600"),
    ],
)
def test_unusable_state_is_a_message(tmp_path: Path, spoil: Any, said: str) -> None:
    state = tmp_path / "state"
    spoil(state)
    done = up(state)
    assert done.returncode == 4
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_unreachable_database_is_a_message(tmp_path: Path) -> None:
    done = up(tmp_path, NALM_DATABASE_URL=f"postgresql+psycopg://app@/none?host={tmp_path}")
    assert done.returncode == 4
    assert "NALM_DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
def test_full_disk_is_a_message() -> None:
    """A file system of its own that is too small for the database."""
    script = (
        "mount -t tmpfs -o size=128k none /mnt && "
        f"exec {NALM_SERVER} up --no-agent --port {free_port()} --state /mnt/state"
    )
    # Root needs no user namespace, and in a chroot gets none.
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(
        ["unshare", "--mount", *user, "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.nightly
def test_project_is_added_once(tmp_path: Path) -> None:
    arguments = ("project", "add", "nf", "--repository", "/srv/nf.git", "--state", str(tmp_path))
    first = command(*arguments)
    assert first.exit_code == 0
    assert "webhook secret" in first.stdout
    again = command(*arguments)
    assert (again.exit_code, "choose another name" in again.stderr) == (4, True)
    assert "nf  /srv/nf.git  main  0 commits" in command("project", "list", "--state", str(tmp_path)).stdout
    assert command("project", "add", "a b", "--repository", "x", "--state", str(tmp_path)).exit_code == 2


def test_tokens_from_the_command(state: Path) -> None:
    state_option = ("--state", str(state))
    made = command("token", "new", "agent", "--name", "bench-7", *state_option)
    assert made.stdout.startswith("nalm_")
    assert "1  agent  bench-7  server  valid until revoked" in command("token", "list", *state_option).stdout
    assert command("token", "revoke", "1", *state_option).exit_code == 0
    assert "revoked" in command("token", "list", *state_option).stdout
    gone = command("token", "revoke", "1", *state_option)
    assert (gone.exit_code, "no valid token 1" in gone.stderr) == (4, True)
    assert command("token", "new", "upload", "--name", "ci", *state_option).exit_code == 2


def test_wrong_setting_is_named(tmp_path: Path) -> None:
    done = command("migrate", "--state", str(tmp_path), NALM_LEASE_SECONDS="soon")
    assert done.exit_code == 2
    assert "NALM_LEASE_SECONDS" in done.stderr
