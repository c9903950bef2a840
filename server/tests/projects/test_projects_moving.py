# SPDX-License-Identifier: Apache-2.0
"""Another name, repository or default branch for a project, and what the audit log says of it."""

from __future__ import annotations

import json

from nalm_server.auth.accounts.repository import find as find_account
from nalm_server.auth.tokens import service as tokens
from nalm_server.auth.tokens.scopes import Scope
from nalm_server_harness import Service, described_paths
from nalm_server_reports import sha

NEW = {"name": "nf", "repository": "https://git.example/nf.git", "default_branch": "trunk"}


def push(service: Service) -> None:
    commit = {"id": sha(2), "message": "a commit"}
    body = {"ref": "refs/heads/main", "before": sha(1), "after": sha(2), "head_commit": commit}
    service.hook(json.dumps(body).encode(), 202)


def test_an_administrator_moves_a_project(service: Service) -> None:
    token = {"user": "x", "token": "secret"}
    service.request("PUT", "/projects/demo/read-token", "admin", 204, json=token)
    moved = service.request("PATCH", "/projects/demo", "admin", json=NEW)
    assert {key: moved[key] for key in NEW} == NEW
    service.get("/projects/demo", 404)
    assert not service.request("GET", "/projects/nf/branch-filters", "admin")["has_read_token"], (
        "the token was for the repository before"
    )
    log = service.request("GET", "/projects/nf/audit", "admin", params={"action": "project.change"})
    assert [one["detail"].split(" from ")[0] for one in log] == ["default branch", "repository", "name"]


def test_a_maintainer_does_not(service: Service) -> None:
    service.tokens["maintainer"] = maintainers_token(service)
    service.request("PATCH", "/projects/demo", "maintainer", json={"public": False})
    for field, value in NEW.items():
        service.request("PATCH", "/projects/demo", "maintainer", 403, json={field: value})


def maintainers_token(service: Service) -> str:
    service.post("/accounts", "admin", 201, {"name": "eve"})
    service.request("PUT", "/projects/demo/people/eve", "admin", json={"role": "maintainer"})
    with service.context.sessions() as session:
        account = find_account(session, "eve")
        assert account is not None
        token = tokens.issue(session, Scope.MAINTAIN, "eve's", service.clock(), account_id=account.id)
        session.commit()
    return token


def test_a_name_that_is_taken_or_that_reports_on_their_way_carry_stays(service: Service) -> None:
    service.post("/projects", "admin", 201, {"name": "nf", "repository": "/srv/nf.git"})
    service.request("PATCH", "/projects/demo", "admin", 409, json={"name": "nf"})
    push(service)
    service.lease()
    reported = service.request("PATCH", "/projects/demo", "admin", 409, json={"name": "another"})
    assert "1 of its jobs" in reported["error"]["message"]
    described = described_paths()["/api/v1/projects/{project}"]
    assert "409" in described["patch"]["responses"]


def test_the_audit_log_is_filtered(service: Service) -> None:
    for public in (False, True):
        service.request("PATCH", "/projects/demo", "admin", json={"public": public})
    service.post("/projects/demo/webhook-secret", "admin", 200, {})

    def actions(**params: str) -> list[str]:
        found = service.request("GET", "/projects/demo/audit", "admin", params=params)
        return [one["action"] for one in found]

    assert actions(action="project") == ["project.publish", "project.hide", "project.add"]
    assert actions(action="project.hide") == ["project.hide"]
    assert actions(action="pro") == []
    assert actions(who="nobody") == []
    assert len(actions(who="admin")) == len(actions())
