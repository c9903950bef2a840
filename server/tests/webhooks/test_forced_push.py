# SPDX-License-Identifier: Apache-2.0
"""A forced push takes commits off the default branch, with their alerts and their part in fixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.changepoints.models import LookRow
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server_git import Repo, copy_repo, serve_any_commit
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report
from sqlalchemy import select, update

pytestmark = pytest.mark.dialects

SLOW = {"nat": 190.0}
"""Base's `nat` costs 150 cycles."""


@pytest.fixture
def repo(tmp_path: Path, service: Service) -> Repo:
    made, _ = copy_repo(serve_any_commit, tmp_path / "forge")
    with service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository=str(made.path)))
        branch_filters.require(session, 1).local = True
        session.commit()
    return made


def push(service: Service, repo: Repo, before: str, after: str) -> Any:
    repo.push(f"{after}:refs/heads/main")
    body = json.dumps({"ref": "refs/heads/main", "before": before, "after": after}).encode()
    return service.hook(body, 202)


def beside(repo: Repo, base: str, message: str) -> str:
    repo.git("reset", "--quiet", "--hard", base)
    return repo.commit(message)


def measure(service: Service, number: int, base: str, head: str, **given: Any) -> None:
    service.upload(body_of(make_report(number, base=base, head=head, **given)))


def only(service: Service) -> dict[str, Any]:
    (found,) = service.get("/projects/demo/alerts")
    shown: dict[str, Any] = service.get(f"/alerts/{found['id']}")
    return shown


def listed(service: Service) -> list[str]:
    return [one["sha"] for one in service.get("/projects/demo/commits")]


def looks(service: Service) -> int:
    with service.context.read_sessions() as session:
        return sum(row.requested for row in session.scalars(select(LookRow)))


def test_a_regression_that_was_forced_off_the_branch_is_over(service: Service, repo: Repo) -> None:
    base, slow = repo.commit("base"), repo.commit("slow")
    push(service, repo, base, slow)
    measure(service, 1, base, slow, head_costs=SLOW)
    service.confirm_alerts()
    before = looks(service)
    kept = beside(repo, base, "kept")
    push(service, repo, slow, kept)
    assert listed(service) == [kept]
    assert service.get("/projects/demo/scenarios/sfc_a/history")["points"] == []
    assert looks(service) == before + 1
    shown = only(service)
    assert (shown["state"], shown["reason"]) == ("dismissed", "dropped by a force push")
    quality = service.get("/projects/demo/detection-quality")["findings"]
    assert quality["dismissed"]["trials"] == 0, "no measurement decided it"
    faster = repo.commit("faster")
    push(service, repo, kept, faster)
    measure(service, 2, kept, faster, base_costs=COSTS | SLOW, head_costs={"nat": 150.0})
    verdict = service.get(f"/runs/{2:032x}")["verdict"]
    assert (verdict["outcome"], verdict["fixes_sha"]) == ("improved", None)


@pytest.mark.nightly
@pytest.mark.parametrize(("confirmed", "state"), [(True, "reopened"), (False, "new")])
def test_it_is_there_again_once_it_is_pushed_back(
    service: Service, repo: Repo, confirmed: bool, state: str
) -> None:
    base, slow = repo.commit("base"), repo.commit("slow")
    push(service, repo, base, slow)
    measure(service, 1, base, slow, head_costs=SLOW)
    if confirmed:
        service.confirm_alerts()
    kept = beside(repo, base, "kept")
    push(service, repo, slow, kept)
    before = looks(service)
    push(service, repo, kept, slow)
    assert listed(service) == [slow]
    assert only(service)["state"] == state
    assert looks(service) == before + 1


@pytest.mark.nightly
def test_what_a_dropped_commit_fixed_is_open_again(service: Service, repo: Repo) -> None:
    base, slow, fix = repo.commit("base"), repo.commit("slow"), repo.commit("fix")
    push(service, repo, base, fix)
    measure(service, 1, base, slow, head_costs=SLOW)
    service.confirm_alerts()
    measure(service, 2, slow, fix, base_costs=COSTS | SLOW, head_costs={"nat": 150.0})
    assert only(service)["state"] == "fixed"
    kept = beside(repo, slow, "kept")
    push(service, repo, fix, kept)
    shown = only(service)
    assert (shown["state"], shown["fixed_by_sha"], shown["recovery"]) == ("reopened", None, None)
    assert shown["reason"] == f"{fix[:7]}, which took it back, was dropped by a force push"


@pytest.mark.parametrize("order", [1, -1])
def test_what_the_new_tip_still_reaches_is_not_dropped(service: Service, repo: Repo, order: int) -> None:
    """Two merges of the same two commits: either one may be the merge base."""
    base = repo.commit("base")
    sides = [beside(repo, base, "one"), beside(repo, base, "other")][::order]
    tree = repo.git("rev-parse", f"{base}^{{tree}}")
    first, second = (
        repo.git("commit-tree", tree, "-m", "merge", "-p", left, "-p", right)
        for left, right in (sides, sides[::-1])
    )
    push(service, repo, base, first)
    assert listed(service) == [first, sides[0]]
    answer = push(service, repo, first, second)
    assert "1 dropped by a force push" in answer["why"]
    assert sides[0] in listed(service)
    assert first not in listed(service)


def test_a_push_of_another_root_drops_the_whole_line(service: Service, repo: Repo) -> None:
    base, tip = repo.commit("base"), repo.commit("tip")
    push(service, repo, base, tip)
    alone = repo.git("commit-tree", repo.git("rev-parse", f"{base}^{{tree}}"), "-m", "alone")
    push(service, repo, tip, alone)
    assert listed(service) == [alone]
