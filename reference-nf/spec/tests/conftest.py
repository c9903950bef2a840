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

DRIVERS = ("mempool_ring", "bus_vdev", "net_null", "net_memif", "net_vhost")
"""DPDK's drivers of packet buffers, and of the virtual devices in these tests."""
FEW_DRIVERS = """
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *) = (DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir");

	return real(strstr(path, "/dpdk/pmds-") != NULL ? getenv("FEW_DRIVERS") : path);
}
"""
"""Preloaded into the NF. EAL, which loads every installed driver, then sees those alone that a folder names:
to load all takes almost half of a start's processor time."""


def few_drivers(folder: Path) -> dict[str, str]:
    """Variables of an NF that loads DRIVERS alone; none where they are not in their usual folder, so that it
    loads all. What the variables name is made in `folder`."""
    command = ["pkg-config", "--variable=libdir", "libdpdk"]
    libraries = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    names, source, library = (folder / name for name in ("drivers", "few_drivers.c", "few_drivers.so"))
    names.mkdir()
    for driver in DRIVERS:
        for path in Path(libraries).glob(f"dpdk/pmds-*/librte_{driver}.so.*"):
            (names / path.name).touch()
    if not any(names.iterdir()):
        return {}
    source.write_text(FEW_DRIVERS)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    asan = [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]
    return {
        "LD_PRELOAD": str(library),
        "FEW_DRIVERS": str(names),
        "ASAN_OPTIONS": ":".join(filter(None, asan)),
    }


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
    environment = few_drivers(tmp_path_factory.mktemp("few"))
    if request.param == "release":
        return Nf(built(), environment, compiled)
    # DPDK keeps its own memory for the life of the process
    options = ":".join(filter(None, [environment.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    return Nf(
        Path(os.environ["NALM_NF_ASAN"]).resolve(strict=True),
        {**environment, "ASAN_OPTIONS": options},
        compiled,
    )
