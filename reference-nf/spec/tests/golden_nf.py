# SPDX-License-Identifier: BSD-3-Clause
"""Runs the real NF on frames and compares it with the spec."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spec.config import Chain, read_chain
from spec.pcap import read_pcap, write_pcap
from spec.stage import Replayed

NF_FOLDER = Path(__file__).resolve().parents[2]
CONFIG = NF_FOLDER / "conf" / "golden.conf"
EAL = ("--no-huge", "-m", "512", "--no-shconf", "--no-pci", "--no-telemetry", "--force-max-simd-bitwidth=256")
CHAINS = ("nop", "nat", "dpi", "l3fwd", "nat,dpi,l3fwd", "acl", "acl,l3fwd")
RUN_SECONDS = 60
FEW_PATTERNS = {"dpi.patterns": str(Path(__file__).resolve().with_name("few_patterns.txt"))}
"""Settings for tests of chains with `dpi` whose subject is not its patterns: they start in half the time."""
ONE_OF_EACH_MODEL = {
    "rtc": {},
    "pipeline": {"model.model": "pipeline"},
    "two workers": {"model.workers": "2"},
    "two locked": {"model.workers": "2", "model.state": "locked"},
    "separated": {"model.state": "separated", "model.workers": "2"},
}
"""Settings by name: each way to share the work among lcores, once."""


def size_of_tier(night: int, day: int) -> int:
    """How often the nightly tier repeats something, or `make test`."""
    return night if os.environ.get("WHOLE") else day


def lcore_map(lcores: int) -> str:
    """EAL's option for this many lcores, on CPUs in turn."""
    cpus = sorted(os.sched_getaffinity(0))
    return "--lcores=" + ",".join(f"{lcore}@{cpus[lcore % len(cpus)]}" for lcore in range(lcores))


@dataclass(frozen=True)
class Ran:
    """The binary's output: frames in order, and its totals."""

    frames: list[bytes]
    totals: dict[str, Any]

    def outcomes(self, stage: str) -> dict[str, int]:
        """Packets by outcome of one stage, without outcomes of no packet."""
        (totals,) = (entry for entry in self.totals["stages"] if entry["name"] == stage)
        return {name: count for name, count in totals["outcomes"].items() if count}


@dataclass(frozen=True)
class Nf:
    """The binary and the environment that it needs in addition to the caller's."""

    binary: Path
    environment: dict[str, str]
    compiled: Path
    """Folder for compiled patterns: to compile them takes longer than the rest of a start."""

    def replay(self, frames: Sequence[bytes], settings: Mapping[str, str], lcores: int = 1) -> Ran:
        """Every frame once, in order, through conf/golden.conf changed by `settings`.

        lcores: threads, distributed over this machine's CPUs. With one, all roles of the NF run in turn.
        """
        with tempfile.TemporaryDirectory() as name:
            capture, dump = Path(name) / "in.pcap", Path(name) / "out.pcap"
            write_pcap(capture, frames)
            totals = self._totals(
                [lcore_map(lcores)],
                ["--dump", str(dump)],
                {**settings, "traffic.capture": str(capture)},
                Path(name),
            )
            return Ran(read_pcap(dump), totals)

    def outside(self, settings: Mapping[str, str], devices: Sequence[str], packets: int) -> dict[str, Any]:
        """The totals of a run on EAL's virtual ports, until so many packets have come."""
        with tempfile.TemporaryDirectory() as name:
            options = ["--packets", str(packets)]
            return self._totals([lcore_map(1), *devices], options, settings, Path(name))

    def _totals(
        self, eal: Sequence[str], options: Sequence[str], settings: Mapping[str, str], folder: Path
    ) -> dict[str, Any]:
        command = [str(self.binary), *eal, *EAL, "--", "--config", str(CONFIG), *options]
        for key, value in {"dpi.cache": str(self.compiled), **settings}.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=RUN_SECONDS,
            cwd=folder,
            env={**os.environ, **self.environment},
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
        totals: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return totals

    def assert_as_spec(self, frames: Sequence[bytes], settings: Mapping[str, str]) -> Replayed:
        """Compares packets byte for byte, in order, and outcomes by count; returns the spec's result."""
        return self.run_as_spec(frames, settings).replayed

    def run_as_spec(self, frames: Sequence[bytes], settings: Mapping[str, str]) -> "BothRan":
        """The same, with the totals and the spec's stages, for further comparisons."""
        chain = read_chain(CONFIG, settings)
        expected = chain.replay(list(frames))
        ran = self.replay(frames, settings)
        for stage in chain.stages:
            assert ran.outcomes(stage.name) == dict(expected.outcomes[stage.name]), stage.name
        for number, (got, want) in enumerate(zip(ran.frames, expected.frames, strict=False)):
            assert got.hex() == want.hex(), f"packet {number} that left"
        assert len(ran.frames) == len(expected.frames)
        return BothRan(chain, expected, ran)


@dataclass(frozen=True)
class BothRan:
    """The spec's chain, what it made of the frames, and what the binary did."""

    chain: Chain
    replayed: Replayed
    ran: Ran
