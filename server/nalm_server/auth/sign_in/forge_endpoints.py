# SPDX-License-Identifier: Apache-2.0
"""GET /sign-in/providers, /sign-in/{provider}/start, /sign-in/{provider}/callback."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import RedirectResponse

from nalm_server.auth.dependencies import Ctx
from nalm_server.auth.sign_in import cookies, forge_service
from nalm_server.auth.sign_in.schemas import ProviderShown
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import UnauthorizedError, documented

router = api_router("session", "/sign-in")

Name = Annotated[str, Path(min_length=1, max_length=32, pattern="^[a-z0-9-]+$", description="A provider.")]
ForgeParameter = Annotated[str | None, Query(max_length=2048)]
To = Annotated[
    str | None, Query(max_length=1024, description="The page to show after sign-in: a path of this server.")
]
WAY = "way"


@router.get("/providers", responses=documented())
def list_providers(context: Ctx) -> list[ProviderShown]:
    """Lists the providers by which people can sign in, besides name and password."""
    return [
        ProviderShown(name=name, label=one.label or name) for name, one in context.settings.sign_in.items()
    ]


@router.get("/{provider}/start", status_code=303, response_class=RedirectResponse, responses=documented(404))
def start_sign_in(provider: Name, request: Request, context: Ctx, to: To = None) -> RedirectResponse:
    """Redirects the browser to the provider."""
    address, sealed = forge_service.start(context, provider, to)
    response = RedirectResponse(address, 303)
    cookies.put(request, response, context.settings, sealed, seconds=forge_service.WAY_SECONDS, what=WAY)
    return response


@router.get(
    "/{provider}/callback", status_code=303, response_class=RedirectResponse, responses=documented(404)
)
def finish_sign_in(
    provider: Name, request: Request, context: Ctx, state: ForgeParameter = None, code: ForgeParameter = None
) -> RedirectResponse:
    """Receives the browser back from the provider, signs in and shows the page."""
    forge_service.require(context, provider)
    sealed = request.cookies.get(cookies.name_of(request, context.settings, WAY))
    if not sealed or not state or not code:
        raise UnauthorizedError(forge_service.AGAIN)
    made, to = forge_service.come_back(context, provider, sealed=sealed, state=state, code=code)
    response = RedirectResponse(to, 303)
    cookies.drop(request, response, context.settings, WAY)
    cookies.put_session(request, response, context.settings, made)
    return response
