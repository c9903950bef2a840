# SPDX-License-Identifier: Apache-2.0
"""A forge on loopback that answers as GitHub, GitLab and Gitea do on the routes nalm calls."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from nalm_server_pulls import SHOWN, Pull, linked, page_of
from nalm_server_sockets import Reply, Seen

ME, SOMEBODY = 7, 8
TOKENS = ("Bearer good", "token good", "Bearer installation", "good")
COMMENTS = {
    "github": r"/repos/me/nf/issues/(\d+)/comments",
    "gitea": r"/api/v1/repos/me/nf/issues/(\d+)/comments",
    "gitlab": r"/api/v4/projects/me%2Fnf/merge_requests/(\d+)/notes",
}
COMMENT = {
    "github": r"/repos/me/nf/issues/comments/(\d+)",
    "gitea": r"/api/v1/repos/me/nf/issues/comments/(\d+)",
    "gitlab": r"/api/v4/projects/me%2Fnf/merge_requests/\d+/notes/(\d+)",
}
PULLS = {
    "github": r"/repos/me/nf/pulls(?:/(\d+))?",
    "gitea": r"/api/v1/repos/me/nf/pulls(?:/(\d+))?",
    "gitlab": r"/api/v4/projects/me%2Fnf/merge_requests(?:/(\d+))?",
}
STATUS = {
    "github": r"/repos/me/nf/statuses/(\w+)",
    "gitea": r"/api/v1/repos/me/nf/statuses/(\w+)",
    "gitlab": r"/api/v4/projects/me%2Fnf/statuses/(\w+)",
}


@dataclass
class FakeForge:
    kind: str
    statuses: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    page_size: int = 100
    """Of pull requests."""
    numbers: Any = field(default_factory=lambda: itertools.count(100))
    troubles: list[Reply] = field(default_factory=list)
    """Given as the next answers, before anything is done."""
    not_modified: int = 0
    """Answers (304) that GitHub does not count."""
    before_answers: Callable[[], object] = lambda: None
    lose_answers: int = 0
    """So many requests are carried out and their answers lost."""

    def say(self, body: str, author: int) -> int:
        number = next(self.numbers)
        user = {"id": author}
        app = {"id": 5} if author == ME else None
        self.comments[number] = {
            "id": number,
            "body": body,
            "user": user,
            "author": user,
            "performed_via_github_app": app,
        }
        return number

    def __call__(self, seen: Seen) -> Reply:
        self.before_answers()
        if self.troubles:
            return self.troubles.pop(0)
        reply = self._unless_known(seen, self._answer(seen))
        if self.lose_answers and seen.method != "GET":
            self.lose_answers -= 1
            return Reply(cut=True)
        return reply

    def _unless_known(self, seen: Seen, reply: Reply) -> Reply:
        """GitHub's answers of all kinds have an ETag, which goes with the token."""
        if self.kind != "github" or seen.method != "GET" or reply.status != 200:
            return reply
        etag = f'"{hashlib.sha256(reply.body).hexdigest()}"'
        if seen.headers.get("if-none-match") == etag:
            self.not_modified += 1
            return Reply(304, b"")
        return replace(reply, headers={**reply.headers, "ETag": etag})

    def _answer(self, seen: Seen) -> Reply:
        path = urlsplit(seen.path).path
        token = seen.headers.get("authorization") or seen.headers.get("private-token", "")
        if path == "/app/installations/9/access_tokens":
            return as_json(201, {"token": "installation"})
        if token not in TOKENS:
            return as_json(401, {"message": "Bad credentials"})
        body = json.loads(seen.body) if seen.body else {}
        kind = "github" if self.kind == "github_app" else self.kind
        if path.endswith("/user"):
            return as_json(200, {"id": ME, "login": "nalm-bot", "username": "nalm-bot"})
        if found := re.fullmatch(STATUS[kind], path):
            self.statuses.append((found[1], body))
            return as_json(201, {"id": next(self.numbers)})
        if seen.method == "GET" and (found := re.fullmatch(PULLS[kind], path)):
            return self._pulls(seen, found[1])
        return self._comments(kind, seen, body) or self._checks(seen.method, path, body)

    def _pulls(self, seen: Seen, number: str | None) -> Reply:
        if number is None:
            newest = sorted(self.pulls.values(), key=lambda one: one.updated_at, reverse=True)
            listed = [SHOWN[self.kind](one, alone=False) for one in newest if one.state == "open"]
            page, link = page_of(seen, listed, self.page_size)
            return linked(as_json(200, page), link)
        if int(number) not in self.pulls:
            return as_json(404, {"message": "Not Found"})
        return as_json(200, SHOWN[self.kind](self.pulls[int(number)], alone=True))

    def _comments(self, kind: str, seen: Seen, body: dict[str, Any]) -> Reply | None:
        parts = urlsplit(seen.path)
        path = parts.path
        if found := re.fullmatch(COMMENTS[kind], path):
            if seen.method == "POST":
                return as_json(201, self.comments[self.say(body["body"], ME)])
            listed = list(self.comments.values())
            if kind == "gitea":
                return as_json(200, listed)
            page, link = page_of(seen, listed)
            return linked(as_json(200, page), link)
        if found := re.fullmatch(COMMENT[kind], path):
            if int(found[1]) not in self.comments:
                return as_json(404, {"message": "Not Found"})
            self.comments[int(found[1])]["body"] = body["body"]
            return as_json(200, self.comments[int(found[1])])
        return None

    def _checks(self, method: str, path: str, body: dict[str, Any]) -> Reply:
        if found := re.fullmatch(r"/repos/me/nf/commits/(\w+)/check-runs", path):
            listed = [one for one in self.checks.values() if one["head_sha"] == found[1]]
            return as_json(200, {"total_count": len(listed), "check_runs": listed})
        if path == "/repos/me/nf/check-runs":
            number = next(self.numbers)
            self.checks[number] = {"id": number, **body}
            return as_json(201, self.checks[number])
        if found := re.fullmatch(r"/repos/me/nf/check-runs/(\d+)", path):
            self.checks[int(found[1])] |= body
            return as_json(200, self.checks[int(found[1])])
        if method == "GET" and path in ("/repos/me/nf", "/api/v1/repos/me/nf", "/api/v4/projects/me%2Fnf"):
            return as_json(200, {"id": 1})
        return as_json(404, {"message": "Not Found"})


def as_json(status: int, body: Any) -> Reply:
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json"})
