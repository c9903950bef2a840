# SPDX-License-Identifier: Apache-2.0
"""Pull requests of forks, as each forge's webhook tells of them, over a repository that can be read."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server.webhooks.signature import hexdigest, sign
from nalm_server_git import Repo, copy_repo, serve_any_commit
from nalm_server_harness import Service
from sqlalchemy import update

OWN, FORK, OTHER_FORK = 1, 2, 3
"""Numbers of repositories at the forge."""
ACTIONS = {
    "github": {"pushed": "synchronize"},
    "gitea": {"pushed": "synchronized"},
    "agit": {"pushed": "synchronized"},
    "gitlab": {"opened": "open", "closed": "close", "reopened": "reopen", "pushed": "update"},
}
WEBHOOKS = ("github", "gitlab", "gitea", "agit", "generic")
"""agit: Gitea's refs/for, of which it tells as of a branch of the repository itself."""


@dataclass
class Forked:
    service: Service
    repo: Repo
    base: str
    heads: list[str]
    """Two commits of forks, each on top of the base."""
    numbers: Any = field(default_factory=itertools.count)

    def tell(self, forge: str, action: str, head: str, *, fork: int = FORK, number: int = 7) -> Any:
        """A webhook; what became of it."""
        event = self._event(forge, action, head, fork=fork, number=number)
        body = json.dumps(event | {"delivery": next(self.numbers)}).encode()
        secret = self.service.secret
        headers = {
            "github": {"X-GitHub-Event": "pull_request", "X-Hub-Signature-256": sign(secret, body)},
            "gitlab": {"X-Gitlab-Event": "Merge Request Hook", "X-Gitlab-Token": secret},
            "gitea": {"X-Gitea-Event": "pull_request", "X-Gitea-Signature": hexdigest(secret, body)},
            "generic": {"X-Nalm-Signature-256": sign(secret, body)},
        }
        name = "gitea" if forge == "agit" else forge
        answer = self.service.client.post(f"/api/v1/hooks/{name}", content=body, headers=headers[name])
        assert answer.status_code == 202, answer.text
        return self.service.worked(answer.json())

    def _event(self, forge: str, action: str, head: str, *, fork: int, number: int) -> dict[str, Any]:
        said = ACTIONS.get(forge, {}).get(action, action)
        base = {"ref": "main", "label": "main", "sha": self.base, "repo": {"id": OWN}, "repo_id": OWN}
        end = {"ref": "topic", "label": "topic", "sha": head, "repo": {"id": fork}, "repo_id": fork}
        if forge == "agit":
            end |= {"ref": f"refs/pull/{number}/head", "label": "", "repo_id": OWN}
        if forge == "gitlab":
            attributes = {"iid": number, "action": said, "target_branch": "main", "last_commit": {"id": head}}
            attributes |= {"source_project_id": fork, "target_project_id": OWN, "oldrev": self.base}
            return {"object_kind": "merge_request", "object_attributes": attributes}
        if forge == "generic":
            state = "closed" if action == "closed" else "open"
            request = {"number": number, "base": "main", "state": state, "from_fork": fork != OWN}
            return {"ref": "x", "after": head, "pull_request": request | {"fork": f"repository {fork}"}}
        request = {"number": number, "head": end, "base": base}
        return {"action": said, "number": number, "pull_request": request}

    def job(self, number: int) -> Any:
        return self.service.get(f"/jobs/{number}")

    def newest(self, **expected: Any) -> Any:
        jobs = self.service.get("/jobs")
        return next(job for job in jobs if all(job[name] == value for name, value in expected.items()))

    def policy(self, expected: str) -> None:
        body = {"fork_pull_requests": expected}
        self.service.request("PUT", "/projects/demo/branch-filters", "admin", json=body)


def forked(service: Service, folder: Path) -> Forked:
    repo, (base, heads) = copy_repo(_fill, folder)
    with service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository=str(repo.path)))
        branch_filters.require(session, 1).local = True
        session.commit()
    return Forked(service, repo, base, [*heads])


def _fill(repo: Repo) -> tuple[str, list[str]]:
    """The base, and two commits of forks on it."""
    serve_any_commit(repo)
    base = repo.commit("base")
    repo.push()
    heads = []
    for name in ("first", "second"):
        repo.git("checkout", "--quiet", "-b", name, base)
        heads.append(repo.commit(name))
        repo.push(f"{name}:refs/pull/{name}/head")
    repo.git("checkout", "--quiet", "main")
    return base, heads
