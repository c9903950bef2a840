# SPDX-License-Identifier: Apache-2.0
"""Mail over SMTP, to the operator's own mail server."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

import httpx
from nalm_core.text.plain_text import plain_line

from nalm_server.base.outgoing.service import trusted
from nalm_server.base.settings import LOCAL_URL, MailSecurity, Settings
from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.messages import Message, lines_of

SECONDS = 20


def compose(
    settings: Settings, recipients: Sequence[str], message: Message, number: int, now: datetime
) -> EmailMessage:
    """Headers suppress automatic replies; the id is the same for each try."""
    host = httpx.URL(settings.public_url or LOCAL_URL).host
    mail = EmailMessage()
    mail["Subject"] = f"[nalm] {message.text}"
    mail["From"] = settings.mail_from
    mail["To"] = ", ".join(recipients)
    mail["Date"] = format_datetime(now)
    mail["Message-ID"] = f"<nalm-{number}@{host}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content("\n\n".join([*lines_of(message), message.url]) + "\n")
    return mail


def send(settings: Settings, recipients: Sequence[str], message: Message, number: int, now: datetime) -> None:
    """Raises SendError. If the connection is lost after the text was sent, it may have been accepted."""
    if settings.mail_server is None:
        raise SendError("This server sends no mail: an operator sets NALM_MAIL_SERVER.", Next.NEVER)
    mail = compose(settings, recipients, message, number, now)
    server: smtplib.SMTP | None = None
    try:
        server = _connect(settings)
        refused = server.send_message(mail, settings.mail_from, recipients)
    except smtplib.SMTPResponseException as error:
        raise _answered(error.smtp_code, error.smtp_error) from error
    except smtplib.SMTPRecipientsRefused as error:
        code, text = next(iter(error.recipients.values()))
        raise _answered(code, text) from error
    except (OSError, smtplib.SMTPException) as error:
        after = Next.AGAIN if server is None else Next.UNSURE
        raise SendError(f"mail server: {str(error) or type(error).__name__}", after) from error
    finally:
        if server is not None:
            _leave(server)
    if refused:
        raise SendError(f"mail server refused {', '.join(refused)} and accepted the others", Next.NEVER)


def _connect(settings: Settings) -> smtplib.SMTP:
    host, _, port = str(settings.mail_server).rpartition(":")
    if settings.mail_security is MailSecurity.TLS:
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, int(port), timeout=SECONDS, context=trusted())
    else:
        server = smtplib.SMTP(host, int(port), timeout=SECONDS)
        if settings.mail_security is MailSecurity.STARTTLS:
            server.starttls(context=trusted())
    if settings.mail_user is not None and settings.mail_password is not None:
        server.login(settings.mail_user, settings.mail_password.get_secret_value())
    return server


def _leave(server: smtplib.SMTP) -> None:
    """Ends the connection. What the server says to that changes nothing: it has accepted the mail or not."""
    try:
        server.quit()
    except (OSError, smtplib.SMTPException):
        server.close()


def _answered(code: int, said: bytes | str) -> SendError:
    text = plain_line(said.decode(errors="replace") if isinstance(said, bytes) else said)
    after = Next.AGAIN if 400 <= code < 500 else Next.NEVER
    return SendError(f"mail server answered {code}: {text}"[:300], after)
