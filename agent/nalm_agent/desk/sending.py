# SPDX-License-Identifier: Apache-2.0
"""Sends results to a server as a command's options say, and prints what the server makes of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from nalm_core.text.plain_text import plain

from nalm_agent.desk.submit import submit_all, upload_token
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import UsageError
from nalm_agent.server_api.client import require_address
from nalm_agent.server_api.uploads import Uploader
from nalm_agent.source.git import Revision


@dataclass(frozen=True)
class Sending:
    """Where results go, known to be complete before anything is measured."""

    server: str
    token: str
    timeout: float

    @staticmethod
    def prepared(server: str | None, token_file: Path | None, timeout: float) -> Sending:
        """From the options. Raises UsageError for what is missing."""
        if not server:
            raise UsageError("which server?", hint="give its address with --server or in NALM_SERVER")
        return Sending(require_address(server), upload_token(token_file), timeout)

    @contextmanager
    def uploader(self) -> Iterator[Uploader]:
        """Connections to the server, closed afterwards."""
        made = Uploader(self.server, self.token, self.timeout, _say)
        try:
            yield made
        finally:
            made.close()

    def send(self, results: Sequence[Result], *, quiet: bool, as_json: bool = False) -> list[Result]:
        """Uploads the results and prints what the server says. Raises UsageError, ServerError."""
        with self.uploader() as uploader:
            answers = submit_all(results, uploader)
        if as_json:
            said = [taken.model_dump() | {"link": result.link} for result, taken in answers]
            sys.stdout.write(json.dumps(said) + "\n")
        elif not quiet:
            for result, taken in answers:
                known = "" if taken.new else " (it was there already)"
                typer.echo(plain(f"{result.title}: {taken.outcome}  {taken.summary}{known}\n  {result.link}"))
        return [result for result, _ in answers]


def require_commit(head: Revision) -> None:
    """Raises UsageError for a working tree with changes, before time is spent on it: no server takes it."""
    if head.dirty:
        raise UsageError(
            "a working tree with changes is no commit, so no server takes its report",
            hint="commit first, or leave out --submit",
        )


def _say(line: str) -> None:
    typer.echo(f"nalm: {line}", err=True)
