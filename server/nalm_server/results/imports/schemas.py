# SPDX-License-Identifier: Apache-2.0
"""Imports as the API accepts and answers them."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from nalm_server.base.schemas import Schema


class Source(StrEnum):
    """The tool that wrote the results."""

    GOOGLE_BENCHMARK = "google-benchmark"
    CSIT = "csit"
    VPP_RUNTIME = "vpp-runtime"
    OVS_PMD_PERF = "ovs-pmd-perf"
    CSV = "csv"
    NALM_REPORT = "nalm-report"
    """nalm's own reports, judged like uploaded ones; over HTTP, use POST /reports."""


OtherTool = Literal["google-benchmark", "csit", "vpp-runtime", "ovs-pmd-perf", "csv"]


class Options(Schema):
    """What a file may not contain."""

    commit: str | None = None
    scenario: str | None = None
    time: str | None = None
    host_class: str = "imported"
    metrics: list[str] = Field(default_factory=list)


class ImportTaken(Schema):
    runs: int
    values: int
    new: bool
    """False: the same file was imported before."""
    note: str
