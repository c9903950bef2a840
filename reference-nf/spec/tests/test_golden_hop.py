# SPDX-License-Identifier: BSD-3-Clause
"""Packets that reach the NF over a hop leave it as the spec says: in every form and execution model, with
both ends in one process, and with the stages in a process of their own."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import golden_packets as packets
import pytest
from golden_nf import CONFIG, EAL, NF_FOLDER, Nf, lcore_map
from spec.config import read_chain
from spec.pcap import read_pcap, write_pcap
from test_golden_models import MODELS, ROLES, SFC_A, by_flow, each_model, numbered

FIELDS = {"hop.fields": str(NF_FOLDER / "conf" / "hop_fields.txt")}
SHARED = ("mbuf", "fdt", "fdt_aggregated")
DEVICES = ("memif", "vhost")
ONE_SHARED = [pytest.param(form, marks=[pytest.mark.nightly] * (form != "fdt_aggregated")) for form in SHARED]
"""By day the form that most of the code is for."""
ROUTES = NF_FOLDER / "conf" / "routes.txt"
RUN_SECONDS = 90
ETHER_BYTES = 14
PBB_BYTES = 22
OWN_FIELDS = """# a tenant's own fields beside those that both ends know
tenant,8
hash,4
len,2
colour,1
port,2
"""


def over(buffers: str) -> dict[str, str]:
    return {"hop.buffers": buffers, "hop.packets": "128"} | FIELDS


@pytest.mark.sanitised
@pytest.mark.parametrize("buffers", SHARED)
def test_golden_packets_in_every_form(nf: Nf, buffers: str) -> None:
    nf.assert_as_spec([frame for _, frame in packets.every()], SFC_A | over(buffers))


@pytest.mark.parametrize("name", each_model(MODELS))
def test_golden_packets_in_every_model(nf: Nf, name: str) -> None:
    buffers = SHARED[list(MODELS).index(name) % len(SHARED)]
    nf.assert_as_spec([frame for _, frame in packets.every()], SFC_A | MODELS[name] | over(buffers))


@pytest.mark.parametrize("buffers", ONE_SHARED)
def test_an_lcore_each_keeps_flows_whole_and_in_order(nf: Nf, buffers: str) -> None:
    frames = numbered()
    ran = nf.replay(frames, SFC_A | MODELS["two workers"] | over(buffers), lcores=ROLES["two workers"])
    assert by_flow(ran.frames) == by_flow(frames)


def test_fields_of_another_file_need_no_other_program(nf: Nf, tmp_path: Path) -> None:
    (tmp_path / "fields").write_text(OWN_FIELDS)
    settings = SFC_A | over("fdt_aggregated") | {"hop.fields": str(tmp_path / "fields")}
    nf.assert_as_spec([frame for _, frame in packets.every()], settings)


@pytest.mark.parametrize(
    "buffers",
    [
        *ONE_SHARED,
        *(
            pytest.param(form, marks=[pytest.mark.sanitised, *[pytest.mark.nightly] * (form == "memif")])
            for form in DEVICES
        ),
    ],
)
def test_two_processes(nf: Nf, tmp_path: Path, buffers: str) -> None:
    """A switch sends the golden packets to an NF that was started before it; a stage drops some of them."""
    stages = {"chain.stages": "acl,l3fwd"}
    shortest = ETHER_BYTES if buffers in DEVICES else 0  # the drivers drop shorter ones
    frames = [frame for _, frame in packets.every() if len(frame) >= shortest]
    expected = read_chain(CONFIG, stages).replay(frames)
    write_pcap(tmp_path / "in.pcap", frames)
    shared = {"hop.buffers": buffers, "hop.path": str(tmp_path / "hop")}
    switch = {"hop.side": "switch", "traffic.capture": str(tmp_path / "in.pcap")}
    if buffers in SHARED:
        switch |= FIELDS
    receiving = start(nf, "nf", shared | stages | {"hop.side": "nf"}, (), tmp_path)
    sending = start(nf, "switch", shared | switch, ("--dump", str(tmp_path / "out.pcap")), tmp_path)
    try:
        assert sending.stdout is not None
        assert sending.stdout.readline()  # its totals: nothing more comes, which a device does not say
        if buffers in DEVICES:
            receiving.terminate()
        out, said = receiving.communicate(timeout=RUN_SECONDS)
        assert sending.wait(RUN_SECONDS) == 0
    finally:
        for process in (sending, receiving):
            process.kill()
            process.communicate()
    assert receiving.returncode == 0, said
    totals = json.loads(out.splitlines()[-1])
    for stage in totals["stages"]:
        if stage["name"] in expected.outcomes:
            outcomes = {name: count for name, count in stage["outcomes"].items() if count}
            assert outcomes == dict(expected.outcomes[stage["name"]]), stage["name"]
    assert Counter(read_pcap(tmp_path / "out.pcap")) == Counter(expected.frames)
    assert not (tmp_path / "hop").exists() or buffers in DEVICES


@pytest.mark.parametrize(
    "buffers",
    [
        *("fdt_aggregated", "memif"),
        *(pytest.param(form, marks=pytest.mark.nightly) for form in ("mbuf", "fdt", "vhost")),
    ],
)
def test_two_in_series(nf: Nf, tmp_path: Path, buffers: str) -> None:
    """Packets pass the first NF's stages, then those of the second one, which the first one starts."""
    stages = {"chain.stages": "acl,l3fwd"}
    shortest = ETHER_BYTES if buffers in DEVICES else 0
    frames = [frame for _, frame in packets.every() if len(frame) >= shortest]
    first = read_chain(CONFIG, stages).replay(frames)
    second = read_chain(CONFIG, {"chain.stages": "l3fwd"}).replay(first.frames)
    assert len(second.frames) < len(first.frames) < len(frames), "each of them drops some"
    (tmp_path / "second.conf").write_text(f"[chain]\nstages = l3fwd\n[l3fwd]\nroutes = {ROUTES}\n")
    write_pcap(tmp_path / "in.pcap", frames)
    series = {
        "hop.side": "first",
        "hop.buffers": buffers,
        "hop.next": str(tmp_path / "second.conf"),
        "traffic.capture": str(tmp_path / "in.pcap"),
        "traffic.replies": "as_is",
    }
    if buffers in SHARED:
        series |= FIELDS
    running = start(nf, "series", series | stages, ("--dump", str(tmp_path / "out.pcap")), tmp_path)
    try:
        out, said = running.communicate(timeout=RUN_SECONDS)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 0, said
    totals = json.loads(out.splitlines()[-1])
    assert totals["sent"] == len(first.frames)
    own = json.loads(next(line for line in said.splitlines() if line.startswith('{"nf"')))
    assert (own["in"], own["sent"]) == (len(first.frames), len(second.frames))
    assert Counter(read_pcap(tmp_path / "out.pcap")) == Counter(second.frames)


