# SPDX-License-Identifier: Apache-2.0
"""Mail through a real SMTP server on loopback."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message as Mail
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from nalm_server.base.settings import MailSecurity, Settings
from nalm_server.notify import mail
from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.integrations.kinds import Event
from nalm_server.notify.messages import Message

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MESSAGE = Message(
    event=Event.REGRESSED,
    at=NOW,
    project="demo",
    text="demo sfc_a 0123456789ab: regressed +3.1 % in nät: pipeline use",
    url="http://nalm.example.org/p/demo",
    commit="0" * 40,
    base=None,
    branch="main",
    pull_request=None,
    scenario="sfc_a",
    run_id=None,
    job_id=None,
    verdict=None,
)


@dataclass
class Postman:
    answer: str = "250 OK"
    mails: list[Mail] = field(default_factory=list)
    cut: bool = False
    goodbye: str = "221 Bye"

    async def handle_DATA(self, server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        self.mails.append(message_from_bytes(envelope.content))
        if self.cut:
            server.transport.abort()
        return self.answer

    async def handle_QUIT(self, _server: Any, _session: Any, _envelope: Any) -> str:  # noqa: N802
        return self.goodbye


def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"nalm", b"right")
    return AuthResult(success=right, handled=False)


@pytest.fixture
def postman() -> Iterator[tuple[Postman, str]]:
    handler = Postman()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(
        handler, hostname="127.0.0.1", port=port, authenticator=authenticate, auth_require_tls=False
    )
    controller.start()
    yield handler, f"127.0.0.1:{port}"
    controller.stop()


def settings(server: str | None, **given: Any) -> Settings:
    return Settings(
        mail_server=server,
        mail_security=MailSecurity.NONE,
        public_url="https://nalm.example.org",
        mail_from="nalm@example.org",
        **given,
    )


def send(made: Settings) -> None:
    mail.send(made, ["dev@example.org", "ops@example.org"], MESSAGE, 12, NOW)


def test_mail_arrives_with_an_id_of_its_own(postman: tuple[Postman, str]) -> None:
    handler, server = postman
    send(settings(server, mail_user="nalm", mail_password="right"))
    (got,) = handler.mails
    assert (got["Message-ID"], got["From"]) == ("<nalm-12@nalm.example.org>", "nalm@example.org")
    assert got["Auto-Submitted"] == "auto-generated" and "ops@example.org" in got["To"]
    body = got.get_payload(decode=True)
    assert isinstance(body, bytes) and "nät" in body.decode() and MESSAGE.url in body.decode()


def test_mail_of_several_scenarios_has_their_overall_change(postman: tuple[Postman, str]) -> None:
    handler, server = postman
    said = "cycles per packet +1.2 % [+0.4, +2.0] over 5 scenarios: 1 regressed, 4 same"
    message = MESSAGE.model_copy(update={"overall": said})
    mail.send(settings(server), ["dev@example.org"], message, 12, NOW)
    body = handler.mails[0].get_payload(decode=True)
    assert isinstance(body, bytes) and body.decode().splitlines()[2] == f"Overall: {said}"
    assert said not in handler.mails[0]["Subject"]


@pytest.mark.parametrize(("answer", "after"), [("451: later", Next.AGAIN), ("554: no", Next.NEVER)])
def test_refusals_are_tried_again_or_not(postman: tuple[Postman, str], answer: str, after: Next) -> None:
    handler, server = postman
    handler.answer = answer.replace(":", "")
    with pytest.raises(SendError, match=answer) as failed:
        send(settings(server))
    assert failed.value.after is after


def test_connection_lost_after_the_text_leaves_it_unsure(postman: tuple[Postman, str]) -> None:
    handler, server = postman
    handler.cut = True
    with pytest.raises(SendError) as failed:
        send(settings(server))
    assert failed.value.after is Next.UNSURE


def test_wrong_password_is_reported_without_it(postman: tuple[Postman, str]) -> None:
    with pytest.raises(SendError, match="535") as failed:
        send(settings(postman[1], mail_user="nalm", mail_password="wrong-password"))
    assert failed.value.after is Next.NEVER and "wrong-password" not in str(failed.value)


def test_server_without_the_security_requested_gets_nothing(postman: tuple[Postman, str]) -> None:
    handler, server = postman
    made = settings(server).model_copy(update={"mail_security": MailSecurity.STARTTLS})
    with pytest.raises(SendError):
        send(made)
    assert handler.mails == []


def test_server_that_is_away_is_tried_again() -> None:
    with pytest.raises(SendError) as failed:
        send(settings("127.0.0.1:1"))
    assert failed.value.after is Next.AGAIN
    with pytest.raises(SendError, match="NALM_MAIL_SERVER"):
        send(settings(None))


@pytest.mark.parametrize("goodbye", ["421 shutting down", "554 no"])
def test_what_the_server_says_to_the_end_of_the_connection_sends_no_mail_twice(
    postman: tuple[Postman, str], goodbye: str
) -> None:
    handler, server = postman
    handler.goodbye = goodbye
    send(settings(server))
    assert len(handler.mails) == 1
