/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_lcore.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include "meter/traffic_report.h"
#include "reload/reload.h"
#include "telemetry.h"

#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0) /* the header's name until then */
#define rte_tel_data_add_dict_uint rte_tel_data_add_dict_u64
#endif

static const struct plan *shown; /* set once, before the commands are registered */

/* Counters are read while their lcore writes them: each is read whole, but two may be from adjacent batches. */
static int show_stages(const char *command, const char *params, struct rte_tel_data *data)
{
	const struct chain *chain = shown->chain;

	(void)command, (void)params;
	rte_tel_data_start_dict(data);
	for (uint32_t s = 0; s < chain->probed_count; s++) {
		struct stage_totals totals = chain_totals(chain, s);
		struct rte_tel_data *stage = rte_tel_data_alloc();
		if (stage == NULL)
			return -1;
		rte_tel_data_start_dict(stage);
		rte_tel_data_add_dict_uint(stage, "packets", totals.packets);
		for (uint32_t o = 0; chain->probed[s].outcomes[o].name != NULL; o++)
			rte_tel_data_add_dict_uint(stage, chain->probed[s].outcomes[o].name, totals.outcomes[o]);
		rte_tel_data_add_dict_container(data, chain->probed[s].name, stage, 0);
	}
	return 0;
}

/* Roles in order: the lcore of each, and how often the next lcore had no room for its packets. */
static int show_roles(const char *command, const char *params, struct rte_tel_data *data)
{
	(void)command, (void)params;
	rte_tel_data_start_dict(data);
	for (uint32_t i = 0; i < shown->role_count; i++) {
		struct rte_tel_data *role = rte_tel_data_alloc();
		if (role == NULL)
			return -1;
		rte_tel_data_start_dict(role);
		rte_tel_data_add_dict_uint(role, "lcore", i % rte_lcore_count());
		rte_tel_data_add_dict_uint(role, "back_pressure", shown->roles[i]->back_pressure);
		rte_tel_data_add_dict_container(data, shown->roles[i]->name, role, 0);
	}
	return 0;
}

static void add_member(void *data, const char *name, uint64_t value)
{
	rte_tel_data_add_dict_uint(data, name, value);
}

static int show_traffic(const char *command, const char *params, struct rte_tel_data *data)
{
	(void)command, (void)params;
	rte_tel_data_start_dict(data);
	if (shown->traffic.generator != NULL)
		traffic_report(shown->traffic.generator, shown->traffic.sink, add_member, data);
	return 0;
}

static int show_reload(const char *command, const char *params, struct rte_tel_data *data)
{
	uint64_t done, refused;

	(void)command, (void)params;
	reload_count(&done, &refused);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_uint(data, "done", done);
	rte_tel_data_add_dict_uint(data, "refused", refused);
	return 0;
}

/* Commands of the stages themselves. */
static bool register_of_stages(const struct chain *chain)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->stages[i].ops->hooks.register_telemetry != NULL && !chain->stages[i].ops->hooks.register_telemetry(&chain->stages[i].rcu))
			return false;
	return true;
}

bool telemetry_open(const struct plan *plan)
{
	shown = plan;
	if (rte_telemetry_register_cmd("/nalm/stages", show_stages, "Packets and outcomes by stage. No parameters.") == 0 &&
	    rte_telemetry_register_cmd("/nalm/roles", show_roles, "Lcore and back-pressure by role. No parameters.") == 0 &&
	    rte_telemetry_register_cmd("/nalm/traffic", show_traffic, "What is sent and metered. No parameters.") == 0 &&
	    rte_telemetry_register_cmd("/nalm/reload", show_reload, "Reloads done and refused. No parameters.") == 0)
		return register_of_stages(plan->chain);
	fprintf(stderr, "telemetry: cannot offer /nalm/stages, /nalm/roles, /nalm/traffic and /nalm/reload\n");
	return false;
}
