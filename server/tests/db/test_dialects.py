# SPDX-License-Identifier: Apache-2.0
"""`make test` runs some tests of each package on PostgreSQL, too: those whose SQL differs by database. Of a
test's other parameters it takes the first; the night takes all."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import nalm_server
import pytest

PACKAGES = Path(nalm_server.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
DIFFERS = re.compile(r"dialect\.name|on_conflict_do|with_for_update|dialects import postgresql|advisory_lock")
"""What SQLite does otherwise, or not at all."""
MARK = "pytest.mark.dialects"


def packages() -> list[str]:
    """Packages with SQL of two kinds."""
    found = {
        path.relative_to(PACKAGES).parts[0]
        for path in PACKAGES.rglob("*.py")
        if DIFFERS.search(path.read_text())
    }
    return sorted(found)


@pytest.mark.parametrize("package", packages())
def test_a_package_whose_sql_differs_is_tested_on_both_databases_each_time(package: str) -> None:
    modules = sorted((TESTS / package).glob("test_*.py"))
    assert any(MARK in module.read_text() for module in modules), (
        f"no test of server/tests/{package} has `{MARK}`"
    )


def test_each_test_is_tried_on_postgresql_once(request: pytest.FixtureRequest) -> None:
    if os.environ.get("TEST_DATABASE") != "marked":
        return
    on_postgresql = Counter(
        item.nodeid.partition("[")[0] for item in request.session.items if "[postgresql" in item.nodeid
    )
    assert set(on_postgresql.values()) <= {1}
