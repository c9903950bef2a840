# SPDX-License-Identifier: Apache-2.0
"""Uploads results to a server and prints its verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from nalm_core.text.plain_text import plain

from nalm_agent.desk.submit import submit_all, upload_token
from nalm_agent.report.output_file import write_json
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import UsageError
from nalm_agent.server_api.client import require_address
from nalm_agent.server_api.uploads import Uploader


@dataclass(frozen=True)
class Sending:
    """The destination of results, checked before anything is measured."""

    server: str
    token: str
    timeout: float
    proposed: bool = False
    """Heads are not on the default branch."""

    @staticmethod
    def prepared(
        server: str | None, token_file: Path | None, timeout: float, *, proposed: bool = False
    ) -> Sending:
        """From a command's options. Raises UsageError if one is missing."""
        if not server:
            raise UsageError("no server is named", hint="give its address with --server or in NALM_SERVER")
        return Sending(require_address(server), upload_token(token_file), timeout, proposed)

    @contextmanager
    def uploader(self) -> Iterator[Uploader]:
        """A context with a connection to the server."""
        made = Uploader(self.server, self.token, self.timeout, _say)
        try:
            yield made
        finally:
            made.close()

    def send(self, results: Sequence[Result], *, quiet: bool, json_file: str | None = None) -> list[Result]:
        """Uploads the results and prints the server's verdicts. json_file: where its responses are written.

        Raises UsageError, ServerError.
        """
        with self.uploader() as uploader:
            answers = submit_all(results, uploader, proposed=self.proposed)
        said = [taken.model_dump() | {"link": result.link} for result, taken in answers]
        write_json(json_file, json.dumps(said))
        if not quiet:
            for result, taken in answers:
                known = "" if taken.new else " (already stored)"
                typer.echo(plain(f"{result.title}: {taken.outcome}  {taken.summary}{known}\n  {result.link}"))
        return [result for result, _ in answers]


def _say(line: str) -> None:
    typer.echo(f"nalm: {line}", err=True)
