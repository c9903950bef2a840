# SPDX-License-Identifier: Apache-2.0
"""Log lines on standard error: for people, or as JSON for collectors."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRET_KEYS = re.compile(r"secret|password|token|authorization|cookie|private_key", re.IGNORECASE)
SECRETS = re.compile(
    r"nalm_[A-Za-z0-9_-]{20,}|whsec_[A-Za-z0-9+/=]{20,}|gh[a-z]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|glpat-[A-Za-z0-9_-]{10,}|(?<=Bearer )\S+|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)"
    r"|(?<=hooks\.slack\.com/)\S+|-----BEGIN[^-]+PRIVATE KEY-----[^-]+-----END[^-]+-----"
)
HIDDEN = "[hidden]"


def redact(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Removes secrets from a log line, by the field's name or by their form."""
    for key, value in line.items():
        if SECRET_KEYS.search(key):
            line[key] = HIDDEN
        elif isinstance(value, str):
            line[key] = SECRETS.sub(HIDDEN, value)
        elif isinstance(value, (dict, list, tuple)):
            line[key] = SECRETS.sub(HIDDEN, repr(value))
    return line


def configure(*, as_json: bool) -> None:
    render: structlog.types.Processor = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            redact,
            render,
        ],
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
