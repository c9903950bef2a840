# SPDX-License-Identifier: Apache-2.0
"""Documents of earlier versions are still read: nalm.toml, run reports, results in an agent's spool."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.daemon.delivery import deliver
from nalm_agent.daemon.spool import Spool
from nalm_agent.server_api.jobs import ServerClient
from nalm_core.report.serialization import dump_report, parse_report
from recorded_exchange import RECORDED, fields_of, lost_fields

CONFIGURATIONS = sorted(RECORDED.glob("*.toml"))
REPORTS = sorted(RECORDED.glob("report-*.json"))


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_a_recorded_nalm_toml_is_read(path: Path) -> None:
    assert parse(path.read_text()).scenarios


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_recorded_run_report_is_read_and_written_with_its_fields(path: Path) -> None:
    recorded = json.loads(path.read_bytes())
    written = json.loads(dump_report(parse_report(path.read_bytes())))
    assert lost_fields(fields_of(recorded), fields_of(written)) == []


def test_a_recorded_spool_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(ServerClient, "upload", lambda _self, *given: sent.append(given))
    monkeypatch.setattr(ServerClient, "finish", lambda _self, *given: sent.append(given))
    shutil.copytree(RECORDED / "spool", tmp_path / "spool")
    spool = Spool(tmp_path / "spool")
    deliver(spool, ServerClient("http://127.0.0.1:9", "token", print), print)
    finished = {"fence": 3, "outcome": "failed", "message": "no compiler", "kind": "infrastructure"}
    assert sent == [(7, 3, b"report"), (7, finished)]
    assert len(spool) == 0
