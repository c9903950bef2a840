# SPDX-License-Identifier: Apache-2.0
"""What `make dist` makes, from a clone with a tag, and bare systems to install it on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "dist-test"
PROGRAMS = Path(sys.executable).parent
TAG = "v9.8.0"
TRUSTED = "/etc/ssl/host.crt"
SYSTEMS = {"bookworm": "Debian 12", "jammy": "Ubuntu 22.04", "noble": "Ubuntu 24.04"}
COMPONENTS = {"bookworm": "main"}
"""Ubuntu has pipx, and Python 3.11 of 22.04, in universe."""
SCRIPTS = Path("/usr/share/debootstrap/scripts")
SCRIPT_OF_UBUNTU = SCRIPTS / "gutsy"
"""What debootstrap uses for each Ubuntu since 7.10. It may be older than a release, and lack its name."""


def run(command: Sequence[str | Path], cwd: Path | None = None, **variables: str) -> str:
    """Output of a command that succeeds. Its standard error is shown if it does not."""
    environment = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"} | variables
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def clone_of(commit: str, folder: Path) -> Path:
    """A checkout of a commit, with the page's packages of this one."""
    run(["git", "clone", "-q", "--shared", ROOT, folder])
    run(["git", "checkout", "-q", commit], folder)
    (folder / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    return folder


@dataclass(frozen=True)
class Made:
    """A checkout whose `dist` is made."""

    checkout: Path
    commit: str

    @property
    def dist(self) -> Path:
        return self.checkout / "dist"

    def file(self, pattern: str) -> Path:
        (found,) = self.dist.glob(pattern)
        return found


class BareSystem:
    """A minimal installation of a distribution, used through chroot."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, script: str) -> str:
        variables = {
            "PIP_CERT": TRUSTED,
            "SSL_CERT_FILE": TRUSTED,
            "HOME": "/root",
            "PATH": "/root/.local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
        }
        apart = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.root}/proc"]
        command = [*apart, "chroot", str(self.root), "sh", "-ec", script]
        environment = variables | {"DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (
            f"{script}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
        return done.stdout

    def code(self, script: str) -> tuple[int, str]:
        """Exit code and output of a script that may fail."""
        output = self.run(f"code=0; {{ {script}; }} 2>&1 || code=$?; echo code=$code")
        text, _, code = output.rpartition("code=")
        return int(code), text


def bare_system(suite: str, folder: Path) -> BareSystem:
    """A fresh system, from a copy that is made once. Skips the test where its archive cannot be reached."""
    if os.geteuid() != 0:
        pytest.skip("not tried: debootstrap needs root")
    if shutil.which("debootstrap") is None:
        pytest.skip("not tried: no debootstrap (apt-get install debootstrap)")
    kept, making = CACHE / suite, CACHE / f".{suite}"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(making, ignore_errors=True)
        options = ["--variant=minbase", "--no-check-gpg"]
        options += [f"--components={COMPONENTS.get(suite, 'main,universe')}"]
        script = [] if (SCRIPTS / suite).exists() else ["", str(SCRIPT_OF_UBUNTU)]
        command = ["debootstrap", *options, suite, str(making), *script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(making, ignore_errors=True)
            reason = done.stdout.strip().splitlines()[-1:] or ["debootstrap said nothing"]
            pytest.skip(f"not tried: {SYSTEMS[suite]} cannot be had here: {reason[0]}")
        making.rename(kept)
    root = folder / suite
    run(["cp", "-a", kept, root])
    # As installers leave it: with the pocket of updates. Python 3.11 of Ubuntu 22.04 is only there.
    sources = root / "etc" / "apt" / "sources.list"
    with sources.open("a") as file:
        file.write(sources.read_text().replace(f" {suite} ", f" {suite}-updates "))
    # What this host trusts, and where its pip finds packages, the bare system has as well.
    (root / "etc" / "ssl").mkdir(parents=True, exist_ok=True)
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / TRUSTED[1:])
    for file in ("/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts"):
        if Path(file).exists():
            shutil.copy(file, root / file[1:])
    for device in ("null", "zero", "random", "urandom", "tty"):
        if not (root / "dev" / device).exists():
            run(["cp", "-a", f"/dev/{device}", root / "dev" / device])
    return BareSystem(root)
