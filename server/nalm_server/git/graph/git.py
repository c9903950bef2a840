# SPDX-License-Identifier: Apache-2.0
"""Runs one git command: no prompt, no hook, only our configuration, one protocol, limited time and size.

Secrets are passed in the environment, never on the command line, and only to the repository's own host.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from nalm_core.text.plain_text import plain

from nalm_server.base.admission import outside
from nalm_server.git.graph.address import origin, protocol
from nalm_server.git.graph.errors import GraphError

PASSED_ON = (
    "PATH", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO",
    "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
)  # fmt: skip
"""Variables passed on from the server's environment: programs, keys, certificates, proxies."""
SHOWN_ERROR = 500
ADVICE = ("Please make sure you have the correct access rights", "and the repository exists.")
"""Lines that follow the cause of any failure to reach a repository, and would take its place."""


@dataclass(frozen=True)
class Repository:
    """Where a project's repository is and how to read it."""

    project_id: int
    address: str
    local: bool
    """A path of this host is allowed."""
    credential: tuple[str, str] | None
    """User and token for HTTP."""


@dataclass(frozen=True)
class Limits:
    seconds: float
    bytes: int
    """Maximum size of a file, which is a pack."""


def run(
    repository: Repository,
    limits: Limits,
    arguments: list[str],
    *,
    online: bool,
    mirror: Path | None,
    said: str = "",
    lock: int | None = None,
) -> str:
    """Returns standard output. Raises GraphError. Offline, git cannot fetch what the mirror lacks.

    said: git's standard input. lock: an open file, whose lock git holds, too, also if this process is killed.
    """
    place = ["--git-dir", str(mirror)] if mirror else []
    # Only a fetch writes packs. With the signal, git would say no more than "invalid index-pack output".
    limited = ["env", "--ignore-signal=XFSZ", "prlimit", f"--fsize={limits.bytes}"] if online else []
    command = [*limited, "git", *place, *arguments]
    environment = _environment(repository, online=online)
    # A session of its own: git's helpers (ssh, remote-https, index-pack) are killed with it.
    with (
        outside() if online else nullcontext(),
        subprocess.Popen(
            command,
            env=environment,
            cwd=mirror or "/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=() if lock is None else (lock,),
        ) as process,
    ):
        try:
            out, err = process.communicate(said.encode(), timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise GraphError(
                f"git {_name(arguments)} took longer than {limits.seconds:.0f} s: see NALM_GIT_SECONDS."
            ) from None
    if process.returncode != 0:
        said = _failure(_name(arguments), process.returncode, plain(err.decode(errors="replace")), limits)
        raise GraphError(said, process.returncode)
    return out.decode(errors="replace")


def _name(arguments: list[str]) -> str:
    """Name of the command, after its configuration."""
    return arguments[2] if arguments[0] == "-c" else arguments[0]


def _failure(command: str, code: int, said: str, limits: Limits) -> str:
    if "File too large" in said:
        return f"The repository is larger than {limits.bytes >> 20} MiB: see NALM_MIRROR_BYTES."
    lines = [line.strip() for line in said.splitlines()]
    last = " ".join([line for line in lines if line and line not in ADVICE][-3:])
    return f"git {command}: {last[-SHOWN_ERROR:] or f'exit code {code}'}"


def _environment(repository: Repository, *, online: bool) -> dict[str, str]:
    allowed = protocol(repository.address, local=repository.local)
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=15",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": allowed if online else "",
        **_configuration(repository),
    }


def _configuration(repository: Repository) -> dict[str, str]:
    settings = {
        "remote.origin.url": repository.address,
        "core.hooksPath": os.devnull,
        "core.askPass": "",
        "credential.helper": "",
        # A redirect could lead to a host that is not allowed, with the token.
        "http.followRedirects": "false",
        "http.lowSpeedLimit": "1000",
        "http.lowSpeedTime": "60",
        # Each fetch is a pack; git would write small ones as single files, of which there is no end.
        "fetch.unpackLimit": "1",
        "gc.autoDetach": "false",
        "maintenance.auto": "false",
    }
    target = origin(repository.address)
    if repository.credential and target:
        basic = base64.b64encode(":".join(repository.credential).encode()).decode()
        settings[f"http.{target}.extraHeader"] = f"Authorization: Basic {basic}"
    pairs = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        pairs[f"GIT_CONFIG_KEY_{number}"] = key
        pairs[f"GIT_CONFIG_VALUE_{number}"] = value
    return pairs
