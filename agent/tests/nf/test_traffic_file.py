# SPDX-License-Identifier: Apache-2.0
"""The traffic file's control part, as a generator reads it."""

import struct
from pathlib import Path

import pytest
from nalm_agent.nf.traffic_file import MAGIC, Load, TrafficFile
from nalm_agent.runtime.errors import ProbeError

CONTROL_AT = 64


def traffic_file(path: Path, version: int) -> TrafficFile:
    path.write_bytes(struct.pack("<2I3Q", MAGIC, version, 20_000, 2_000_000_000, 0) + bytes(20_000))
    return TrafficFile(path)


def control(path: Path) -> tuple[int, ...]:
    """Trial, load, rate, time left out, arrivals, millionths of CV."""
    return struct.unpack_from("<6Q", path.read_bytes(), CONTROL_AT)


@pytest.mark.parametrize(
    ("arrivals", "written"),
    [
        (None, (0, 0)),
        ("cbr", (1, 0)),
        ("poisson", (2, 0)),
        ("geometric", (3, 0)),
        ("nbinom:0.5", (4, 500_000)),
    ],
)
def test_gaps_of_a_trial(tmp_path: Path, arrivals: str | None, written: tuple[int, int]) -> None:
    path = tmp_path / "traffic"
    file = traffic_file(path, 2)
    file.ask(7, Load.OPEN, rate_pps=1000, leave_out_s=1.5, arrivals=arrivals)
    file.close()
    assert control(path) == (7, 1, 1000, 1_500_000_000, *written)


def test_a_generator_of_version_1_keeps_its_gaps(tmp_path: Path) -> None:
    file = traffic_file(tmp_path / "traffic", 1)
    file.ask(1, Load.OPEN, rate_pps=1000)
    with pytest.raises(ProbeError, match="cannot change its gaps to poisson"):
        file.ask(2, Load.OPEN, rate_pps=1000, arrivals="poisson")
    file.close()
