# SPDX-License-Identifier: Apache-2.0
"""GitHub's sign-in on loopback: codes that work once, PKCE checked, a token for /user and /user/orgs."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from nalm_server_forge import as_json
from nalm_server_sockets import Reply, Seen


@dataclass
class FakeGithub:
    user: dict[str, Any] = field(default_factory=lambda: {"id": 7, "login": "Mona"})
    orgs: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)

    def authorize(self, requested: dict[str, str]) -> str:
        """What the person's consent leads to: a code."""
        code = secrets.token_urlsafe(8)
        self.codes[code] = requested
        return code

    def __call__(self, seen: Seen) -> Reply:
        path = seen.path.partition("?")[0]
        if path == "/login/oauth/access_token":
            assert seen.headers["accept"] == "application/json", "else GitHub answers with a form"
            return self._token(dict(parse_qsl(seen.body.decode())))
        if seen.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return as_json(401, {"message": "Bad credentials"})
        orgs = [{"login": one} for one in self.orgs]
        return as_json(200, {"/api/v3/user": self.user, "/api/v3/user/orgs": orgs}[path])

    def _token(self, reported: dict[str, str]) -> Reply:
        requested = self.codes.pop(reported["code"], None)
        digest = base64.urlsafe_b64encode(hashlib.sha256(reported["code_verifier"].encode()).digest())
        if requested is None or requested["code_challenge"] != digest.rstrip(b"=").decode():
            return as_json(200, {"error": "bad_verification_code"})  # with 200, as GitHub has it
        self.tokens.add(token := secrets.token_urlsafe(8))
        return as_json(
            200, {"access_token": token, "token_type": "bearer", "scope": requested.get("scope", "")}
        )
