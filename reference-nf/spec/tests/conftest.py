# SPDX-License-Identifier: BSD-3-Clause
"""Makes the spec importable, and finds or builds the NF for the golden tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NF_FOLDER = HERE.parents[1]
for folder in (NF_FOLDER, HERE):
    sys.path.insert(0, str(folder))

from golden_nf import Nf  # noqa: E402


def built() -> Path:
    """$NALM_NF, or reference-nf/build/nalm-nf, built from the current sources by meson and ninja."""
    named = os.environ.get("NALM_NF")
    if named:
        return Path(named).resolve(strict=True)
    build = NF_FOLDER / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(build), str(NF_FOLDER), "--buildtype=release"], check=True)
    subprocess.run(["ninja", "-C", str(build), "nalm-nf"], check=True)
    return build / "nalm-nf"


@pytest.fixture(
    scope="session", params=["release", *(["sanitised"] if os.environ.get("NALM_NF_ASAN") else [])]
)
def nf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Nf:
    """The binary under test; a second pass on the ASan and UBSan build when $NALM_NF_ASAN names one."""
    compiled = tmp_path_factory.mktemp("compiled")
    if request.param == "release":
        return Nf(built(), {}, compiled)
    # DPDK keeps its own memory for the life of the process
    return Nf(
        Path(os.environ["NALM_NF_ASAN"]).resolve(strict=True), {"ASAN_OPTIONS": "detect_leaks=0"}, compiled
    )
