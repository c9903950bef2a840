# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent, by whomever, is answered as documented.

Every request made up is sent once, as one of the callers, on one of the databases. With
NALM_RANDOM_REQUESTS=100 there are so many more of each operation, each sent by every caller on both.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from nalm_server.app.application import make_app
from nalm_server_seeded import Seeded, keep_file, seeded, settings_of
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode
from schemathesis.python.asgi import get_client
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    missing_required_header,
    positive_data_acceptance,
)

THOROUGH = int(os.environ.get("NALM_RANDOM_REQUESTS", "0"))
CALLERS = ("root", "root", "bench", None)
"""An administrator, an agent, nobody."""
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", make_app(None))


@pytest.fixture(scope="module")
def stages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[list[Seeded]]:
    """The service on SQLite and on PostgreSQL."""
    home = tmp_path_factory.mktemp("sqlite")
    path = home / "nalm.db"
    path.write_bytes(request.getfixturevalue("sqlite_template").read_bytes())
    made = [seeded(settings_of(home, f"sqlite:///{path}"), lambda: keep_file(path))]
    databases = request.getfixturevalue("databases")
    name, url = databases.create(request.getfixturevalue("postgres_template"))
    home = tmp_path_factory.mktemp("postgresql")
    made.append(seeded(settings_of(home, url), lambda: databases.keep(name)))
    yield made
    for one in made:
        one.service.context.engine.dispose()


@pytest.fixture
def fresh(stages: list[Seeded]) -> list[Seeded]:
    """As they were before anybody sent anything."""
    for one in stages:
        one.reset()
    return stages


@schema.parametrize()
@settings(
    max_examples=max(4, THOROUGH), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
def test_whatever_is_sent_is_answered_as_documented(case: schemathesis.Case, fresh: list[Seeded]) -> None:
    """No 500, no undocumented status, no answer of another shape."""
    body = None if isinstance(case.body, NotSet) else case.body  # which is written with its address
    lot = zlib.crc32(repr((case.path_parameters, case.query, body)).encode())
    if lot % 5:
        aim(case, fresh[0].known)
    make_short(case)
    make_known(case, fresh[0].known)
    if not THOROUGH:
        send(case, fresh[lot % 2], CALLERS[lot // 2 % len(CALLERS)])
        return
    for stage in fresh:
        for caller in CALLERS[1:]:
            send(case, stage, caller)


def aim(case: schemathesis.Case, known: dict[str, Any]) -> None:
    """Puts what is in the database where anything would do: requests at random hit nothing."""
    parts = {
        ParameterLocation.PATH: case.path_parameters,
        ParameterLocation.QUERY: case.query,
        ParameterLocation.BODY: case.body,
    }
    for location, part in parts.items():
        made = case.meta.components.get(location) if case.meta else None
        if isinstance(part, dict) and made is not None and made.mode is GenerationMode.POSITIVE:
            part.update({name: known[name] for name in part if name in known})


def make_short(case: schemathesis.Case) -> None:
    """Nobody waits for a job."""
    if case.operation.path == "/api/v1/agent/lease" and isinstance(case.body, dict):
        wait = case.body.get("wait_seconds")
        if isinstance(wait, int | float) and 0 < wait <= 60:
            case.body["wait_seconds"] = 0


def make_known(case: schemathesis.Case, known: dict[str, Any]) -> None:
    """Nobody asks the repository, which is out of reach."""
    made = case.meta.components.get(ParameterLocation.BODY) if case.meta else None
    fits = made is not None and made.mode is GenerationMode.POSITIVE
    if case.operation.path.endswith("/experiments") and fits and isinstance(case.body, dict):
        case.body["revision"] = known["commit"]


def send(case: schemathesis.Case, stage: Seeded, caller: str | None) -> None:
    headers = {"Authorization": f"Bearer {stage.service.tokens[caller]}"} if caller else {}
    # What fits the schema may contradict itself, or what is stored; the answer then says where. And whether
    # callers are told apart is test_access_matrix's: the header that tells them is put in here.
    excluded = [ignored_auth, missing_required_header, positive_data_acceptance]
    with get_client(stage.app) as client:
        case.call_and_validate(session=client, app=stage.app, headers=headers, excluded_checks=excluded)
