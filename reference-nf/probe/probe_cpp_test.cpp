// SPDX-License-Identifier: BSD-3-Clause
//
// The header compiles as C++14 and counts.
#include "nalm_probe.h"

int main()
{
	const struct nalm_stage_spec stages[] = {{"only", 0, nullptr}, {nullptr, 0, nullptr}};
	struct nalm_probe probe;
	static struct nalm_lcore lcore;

	if (nalm_probe_open(&probe, "cpp", stages, nalm_tsc_hz(), nullptr) != 0 ||
	    nalm_lcore_claim(&probe, 0, &lcore) != 0 || !nalm_probe_gate(&lcore))
		return 1;
	nalm_probe_mark(&lcore, 0, 5);
	nalm_probe_commit(&lcore, 5);
	nalm_lcore_finish(&lcore);
	static struct nalm_counter_block counters;
	bool right = nalm_probe_snapshot(&nalm_probe_block(&probe, 0)->counters, &counters) &&
		     counters.stages[0].packets == 5 && probe.header->tsc_hz > 1000000;
	nalm_probe_close(&probe);
	return right ? 0 : 1;
}
