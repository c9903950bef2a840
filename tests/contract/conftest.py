# SPDX-License-Identifier: Apache-2.0
"""The server of the contract tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from contract_server import ContractServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractServer]:
    """One for all modules: each test ends or cancels its jobs, so that no agent of a later one takes them."""
    running = ContractServer(tmp_path_factory.mktemp("server") / "state", NALM_LEASE_SECONDS="5")
    yield running
    running.end()
