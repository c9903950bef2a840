# SPDX-License-Identifier: Apache-2.0
"""Pull requests as the APIs of GitHub, GitLab and Gitea show them, in lists and alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from nalm_server_sockets import Reply, Seen

HOME, FORK = 1, 2
"""Numbers of the repository and of a fork."""


@dataclass(frozen=True)
class Pull:
    number: int
    head: str
    tip: str
    """Of the branch it goes into."""
    updated_at: datetime
    base: str = "main"
    fork: bool = False
    agit: bool = False
    """Pushed to Gitea's refs/for."""
    state: str = "open"
    """open, closed or merged."""
    merge_base: str | None = None
    body: str | None = "Adds a header."
    merged_as: str | None = None

    def ended(self, state: str, merged_as: str | None = None) -> Pull:
        return replace(self, state=state, merged_as=merged_as)


def as_github(pull: Pull, *, alone: bool) -> dict[str, Any]:
    """Whether it was merged is told of one that is asked for alone."""
    merged = pull.state == "merged"
    shown = {
        "id": 1000 + pull.number,
        "number": pull.number,
        "state": "open" if pull.state == "open" else "closed",
        "draft": False,
        "locked": False,
        "title": "nat: one more header",
        "html_url": f"https://github.com/me/nf/pull/{pull.number}",
        "body": pull.body,
        "user": {"login": "mona", "id": 8, "type": "User"},
        "created_at": "2026-11-01T08:00:00Z",
        "updated_at": f"{pull.updated_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "merged_at": "2026-11-21T09:00:00Z" if merged else None,
        "merge_commit_sha": pull.merged_as or "e" * 40,
        "head": {"label": "mona:topic", "ref": "topic", "sha": pull.head, "repo": _repo(pull.fork)},
        "base": {"label": f"me:{pull.base}", "ref": pull.base, "sha": pull.tip, "repo": _repo(False)},
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
    }
    return shown | {"merged": merged, "mergeable": None} if alone else shown


def as_gitlab(pull: Pull, *, alone: bool) -> dict[str, Any]:
    return {
        "id": 1000 + pull.number,
        "iid": pull.number,
        "project_id": HOME,
        "state": {"open": "opened"}.get(pull.state, pull.state),
        "title": "nat: one more header",
        "description": pull.body,
        "web_url": f"https://gitlab.com/me/nf/-/merge_requests/{pull.number}",
        "author": {"id": 8, "username": "mona", "name": "Mona"},
        "created_at": "2026-11-01T08:00:00.000Z",
        "updated_at": f"{pull.updated_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.123Z}",
        "target_branch": pull.base,
        "source_branch": "topic",
        "source_project_id": FORK if pull.fork else HOME,
        "target_project_id": HOME,
        "sha": pull.head,
        "merge_commit_sha": pull.merged_as,
        "squash_commit_sha": None,
        "draft": False,
    } | ({"diff_refs": None} if alone else {})


def as_gitea(pull: Pull, *, alone: bool) -> dict[str, Any]:
    return {
        "id": 1000 + pull.number,
        "number": pull.number,
        "state": "open" if pull.state == "open" else "closed",
        "title": "nat: one more header",
        "body": pull.body or "",
        "html_url": f"https://gitea.example.org/me/nf/pulls/{pull.number}",
        "user": {"id": 8, "login": "mona", "username": "mona"},
        "created_at": "2026-11-01T08:00:00Z",
        "updated_at": f"{pull.updated_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "merged": pull.state == "merged",
        "merged_at": None,
        "merge_commit_sha": pull.merged_as,
        "merge_base": pull.merge_base or pull.tip,
        "head": {
            "label": "" if pull.agit else "topic",
            "ref": f"refs/pull/{pull.number}/head" if pull.agit else "topic",
            "sha": pull.head,
            "repo_id": FORK if pull.fork else HOME,
        },
        "base": {"label": pull.base, "ref": pull.base, "sha": pull.tip, "repo_id": HOME},
    }


SHOWN = {"github": as_github, "github_app": as_github, "gitlab": as_gitlab, "gitea": as_gitea}


def page_of(seen: Seen, items: list[dict[str, Any]], size: int = 100) -> tuple[list[dict[str, Any]], str]:
    """(items of the page that is asked for, its Link header)."""
    parts = urlsplit(seen.path)
    requested = {name: values[0] for name, values in parse_qs(parts.query).items()}
    page = int(requested.get("page", "1"))
    following = urlencode({**requested, "page": page + 1})
    link = f'<http://{seen.headers["host"]}{parts.path}?{following}>; rel="next"'
    return items[(page - 1) * size : page * size], link if len(items) > page * size else ""


def linked(reply: Reply, link: str) -> Reply:
    return replace(reply, headers={**reply.headers, "Link": link}) if link else reply


def _repo(fork: bool) -> dict[str, Any]:
    return {"id": FORK if fork else HOME, "full_name": "mona/nf" if fork else "me/nf", "fork": fork}
