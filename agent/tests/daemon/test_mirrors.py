# SPDX-License-Identifier: Apache-2.0
"""The agent's clone of a project fetches missing commits, and only from repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.daemon.mirrors import mirrored
from nalm_agent.runtime.errors import GitError
from nalm_agent.store.home import Home
from nalm_core.wire.jobs import Lease
from tiny import NfRepository


def lease(repository: str, head: str) -> Lease:
    return Lease(
        job_id=1,
        fence=1,
        project="demo",
        repository=repository,
        base_sha=head,
        head_sha=head,
        reason="push",
        lease_seconds=60,
    )


def test_a_missing_commit_is_fetched(nf_repository: NfRepository, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    for message in ("one", "two"):
        head = nf_repository.commit(message, **{"work.h": f"// {message}\n"})
        mirror = mirrored(lease(str(nf_repository.path), head), home)
        assert (mirror / "HEAD").exists()
    with pytest.raises(GitError, match="has no commit"):
        mirrored(lease(str(nf_repository.path), "f" * 40), home)


@pytest.mark.parametrize(
    "address", ["ext::touch {made}", "--upload-pack=touch {made};git-upload-pack", "git://127.0.0.1:1/x"]
)
def test_an_address_runs_no_program(tmp_path: Path, address: str) -> None:
    made = tmp_path / "made"
    with pytest.raises(GitError, match="fetch"):
        mirrored(lease(address.format(made=made), "f" * 40), Home(tmp_path / "home"))
    assert not made.exists()


def test_a_commits_name_is_no_option(nf_repository: NfRepository, tmp_path: Path) -> None:
    with pytest.raises(GitError, match="has no commit"):
        mirrored(lease(str(nf_repository.path), "--batch-all-objects"), Home(tmp_path / "home"))
