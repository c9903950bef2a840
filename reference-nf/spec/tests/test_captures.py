# SPDX-License-Identifier: BSD-3-Clause
"""The shipped captures are suitable for replay and have their required contents; unsuitable ones are
refused."""

from pathlib import Path

import pytest
from golden_nf import NF_FOLDER, Nf, size_of_tier
from spec.pcap import read_pcap, write_pcap
from traffic.check_capture import CaptureError, describe, main, read, shares, shipped
from traffic.contents import ROWS

TRAFFIC = NF_FOLDER / "traffic"
ALL_FILES_BYTES = 900_000


def shipped_frames(name: str) -> list[bytes]:
    return read_pcap(TRAFFIC / f"{name}.pcap")


def written(folder: Path, name: str, frames: list[bytes]) -> Path:
    path = folder / f"{name}.pcap"
    write_pcap(path, frames)
    return path


def test_each_has_a_purpose_and_all_are_small() -> None:
    assert {path.stem for path in shipped()} == set(ROWS)
    assert sum(path.stat().st_size for path in shipped()) < ALL_FILES_BYTES


def test_described_as_they_are() -> None:
    described = "".join(f"\n## {path.name}\n\n{describe(path)}\n" for path in shipped())
    assert (TRAFFIC / "captures.md").read_text().endswith(f"a test compares.\n{described}")


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_readme_has_its_figures(path: Path) -> None:
    pairs = read(path)
    figures = f"| {len(pairs)} | {sum(wire.size for wire, _ in pairs)} | {shares(pairs)} |"
    lines = (TRAFFIC / "README.md").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"| `{path.name}`"))
    assert line.endswith(figures)


def changed(frame: bytes, at: int) -> bytes:
    return frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]


@pytest.mark.parametrize(
    ("name", "position", "reason"),
    [("http", -1, "transport checksum"), ("udp", -1, "transport checksum"), ("iperf", 22, "header checksum")],
)
def test_a_changed_bit_is_found(tmp_path: Path, name: str, position: int, reason: str) -> None:
    frames = shipped_frames(name)
    longest = max(range(len(frames)), key=lambda number: len(frames[number]))
    frames[longest] = changed(frames[longest], position % len(frames[longest]))
    with pytest.raises(CaptureError, match=f"packet {longest + 1}: .*{reason}"):
        describe(written(tmp_path, name, frames))


def test_every_frame_of_ipv6_is_covered(tmp_path: Path) -> None:
    """A checksum covers the last byte of every third frame, by day every seventh, whatever its headers; only
    ARP has none."""
    frames = shipped_frames("ipv6")
    unprotected = [wire.source is None for wire, _ in read(TRAFFIC / "ipv6.pcap")]
    for number in range(0, len(frames), size_of_tier(3, 7)):
        one = [*frames[:number], changed(frames[number], len(frames[number]) - 1), *frames[number + 1 :]]
        try:
            read(written(tmp_path, "ipv6", one))
        except CaptureError:
            continue
        assert unprotected[number], f"frame {number + 1}"


def test_a_lost_fragment_is_found(tmp_path: Path) -> None:
    fragments = [number for number, (wire, _) in enumerate(read(TRAFFIC / "ipv6.pcap")) if wire.fragment]
    frames = shipped_frames("ipv6")
    for lost in (fragments[0], fragments[1], fragments[-1]):
        with pytest.raises(CaptureError, match="is missing, or two overlap"):
            read(written(tmp_path, "ipv6", [*frames[:lost], *frames[lost + 1 :]]))


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"IPv6, 802\.1Q"):
        describe(written(tmp_path, "ipv6", shipped_frames("http")))
    with pytest.raises(CaptureError, match="INVITE with SDP"):
        describe(
            written(tmp_path, "udp", [frame for frame in shipped_frames("udp") if b"INVITE sip" not in frame])
        )


def test_strangers_and_long_frames_are_refused(tmp_path: Path) -> None:
    frame = shipped_frames("http")[0]
    # Exchanges the first halves of the addresses, which no checksum detects; nobody has 192.0.1.11.
    stranger = frame[:26] + frame[30:32] + frame[28:30] + frame[26:28] + frame[32:]
    with pytest.raises(CaptureError, match="is not between a client and a server"):
        read(written(tmp_path, "http", [stranger]))
    with pytest.raises(CaptureError, match="offloading was on"):
        read(written(tmp_path, "http", [frame + bytes(1500)]))


def test_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([written(tmp_path, "http", [])]) == 1
    assert "empty" in capsys.readouterr().err
    assert main([TRAFFIC / "http.pcap"]) == 0


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
@pytest.mark.parametrize("chain", [pytest.param("nop", marks=pytest.mark.nightly), "nat,dpi,l3fwd"])
def test_through_the_nf(nf: Nf, path: Path, chain: str) -> None:
    nf.assert_as_spec(read_pcap(path), {"chain.stages": chain})
