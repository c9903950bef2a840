# SPDX-License-Identifier: Apache-2.0
"""Compiles the C programs and libraries of this folder, once on each host.

nalm_probe.h is the header of the probe contract (reference-nf/probe), not a copy.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from nalm_agent.native.toolchain import toolchain
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.atomic_file import sync_tree, unfinished
from nalm_agent.store.home import Home

FOLDER = Path(__file__).parent
OPTIONS = ("-O2", "-g", "-pthread", "-march=x86-64-v2", f"-I{FOLDER}")
SHARED = ("-shared", "-fPIC", "-fvisibility=hidden", "-fno-optimize-sibling-calls")
"""No function ends in a jump: such a one has no frame in a call chain, and perf does not see that it ran."""
COMPILE_SECONDS = 60.0


def program(home: Home, name: str) -> Path:
    """The compiled program `name`, compiled if necessary. Raises HostError if that fails."""
    return _compiled(home, name, ())


def library(home: Home, name: str) -> Path:
    """The shared library `name`, compiled if necessary. Raises HostError if that fails."""
    return _compiled(home, name, SHARED)


def _compiled(home: Home, name: str, options: Sequence[str]) -> Path:
    target = home.folder("native") / f"{name}-{_digest(name, options)}"
    if target.exists():
        return target
    new = unfinished(target)
    command = [os.environ.get("CC", "cc"), *OPTIONS, *options, "-o", str(new), str(FOLDER / f"{name}.c")]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=COMPILE_SECONDS, errors="replace"
        )
        if done.returncode != 0:
            raise HostError(
                f"{name}.c does not compile here", hint="apt-get install build-essential", log=done.stderr
            )
        sync_tree(target.parent)
        new.replace(target)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(
            f"{name}.c was not compiled: {error}", hint="apt-get install build-essential"
        ) from error
    finally:
        new.unlink(missing_ok=True)
    return target


def _digest(name: str, options: Sequence[str]) -> str:
    """Digest of sources, options and toolchain."""
    digest = hashlib.sha256(repr((OPTIONS[:-1], options, toolchain().identity())).encode())
    for source in (FOLDER / f"{name}.c", *sorted(FOLDER.glob("*.h"))):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
