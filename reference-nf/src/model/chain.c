/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <rte_lcore.h>

#include "flow_cache/flow_cache.h"
#include "model/chain.h"

static void add_stage(struct chain *chain, const struct stage_ops *ops)
{
	struct chain_stage *stage = &chain->stages[chain->count++];

	stage->ops = ops;
	if (ops->keeps_flows) {
		if (chain->flows_end == 0)
			chain->flows_first = chain->count - 1;
		chain->flows_end = chain->count;
	}
	for (uint32_t o = 0; ops->outcomes[o].name != NULL; o++)
		if (ops->outcomes[o].kind == NALM_KIND_PASS)
			stage->go_on |= 1u << o;
}

static void add_named(struct chain *chain, struct config *config, const char *name, size_t length, bool flow_cached)
{
	const struct stage_ops *ops = stage_find(name, length);

	if (ops == NULL) {
		char known[128] = "";
		for (uint32_t i = 0; stage_catalogue[i] != NULL; i++) {
			strncat(known, " ", sizeof(known) - strlen(known) - 1);
			strncat(known, stage_catalogue[i]->name, sizeof(known) - strlen(known) - 1);
		}
		config_mistake(config, "chain", "stages", "there is no stage `%.*s`; there are:%s", (int)length, name,
			       known);
		return;
	}
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->stages[i].ops == ops) {
			config_mistake(config, "chain", "stages", "stage %s is named twice", ops->name);
			return;
		}
	uint32_t most = flow_cached ? FLOW_PATH_NOTES : CHAIN_MAX_STAGES; /* the flow cache has a note for each stage */
	if (chain->count == most) {
		config_mistake(config, "chain", "stages", "more than %u stages%s", most,
			       flow_cached ? ", the flow cache included" : "");
		return;
	}
	add_stage(chain, ops);
}

void chain_configure(struct chain *chain, struct config *config, bool flow_cache)
{
	const char *at = config_text(config, "chain", "stages", NULL);

	memset(chain, 0, sizeof(*chain));
	if (at == NULL) {
		config_mistake(config, "chain", "stages", "expected stages in pass order, like nat,dpi,l3fwd");
		return;
	}
	if (flow_cache)
		add_stage(chain, &flow_cache_stage);
	for (;;) {
		size_t length = strcspn(at, ",");
		add_named(chain, config, at, length, flow_cache);
		if (at[length] == '\0')
			break;
		at += length + 1;
	}
}

/* Number of instances of stage i: one for each role that runs it in parallel. */
static uint32_t instances_of(const struct chain *c, uint32_t i, const struct model_settings *m)
{
	if (m->kind == MODEL_PIPELINE || (m->state == STATE_LOCKED && c->stages[i].ops->keeps_flows))
		return 1;
	if (m->state == STATE_SEPARATED && i >= c->flows_first && i < c->flows_end)
		return m->databases;
	return m->workers;
}

static uint32_t flow_instances_of(const struct chain *c, const struct model_settings *m)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < c->count; i++)
		if (c->stages[i].ops->keeps_flows)
			most = RTE_MAX(most, instances_of(c, i, m));
	return most;
}

static bool init_stage(struct chain_stage *s, struct stage_place place)
{
	atomic_init(&s->rcu.tables, NULL);
	s->place = place;
	if (s->ops->hooks.build != NULL) {
		void *tables = s->ops->hooks.build(s->settings, &place);
		if (tables == NULL)
			return false;
		atomic_store_explicit(&s->rcu.tables, tables, memory_order_release);
	}
	for (; s->instance_count < place.count; s->instance_count++) {
		place.index = s->instance_count;
		s->instances[place.index] = s->ops->init(s->settings, &s->rcu, &place);
		if (s->instances[place.index] == NULL)
			return false;
	}
	return true;
}

bool chain_init(struct chain *c, const struct model_settings *m, uint64_t seed)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct stage_place place = {
			.count = instances_of(c, i, m),
			.seed = seed,
			.socket = (int)rte_socket_id(),
			.hash = m->hash,
			.prefetch = m->prefetch,
			.note = (uint8_t)i,
			.flows = flow_instances_of(c, m),
		};
		if (!init_stage(&c->stages[i], place))
			return false;
	}
	return true;
}

void chain_fini(struct chain *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct chain_stage *s = &c->stages[i];
		for (uint32_t n = 0; n < s->instance_count; n++)
			s->ops->fini(s->instances[n]);
		if (rcu_tables_get(&s->rcu) != NULL)
			s->ops->hooks.destroy(rcu_tables_get(&s->rcu));
	}
}

static void stop_control(const struct chain *c, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (c->stages[i].ops->hooks.stop_control != NULL)
			c->stages[i].ops->hooks.stop_control();
}

bool chain_start_control(const struct chain *c, struct rte_rcu_qsbr *readers)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct chain_stage *s = &c->stages[i];
		if (s->ops->hooks.start_control != NULL && !s->ops->hooks.start_control(s->settings, &s->rcu, readers)) {
			stop_control(c, i);
			return false;
		}
	}
	return true;
}

void chain_stop_control(const struct chain *c)
{
	stop_control(c, c->count);
}

const struct chain_stage *chain_flow_stage(const struct chain *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->stages[i].ops->keeps_flows && c->stages[i].ops->hooks.owners != NULL)
			return &c->stages[i];
	return NULL;
}

void chain_reset_totals(struct chain *c)
{
	memset(c->ledgers, 0, sizeof(c->ledgers));
	for (uint32_t i = 0; i < c->count; i++) {
		const struct chain_stage *s = &c->stages[i];
		if (s->ops->hooks.reset != NULL)
			s->ops->hooks.reset(&s->rcu, s->instances, s->instance_count);
	}
}

struct stage_totals chain_totals(const struct chain *c, uint32_t probed)
{
	struct stage_totals sum = {0};

	for (uint32_t r = 0; r < MODEL_MAX_ROLES; r++) {
		const struct stage_totals *t = &c->ledgers[r].stages[probed];
		sum.packets += t->packets;
		for (uint32_t o = 0; o < NALM_PROBE_MAX_OUTCOMES; o++)
			sum.outcomes[o] += t->outcomes[o];
	}
	return sum;
}

uint64_t chain_sum(const struct chain *c, enum nalm_outcome_kind kind)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < c->probed_count; s++) {
		struct stage_totals totals = chain_totals(c, s);
		if (c->probed[s].flags & NALM_STAGE_APART)
			continue;
		for (uint32_t o = 0; c->probed[s].outcomes[o].name != NULL; o++)
			if (c->probed[s].outcomes[o].kind == kind)
				sum += totals.outcomes[o];
	}
	return sum;
}

static bool stage_balanced(const struct chain *c, uint32_t probed)
{
	struct stage_totals totals = chain_totals(c, probed);
	uint64_t sum = 0;

	for (uint32_t o = 0; o < NALM_PROBE_MAX_OUTCOMES; o++)
		sum += totals.outcomes[o];
	return sum == totals.packets;
}

bool chain_balanced(const struct chain *c)
{
	uint64_t out = chain_sum(c, NALM_KIND_SENT) + chain_sum(c, NALM_KIND_POLICY) + chain_sum(c, NALM_KIND_LOST) +
		       chain_sum(c, NALM_KIND_BAD);

	for (uint32_t s = 0; s < c->probed_count; s++)
		if (!stage_balanced(c, s))
			return false;
	return chain_totals(c, c->at[PART_RX]).packets == out;
}
