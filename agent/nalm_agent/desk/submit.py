# SPDX-License-Identifier: Apache-2.0
"""`nalm submit` and `nalm check --submit`: upload results and take over the server's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nalm_core.report.serialization import dump_report
from nalm_core.wire.uploads import StoredRun

from nalm_agent.report.outputs import judged_fully
from nalm_agent.report.result import Result
from nalm_agent.runtime.errors import UsageError
from nalm_agent.runtime.given_token import TOKEN, given_token
from nalm_agent.server_api.uploads import Uploader


def upload_token(file: Path | None) -> str:
    """The token from the file, else from the environment; not from an argument, which `ps` shows to all."""
    if file is None:
        token = given_token().strip()
        where = TOKEN
    else:
        try:
            token = file.read_text().strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise UsageError(
                f"the token file {file} cannot be read: {reason}", hint="--token-file FILE, or NALM_TOKEN"
            ) from error
        where = str(file)
    if not token or not (token.isascii() and token.isprintable()) or " " in token:
        raise UsageError(
            f"{where} holds no token",
            hint="put the project's upload token there, or into a file for --token-file; "
            "the server showed it when the project was created",
        )
    return token


def submit_all(
    results: Sequence[Result], uploader: Uploader, *, proposed: bool = False
) -> list[tuple[Result, StoredRun]]:
    """Uploads each; results with the server's outcome and the link to its page.

    An error in one report does not stop the others: the first error is raised after all are sent. Raises
    ServerError at once if the server stays unreachable.
    """
    done: list[tuple[Result, StoredRun]] = []
    refused: list[UsageError] = []
    for result in results:
        try:
            taken = uploader.send(dump_report(result.report), proposed=proposed)
        except UsageError as error:
            refused.append(UsageError(f"{result.title}: {error.message}", hint=error.hint, log=error.log))
            continue
        link = uploader.link(result.report.project, taken.run_id)
        done.append((_as_the_server_says(replace(result, link=link), taken), taken))
    if refused:
        raise refused[0]
    return done


def _as_the_server_says(result: Result, taken: StoredRun) -> Result:
    """The result with the server's verdict, which differs from the local one if their versions differ."""
    verdict = judged_fully(result).verdict
    if verdict.outcome == taken.outcome:
        return result
    said = {"outcome": taken.outcome, "summary": taken.summary, "reason": f"The server: {taken.summary}"}
    return replace(result, verdict=type(verdict).model_validate(verdict.model_dump() | said))
