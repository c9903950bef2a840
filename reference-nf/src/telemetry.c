/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "telemetry.h"

#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0) /* its name until then */
#define rte_tel_data_add_dict_uint rte_tel_data_add_dict_u64
#endif

static const struct chain *shown; /* set once, before the command is offered */

/* Counters are read while their lcore writes them: each is whole, together they may be of neighbouring batches. */
static int show_stages(const char *command, const char *params, struct rte_tel_data *data)
{
	(void)command, (void)params;
	rte_tel_data_start_dict(data);
	for (uint32_t s = 0; s < shown->probed_count; s++) {
		struct stage_totals totals = chain_totals(shown, s);
		struct rte_tel_data *stage = rte_tel_data_alloc();
		if (stage == NULL)
			return -1;
		rte_tel_data_start_dict(stage);
		rte_tel_data_add_dict_uint(stage, "packets", totals.packets);
		for (uint32_t o = 0; shown->probed[s].outcomes[o].name != NULL; o++)
			rte_tel_data_add_dict_uint(stage, shown->probed[s].outcomes[o].name, totals.outcomes[o]);
		rte_tel_data_add_dict_container(data, shown->probed[s].name, stage, 0);
	}
	return 0;
}

bool telemetry_open(const struct chain *chain)
{
	shown = chain;
	if (rte_telemetry_register_cmd("/nalm/stages", show_stages, "Packets and outcomes by stage. No parameters.") == 0)
		return true;
	fprintf(stderr, "telemetry: cannot offer /nalm/stages\n");
	return false;
}
