# SPDX-License-Identifier: Apache-2.0
"""Files as the compiler named them become files of the source tree."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.source.source_files import count_in, profile_in
from nalm_core.report.profile import Profile, ProfiledFunction, ProfiledLine
from nalm_core.report.run_report import Arm, FunctionCount, InstructionCount, Source

NAMES = {
    "/nalm/source/src/nat.c": "src/nat.c",
    "../src/nat.c": "src/nat.c",
    "src/nat.c": "src/nat.c",
    "/usr/include/rte_hash.h": "/usr/include/rte_hash.h",
    "": "",
}


def tree(folder: Path) -> Path:
    (folder / "src").mkdir()
    (folder / "src" / "nat.c").write_text("")
    return folder


def test_instruction_counts(tmp_path: Path) -> None:
    functions = [FunctionCount(name="f", instructions=1, calls=1, file=file, line=2) for file in NAMES]
    functions.append(FunctionCount(name="g", instructions=1, calls=1))
    count = InstructionCount(
        arm=Arm.HEAD,
        source=Source.SIMULATED,
        packets=1,
        stages={"nat": 1},
        unattributed=0,
        functions={"nat": functions},
    )
    renamed = count_in(tree(tmp_path), count).functions["nat"]
    assert [one.file for one in renamed] == [*NAMES.values(), None]


def test_profiles(tmp_path: Path) -> None:
    functions = [
        ProfiledFunction(
            name="f",
            object="nf",
            file=file,
            line=2,
            samples=1,
            lines=[ProfiledLine(file=file, line=2, samples=1)],
        )
        for file in NAMES
    ]
    profile = Profile(arm=Arm.HEAD, event="cycles", frequency_hz=999, samples=5, functions=functions)
    renamed = profile_in(tree(tmp_path), profile).functions
    assert [one.file for one in renamed] == [one.lines[0].file for one in renamed] == list(NAMES.values())
