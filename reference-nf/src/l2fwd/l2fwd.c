/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ethernet forwarding between two ports by destination address: a static filtering database, exact match (IEEE 802.1Q,
 * 8.6 and 8.8). See docs/behaviour.md.
 */
#include <stdio.h>

#include <rte_malloc.h>

#include "l2fwd/l2fwd_config.h"
#include "l2fwd/l2fwd_table.h"
#include "l2fwd/mac_lookup.h"
#include "stage.h"

#define L2FWD_OUTCOMES(OUTCOME) \
	OUTCOME(L2FWD_FORWARDED, "forwarded", NALM_KIND_PASS) \
	OUTCOME(L2FWD_FLOODED, "flooded", NALM_KIND_PASS) \
	OUTCOME(L2FWD_LEFT, "left_to_l3", NALM_KIND_PASS) \
	OUTCOME(L2FWD_FILTERED, "filtered", NALM_KIND_POLICY) \
	OUTCOME(L2FWD_UNKNOWN, "unknown", NALM_KIND_POLICY) \
	OUTCOME(L2FWD_RESERVED, "reserved", NALM_KIND_POLICY) \
	OUTCOME(L2FWD_MALFORMED, "malformed", NALM_KIND_BAD)

enum l2fwd_outcome { L2FWD_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec l2fwd_outcomes[] = {L2FWD_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct l2fwd {
	const struct rcu_tables *rcu;
};

static void *l2fwd_build(const void *settings, const struct stage_place *place)
{
	return l2fwd_table_create(settings, place);
}

static void l2fwd_destroy(void *tables)
{
	l2fwd_table_destroy(tables);
}

static void *l2fwd_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct l2fwd *l = rte_zmalloc_socket("l2fwd", sizeof(*l), 64, place->socket);

	(void)settings;
	if (l == NULL)
		fprintf(stderr, "l2fwd: no memory\n");
	else
		l->rcu = rcu;
	return l;
}

/* Adds frame i to those whose station is looked up, or gives it an outcome. */
static inline void look_at(const struct l2fwd_table *t, struct batch *b, uint32_t i, struct mac_lookups *w)
{
	if (!t->switches_ip && b->packets[i].version != 0) {
		b->outcome[i] = L2FWD_LEFT;
		return;
	}
	if (unlikely(rte_pktmbuf_data_len(b->mbufs[i]) < ETHER_BYTES)) {
		b->outcome[i] = L2FWD_MALFORMED;
		return;
	}
	uint64_t address = mac_destination(batch_frame(b, i));
	if (unlikely((address & L2FWD_GROUP_BIT) != 0)) {
		b->outcome[i] = mac_is_reserved(address) ? L2FWD_RESERVED : L2FWD_FLOODED;
		return;
	}
	b->outcome[i] = t->floods ? L2FWD_FLOODED : L2FWD_UNKNOWN;
	mac_lookups_add(w, i, address);
}

static inline void find_stations(const struct l2fwd_table *t, struct batch *b, struct mac_lookups *w)
{
	flow_table_find_batch(t->stations, w->keys, w->count, w->hits, w->records);
	for (uint32_t i = 0; i < w->count; i++)
		if (mac_lookups_hit(w, i))
			b->outcome[w->at[i]] = t->entries[w->records[i]].forward != 0 ? L2FWD_FORWARDED : L2FWD_FILTERED;
}

STAGE_PROCESS void l2fwd_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void l2fwd_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct l2fwd *l = instance;
	const struct l2fwd_table *t = rcu_tables_get(l->rcu);
	struct mac_lookups w;

	(void)now_ns;
	w.count = 0;
	for (uint32_t i = 0; i < batch->count; i++)
		look_at(t, batch, i, &w);
	if (w.count != 0 && t->stations != NULL)
		find_stations(t, batch, &w);
	batch_settle(batch);
}

static void l2fwd_describe(const void *settings, char *text, size_t bytes)
{
	const struct l2fwd_settings *s = settings;

	snprintf(text, bytes, "%u stations", s->count);
}

const struct stage_ops l2fwd_stage = {
	.name = "l2fwd",
	.outcomes = l2fwd_outcomes,
	.init = l2fwd_init,
	.process = l2fwd_process,
	.fini = rte_free,
	.hooks = {
		.configure = l2fwd_configure,
		.release = l2fwd_release,
		.build = l2fwd_build,
		.destroy = l2fwd_destroy,
		.describe = l2fwd_describe,
	},
};
