# SPDX-License-Identifier: Apache-2.0
"""[generator.NAME] of nalm.toml: what is read, and what each mistake says."""

from __future__ import annotations

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.config.nalm_toml import parse
from nalm_agent.host.cores import Cores
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.runtime.errors import ConfigError
from tiny import NALM_TOML

LAB = '[generator.lab]\nkind = "trex"\nhost = "bench2"\n'

PMD = '[generator.lab]\nkind = "testpmd"\ncommand = ["dpdk-testpmd", "--", "-i"]\n'
PKTGEN = '[generator.lab]\nkind = "pktgen"\nhost = "bench2"\n'


def lab(text: str) -> GeneratorConfig:
    found = parse(NALM_TOML + LAB + text).generator_named("lab")
    assert found is not None
    return found


def test_ports_are_pairs_of_a_near_and_a_far_one() -> None:
    assert lab("ports = [0, 1, 2, 3]").senders == [0, 2]
    assert lab("ports = [0, 1, 2, 3]").receivers == [1, 3]
    inbound = lab('ports = [0, 1, 2, 3]\ndirections = "inbound"')
    assert (inbound.senders, inbound.receivers) == ([1, 3], [0, 2])
    both = lab('ports = [0, 1]\ndirections = "both"')
    assert (both.senders, both.receivers) == ([0, 1], [0, 1])
    assert (lab("ports = [2]").senders, lab("ports = [2]").receivers) == ([2], [2])
    assert lab("ports = [0]").address == ("bench2", 4501)


def test_frames_have_a_mean() -> None:
    assert lab("ports = [0]").mean_frame == 64
    imix = lab("ports = [0]\nframes = { 64 = 7, 594 = 4, 1518 = 1 }")
    assert imix.mean_frame == pytest.approx(361.83, abs=0.01)


def test_devices_become_options_of_the_nf() -> None:
    found = lab('ports = [0]\ndevices = ["net_memif0,role=server", "0000:03:00.0", "03:00.1,arg=1"]')
    options = found.eal_devices()
    assert options == ["--vdev=net_memif0,role=server", "--allow=0000:03:00.0", "--allow=03:00.1,arg=1"]
    cores = Cores((0,))
    assert "--no-pci" not in eal_options(cores, huge_pages=False, devices=options)
    assert "--no-pci" in eal_options(cores, huge_pages=False, devices=options[:1])
    assert options[0] in eal_options(cores, huge_pages=False, devices=options[:1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[generator.lab]\nkind = "moongen"\nports = [0]\n', "generator.lab.kind: expected 'trex',"),
        ('[generator.lab]\nkind = "trex"\nports = [0]\n', 'kind = "trex" needs host, where its server runs'),
        (LAB, "generator.lab.ports is missing"),
        (LAB + "ports = []\n", "generator.lab.ports: expected at least 1 entries"),
        (LAB + "ports = [0, 0]\n", "a port is named twice"),
        (LAB + "ports = [0, 1, 2]\n", "pairs of a near and a far one; found 3"),
        (LAB + 'ports = [0]\ndirections = "both"\n', 'directions = "both" needs pairs'),
        (LAB + "ports = [0]\nport = 70000\n", "generator.lab.port: expected at most 65535"),
        (LAB + "ports = [0]\nframes = { 40 = 1 }\n", "expected at least 64"),
        (LAB + "ports = [0]\nframes = {}\n", "expected 1 to 16 sizes"),
        (LAB + 'ports = [0]\nsource = "nowhere"\n', "generator.lab.source:"),
        (LAB + "ports = [0]\nflows = 60000\n", "generator.lab.flows: expected at most 50000"),
        (LAB + 'ports = [0]\narguments = ["{nope}"]\n', "unknown placeholder {nope}"),
        (LAB + "ports = [0]\nqeues = 2\n", "is not a known key; expected one of arguments, command"),
        ('[generator.lab]\nkind = "testpmd"\nports = [0]\n', 'kind = "testpmd" needs command'),
        (PMD + 'ports = [0]\nhost = "a"\n', "and no host and port"),
        (PMD + "ports = [0]\nflows = 2\n", 'kind = "testpmd" has no flows: its command says it'),
        (PMD + "ports = [0, 1]\n", 'pairs with directions = "both"'),
        (PMD + "ports = [0]\nframes = { 64 = 1, 128 = 1 }\n", "sends frames of one size; found 2"),
        (PKTGEN + "ports = [0]\nqueues = 2\n", 'kind = "pktgen" has no queues: its option -m says them'),
        (PKTGEN + 'ports = [0]\ncommand = ["x"]\n', 'kind = "pktgen" needs host'),
        ('[generator.inside]\nkind = "trex"\nhost = "a"\nports = [0]\n', "choose another name"),
    ],
)
def test_each_mistake_has_its_line_and_reason(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(NALM_TOML + text)
    assert said in caught.value.message
    assert caught.value.message.startswith("nalm.toml:")
    line = int(caught.value.message.split(":")[1])
    assert line > len(NALM_TOML.splitlines())


def test_a_generator_that_is_not_there_is_named_with_those_that_are() -> None:
    config = parse(NALM_TOML + LAB + "ports = [0]\n")
    assert config.generator_named("inside") is None
    with pytest.raises(ConfigError, match="no generator 'far'; there are: inside, lab") as caught:
        config.generator_named("far")
    assert "[generator.far]" in (caught.value.hint or "")
