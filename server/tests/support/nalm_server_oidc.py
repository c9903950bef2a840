# SPDX-License-Identifier: Apache-2.0
"""An OpenID provider on loopback: discovery, keys, codes that work once, PKCE checked, RS256."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from joserfc import jwt
from joserfc.jwk import RSAKey


@dataclass
class Provider:
    """Signs in `user`, unless told to misbehave through `wrong` (claims that replace the right ones)."""

    now: int
    issuer: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1", "use": "sig"}))
    user: dict[str, Any] = field(default_factory=lambda: {"sub": "42", "preferred_username": "Mona"})
    wrong: dict[str, Any] = field(default_factory=dict)
    forged: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, requested: dict[str, str]) -> str:
        """What the person's consent leads to: a code."""
        code = secrets.token_urlsafe(8)
        self.codes[code] = requested
        return code

    def id_token(self, requested: dict[str, str]) -> str:
        claims = {
            "iss": self.issuer,
            "aud": requested["client_id"],
            "nonce": requested["nonce"],
            "iat": self.now,
            "exp": self.now + 300,
            **self.user,
            **self.wrong,
        }
        if self.forged:  # signed with what is public
            parts = [_encoded(json.dumps(one).encode()) for one in ({"alg": "HS256", "kid": "1"}, claims)]
            signed = hmac.new(self.key.as_pem(private=False), ".".join(parts).encode(), hashlib.sha256)
            return ".".join([*parts, _encoded(signed.digest())])
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/.well-known/openid-configuration")
        def discovery() -> dict[str, str]:
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            return {"issuer": self.issuer} | {name: f"{self.issuer}/{name}" for name in names}

        @app.get("/jwks_uri")
        def keys() -> dict[str, Any]:
            return {"keys": [self.key.as_dict(private=False)]}

        @app.post("/token_endpoint")
        async def token(request: Request) -> JSONResponse:
            reported = dict(parse_qsl((await request.body()).decode()))
            requested = self.codes.pop(reported["code"], None)
            digest = hashlib.sha256(reported["code_verifier"].encode()).digest()
            if requested is None or requested["code_challenge"] != _encoded(digest):
                return JSONResponse({"error": "invalid_grant"}, 400)
            return JSONResponse(
                {"access_token": "a", "token_type": "Bearer", "id_token": self.id_token(requested)}
            )

        return app


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    listening = socket.create_server(("127.0.0.1", 0))
    provider.issuer = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(provider.app(), log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield provider  # what is asked before it serves waits in the socket
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
