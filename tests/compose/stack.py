# SPDX-License-Identifier: Apache-2.0
"""The shipped compose stack, from a copy of the checkout, and the repository its agent measures."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from tiny import NALM_TOML, NF_SOURCE, PROBE_HEADER, NfRepository

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Stack:
    """`server/deploy/upgrade` in a copy of git's files, with .env and tls/ as in docs/operate.md; as root."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self.home = home
        self._port = free_port()
        self._environment = environment
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in listed.decode().split("\0")[:-1]:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, home / name)
        for part in ("> .env", "openssl req"):
            self.documented("operate.md", part)
        with (home / ".env").open("a") as env:
            env.write(f"NALM_HTTPS_PORT={self._port}\nNALM_HTTP_PORT={free_port()}\n")

    def upgrade(self) -> None:
        subprocess.run(["server/deploy/upgrade"], cwd=self.home, env=self._environment, check=True)

    def documented(self, page: str, part: str, **given: str) -> None:
        """Runs the page's first block of commands that has the part. given: values of its variables."""
        blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
        block = next(one for one in blocks if part in one).replace("docker compose", "docker-compose")
        for name, value in given.items():
            block, number = re.subn(rf"(?m)^{name}=.*", f"{name}={value}", block)
            assert number == 1, name
        subprocess.run(["sh", "-ec", block], cwd=self.home, env=self._environment, check=True)

    def compose(self, *arguments: str) -> str:
        done = subprocess.run(
            ["docker-compose", *arguments],
            cwd=self.home,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def server(self, *arguments: str) -> str:
        return self.compose("exec", "-T", "server", "nalm-server", *arguments)

    def gateway(self) -> str:
        """The host's address for the agent and the worker."""
        name = f"{self.home.name}_bench"
        form = "{{(index .IPAM.Config 0).Gateway}}"
        done = subprocess.run(
            ["docker", "network", "inspect", name, "--format", form],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def api(self) -> httpx.Client:
        """A client of the proxy, which checks its certificate, as the administrator of the first start."""
        token = self.compose("exec", "-T", "server", "cat", "/var/lib/nalm/admin.token").strip()
        context = ssl.create_default_context(cafile=str(self.home / "tls" / "fullchain.pem"))
        context.check_hostname = False  # the certificate names this host, but the test connects to loopback
        return httpx.Client(
            base_url=f"https://127.0.0.1:{self._port}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            verify=context,
            timeout=60,
        )

    def down(self) -> None:
        self.compose("down", "-v", "--remove-orphans")


class Repository:
    """The tiny NF's repository, served by HTTP on an address of this host."""

    def __init__(self, home: Path, address: str) -> None:
        self.work = NfRepository(home / "work")
        self.work.path.mkdir(parents=True)
        self.work.git("init", "-q", "-b", "main")
        shutil.copy(NF_SOURCE, self.work.path)
        shutil.copy(PROBE_HEADER, self.work.path)
        self.work.write("traffic/capture.bin", "packets")
        self.work.commit("first", nalm__toml=NALM_TOML, work__h="")
        self._bare = home / "tiny.git"
        self.work.git("clone", "-q", "--bare", ".", str(self._bare))
        self._publish()
        handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(home))
        self._http = http.server.ThreadingHTTPServer((address, 0), handler)
        self.url = f"http://{address}:{self._http.server_port}/tiny.git"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def push(self) -> None:
        self.work.git("push", "-q", str(self._bare), "main")
        self._publish()

    def _publish(self) -> None:
        """Lists the refs in the file that a plain web server shows."""
        subprocess.run(["git", "update-server-info"], cwd=self._bare, check=True)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def signed_push(api: httpx.Client, project: dict[str, Any], before: str, after: str) -> httpx.Response:
    """A delivery as GitHub sends it."""
    commit = {"id": after, "message": "a change", "timestamp": "2026-11-21T09:00:00Z"}
    commit |= {"author": {"name": "A", "email": "a@example.org"}}
    payload = {"ref": "refs/heads/main", "before": before, "after": after, "commits": [commit]}
    body = json.dumps(payload | {"head_commit": commit, "deleted": False, "forced": False}).encode()
    signature = hmac.new(project["webhook_secret"].encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": after,
        "X-Hub-Signature-256": f"sha256={signature}",
        "Content-Type": "application/json",
    }
    return api.post("/hooks/github", content=body, headers=headers)
