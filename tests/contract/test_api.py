# SPDX-License-Identifier: Apache-2.0
"""Contract 4: one OpenAPI document, committed and served; `npm run check` compares the page's client."""

from __future__ import annotations

import json
import re
from pathlib import Path

from contract_server import ContractServer

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = json.loads((ROOT / "server" / "openapi.json").read_text())
AGENT_CLIENT = (ROOT / "agent" / "nalm_agent" / "server_api" / "jobs.py").read_text()


def test_the_server_serves_the_committed_document(server: ContractServer) -> None:
    answer = server.http.get(f"{server.url}/api/v1/openapi.json")
    assert answer.json() == COMMITTED


def test_the_agent_calls_only_what_is_documented() -> None:
    called = set(re.findall(r'"(/(?:agent|reports)[^"]*)"', AGENT_CLIENT))
    documented = {re.sub(r"\{[^}]*\}", "{}", path.removeprefix("/api/v1")) for path in COMMITTED["paths"]}
    assert called
    assert {re.sub(r"\{[^}]*\}", "{}", path) for path in called} <= documented


def test_every_error_has_one_shape(server: ContractServer) -> None:
    answers = [
        server.http.get("/projects/none"),
        server.http.post("/reports", content=b"{"),
        server.http.get("/projects/tiny/commits", params={"limit": "many"}),
        server.http.post("/hooks/github", content=b"{}"),
    ]
    assert [answer.status_code for answer in answers] == [404, 401, 422, 401]
    for answer in answers:
        assert set(answer.json()["error"]) >= {"name", "message", "request_id"}
