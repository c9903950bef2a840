# SPDX-License-Identifier: Apache-2.0
"""Sends the spool's items in order. Removes items that the server accepted or will never accept."""

from __future__ import annotations

from collections.abc import Callable

from nalm_core.text.amounts import amount

from nalm_agent.daemon.spool import Item, Spool
from nalm_agent.runtime.errors import ServerError
from nalm_agent.server_api.client import retry
from nalm_agent.server_api.jobs import LeaseLostError, ServerClient

MESSAGE_CHARACTERS = 10_000


def deliver(spool: Spool, client: ServerClient, say: Callable[[str], None]) -> None:
    """Sends all items for this server.

    Raises ServerAwayError and keeps the remaining items; ServerError if the server refuses the agent itself,
    and keeps all.
    """
    with spool.sending():
        for item in spool.items():
            if item.label.server == client.address:
                _send(item, spool, client, say)


def deliver_patiently(spool: Spool, client: ServerClient, say: Callable[[str], None]) -> None:
    """Sends all items and retries until the server has accepted them."""
    retry(lambda: deliver(spool, client, say), client.wait)


def _send(item: Item, spool: Spool, client: ServerClient, say: Callable[[str], None]) -> None:
    label = item.label
    try:
        if label.kind == "report":
            client.upload(label.job_id, label.fence, item.body)
        else:
            client.finish(label.job_id, {"fence": label.fence, **label.result})
    except LeaseLostError as error:
        gone = amount(spool.remove_job(label), "file")
        say(f"job {label.job_id}: too late, its result is dropped ({gone} of the spool): {error}")
    except ServerError as error:
        if error.token_refused:
            raise
        _given_up(item, spool, client, say, error)
    else:
        spool.remove(item)


def _given_up(
    item: Item, spool: Spool, client: ServerClient, say: Callable[[str], None], error: ServerError
) -> None:
    """Removes an item that the server will never accept, and fails its job, so that later items are sent."""
    label, text = item.label, error.full_text()
    say(f"job {label.job_id}: the server refuses its {label.kind}, which is dropped: {text}")
    if label.kind == "report":
        result = {"outcome": "failed", "message": text[:MESSAGE_CHARACTERS]}
        try:
            client.finish(label.job_id, {"fence": label.fence, **result})
        except (LeaseLostError, ServerError) as also:
            say(f"job {label.job_id}: the server does not accept the job's end either: {also}")
    spool.remove_job(label)
