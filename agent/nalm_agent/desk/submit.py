# SPDX-License-Identifier: Apache-2.0
"""`nalm submit`, `nalm check --submit`: results to a server, and what the server makes of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nalm_core.report.serialization import dump_report
from nalm_core.wire.uploads import StoredRun

from nalm_agent.report.outputs import judged_fully
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import UsageError
from nalm_agent.server_api.uploads import Uploader

TOKEN = "NALM_TOKEN"


def upload_token(file: Path | None) -> str:
    """The token in the file, else in the environment: never an argument, which every process list shows."""
    if file is None:
        token = os.environ.get(TOKEN, "").strip()
        where = TOKEN
    else:
        try:
            token = file.read_text().strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise UsageError(
                f"the token file {file} cannot be read: {reason}", hint="--token-file FILE, or NALM_TOKEN"
            ) from error
        where = str(file)
    if not token or not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError(
            f"{where} holds no token",
            hint="put the project's upload token there, or into a file for --token-file; "
            "it was shown when the project was made",
        )
    return token


def submit_all(results: Sequence[Result], uploader: Uploader) -> list[tuple[Result, StoredRun]]:
    """Uploads each; results with the server's outcome and the link to its page.

    What is wrong with one report does not keep the others: the first error is raised when all are sent.
    Raises ServerError at once when the server stays away.
    """
    done: list[tuple[Result, StoredRun]] = []
    refused: list[UsageError] = []
    for result in results:
        try:
            taken = uploader.send(dump_report(result.report))
        except UsageError as error:
            refused.append(UsageError(f"{result.title}: {error.message}", hint=error.hint, log=error.log))
            continue
        link = uploader.link(result.report.project, taken.run_id)
        done.append((_as_the_server_says(replace(result, link=link), taken), taken))
    if refused:
        raise refused[0]
    return done


def _as_the_server_says(result: Result, taken: StoredRun) -> Result:
    """Its verdict counts: another one than here if the server is of another version."""
    verdict = judged_fully(result).verdict
    if verdict.outcome == taken.outcome:
        return result
    said = {"outcome": taken.outcome, "summary": taken.summary, "reason": f"The server: {taken.summary}"}
    return replace(result, verdict=type(verdict).model_validate(verdict.model_dump() | said))
