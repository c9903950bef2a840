# SPDX-License-Identifier: Apache-2.0
"""Of all suites: garbage collection looks neither at modules that load nor, later, at what was loaded."""

from __future__ import annotations

import gc

gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
