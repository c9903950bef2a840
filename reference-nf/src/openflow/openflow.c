/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An OpenFlow 1.3 switch's pipeline: flow tables, instructions, groups, meters. docs/behaviour.md.
 */
#include <stdio.h>

#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "flow_mod/flow_control.h"
#include "openflow/openflow_config.h"
#include "openflow/openflow_counts.h"
#include "openflow/openflow_interpret.h"
#include "openflow/openflow_tables.h"
#include "stage.h"

static const struct nalm_outcome_spec openflow_outcomes[] = {OPENFLOW_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct openflow {
	const struct rcu_tables *rcu;
	uint32_t index; /* of this instance */
};

static void *openflow_build(const void *settings, const struct stage_place *place)
{
	struct openflow_tables *tables = openflow_tables_create(settings, place);

	if (tables == NULL || !tables->settings->changeable || openflow_mods_open(tables))
		return tables;
	fprintf(stderr, "openflow: no memory for changes of single entries\n");
	openflow_tables_destroy(tables);
	return NULL;
}

static void openflow_destroy(void *tables)
{
	openflow_mods_close(tables);
	openflow_tables_destroy(tables);
}

static void *openflow_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct openflow *o = rte_zmalloc_socket("openflow", sizeof(*o), 64, place->socket);

	(void)settings;
	if (o == NULL) {
		fprintf(stderr, "openflow: no memory\n");
		return NULL;
	}
	o->rcu = rcu;
	o->index = place->index;
	return o;
}

static void openflow_fini(void *instance)
{
	rte_free(instance);
}

static void fetch_ahead(const uint16_t *first, const struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->packets[i].version != 4 || b->packets[i].kind == PACKET_MALFORMED)
			continue;
		const uint8_t *destination = rte_pktmbuf_mtod_offset(b->mbufs[i], const uint8_t *, OPENFLOW_AT_IPV4_DST);
		rte_prefetch0(first + (rte_be_to_cpu_32(load32(destination)) >> 8));
	}
}

static void interpret(const struct openflow_tables *t, struct openflow_row *row, struct batch *b, uint64_t now_ns)
{
	const uint16_t *fetched = __atomic_load_n(&t->fetched, __ATOMIC_ACQUIRE);

	if (fetched != NULL)
		fetch_ahead(fetched, b);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct openflow_packet packet = {
			.frame = batch_frame(b, i),
			.parsed = &b->packets[i],
			.bytes = rte_pktmbuf_data_len(b->mbufs[i]),
			.in_port = openflow_in_port(b->mbufs[i]),
			.now_ns = now_ns,
		};
		b->outcome[i] = (uint8_t)openflow_interpret(t, row, &packet);
	}
}

STAGE_PROCESS void openflow_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void openflow_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct openflow *o = instance;
	const struct openflow_tables *t = rcu_tables_get(o->rcu);
	struct openflow_row *row = &t->rows[o->index];

	if (t->code != NULL)
		t->run(batch, row, now_ns);
	else
		interpret(t, row, batch, now_ns);
	batch_settle(batch);
}

static void openflow_describe(const void *settings, char *text, size_t bytes)
{
	const struct openflow_settings *s = settings;
	snprintf(text, bytes, "%u flow entries, %u groups, %u meters", s->entry_count, s->group_count, s->meter_count);
}

const struct stage_ops openflow_stage = {
	.name = "openflow",
	.outcomes = openflow_outcomes,
	.init = openflow_init,
	.process = openflow_process,
	.fini = openflow_fini,
	.hooks = {
		.fixed_keys = (const char *const[]){"control", NULL},
		.configure = openflow_configure,
		.release = openflow_release,
		.build = openflow_build,
		.inherit = openflow_inherit,
		.destroy = openflow_destroy,
		.describe = openflow_describe,
		.report = openflow_report,
		.reset = openflow_reset,
		.start_control = openflow_control_start,
		.stop_control = openflow_control_stop,
	},
};
