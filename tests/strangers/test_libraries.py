# SPDX-License-Identifier: Apache-2.0
"""Libraries of Debian, by the steps of library.md: nDPI and Hyperscan (the page itself takes libpcap)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from nalm_core.report.outcome import Outcome
from stranger import DOCUMENTS, Stranger, require
from test_pages import C_PLANTED, C_UNUSED
from transcript import blocks

TOML = """version = 1
[project]
name = "stranger"
[build]
commands = [["sh", "-c", "gcc -O2 -g -o {build}/driver driver.c $(pkg-config --cflags --libs LIBRARY)"]]
artifacts = ["driver"]
[run]
command = ["{build}/driver", "{traffic}"]
[stages.inspect]
functions = ["main", "nalm_loop*", "inspect"]
[scenarios.mixed]
traffic = "traffic.pcap"
packets = 20000
"""
NDPI = """#include "nalm_loop.h"
#include <ndpi/ndpi_api.h>
/* helpers */
static struct ndpi_flow_struct *flow;

static bool inspect(void *module, const uint8_t *packet, uint32_t length)
{
	/* each packet */
	memset(flow, 0, SIZEOF_FLOW_STRUCT);
	ndpi_protocol found =
		ndpi_detection_process_packet(module, flow, packet + 14, (uint16_t)(length - 14), 1);
	ndpi_free_flow_data(flow);
	return found.app_protocol != NDPI_PROTOCOL_DNS;
}

int main(int argc, char **argv)
{
	NDPI_PROTOCOL_BITMASK all;
	struct ndpi_detection_module_struct *module = ndpi_init_detection_module(ndpi_no_prefs);
	flow = calloc(1, SIZEOF_FLOW_STRUCT);
	if (module == NULL || flow == NULL)
		return 2;
	NDPI_BITMASK_SET_ALL(all);
	ndpi_set_protocol_detection_bitmask2(module, &all);
	ndpi_finalize_initialization(module);
	return nalm_loop(argc > 1 ? argv[1] : NULL, "inspect", inspect, module);
}
"""
HYPERSCAN = """#include "nalm_loop.h"
#include <hs.h>
/* helpers */
static hs_scratch_t *scratch;

static int matched(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *seen)
{
	(void)id, (void)from, (void)to, (void)flags;
	*(bool *)seen = true;
	return 0;
}

static bool inspect(void *database, const uint8_t *packet, uint32_t length)
{
	bool seen = false;
	/* each packet */
	hs_scan(database, (const char *)packet, length, 0, scratch, matched, &seen);
	return !seen;
}

int main(int argc, char **argv)
{
	static const char *const patterns[] = {"GET /[a-z]+", "n[a-f]lm", "pass(word|phrase)", "[0-9]{4}-[0-9]"};
	static const unsigned flags[4], ids[] = {1, 2, 3, 4};
	hs_platform_info_t platform = {HS_TUNE_FAMILY_GENERIC, HS_CPU_FEATURES_AVX2, 0, 0};
	hs_database_t *database;
	hs_compile_error_t *error;
	if (hs_compile_multi(patterns, flags, ids, 4, HS_MODE_BLOCK, &platform, &database, &error) != HS_SUCCESS)
		return 2;
	if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS)
		return 2;
	return nalm_loop(argc > 1 ? argv[1] : NULL, "inspect", inspect, database);
}
"""
CALL = "for (int i = 0; (packet[19] & 3) == 0 && i < {times}; i++)\n\t\tnalm_test_planted(packet);"


@dataclass(frozen=True)
class Library:
    package: str
    pkg_config: str
    driver: str
    times: int
    """How often the planted function runs for one packet in four; it takes some 25 cycles."""


LIBRARIES = {
    "nDPI": Library("libndpi-dev", "libndpi", NDPI, 20),
    "Hyperscan": Library("libhyperscan-dev", "libhs", HYPERSCAN, 1),
}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_a_library_of_debian(library: Library, stranger: Stranger) -> None:
    require((library.package, "pkg-config"))
    stranger.begin()
    work, run = stranger.session.folder, stranger.session.run
    capture = next(one for one in blocks((DOCUMENTS / "library.md").read_text()) if one.file == "capture.py")
    (work / "capture.py").write_text(capture.text)
    (work / "nalm.toml").write_text(TOML.replace("LIBRARY", library.pkg_config))
    (work / "driver.c").write_text(library.driver)
    run("git init -q -b main && nalm init --headers && python3 capture.py")
    run("git add -A && git commit -qm first")
    planted = library.driver.replace("/* helpers */", C_PLANTED).replace(
        "/* each packet */", CALL.format(times=library.times)
    )
    harmless = library.driver.replace("/* helpers */", C_UNUSED)
    for what, text, expected in (("3 % planted", planted, Outcome.REGRESSED), ("no cost", harmless, None)):
        run("git checkout -q main")
        (work / "driver.c").write_text(text)
        run(f'git checkout -q --detach && git commit -qam "{what}"')
        stranger.judge(what, expected, "nalm_test_planted" if expected else None)
    stranger.end()
