/* SPDX-License-Identifier: Apache-2.0
 *
 * The largest probe: 64 stages, 64 lcores, batches beyond 1,024. Stage s gets s + 1 packets of each lcore, except the
 * last, which gets 2,000; each of them goes on, except in the last stage.
 */
#define NALM_PROBE_MAX_STAGES 64
#include "nalm_probe.h"

#include <stdio.h>

int main(void)
{
	static const struct nalm_outcome_spec pass[] = {{"pass", NALM_KIND_PASS}, {NULL, 0}};
	static const struct nalm_outcome_spec sent[] = {{"sent", NALM_KIND_SENT}, {NULL, 0}};
	static char names[NALM_PROBE_MAX_STAGES][8];
	static struct nalm_stage_spec stages[NALM_PROBE_MAX_STAGES + 2];
	static struct nalm_lcore lcores[NALM_PROBE_MAX_LCORES + 1];
	struct nalm_probe probe;

	for (uint32_t s = 0; s <= NALM_PROBE_MAX_STAGES; s++)
		stages[s].name = "one too many";
	if (nalm_probe_open(&probe, "many", stages, 1000000, NULL) != -E2BIG)
		return 1;
	for (uint32_t s = 0; s < NALM_PROBE_MAX_STAGES; s++) {
		snprintf(names[s], sizeof(names[s]), "s%u", s);
		stages[s].name = names[s];
		stages[s].outcomes = s + 1 < NALM_PROBE_MAX_STAGES ? pass : sent;
	}
	stages[NALM_PROBE_MAX_STAGES].name = NULL;
	stages[0].flags = stages[63].flags = NALM_STAGE_APART;
	if (nalm_probe_open(&probe, "many", stages, 1000000, NULL) != 0)
		return 2;
	for (uint32_t l = 0; l < NALM_PROBE_MAX_LCORES; l++) {
		if (nalm_lcore_claim(&probe, l, &lcores[l]) != 0 || !nalm_probe_gate(&lcores[l]))
			return 3;
		lcores[l].long_cycles = 1;
		for (uint32_t s = 0; s < NALM_PROBE_MAX_STAGES; s++) {
			uint32_t n = s + 1 < NALM_PROBE_MAX_STAGES ? s + 1 : 2000;
			nalm_probe_mark(&lcores[l], s, n);
			nalm_probe_outcome(&lcores[l], s, 0, n);
		}
		nalm_probe_commit(&lcores[l], 2000);
	}
	return nalm_lcore_claim(&probe, 64, &lcores[64]) == -ENOSPC ? 0 : 4;
}
