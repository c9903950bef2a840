# SPDX-License-Identifier: Apache-2.0
"""Imports as the API takes and answers them."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from nalm_server.base.schemas import Schema


class Source(StrEnum):
    """Whose results."""

    GOOGLE_BENCHMARK = "google-benchmark"
    CSIT = "csit"
    VPP_RUNTIME = "vpp-runtime"
    OVS_PMD_PERF = "ovs-pmd-perf"
    CSV = "csv"
    NALM_REPORT = "nalm-report"
    """Our own, judged as uploaded ones are; over HTTP by POST /reports."""


OtherTool = Literal["google-benchmark", "csit", "vpp-runtime", "ovs-pmd-perf", "csv"]


class Options(Schema):
    """What a file does not say of itself."""

    commit: str | None = None
    scenario: str | None = None
    time: str | None = None
    host_class: str = "imported"
    metrics: list[str] = Field(default_factory=list)


class ImportTaken(Schema):
    runs: int
    values: int
    new: bool
    """False: this very file was taken in before."""
    note: str
