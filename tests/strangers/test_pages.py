# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/bring-your-own-nf as they stand, then a planted regression of about 3 % and a change
without cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from nalm_core.report.outcome import Outcome
from stranger import DOCUMENTS, NO_COST, Stranger, require

C_UNUSED = "\nint nalm_test_unused(int a);\nint nalm_test_unused(int a)\n{\n\treturn a + 1;\n}\n"


RUST_DIGEST = """#[inline(never)]
fn digest(packet: &[u8]) -> u32 {
    packet.iter().fold(7, |sum, one| u32::wrapping_mul(sum, 31) ^ u32::from(*one))
}

"""
GO_UNUSED = "\nfunc NalmTestUnused(a int) int {\n\treturn a + 1\n}\n"


@dataclass(frozen=True)
class Edit:
    """A change of one file."""

    file: str
    old: str
    new: str

    def apply(self, folder: Path) -> None:
        path = folder / self.file
        text = path.read_text()
        assert text.count(self.old) == 1, f"{self.file} has {self.old!r} {text.count(self.old)} times"
        path.write_text(text.replace(self.old, self.new))


@dataclass(frozen=True)
class Page:
    """A page, and what is changed after it. `named`: the function that has to be found; None where there are
    no functions."""

    document: str
    planted: tuple[Edit, ...]
    harmless: Edit
    named: str | None
    packages: tuple[str, ...] = ()
    folder: str = "."
    """Of the repository, from where the page ends."""
    base: tuple[Edit, ...] = ()
    """Made before both: work for a program that takes so few cycles that one instruction is 3 %."""
    no_cost: float = NO_COST
    """Most that instructions per packet may differ without a change."""
    bpf: bool = False
    """The kernel runs it."""


BY_THE_RUNTIME = 0.005
"""Go's runtime interrupts the loop every 10 ms, whatever it executed meanwhile."""

