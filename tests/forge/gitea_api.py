# SPDX-License-Identifier: Apache-2.0
"""Gitea's own API, as one of its users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

BOT_SCOPES = ["write:repository", "write:issue", "read:user"]
"""The permissions that docs/notifications.md names."""


@dataclass(frozen=True)
class GiteaUser:
    """Signs in with name and password, like a person with curl."""

    url: str
    name: str
    password: str

    def call(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        answer = httpx.request(
            method,
            f"{self.url}/api/v1{path}",
            json=body,
            params=params or None,
            auth=(self.name, self.password),
            timeout=60,
        )
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def make_user(self, name: str) -> GiteaUser:
        """As an administrator."""
        password = f"{name}'s own secret"
        new = {"username": name, "password": password, "email": f"{name}@example.org"}
        self.call("POST", "/admin/users", new | {"must_change_password": False})
        return GiteaUser(self.url, name, password)

    def make_token(self, name: str, scopes: list[str]) -> str:
        return str(self.call("POST", f"/users/{self.name}/tokens", {"name": name, "scopes": scopes})["sha1"])

    def replay(self, repository: str, hook: int, delivery: str) -> None:
        """Uses the button "Redelivery", because the API has no such request."""
        with httpx.Client(base_url=self.url, headers={"Origin": self.url}, timeout=60) as page:
            form = {"user_name": self.name, "password": self.password}
            signed_in = page.post("/user/login", data=form)
            assert signed_in.status_code == 303, signed_in.text[:500]
            pressed = page.post(f"/{repository}/settings/hooks/{hook}/replay/{delivery}")
            assert pressed.status_code == 303, pressed.text[:500]
