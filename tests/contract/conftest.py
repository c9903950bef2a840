# SPDX-License-Identifier: Apache-2.0
"""The server of the contract tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from contract_server import ContractServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractServer]:
    running = ContractServer(tmp_path_factory.mktemp("server") / "state", NALM_LEASE_SECONDS="5")
    yield running
    running.end()
