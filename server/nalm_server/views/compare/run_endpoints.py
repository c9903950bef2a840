# SPDX-License-Identifier: Apache-2.0
"""GET /runs/{run_id}/code, /source and /rates."""

from __future__ import annotations

from fastapi import Response
from nalm_core.profiles.source_view import FunctionSource
from nalm_core.rates.run_view import RunRates

from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import json_bytes
from nalm_server.base.schemas import RunId
from nalm_server.views.compare import run_code, run_rates
from nalm_server.views.compare.function_name import RequestedFunction
from nalm_server.views.compare.schemas import RunCode

router = api_router("runs")


@router.get("/runs/{run_id}/code", response_model=RunCode, responses=documented(404, 410))
def get_run_code(run_id: RunId, session: ReadDb, caller: Caller) -> Response:
    """Shows one run's kept rounds, and the cost per packet of functions and source lines on both sides."""
    return json_bytes(run_code.code_of_run(session, caller, run_id))


@router.get("/runs/{run_id}/source", responses=documented(404, 410))
def get_run_source(
    run_id: RunId, function: RequestedFunction, session: ReadDb, caller: Caller
) -> FunctionSource:
    """Shows one function of one run: the text of both sides, line by line, with the cost of each line."""
    return run_code.source_of_run(session, caller, run_id, function)


@router.get("/runs/{run_id}/rates", response_model=RunRates, responses=documented(404, 409, 410))
def get_run_rates(run_id: RunId, session: ReadDb, caller: Caller) -> Response:
    """Shows one run of rates or one soak: distributions of both sides, losses, searches, invalid trials."""
    return json_bytes(run_rates.rates_of_run(session, caller, run_id))
