# SPDX-License-Identifier: Apache-2.0
"""Uploading: outages waited out within a limit, refusals told with what to do."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from nalm_agent.desk.submit import upload_token
from nalm_agent.runtime.errors import ExitCode, NalmError, ServerError, UsageError
from nalm_agent.runtime.given_token import TOKEN
from nalm_agent.server_api.client import require_address
from nalm_agent.server_api.uploads import Uploader

TAKEN = {"run_id": "0" * 32, "outcome": "same", "display": "same", "summary": "within", "new": True}
Answer = Callable[[httpx.Request], httpx.Response]


class Hours:
    """A clock that only a pause moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def uploader(answer: Answer, hours: Hours, timeout: float = 100) -> Uploader:
    transport = httpx.MockTransport(answer)
    address = "https://nalm.example.org"
    said: list[str] = []
    return Uploader(
        address,
        "nalm_t",
        timeout,
        said.append,
        transport=transport,
        pause=hours.pause,
        clock=lambda: hours.now,
    )


def test_report_goes_compressed_with_its_token() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(201, json=TAKEN)

    taken = uploader(answer, Hours()).send(b'{"a": 1}')
    assert (taken.outcome, taken.new) == ("same", True)
    (request,) = seen
    assert str(request.url) == "https://nalm.example.org/api/v1/reports"
    uploader(answer, Hours()).send(b"{}", proposed=True)
    assert str(seen[1].url) == "https://nalm.example.org/api/v1/reports?proposed=true"
    assert gzip.decompress(request.content) == b'{"a": 1}'
    assert request.headers["authorization"] == "Bearer nalm_t"
    assert request.headers["content-encoding"] == "gzip"


def test_outage_is_waited_out() -> None:
    answers = iter([httpx.ConnectError("refused"), 503, 429, 201])
    hours = Hours()

    def answer(request: httpx.Request) -> httpx.Response:
        one = next(answers)
        if isinstance(one, Exception):
            raise one
        return httpx.Response(one, json=TAKEN, headers={"retry-after": "7"} if one == 429 else {})

    assert uploader(answer, hours).send(b"{}").new
    assert hours.pauses == [0.5, 1.0, 7.0]


def test_outage_beyond_the_timeout_is_reported() -> None:
    hours = Hours()
    with pytest.raises(ServerError, match="answers 503") as reported:
        uploader(lambda _: httpx.Response(503), hours, timeout=60).send(b"{}")
    assert reported.value.exit_code == ExitCode.NOT_MEASURED
    assert "--timeout" in str(reported.value.hint)
    assert hours.now <= 60 and max(hours.pauses) <= 30


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "NALM_TOKEN"),
        (403, "NALM_TOKEN"),
        (404, "nalm.toml"),
        (409, "edited"),
        (413, "NALM_REPORT_BYTES"),
    ],
)
def test_refusals_say_what_to_do(status: int, hint: str) -> None:
    error = {"name": "x", "message": "This is why.", "request_id": "1", "details": []}
    hours = Hours()
    with pytest.raises(UsageError, match=r"This is why\. ") as reported:
        uploader(lambda _: httpx.Response(status, json={"error": error}), hours).send(b"{}")
    assert hint in str(reported.value.hint)
    assert not hours.pauses


def test_mistakes_in_the_report_are_named_with_their_path() -> None:
    details = [{"path": "$.host.name", "message": "expected 1 to 128 characters"}]
    error = {"name": "invalid", "message": "It cannot be stored.", "request_id": "1", "details": details}
    with pytest.raises(UsageError) as reported:
        uploader(lambda _: httpx.Response(422, json={"error": error}), Hours()).send(b"{}")
    assert reported.value.log == "$.host.name: expected 1 to 128 characters"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>welcome</html>"),
        httpx.Response(302, headers={"location": "https://login.example.org/"}),
        httpx.Response(418, text="<html>"),
        httpx.Response(499, content=json.dumps([1])),
    ],
)
def test_something_that_is_no_nalm_server(answer: httpx.Response) -> None:
    with pytest.raises(NalmError) as reported:
        uploader(lambda _: answer, Hours()).send(b"{}")
    assert reported.value.exit_code == ExitCode.USAGE and reported.value.hint


@pytest.mark.parametrize(
    "address", ["nalm.example.org", "ftp://e.org", "http://", "https://[::", "https://h:port", ""]
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(UsageError):
        require_address(address)


def test_token_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, " nalm_env\n")
    (tmp_path / "token").write_text("nalm_file\n")
    assert upload_token(None) == "nalm_env"
    assert upload_token(tmp_path / "token") == "nalm_file"


@pytest.mark.parametrize("text", ["", "two words", "nalm_\x00", "schlüssel"])
def test_what_is_no_token(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    (tmp_path / "token").write_text(text)
    for file in (tmp_path / "token", tmp_path / "absent", None):
        with pytest.raises(UsageError):
            upload_token(file)
