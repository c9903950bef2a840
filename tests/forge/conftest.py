# SPDX-License-Identifier: Apache-2.0
"""One Gitea and one nalm for all tests; each test has a repository and a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gitea_api import GiteaUser
from gitea_process import Gitea
from nalm_process import Nalm
from scene import Scene

PASSWORD = "known to these tests alone"


@pytest.fixture(scope="session")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Gitea, GiteaUser]]:
    gitea = Gitea(tmp_path_factory.mktemp("gitea"))
    try:
        gitea.run("migrate")
        user = ["--username", "boss", "--password", PASSWORD, "--email", "boss@example.org"]
        gitea.run("admin", "user", "create", "--admin", "--must-change-password=false", *user)
        gitea.start()
        yield gitea, GiteaUser(gitea.url, "boss", PASSWORD)
    finally:
        gitea.remove()


@pytest.fixture(scope="session")
def nalm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nalm]:
    made = Nalm(tmp_path_factory.mktemp("nalm"))
    try:
        made.start()
        yield made
    finally:
        made.kill()


@pytest.fixture
def scene(
    admin: tuple[Gitea, GiteaUser], nalm: Nalm, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Scene]:
    name = request.node.originalname.removeprefix("test_").replace("_", "-")[:30].strip("-")
    made = Scene(admin[0], nalm, admin[1], name, tmp_path)
    yield made
    made.end()
