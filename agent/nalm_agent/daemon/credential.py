# SPDX-License-Identifier: Apache-2.0
"""The agent's own credential, obtained with an invitation and kept in $NALM_HOME/agent.json (mode 0600)."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from nalm_core.text.mistakes import first_mistake
from nalm_core.wire.jobs import Registered
from pydantic import BaseModel, ValidationError

from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.measure.needs import capabilities
from nalm_agent.runtime.errors import HostError, UsageError
from nalm_agent.server_api.jobs import ServerClient
from nalm_agent.store.atomic_file import put
from nalm_agent.store.home import Home

FILE = "agent.json"
NAME = "NALM_AGENT_NAME"
"""Environment variable: the agent's name, if it differs from the host's, as for two agents on one host."""


class Credential(BaseModel):
    """The identity of this agent at its server."""

    server: str
    name: str
    pool: str | None
    token: str
    broker_url: str | None = None


def own_name() -> str:
    return os.environ.get(NAME) or socket.gethostname()


def load(home: Home) -> Credential | None:
    """None if this agent was never registered."""
    path = home.root / FILE
    try:
        return Credential.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        why = first_mistake(error.errors()) if isinstance(error, ValidationError) else error.strerror
        raise HostError(
            f"{path} cannot be read: {why}", hint="register this agent again (`nalm agent register`)"
        ) from error


def save(home: Home, credential: Credential) -> Path:
    path = home.folder(".") / FILE
    put(path, credential.model_dump_json().encode())
    return path


def from_file(server: str, token_file: Path, pool: str | None) -> Credential:
    """The credential of a shared token, which an operator or the server's first start made."""
    try:
        token = token_file.read_text().strip()
    except OSError as error:
        raise UsageError(
            f"the token file {token_file} cannot be read: {error.strerror}",
            hint="`nalm-server up` writes one; or register this agent (`nalm agent register`)",
        ) from error
    return Credential(server=server, name=own_name(), pool=pool, token=token)


def register(home: Home, client: ServerClient, invitation: str, pool: str | None) -> Credential:
    """Exchanges an invitation, which is valid once, for this agent's own credential."""
    host = fingerprint(home)
    home.folder(".")
    request: dict[str, object] = {
        "invitation": invitation,
        "name": own_name(),
        "host_class": host.host_class,
        "pool": pool,
        "capabilities": capabilities().__dict__,
    }
    got: Registered = client.register(request)
    credential = Credential(
        server=client.address, name=got.name, pool=got.pool, token=got.token, broker_url=got.broker_url
    )
    save(home, credential)
    return credential


def rotate(home: Home, old: Credential, connect: type[ServerClient]) -> None:
    """Replaces the token with a new one. After an interruption the token in the file is valid."""
    client = connect(old.server, old.token, _quiet)
    try:
        new = old.model_copy(update={"token": client.rotate()})
    finally:
        client.close()
    save(home, new)
    client = connect(new.server, new.token, _quiet)
    try:
        client.rotated()
    finally:
        client.close()


def _quiet(_line: str) -> None:
    """Prints nothing: a command succeeds or fails at once."""
