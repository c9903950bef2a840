# SPDX-License-Identifier: Apache-2.0
"""OAuth2 and OpenID Connect: authenticates by a provider. Authorization code with PKCE, state and nonce.

Discovery, keys and tokens come from addresses that the operator chose, not a user.
"""

from __future__ import annotations

import secrets
import warnings
from dataclasses import dataclass
from typing import Any

import httpx
from authlib.integrations.base_client.errors import OAuthError
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from nalm_server.base.errors import ForbiddenError, NalmError, UnauthorizedError
from nalm_server.base.outgoing.service import trusted
from nalm_server.base.sign_in_providers import Kind, Provider

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns about httpx on each import
    from authlib.integrations.httpx_client import OAuth2Client

TIMEOUT_SECONDS = 10.0
SIGNED_WITH = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
"""Never `none`, never a shared secret."""
LEEWAY_SECONDS = 60


class ProviderError(NalmError):
    status = 503
    name = "provider"


@dataclass(frozen=True)
class SignInRequest:
    """Sent with the browser, and checked when it returns."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Identity:
    """Issuer and subject never change; the name is only a suggestion."""

    issuer: str
    subject: str
    name: str


def new_request() -> SignInRequest:
    return SignInRequest(*(secrets.token_urlsafe(48) for _ in range(3)))


def endpoints(provider: Provider) -> dict[str, Any]:
    """Raises ProviderError if the discovery document is missing or of another issuer."""
    if provider.kind is Kind.GITHUB:
        base = f"{provider.github}/login/oauth"
        return {"authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/access_token"}
    found = _get(provider.issuer.rstrip("/") + "/.well-known/openid-configuration")
    if found.get("issuer") != provider.issuer:
        raise ProviderError(f"{provider.issuer} names itself {found.get('issuer')}: set the issuer to that.")
    return found


def address_to_ask(provider: Provider, redirect_uri: str, request: SignInRequest) -> str:
    with _client(provider, redirect_uri) as client:
        address, _ = client.create_authorization_url(
            endpoints(provider)["authorization_endpoint"],
            state=request.state,
            nonce=request.nonce,
            code_verifier=request.verifier,
        )
    return str(address)


def identify(provider: Provider, redirect_uri: str, request: SignInRequest, code: str, now: int) -> Identity:
    """The identity for this code. Raises UnauthorizedError for an invalid code, token or claim."""
    found = endpoints(provider)
    try:
        with _client(provider, redirect_uri) as client:
            token = client.fetch_token(
                found["token_endpoint"],
                grant_type="authorization_code",
                code=code,
                code_verifier=request.verifier,
            )
            if provider.kind is Kind.GITHUB:
                return _of_github(provider, client)
        claims = _claims(provider, found, token.get("id_token", ""), request.nonce, now)
    except (OAuthError, JoseError, ValueError) as error:
        raise UnauthorizedError(f"The provider's answer is not valid: {error}. Sign in again.") from error
    except httpx.HTTPError as error:
        raise ProviderError(f"The provider does not answer: {error}. Try again.") from error
    _require_group(provider, claims.get("groups", []))
    return Identity(provider.issuer, str(claims["sub"]), str(claims.get("preferred_username", "")))


def _client(provider: Provider, redirect_uri: str) -> OAuth2Client:
    github = "read:org" if provider.groups else None
    return OAuth2Client(
        client_id=provider.client_id,
        client_secret=provider.client_secret.get_secret_value(),
        redirect_uri=redirect_uri,
        scope=github if provider.kind is Kind.GITHUB else "openid profile",
        code_challenge_method="S256",
        timeout=TIMEOUT_SECONDS,
        verify=trusted(),
    )


def _claims(provider: Provider, found: dict[str, Any], id_token: str, nonce: str, now: int) -> dict[str, Any]:
    keys = KeySet.import_key_set(_get(found["jwks_uri"]))  # type: ignore[arg-type]
    claims = jwt.decode(id_token, keys, algorithms=SIGNED_WITH).claims
    jwt.JWTClaimsRegistry(
        now=now,
        leeway=LEEWAY_SECONDS,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client_id},
        sub={"essential": True},
        exp={"essential": True},
        nonce={"essential": True, "value": nonce},
    ).validate(claims)
    return claims


def _of_github(provider: Provider, client: OAuth2Client) -> Identity:
    user = client.get(f"{provider.github_api}/user").raise_for_status().json()
    if provider.groups:
        found = client.get(f"{provider.github_api}/user/orgs").raise_for_status().json()
        _require_group(provider, [one["login"] for one in found])
    return Identity(provider.github, str(user["id"]), str(user["login"]))


def _require_group(provider: Provider, groups: object) -> None:
    if provider.groups and not (isinstance(groups, list) and set(provider.groups) & set(map(str, groups))):
        raise ForbiddenError(f"Only members of {', '.join(provider.groups)} may sign in here.")


def _get(address: str) -> dict[str, Any]:
    try:
        answer = httpx.get(address, timeout=TIMEOUT_SECONDS).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise ProviderError(f"{address} gave no valid answer: {error}.") from error
    if not isinstance(answer, dict):
        raise ProviderError(f"{address} gave no valid answer.")
    return answer
