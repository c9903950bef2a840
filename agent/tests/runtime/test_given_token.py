# SPDX-License-Identifier: Apache-2.0
"""A measured NF runs as the user of nalm: it finds the upload token in no environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SECRET = "nalm_" + "5ec2e7" * 6
NF = """
for path in /proc/self/environ /proc/$PPID/environ; do
    grep -qa "$1" $path 2>/dev/null
    case $? in 0) echo read ;; 1) echo hidden ;; *) echo refused ;; esac
done
"""
DESK = """
import ctypes, os, subprocess, sys
from pathlib import Path
from nalm_agent.desk.submit import upload_token
from nalm_agent.nf.nf_process import nf_environment
from nalm_agent.runtime.given_token import hide_token
nf, user = sys.argv[1:]
token = upload_token(None)
if int(user) != os.getuid():
    os.setuid(int(user))
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process that began as this user

def run() -> None:
    subprocess.run(["/bin/sh", "-c", nf, "nf", token], env=nf_environment(Path("/")), cwd="/", check=True)

run()
hide_token()
run()
subprocess.run(["/bin/sh", "-c", nf, "build", token], cwd="/", check=True)
assert upload_token(None) == token
"""
NOBODY = 65534


@pytest.mark.parametrize("user", sorted({os.getuid(), NOBODY if os.getuid() == 0 else os.getuid()}))
def test_an_nf_cannot_read_the_token_of_the_environment(user: int) -> None:
    """Root may read the memory of all: of the kernel's copy nothing must be left."""
    done = subprocess.run(
        [sys.executable, "-c", DESK, NF, str(user)],
        env=os.environ | {"NALM_TOKEN": SECRET},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    after = "hidden" if user == 0 else "refused"
    assert done.stdout.split() == ["hidden", "read", *["hidden", after] * 2]
