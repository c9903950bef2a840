# SPDX-License-Identifier: Apache-2.0
"""Answers to forges."""

from __future__ import annotations

from typing import Literal

from nalm_server.schemas import Schema


class HookAnswer(Schema):
    status: Literal["accepted", "ignored"]
    reason: str
    job_ids: list[int]
