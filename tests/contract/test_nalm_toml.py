# SPDX-License-Identifier: Apache-2.0
"""Contract 2: nalm.toml. The agent reads the reference NF's file and the documents' examples."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.nf.probe import ProbeFile
from nalm_agent.runtime.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (ROOT / "reference-nf" / "nalm.toml").read_text()
DOCUMENTED = (ROOT / "docs" / "nalm-toml.md").read_text()
WHOLE_FILES = [
    block for block in re.findall(r"```toml\n(.*?)```", DOCUMENTED, re.S) if "version = 1" in block
]


def test_the_shipped_file_is_read_and_its_traffic_is_there() -> None:
    config = parse(SHIPPED)
    assert config.scenario("sfc_a").features == ["nat", "dpi", "l3fwd"]
    for scenario in config.scenarios.values():
        assert (ROOT / "reference-nf" / scenario.traffic).is_file()


def test_the_documents_show_whole_files() -> None:
    assert WHOLE_FILES


@pytest.mark.parametrize("text", WHOLE_FILES)
def test_every_documented_file_is_read(text: str) -> None:
    assert parse(text).scenarios


@pytest.mark.parametrize(
    ("old", "new", "line_of", "expected"),
    [
        ("lcores = 1", "lcores = 0", "lcores = 0", "expected at least 1"),
        ("packets = 100000", 'packets = "many"', "packets = ", "integer"),
        ("version = 1", "version = 2", "version = 2", "1"),
        ('model = "rtc"', 'modle = "rtc"', "modle", "modle"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, line_of: str, expected: str) -> None:
    broken = SHIPPED.replace(old, new, 1)
    line = next(n for n, text in enumerate(broken.splitlines(), start=1) if text.startswith(line_of))
    with pytest.raises(ConfigError) as caught:
        parse(broken)
    assert f"{line}" in str(caught.value)
    assert expected in str(caught.value)


def test_the_stages_of_the_reference_nf_carry_the_functions_the_agent_looks_for(tmp_path: Path) -> None:
    """Without [stages.*] the agent counts <stage>_process: the NF's stages and symbols must agree."""
    binary = ROOT / "reference-nf" / "build" / "nalm-nf"
    symbols = set(
        re.findall(r" T (\w+)$", subprocess.check_output(["nm", str(binary)], text=True), re.MULTILINE)
    )
    probe = tmp_path / "probe"
    command = [str(binary), "--no-pci", "--no-huge", "--no-shconf", "--no-telemetry", "-m", "256"]
    config = ["--", "--config", str(ROOT / "reference-nf" / "conf" / "sfc_a.conf"), "--packets", "1000"]
    subprocess.run([*command, *config], env={"NALM_PROBE_FILE": str(probe)}, check=True, capture_output=True)
    stages = ProbeFile(probe).stages
    assert [stage.name for stage in stages if not stage.apart] == ["rx", "nat", "dpi", "l3fwd", "tx"]
    assert {f"{stage.name}_process" for stage in stages} <= symbols
