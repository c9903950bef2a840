# SPDX-License-Identifier: Apache-2.0
"""nalm_loop.h: a capture through one function of a C or C++ library."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from nalm_agent.native.library import FOLDER
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import lcore_counters, stage_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import NfError
from nalm_agent.store.home import WorkDir

DRIVER = """#include "nalm_loop.h"
static bool odd(void *state, const uint8_t *packet, uint32_t length)
{
	(void)state;
	return packet[length - 1] & 1;
}
int main(int argc, char **argv) { return nalm_loop(argc > 1 ? argv[1] : NULL, "odd", odd, NULL); }
"""


LANGUAGES = {"c11": ("gcc", "driver.c"), "c++14": ("g++", "driver.cpp")}


@pytest.fixture(scope="module", params=LANGUAGES)
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loop")
    compiler, name = LANGUAGES[request.param]
    (folder / name).write_text(DRIVER)
    options = [f"-std={request.param}", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{FOLDER}"]
    subprocess.run([compiler, *options, "-o", folder / "driver", folder / name], check=True)
    return folder / "driver"


def capture(path: Path, *last_bytes: int, link_type: int = 1) -> Path:
    """Packets of 60 bytes that end so; the last one cut short, as a killed tcpdump leaves it."""
    packets = [struct.pack("<IIII", 0, 0, 60, 60) + bytes(59) + bytes([last]) for last in last_bytes]
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    path.write_bytes(head + b"".join(packets) + struct.pack("<IIII", 0, 0, 60, 60) + bytes(20))
    return path


def test_every_packet_passes_the_function(driver: Path, work: WorkDir, tmp_path: Path) -> None:
    command = [str(driver), str(capture(tmp_path / "c.pcap", 1, 2, 3, 5))]
    with RunningNf(NfStart(command, ready_seconds=60), work, seed=0) as nf:
        nf.wait_ready()
        before = nf.snapshot()
        nf.turn(packets=6400)
        after = nf.snapshot()
        nf.finish()
        odd = stage_counters(nf.probe.stages, before, after)["odd"]
        assert odd.outcomes == {
            "sent": 4800,
            "dropped": 1600,
        }
        assert lcore_counters(before, after)[0].packets == 6400


def test_a_capture_it_cannot_use_is_named(driver: Path, work: WorkDir, tmp_path: Path) -> None:
    cooked = capture(tmp_path / "any.pcap", 1, link_type=113)
    with (
        RunningNf(NfStart([str(driver), str(cooked)], ready_seconds=60), work, seed=0) as nf,
        pytest.raises(NfError) as raised,
    ):
        nf.wait_ready()
    assert "the link type is not Ethernet" in (raised.value.log or "")
