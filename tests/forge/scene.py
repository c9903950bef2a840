# SPDX-License-Identifier: Apache-2.0
"""A repository at Gitea and its project at nalm, connected as the documents describe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from clone import Clone
from fake_agent import FakeAgent
from gitea_api import BOT_SCOPES, GiteaUser
from gitea_process import Gitea
from nalm_process import Nalm
from nalm_server_waiting import until

EVENTS = ["push", "delete", "pull_request", "pull_request_sync"]


class Scene:
    """A private repository of Mona's with one commit on main, which a bot's token can read and write."""

    def __init__(self, gitea: Gitea, nalm: Nalm, admin: GiteaUser, name: str, home: Path) -> None:
        self.gitea, self.nalm, self.admin, self.name, self.home = gitea, nalm, admin, name, home
        self.agent = FakeAgent(nalm)
        self.mona = admin.make_user(f"mona-{name}")
        self.bot = admin.make_user(f"bot-{name}")
        self.repository = f"{self.mona.name}/{name}"
        self.api = f"/repos/{self.repository}"
        self.mona.call("POST", "/user/repos", {"name": name, "private": True, "default_branch": "main"})
        self.mona.call("PUT", f"{self.api}/collaborators/{self.bot.name}", {"permission": "write"})
        self.clone = Clone.make(home / name)
        self.first = self.clone.commit("first")
        self.push("main")
        self._wait_for_branch(self.mona, f"{self.api}/branches", "main")
        self.hook = self._meet()

    def _meet(self) -> int:
        address = f"{self.gitea.url}/{self.repository}.git"
        made = self.nalm.call("POST", "/projects", {"name": self.name, "repository": address})
        token = self.bot.make_token("nalm", BOT_SCOPES)
        project = f"/projects/{self.name}"
        self.nalm.call("PUT", f"{project}/read-token", {"user": self.bot.name, "token": token})
        forge = {"name": "gitea", "kind": "gitea", "url": self.gitea.url, "repository": self.repository}
        added = self.nalm.call("POST", f"{project}/integrations", forge | {"token": token})
        tried = self.nalm.call("POST", f"{project}/integrations/{added['id']}/test")
        assert tried["works"] and self.bot.name in tried["message"], tried
        address = f"{self.nalm.url}/api/v1/hooks/gitea?project={self.name}"
        config = {"url": address, "content_type": "json", "secret": made["webhook_secret"]}
        hook = {"type": "gitea", "active": True, "events": EVENTS, "config": config}
        return int(self.mona.call("POST", f"{self.api}/hooks", hook)["id"])

    def push(self, *refs: str) -> None:
        self.clone.push(self.mona, self.repository, *refs)

    def open_pull_request(self, head: str, who: GiteaUser | None = None) -> int:
        """From a branch, or `owner:branch`; Gitea registers branches some time after a push."""
        who = who or self.mona
        owner, _, branch = head.rpartition(":")
        self._wait_for_branch(who, f"/repos/{owner or self.mona.name}/{self.name}/branches", branch)
        expected = {"title": f"Take {head}", "head": head, "base": "main"}
        return int(who.call("POST", f"{self.api}/pulls", expected)["number"])

    def _wait_for_branch(self, who: GiteaUser, branches: str, branch: str) -> None:
        """Until Gitea lists it; before its first branch a repository is empty for Gitea."""

        def listed() -> bool:
            return branch in [one["name"] for one in who.call("GET", branches) or []]

        until(listed, f"Gitea's branch {branch}")

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        """All statuses of the commit at Gitea, newest first."""
        reported: list[dict[str, Any]] = self.mona.call(
            "GET", f"{self.api}/commits/{sha}/statuses", sort="recentupdate"
        )
        assert all(one["creator"]["login"] == self.bot.name for one in reported)
        assert {one["context"] for one in reported} <= {f"nalm/{self.name}"}
        return sorted(reported, key=lambda one: -one["id"])

    def status(self, sha: str, state: str) -> dict[str, Any]:
        """Waits until the commit's status at Gitea is this."""

        def reported() -> dict[str, Any] | None:
            found = self.statuses(sha)
            return found[0] if found and found[0]["status"] == state else None

        found: dict[str, Any] = until(reported, f"status {state} of {sha[:7]}")
        return found

    def comments(self, pull_request: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.mona.call("GET", f"{self.api}/issues/{pull_request}/comments")
        return found

    def job(self, sha: str) -> dict[str, Any]:
        """Waits for the commit's only job."""
        found = until(lambda: self.jobs(sha), f"a job of {sha[:7]}")
        assert len(found) == 1, found
        return dict(found[0])

    def jobs(self, sha: str) -> list[dict[str, Any]]:
        listed = self.nalm.call("GET", "/jobs", project=self.name)
        return [one for one in listed if one["head_sha"] == sha]

    def end(self) -> None:
        """Leaves no job that the agent of another test could get."""
        for one in self.nalm.call("GET", "/jobs", project=self.name):
            if one["finished_at"] is None:
                self.nalm.call("POST", f"/jobs/{one['id']}/cancel", {})

    def delivery(self, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The newest such delivery that has been processed."""

        def worked() -> dict[str, Any] | None:
            return next((one for one in self.deliveries() if matches(one) and one["worked_at"]), None)

        found: dict[str, Any] = until(worked, "a delivery that is worked on")
        return found

    def deliveries(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.nalm.call("GET", f"/projects/{self.name}/deliveries")
        return found

    def look_again(self, looked_at: str | None) -> str:
        """Restarts nalm, which at once compares its state with Gitea. Returns the time of that comparison."""
        self.nalm.kill()
        self.nalm.start(reconcile_seconds=1)

        def looked() -> str | None:
            shown = self.nalm.call("GET", f"/projects/{self.name}/branch-filters")
            done = shown["reconcile_error"] is None and shown["reconciled_at"] != looked_at
            return shown["reconciled_at"] if done else None

        found: str = until(looked, "a look at Gitea")
        return found

    def refs(self, kind: str) -> dict[str, str]:
        """Branches or tags as stored by nalm."""
        return {one["name"]: one["sha"] for one in self.nalm.call("GET", f"/projects/{self.name}/{kind}")}

    def reported_all(self) -> None:
        """Waits until no notification is pending."""

        def every() -> bool:
            return {one["state"] for one in self.notifications()} <= {"sent"}

        until(every, "everything told")

    def notifications(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.nalm.call("GET", f"/projects/{self.name}/notifications")
        return found
