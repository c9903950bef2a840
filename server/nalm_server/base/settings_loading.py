# SPDX-License-Identifier: Apache-2.0
"""Reads the settings: the environment, then the settings file. Rejects unknown and invalid ones."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from nalm_core.text.mistakes import message_of
from pydantic import SecretStr, ValidationError
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from nalm_server.base.settings import Settings

PREFIX = "NALM_"
FILE_VARIABLE = "NALM_CONFIG"
DEFAULT_FILE = Path("/etc/nalm/nalm.env")
NEIGHBOURS = frozenset(
    {
        "NALM_AGENT_READ",
        "NALM_BROKER_URL",
        "NALM_BUDGET_SECONDS",
        "NALM_BUILD_DISK_MB",
        "NALM_BUILD_MEMORY_MB",
        "NALM_BUILD_NETWORK",
        "NALM_BUILD_READ",
        "NALM_BUILD_SECONDS",
        "NALM_BUILD_USER",
        "NALM_GENERATORS",
        "NALM_HOME",
        "NALM_ISOLATION",
        "NALM_LOCKS",
        "NALM_NF",
        "NALM_NF_ASAN",
        "NALM_NF_MEMORY_MB",
        "NALM_POOL",
        "NALM_PROBE_EVENTS",
        "NALM_PROBE_FILE",
        "NALM_PROBE_GATE",
        "NALM_PROBE_SEED",
        "NALM_READY_SECONDS",
        "NALM_SERVER",
        "NALM_SKIP_APT",
        "NALM_SPOOL_LIMIT",
        "NALM_STORE_LIMIT",
        "NALM_TOKEN",
        "NALM_TRAFFIC_FILE",
    }
)
"""Variables of the agent, NFs, CI and make, which may be in the environment, too."""
OF_SERVICE = re.compile(r"NALM_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)")
"""Variables that Kubernetes gives containers beside a Service named nalm."""


class SettingsError(Exception):
    """A line for each invalid setting."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


@dataclass(frozen=True)
class Effective:
    """A setting in force."""

    variable: str
    shown: str
    """Its value, with secrets masked."""
    source: str


def load(**given: Any) -> Settings:
    """Raises SettingsError."""
    file = settings_file(os.environ)
    lines = _unknown(os.environ, "the environment")
    if file is not None:
        lines += _unknown(_read(file), str(file))
    if lines:
        raise SettingsError(lines)
    try:
        return Settings(**{"_env_file": file, **given})
    except ValidationError as error:
        raise SettingsError([_line(one["loc"], message_of(one), file) for one in error.errors()]) from error


def settings_file(environment: Mapping[str, str]) -> Path | None:
    """The file in NALM_CONFIG, or the default one if it is readable."""
    named = environment.get(FILE_VARIABLE)
    if named is not None:
        if not os.access(named, os.R_OK):
            raise SettingsError([f"{FILE_VARIABLE}: {named} cannot be read"])
        return Path(named)
    return DEFAULT_FILE if os.access(DEFAULT_FILE, os.R_OK) else None


def known() -> set[str]:
    """Every variable of the server."""
    return {variable_of(name) for name in Settings.model_fields} | {FILE_VARIABLE}


def variable_of(field: str) -> str:
    return PREFIX + field.upper()


def effective(settings: Settings) -> list[Effective]:
    """Every setting with its value and its source."""
    file = settings_file(os.environ)
    in_file = _read(file) if file is not None else {}
    found = []
    for name in Settings.model_fields:
        variable = variable_of(name)
        if variable in os.environ:
            source = "environment"
        elif variable in in_file:
            source = str(file)
        else:
            source = "command line" if name in settings.model_fields_set else "default"
        found.append(Effective(variable, shown(getattr(settings, name)), source))
    return found


def shown(value: Any) -> str:
    """The value without its secrets: those of a secret type, and passwords in addresses."""
    if value is None:
        return ""
    if isinstance(value, SecretStr):
        return "***"
    text = str(value)
    if "://" in text and "@" in text:
        try:
            return make_url(text).render_as_string(hide_password=True)
        except ArgumentError:
            return "***"
    return text


def _read(file: Path) -> dict[str, str]:
    return {name: value or "" for name, value in dotenv_values(file).items()}


def _unknown(variables: Mapping[str, str], where: str) -> list[str]:
    """Unknown NALM_ variables, each with the nearest known one."""
    lines = []
    for name in sorted(variables):
        if name.startswith(PREFIX) and name not in known() | NEIGHBOURS and not OF_SERVICE.fullmatch(name):
            near = difflib.get_close_matches(name, known(), n=1)
            meant = f"; did you mean {near[0]}?" if near else ": `nalm-server settings` lists all settings"
            lines.append(f"{name} in {where} is no setting{meant}")
    return lines


def _line(loc: tuple[int | str, ...], message: str, file: Path | None) -> str:
    variable = variable_of("_".join(str(part) for part in loc))
    in_file = file is not None and variable not in os.environ and variable in _read(file)
    return f"{variable}{f' in {file}' if in_file else ''}: {message}"