C_PLANTED = """
__attribute__((noinline)) static unsigned nalm_test_planted(const uint8_t *packet)
{
	unsigned sum = 0;
	for (int i = 0; i < 20; i++)
		sum = sum * 31 + ((const volatile uint8_t *)packet)[i];
	return sum;
}
"""
PAGES = {
    "dpdk": Page(
        "dpdk.md",
        (
            Edit(
                "fwd.c",
                "static int forward(",
                f"{C_PLANTED.replace('i < 20', 'i < 30')}\nstatic int forward(",
            ),
            Edit(
                "fwd.c",
                "\t\t\tswap_addresses(packets[i]);\n",
                "\t\t\tswap_addresses(packets[i]);\n"
                "\t\tfor (uint16_t i = 0; i < received; i += 32)\n"
                "\t\t\tnalm_test_planted(rte_pktmbuf_mtod(packets[i], const uint8_t *));\n",
            ),
        ),
        Edit("fwd.c", "\nint main(", f"{C_UNUSED}\nint main("),
        "nalm_test_planted",
        packages=("libdpdk-dev",),
    ),
    "library": Page(
        "library.md",
        (
            Edit("bpf.c", "static bool filter(", f"{C_PLANTED}\nstatic bool filter("),
            Edit(
                "bpf.c",
                "\treturn pcap_offline_filter(program",
                "\tif ((packet[19] & 31) == 0)\n\t\tnalm_test_planted(packet);\n"
                "\treturn pcap_offline_filter(program",
            ),
        ),
        Edit("bpf.c", "\nint main(", f"{C_UNUSED}\nint main("),
        "nalm_test_planted",
        packages=("libpcap-dev",),
    ),
    "rust": Page(
        "other-languages.md",
        (
            Edit(
                "parser.rs",
                "fn destination_port(",
                f"{RUST_DIGEST.replace('digest', 'nalm_test_planted')}fn destination_port(",
            ),
            Edit(
                "parser.rs",
                "    if digest(packet) == 1 {\n",
                "    if packet[19] & 31 == 0 && nalm_test_planted(packet) == 1 {\n"
                "        return false;\n    }\n"
                "    if digest(packet) == 1 {\n",
            ),
        ),
        Edit("loop.c", "\nint main(", f"{C_UNUSED}\nint main("),
        "nalm_test_planted",
        packages=("rustc", "golang-go"),
        folder="../parser",
        base=(
            Edit("parser.rs", "fn destination_port(", f"{RUST_DIGEST}fn destination_port("),
            Edit(
                "parser.rs",
                "    destination_port(std::slice::from_raw_parts(packet, length as usize)) == Some(53)",
                "    let packet = std::slice::from_raw_parts(packet, length as usize);\n"
                "    if digest(packet) == 1 {\n        return false;\n    }\n"
                "    destination_port(packet) == Some(53)",
            ),
        ),
    ),
    "go": Page(
        "other-languages.md",
        (
            Edit(
                "main.go",
                "//go:noinline\nfunc parse",
                "var planted uint32\n\n//go:noinline\nfunc nalmTestPlanted(packet []byte) {\n"
                "\tfor _, one := range packet {\n\t\tplanted = planted*31 + uint32(one)\n\t}\n}\n\n"
                "//go:noinline\nfunc parse",
            ),
            Edit(
                "main.go",
                "\tfor _, packet := range packets {\n",
                "\tnalmTestPlanted(packets[0][:6])\n\tfor _, packet := range packets {\n",
            ),
        ),
        Edit("main.go", "\nfunc main() {", f"{GO_UNUSED}\nfunc main() {{"),
        "nalmTestPlanted",
        packages=("rustc", "golang-go"),
        no_cost=BY_THE_RUNTIME,
    ),
    "xdp": Page(
        "xdp.md",
        (Edit("filter.bpf.c", "#define ROUNDS 1", "#define ROUNDS 16"),),
        Edit("filter.bpf.c", "XDP_DROP : XDP_PASS", "XDP_DROP : (XDP_PASS + 0 * ROUNDS)"),
        None,
        packages=("clang", "libbpf-dev"),
        bpf=True,
    ),
}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_as_it_stands_then_3_percent_then_nothing(page: Page, stranger: Stranger) -> None:
    require(page.packages, bpf=page.bpf)
    stranger.play(DOCUMENTS / page.document)
    stranger.session.run(f"cd {page.folder}")
    stranger.session.run("git checkout -q $(git rev-list --max-parents=0 HEAD)")
    for edit in page.base:
        edit.apply(stranger.session.where())
    stranger.session.run("git commit -q --allow-empty -am base && git tag base")
    for what, edits, expected in (
        ("3 % planted", page.planted, Outcome.REGRESSED),
        ("no cost", (page.harmless,), None),
    ):
        stranger.session.run("git checkout -q base")
        for edit in edits:
            edit.apply(stranger.session.where())
        stranger.session.run(f'git commit -qam "{what}"')
        stranger.judge(what, expected, page.named if expected else None, page.no_cost)
    stranger.end()


ONE_IN_FOUR = "priority=40000,ip,in_port=1,nw_src=198.18.0.0/26,actions="
"""A flow of Open vSwitch that 64 of the 256 packets match, which come one after the other. Flows of
no priority have 32768."""
OF_CYCLES_ALONE = (8, 20)
"""Minutes for 3 % of an NF that counts for itself: a launch takes 6 to 10 s, and has no instructions."""


@pytest.mark.timeout(4 * 3600)
def test_open_vswitch(stranger: Stranger) -> None:
    """The page adds a flow, which may cost nothing. Planted is an action on one packet in four, which costs
    an eighth of a packet's cycles; there are no functions."""
    require(("openvswitch-switch-dpdk",), ("unshare", "setpriv"))
    stranger.play(DOCUMENTS / "self-counting.md")
    stranger.session.run("git checkout -q HEAD~1")
    stranger.session.run(f"echo {ONE_IN_FOUR}output:2 >>flows.txt && git commit -qam base && git tag base")
    stranger.session.run("echo '# words' >>flows.txt && git commit -qam 'words'")
    stranger.judge("no cost", None)
    stranger.session.run("git checkout -q base")
    stranger.session.run("sed -i '/nw_src/s/actions=/actions=mod_nw_tos:4,/' flows.txt")
    stranger.session.run("git commit -qam 'an action'")
    stranger.judge("3 % planted", Outcome.REGRESSED, minutes=OF_CYCLES_ALONE)
    stranger.end()
