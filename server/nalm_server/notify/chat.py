# SPDX-License-Identifier: Apache-2.0
"""Incoming webhooks of Slack, Mattermost and compatible chats: {"text": ...}."""

from __future__ import annotations

import httpx

from nalm_server.notify.failure import of_answer
from nalm_server.notify.messages import Message, lines_of

MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "*": "∗", "_": "ˍ", "~": "∼", "`": "'", "@": "＠"}
)
"""Slack cannot escape its markup; look-alike characters have no effect."""


def send(client: httpx.Client, url: str, message: Message) -> None:
    """Raises SendError, or the client's errors."""
    text = "\n".join([*(line.translate(MARKS) for line in lines_of(message)), f"<{message.url}>"])
    answer = client.post(url, json={"text": text})
    if (error := of_answer(answer, httpx.URL(url).host)) is not None:
        raise error