def of_a_customer(size: int) -> bytes:
    return bytes.fromhex("02aa00000001 02aa00000002 88b5") + bytes(size - ETHER_BYTES)


@pytest.mark.parametrize("buffers", SHARED)
def test_longest_frames_that_grow_come_back(nf: Nf, buffers: str) -> None:
    ran = nf.replay([of_a_customer(size) for size in (60, 2048)], {"chain.stages": "pbb"} | over(buffers))
    assert [len(frame) for frame in ran.frames] == [60 + PBB_BYTES, 2048 + PBB_BYTES]
    assert ran.totals["hop"] == {"crossing": 0, "refused": 0, "too_long": 0}


def test_frames_that_the_first_nf_makes_too_long(nf: Nf, tmp_path: Path) -> None:
    """They are dropped and counted before the second one, and the run ends."""
    longest = 2048 - PBB_BYTES
    (tmp_path / "second.conf").write_text("[chain]\nstages = nop\n")
    write_pcap(tmp_path / "in.pcap", [of_a_customer(size) for size in (60, 2048, longest, longest + 1)])
    series = {
        "chain.stages": "pbb",
        "hop.side": "first",
        "hop.buffers": "fdt",
        "hop.next": str(tmp_path / "second.conf"),
        "traffic.capture": str(tmp_path / "in.pcap"),
        "traffic.replies": "as_is",
    }
    running = start(nf, "long", series | FIELDS, ("--dump", str(tmp_path / "out.pcap")), tmp_path)
    try:
        out, said = running.communicate(timeout=RUN_SECONDS)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 0, said
    totals = json.loads(out.splitlines()[-1])
    assert (totals["sent"], totals["hop"]["crossing"], totals["hop"]["too_long"]) == (4, 0, 2)
    assert [len(frame) for frame in read_pcap(tmp_path / "out.pcap")] == [60 + PBB_BYTES, 2048]


def test_a_second_nf_that_fails_ends_the_first(nf: Nf, tmp_path: Path) -> None:
    (tmp_path / "second.conf").write_text("[chain]\nstages = nothing\n")
    write_pcap(tmp_path / "in.pcap", [frame for _, frame in packets.every()])
    series = {
        "hop.side": "first",
        "hop.buffers": "fdt",
        "hop.next": str(tmp_path / "second.conf"),
        "hop.path": str(tmp_path / "hop"),
        "traffic.capture": str(tmp_path / "in.pcap"),
        "traffic.replies": "as_is",
    }
    running = start(nf, "series", series | FIELDS, (), tmp_path)
    try:
        _, said = running.communicate(timeout=RUN_SECONDS)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 1
    assert "there is no stage `nothing`" in said
    assert "the second NF failed with exit status 2" in said
    assert not (tmp_path / "hop").exists()


def start(
    nf: Nf, prefix: str, settings: dict[str, str], options: tuple[str, ...], folder: Path
) -> subprocess.Popen[str]:
    command = [
        str(nf.binary),
        lcore_map(1),
        *EAL,
        f"--file-prefix=hop-{prefix}",
        "--",
        "--config",
        str(CONFIG),
    ]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
