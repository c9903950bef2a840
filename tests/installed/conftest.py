# SPDX-License-Identifier: Apache-2.0
"""What `make dist` makes of HEAD, as if it were tagged."""

from __future__ import annotations

import pytest
from installed_systems import TAG, Made, clone_of, run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """`dist` of HEAD as if it were tagged."""
    checkout = clone_of("HEAD", tmp_path_factory.mktemp("tagged") / "nalm")
    run(["git", "tag", TAG], checkout)
    run(["make", "page", "--always-make", "SHELL=/bin/bash"], checkout)
    run(["packaging/make_dist"], checkout)
    return Made(checkout, run(["git", "rev-parse", "--short=12", "HEAD"], checkout).strip())
