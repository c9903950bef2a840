# SPDX-License-Identifier: BSD-3-Clause
"""Without huge pages EAL's memory asks the kernel for transparent ones, and keeps its content."""

import re
from pathlib import Path

from golden_nf import NF_FOLDER, Nf
from running_nf import running

MEGABYTES = 256
MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ .*?(?=^[0-9a-f]+-[0-9a-f]+ |\Z)", re.MULTILINE | re.DOTALL)
SIZE = re.compile(r"^Size: +(\d+) kB", re.MULTILINE)
"""Lines of /proc/PID/smaps (proc(5))."""


def test_memory_without_huge_pages_is_on_transparent_ones(nf: Nf) -> None:
    settings = ["chain.stages=nat,l3fwd", "l3fwd.routes_generated=100"]
    with running(nf, NF_FOLDER / "conf" / "sfc_a.conf", settings, megabytes=MEGABYTES) as process:
        process.wait_for("replaying")
        mappings: list[str] = MAPPING.findall(Path(f"/proc/{process.process.pid}/smaps").read_text())
        totals = process.end()
    sizes = {one: int(SIZE.findall(one)[0]) >> 10 for one in mappings}
    like_it = [one for one, size in sizes.items() if MEGABYTES <= size < 2 * MEGABYTES]
    assert any(" hg" in one.rpartition("VmFlags:")[2] for one in like_it)
    assert not any("memfd" in one.partition("\n")[0] for one in like_it), "the file that EAL mapped"
    assert totals["lost"] == 0
