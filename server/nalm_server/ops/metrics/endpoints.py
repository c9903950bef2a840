# SPDX-License-Identifier: Apache-2.0
"""GET /metrics."""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from nalm_server.auth.dependencies import Credentials, Ctx
from nalm_server.base.errors import ForbiddenError, UnauthorizedError
from nalm_server.base.settings import Settings

router = APIRouter(include_in_schema=False)

FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


@router.get("/metrics")
def get_metrics(request: Request, context: Ctx, credentials: Credentials) -> Response:
    """Returns metrics of the service in Prometheus' text format."""
    require_scraper(request, context.settings, credentials.credentials if credentials else None)
    return Response(generate_latest(request.app.state.registry), media_type=CONTENT_TYPE_LATEST)


def require_scraper(request: Request, settings: Settings, token: str | None) -> None:
    """Requires the token of the settings; without one, a caller on this host that is no proxy."""
    expected = settings.metrics_token
    if expected is None:
        if not _on_this_host(request):
            raise ForbiddenError(
                "Only this host may read /metrics without a token: an operator sets NALM_METRICS_TOKEN."
            )
    elif token is None or not hmac.compare_digest(token.encode(), expected.get_secret_value().encode()):
        raise UnauthorizedError("Send the header `Authorization: Bearer TOKEN` with NALM_METRICS_TOKEN.")


def _on_this_host(request: Request) -> bool:
    if request.client is None or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(request.client.host).is_loopback
    except ValueError:
        return False
