# SPDX-License-Identifier: Apache-2.0
"""A project's configuration on the server: set by maintainers, sent with jobs to agents that take it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from nalm_server_harness import Service
from nalm_server_reports import sha

pytestmark = pytest.mark.dialects

TEXT = "version = 1\n[project]\nname = 'nf'\n[build]\n[run]\n[scenarios.a]\n"
CONFIGURATION = "/api/v1/projects/demo/configuration"


def put(service: Service, text: str | None, status: int = 200, token: str = "admin") -> Any:
    headers = {"Authorization": f"Bearer {service.tokens[token]}"}
    answer = service.client.put(CONFIGURATION, json={"text": text}, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def lease(service: Service, status: int, **more: Any) -> Any:
    body = {"host": "bench-1", "host_class": "vm-2", **more}
    return service.post("/agent/lease", "agent", status, body)


def test_jobs_carry_the_configuration(service: Service) -> None:
    found = put(service, TEXT)
    assert found == {"text": TEXT, "sha256": hashlib.sha256(TEXT.encode()).hexdigest()}
    body = {"ref": "refs/heads/main", "before": sha(0), "after": sha(1)}
    service.hook(json.dumps(body).encode(), 202)
    lease(service, 204, capabilities={"experiments": True})
    given = lease(service, 200, capabilities={"configurations": True})
    assert given["configuration"] == TEXT


def test_without_one_any_agent_has_the_job(service: Service) -> None:
    put(service, TEXT)
    assert put(service, None) == {"text": None, "sha256": None}
    body = {"ref": "refs/heads/main", "before": sha(0), "after": sha(1)}
    service.hook(json.dumps(body).encode(), 202)
    assert lease(service, 200, capabilities={})["configuration"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [("version = ", "not valid TOML"), ("[project]\n", r"no table [build]"), ("build = 3\n", "[project]")],
)
def test_a_text_that_is_no_nalm_toml_is_refused(service: Service, text: str, said: str) -> None:
    answer = put(service, text, 422)
    assert said in answer["error"]["message"]
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    assert service.client.get(CONFIGURATION, headers=headers).json()["text"] is None


def test_only_maintainers_set_it(service: Service) -> None:
    put(service, TEXT, 403, token="upload")
