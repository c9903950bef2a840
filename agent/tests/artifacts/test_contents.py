# SPDX-License-Identifier: Apache-2.0
"""Whatever nalm.toml names below the build directory for a run counts as loaded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from nalm_agent.artifacts.contents import Contents, contents
from nalm_agent.artifacts.loadable import loadable_files
from nalm_agent.config.nalm_toml import parse
from tiny import NALM_TOML, RATES_TOML

OTHER = 'lcores = 1\n[scenarios.other]\ntraffic = "traffic/capture.bin"\n'
LAB = '[generator.lab]\nkind = "trex"\nhost = "127.0.0.1"\nports = [0]\n'
OWN_FIGURES = NALM_TOML.replace("turn_ms = 10", "turn_ms = 100").replace(
    "[run]\n", '[run]\ncounts = "ovs-pmd-perf"\nclear = ["true"]\nshow = ["true"]\n'
)
IN_RUN, IN_SCENARIO = "ready_seconds = 5\n", "packets = 20000\n"
IN_SHELL = '["sh", "-c", "ctl load \'{build}/rules.txt\'; ctl start"]'
NAMED = {
    "command": NALM_TOML.replace('"{traffic}"]', '"{traffic}", "--rules={build}/rules.txt"]'),
    "setup": NALM_TOML.replace(IN_RUN, IN_RUN + 'setup = ["ctl", "{build}/rules.txt"]\n'),
    "a shell's line": NALM_TOML.replace(IN_RUN, IN_RUN + f"setup = {IN_SHELL}\n"),
    "clear": OWN_FIGURES.replace('clear = ["true"]', 'clear = ["ctl", "{build}/rules.txt"]'),
    "show": OWN_FIGURES.replace('show = ["true"]', 'show = ["ctl", "{build}/rules.txt"]'),
    "environment": NALM_TOML.replace(IN_RUN, IN_RUN + 'environment = { RULES = "{build}/rules.txt" }\n'),
    "arguments": NALM_TOML.replace(IN_SCENARIO, f'{OTHER}arguments = ["-r", "{{build}}/rules.txt"]\n'),
    "a scenario's environment": NALM_TOML.replace(
        IN_SCENARIO, f'{OTHER}environment = {{ RULES = "/etc/rules:{{build}}/rules.txt" }}\n'
    ),
    "eal": NALM_TOML.replace('"--features", ', '"{eal}", "--features", ').replace(
        IN_SCENARIO, IN_SCENARIO + 'eal = ["--vdev=net_pcap0,rx_pcap={build}/rules.txt"]\n'
    ),
    "rate_arguments": RATES_TOML + 'rate_arguments = ["{build}/rules.txt"]\n',
    "rates.arguments": RATES_TOML.replace('"100000"]', '"100000", "{build}/rules.txt"]'),
    "rates.vcpe": RATES_TOML.replace(
        "[rates]\n", '[rates]\nvcpe = ["{frame}", "{build}/rules-{frame}.txt"]\n'
    ),
    "a generator's arguments": RATES_TOML + LAB + 'arguments = ["{build}/rules.txt"]\n',
}


def contents_of(build: Path, text: str) -> Contents:
    shutil.copy("/bin/true", build / ("tiny_nf" if "tiny_nf" in text else "traffic_nf"))
    return contents(build, loadable_files(build), parse(text))


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED.keys())
def test_a_file_that_a_run_is_given_is_data_of_the_build(tmp_path: Path, text: str) -> None:
    for name in ("rules.txt", "rules-imix.txt", "unnamed.txt"):
        (tmp_path / name).write_text("first\n")
    before = contents_of(tmp_path, text)
    (name,) = before.data
    assert name == ("rules-imix.txt" if "{frame}" in text else "rules.txt")
    (tmp_path / name).write_text("second\n")
    assert contents_of(tmp_path, text).digest != before.digest


def test_programs_of_bpf_in_a_directory_are_data(tmp_path: Path) -> None:
    (tmp_path / "xdp").mkdir()
    of_bpf = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x01\x00\xf7\x00"
    (tmp_path / "xdp" / "filter.o").write_bytes(of_bpf)
    (tmp_path / "xdp" / "lcore.o").write_bytes(of_bpf.replace(b"\xf7", b"\x3e"))
    text = NALM_TOML.replace('"{traffic}"]', '"{traffic}", "--filters={build}/xdp"]')
    assert list(contents_of(tmp_path, text).data) == ["xdp/filter.o"]


def test_a_program_that_sets_the_nf_up_is_named(tmp_path: Path) -> None:
    """It has ended before the files are read that the NF has mapped."""
    shutil.copy("/bin/false", tmp_path / "ctl")
    text = NALM_TOML.replace(IN_RUN, IN_RUN + 'setup = ["{build}/ctl", "load"]\n')
    assert contents_of(tmp_path, text).named == {"tiny_nf", "ctl"}
    assert contents_of(tmp_path, NALM_TOML).named == {"tiny_nf"}


def test_what_a_metric_reads_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text("first\n")
    metric = '[metrics.log]\nunit = "lines"\nbetter = "lower"\ncommand = ["wc", "-l", "{build}/build.log"]\n'
    assert contents_of(tmp_path, NALM_TOML + metric).data == {}
