# SPDX-License-Identifier: Apache-2.0
"""The traffic file's control part, as a generator reads it."""

import struct
from pathlib import Path

import pytest
from nalm_agent.nf.traffic_file import MAGIC, Load, TrafficFile
from nalm_agent.runtime.errors import ProbeError
from nalm_core.report.offered_load import LoadShape, Ramp

CONTROL_AT, TOTALS_AT = 64, 128
DIRECTIONS_AT, TIMES_BYTES = 19_840, 19_584
RAMP_AT = 59_008


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
    file.ask(7, Load.OPEN, rate_pps=1000, leave_out_s=1.5, shape=LoadShape(arrivals=arrivals))
    file.close()
    assert control(path) == (7, 1, 1000, 1_500_000_000, *written)


def test_a_generator_of_version_1_keeps_its_gaps(tmp_path: Path) -> None:
    file = traffic_file(tmp_path / "traffic", 1)
    file.ask(1, Load.OPEN, rate_pps=1000)
    with pytest.raises(ProbeError, match="cannot change its gaps to poisson"):
        file.ask(2, Load.OPEN, rate_pps=1000, shape=LoadShape(arrivals="poisson"))
    file.close()


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (LoadShape(burst=32), "the size of its bursts"),
        (LoadShape(new_flows=9), "the number of its new flows"),
    ],
)
def test_a_generator_of_version_3_keeps_its_bursts_and_flows(
    tmp_path: Path, shape: LoadShape, said: str
) -> None:
    file = traffic_file(tmp_path / "traffic", 3)
    with pytest.raises(ProbeError, match=f"cannot change {said}"):
        file.ask(2, Load.OPEN, rate_pps=1000, shape=shape)
    file.close()


def test_a_ramp_of_a_trial(tmp_path: Path) -> None:
    path = tmp_path / "traffic"
    path.write_bytes(struct.pack("<2I3Q", MAGIC, 5, 59_072, 2_000_000_000, 0).ljust(59_072, b"\0"))
    file = TrafficFile(path)
    for shape, written in (
        (LoadShape(ramp=Ramp(ms=2.5, least=0.2)), (2_500_000, 200_000)),
        (LoadShape(), (0, 0)),
    ):
        file.ask(1, Load.OPEN, rate_pps=1000, shape=shape)
        assert struct.unpack_from("<2Q", path.read_bytes(), RAMP_AT) == written
    file.close()


def test_a_generator_of_version_4_has_no_ramp(tmp_path: Path) -> None:
    file = traffic_file(tmp_path / "traffic", 4)
    with pytest.raises(ProbeError, match="cannot change its rate within a turn"):
        file.ask(1, Load.OPEN, rate_pps=1000, shape=LoadShape(ramp=Ramp(ms=1)))
    file.close()


def test_bursts_and_new_flows_of_a_trial(tmp_path: Path) -> None:
    path = tmp_path / "traffic"
    file = traffic_file(path, 4)
    file.ask(1, Load.OPEN, rate_pps=1000, shape=LoadShape(burst=32, new_flows=50))
    assert struct.unpack_from("<2Q", path.read_bytes(), CONTROL_AT + 6 * 8) == (32, 50)
    whole = bytearray(path.read_bytes())
    struct.pack_into("<13Q", whole, TOTALS_AT, 1, *[0] * 10, 1, 7)
    path.write_bytes(whole)
    assert file.totals(1).flows_begun == 7
    file.ask(1, Load.OPEN, rate_pps=1000)
    assert struct.unpack_from("<2Q", path.read_bytes(), CONTROL_AT + 6 * 8) == (0, 0)
    assert file.totals(1).flows_begun is None
    file.close()


def test_traffic_whose_flows_stay_has_no_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "traffic"
    file = traffic_file(path, 4)
    file.ask(0, Load.OPEN, rate_pps=1000, shape=LoadShape(new_flows=50))
    with pytest.raises(ProbeError, match="cannot begin new flows with its traffic"):
        file.totals(0)
    file.close()


def directed(path: Path, version: int, *, directed: int = 1) -> TrafficFile:
    """Both directions' latencies: 10 ticks once outbound, 20 ticks once inbound."""
    file = traffic_file(path, version)
    file.close()
    whole = bytearray(path.read_bytes().ljust(DIRECTIONS_AT + 2 * TIMES_BYTES, b"\0"))
    struct.pack_into("<2Q", whole, TOTALS_AT + 9 * 8, 1, directed)
    for number in (0, 1):
        ticks = 10 * (number + 1)
        struct.pack_into("<4Q", whole, DIRECTIONS_AT + number * TIMES_BYTES, 1, ticks, ticks, ticks)
        struct.pack_into("<Q", whole, DIRECTIONS_AT + number * TIMES_BYTES + 32 + 8 * ticks, 1)
    path.write_bytes(whole)
    return TrafficFile(path)


def test_each_direction_has_times_of_its_own(tmp_path: Path) -> None:
    file = directed(tmp_path / "traffic", 3)
    found = file.directions()
    file.close()
    assert {name: one.latency.max_ns for name, one in found.items()} == {"outbound": 5.0, "inbound": 10.0}
    assert {one.latency.count for one in found.values()} == {1}
    assert {one.jitter.count for one in found.values()} == {0}


@pytest.mark.parametrize(("version", "flag"), [(2, 1), (3, 0)])
def test_a_generator_that_does_not_tell_directions_apart(tmp_path: Path, version: int, flag: int) -> None:
    file = directed(tmp_path / "traffic", version, directed=flag)
    assert file.directions() == {}
    file.close()
