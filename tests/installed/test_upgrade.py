# SPDX-License-Identifier: Apache-2.0
"""An upgrade from the last version, with that version's data: builds, runs, a server's database."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from installed_systems import ROOT, TAG, Made, clone_of, run
from nalm_server_sockets import free_port
from tiny import NALM_TOML, NF_SOURCE, PROBE_HEADER, NfRepository

pytestmark = pytest.mark.timeout(3600)
BEFORE_TAGS = "cc99c83d"
"""The last commit of version 0.1.0, from before versions came from tags."""
UPGRADE = "pip install -c dist/constraints.txt dist/nalm_core-*.whl dist/nalm_server-*.whl"
"""As docs/install.md says, which also says how the agent comes into the same environment."""


def last_version() -> str:
    """The last tag before HEAD, or the version before there were tags."""
    command = ["git", "describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD~1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.strip() or BEFORE_TAGS
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{last}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    if known.returncode != 0:
        pytest.skip(f"not tried: this clone lacks {last}")
    return last


class Installed:
    """An environment of its own with nalm, and a home for its data."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.home, self.state = folder / "venv" / "bin", folder / "home", folder / "state"
        run(["python", "-m", "venv", folder / "venv"])

    def install_last(self, wheels: Path) -> None:
        found = sorted(wheels.glob("nalm_*.whl"))
        command = ["uv", "pip", "install", "-q", "--system-certs", "--python", self.programs / "python"]
        run([*command, "-c", ROOT / "requirements.lock", *found])

    def upgrade(self, made: Path) -> None:
        """By the documented command, in the directory that contains `dist`."""
        run(["sh", "-ec", f"{self.programs}/{UPGRADE} dist/nalm_agent-*.whl"], made)

    def environment(self, **more: str) -> dict[str, str]:
        return os.environ | {"NALM_HOME": str(self.home), "NO_COLOR": "1"} | more

    def nalm(self, cwd: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.programs / "nalm"), *arguments]
        return subprocess.run(
            command, cwd=cwd, env=self.environment(**more), capture_output=True, text=True, check=False
        )

    @contextmanager
    def serving(self) -> Iterator[httpx.Client]:
        """A client of a running server, as its administrator."""
        port = free_port()
        command = [
            self.programs / "nalm-server",
            "up",
            "--no-agent",
            "--state",
            self.state,
            "--port",
            str(port),
        ]
        log = self.state.with_suffix(".log")
        with log.open("ab") as output:
            process = subprocess.Popen(command, env=self.environment(), stdout=output, stderr=output)
        try:
            base = f"http://127.0.0.1:{port}/api/v1"
            ends = time.monotonic() + 180
            while time.monotonic() < ends:
                assert process.poll() is None, log.read_text()[-3000:]
                with contextlib.suppress(httpx.TransportError):
                    if httpx.get(f"{base}/health").is_success:
                        break
                time.sleep(0.05)
            token = (self.state / "admin.token").read_text().strip()
            yield httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def tiny_repository(folder: Path) -> NfRepository:
    """The tests' small NF, and a commit that costs more."""
    repository = NfRepository(folder)
    folder.mkdir()
    repository.git("init", "-q", "-b", "main")
    for file in (NF_SOURCE, PROBE_HEADER):
        repository.write(file.name, file.read_text())
    repository.write("traffic/capture.bin", "packets")
    repository.commit("first", nalm__toml=NALM_TOML, work__h="")
    repository.commit("slower", work__h="#define ALPHA_WORK 90\n")
    return repository


def figures(client: httpx.Client, run_id: str) -> Any:
    return client.get(f"/runs/{run_id}").raise_for_status().json()["verdict"]


def test_the_data_of_the_last_version_is_read(made: Made, tmp_path: Path) -> None:
    old = clone_of(last_version(), tmp_path / "old")
    for room in ("core", "agent", "server"):
        run(["python", "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "wheels"], old / room)
    installed = Installed(tmp_path / "installed")
    installed.install_last(tmp_path / "wheels")
    repository = tiny_repository(tmp_path / "tiny")
    command = ["check", "--base", "HEAD~1", "--head", "HEAD", "--json", "run.json"]
    done = installed.nalm(repository.path, *command)
    assert done.returncode in (1, 3), done.stdout + done.stderr
    report = json.loads((repository.path / "run.json").read_text())
    before = installed.nalm(repository.path, "show", "run.json").stdout
    with installed.serving() as client:
        new = {"name": "tiny", "repository": "/srv/tiny.git", "public": True}
        project = client.post("/projects", json=new).raise_for_status().json()
        sent = {
            "NALM_SERVER": str(client.base_url).removesuffix("/api/v1/"),
            "NALM_TOKEN": project["upload_token"],
        }
        submitted = installed.nalm(repository.path, "submit", "run.json", "--never-fail", **sent)
        assert submitted.returncode == 0, submitted.stderr
        verdict = figures(client, report["run_id"])

    assert f"/opt/nalm-server/bin/{UPGRADE}\n" in (ROOT / "docs" / "install.md").read_text()
    installed.upgrade(made.checkout)
    said = installed.nalm(repository.path, "--version").stdout
    assert said.strip() == f"nalm {TAG[1:]} (commit {made.commit})", "the commit is core's"
    after = installed.nalm(repository.path, "show", "run.json")
    assert after.returncode in (0, 1, 3), after.stderr
    assert _verdict_line(after.stdout) == _verdict_line(before)
    with installed.serving() as client:
        assert [one["name"] for one in client.get("/projects").raise_for_status().json()] == ["tiny"]
        assert figures(client, report["run_id"])["outcome"] == verdict["outcome"]
        page = client.get(str(client.base_url).removesuffix("/api/v1/") + "/").raise_for_status()
        assert "<div id=" in page.text
    again = installed.nalm(repository.path, "check", "--base", "HEAD~1", "--head", "HEAD")
    assert again.returncode in (1, 3), again.stderr


def _verdict_line(shown: str) -> str:
    """The line of `nalm show` with project, commit, outcome and cause, without sizes: versions round them in
    their own ways."""
    line = next(line for line in shown.splitlines() if line.strip())
    return re.sub(r"[\d.]+ %", "%", line)
