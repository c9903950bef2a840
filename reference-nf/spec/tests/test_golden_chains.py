# SPDX-License-Identifier: BSD-3-Clause
"""Every golden packet, and the shipped capture, through every chain of the real NF."""

import golden_packets as packets
import pytest
from golden_nf import CHAINS, CONFIG, NF_FOLDER, Nf
from spec.config import read_chain
from spec.dpi import Dpi
from spec.pcap import read_pcap


@pytest.mark.sanitised
@pytest.mark.released
@pytest.mark.parametrize("chain", CHAINS)
def test_golden_packets(nf: Nf, chain: str) -> None:
    nf.assert_as_spec([frame for _, frame in packets.every()], {"chain.stages": chain})


@pytest.mark.parametrize(
    "chain", [pytest.param(name, marks=[pytest.mark.nightly] * ("," not in name)) for name in CHAINS]
)
def test_shipped_capture(nf: Nf, chain: str) -> None:
    nf.assert_as_spec(read_pcap(NF_FOLDER / "traffic" / "mixed.pcap"), {"chain.stages": chain})


@pytest.mark.parametrize("batch", [1, 256, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 64))])
def test_batch_size_changes_nothing(nf: Nf, batch: int) -> None:
    frames = [frame for _, frame in packets.every()]
    nf.assert_as_spec(frames, {"chain.stages": "nat,dpi,l3fwd", "chain.batch": str(batch)})


def test_packet_by_packet(nf: Nf) -> None:
    """Another stage could hide which packet is wrong, so nop must return each packet unchanged."""
    frames = [frame for _, frame in packets.every()]
    assert nf.replay(frames, {"chain.stages": "nop"}).frames == frames


def test_counts_of_matches(nf: Nf) -> None:
    frames = [frame for _, frame in packets.payloads()]
    chain = read_chain(CONFIG, {"chain.stages": "dpi"})
    chain.replay(frames)
    (dpi,) = chain.stages
    assert isinstance(dpi, Dpi)
    ran = nf.replay(frames, {"chain.stages": "dpi"})
    assert ran.totals["dpi_rules"] == dpi.report()
