# SPDX-License-Identifier: Apache-2.0
"""Of all suites: garbage collection looks neither at modules that load nor, later, at what was loaded.
Property tests try the same examples each time, by day fewer."""

from __future__ import annotations

import gc

from hypothesis import settings
from tiers import size_of_tier

gc.disable()
settings.register_profile("ci", settings.get_profile("ci"), max_examples=size_of_tier(night=100, day=25))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
