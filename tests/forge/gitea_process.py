# SPDX-License-Identifier: Apache-2.0
"""A real Gitea on loopback, never as root, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import httpx
from nalm_server_waiting import until
from processes import Program, free_port

BUILT = Path(__file__).resolve().parents[2] / ".cache" / "forge"
USER = "nobody"
"""Its user if the tests run as root."""
SETTINGS = """
RUN_MODE = prod
RUN_USER = {user}
WORK_PATH = {folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = {url}/
STATIC_ROOT_PATH = {folder}/static
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
PASSWORD_HASH_ALGO = pbkdf2_v1
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = loopback
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[actions]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
"""


class Gitea(Program):
    """`start` and `stop` work repeatedly: its state is in its folder."""

    def __init__(self, home: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nalm-gitea-", dir="/tmp"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        user, self._as_user = pwd.getpwuid(os.geteuid()).pw_name, []
        if os.geteuid() == 0:
            group = str(pwd.getpwnam(USER).pw_gid)
            user, self._as_user = USER, ["setpriv", f"--reuid={USER}", f"--regid={group}", "--clear-groups"]
        # Copied, because another user cannot read files in root's home.
        shutil.copy(BUILT / "gitea", self.folder)
        shutil.copytree(BUILT / "static", self.folder / "static")
        settings = SETTINGS.format(user=user, folder=self.folder, port=self.port, url=self.url)
        (self.folder / "app.ini").write_text(settings)
        if self._as_user:
            subprocess.run(["chown", "-R", USER, str(self.folder)], check=True)
        environment = {"HOME": str(self.folder), "USER": user, "GITEA_WORK_DIR": str(self.folder)}
        super().__init__("gitea", self._command("web"), home, **environment)

    def _command(self, *arguments: str) -> list[str]:
        return [*self._as_user, str(self.folder / "gitea"), *arguments, "-c", str(self.folder / "app.ini")]

    def run(self, *arguments: str) -> None:
        """One of Gitea's own commands."""
        done = subprocess.run(
            self._command(*arguments),
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        super().start()

        def answers() -> bool:
            with suppress(httpx.TransportError):
                return httpx.get(f"{self.url}/api/healthz").is_success
            return False

        until(answers, f"Gitea; its log is {self.log}")

    def stop(self) -> None:
        """Ends it like an operator."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=60)

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
