# SPDX-License-Identifier: Apache-2.0
"""The server for recorded requests: a project with the recorded repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contract_server import ContractServer
from nalm_server_git import serve
from recorded_exchange import RECORDED, Replay

BUNDLE = RECORDED / "repository.bundle"


@contextmanager
def recorded_server(home: Path, bundle: Path = BUNDLE) -> Iterator[Replay]:
    clone = ["git", "clone", "--quiet", "--mirror", str(bundle), str(home / "nf.git")]
    subprocess.run(clone, check=True)
    with serve(home) as forge:
        server = ContractServer(home / "state", f"{forge.url}/nf.git", NALM_OUTGOING_ALLOW="127.0.0.1")
        replay = Replay(server)
        try:
            yield replay
        finally:
            server.end()
            replay.end()
