/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "io/generator.h"
#include "io/sink.h"
#include "model/chain.h"

static void add_stage(struct chain *chain, struct config *config, const char *name, size_t length)
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
			config_mistake(config, "chain", "stages", "stage %s stands there twice", ops->name);
			return;
		}
	if (chain->count == CHAIN_MAX_STAGES) {
		config_mistake(config, "chain", "stages", "more than %u stages", CHAIN_MAX_STAGES);
		return;
	}
	struct chain_stage *stage = &chain->stages[chain->count++];
	stage->ops = ops;
	for (uint32_t o = 0; ops->outcomes[o].name != NULL; o++)
		if (ops->outcomes[o].kind == NALM_KIND_PASS)
			stage->go_on |= 1u << o;
}

static void name_probed(struct chain *c)
{
	uint32_t n = 0;

	c->probed[n++] = (struct nalm_stage_spec){"generator", NALM_STAGE_APART, generator_outcomes};
	c->probed[n++] = (struct nalm_stage_spec){"rx", 0, rx_outcomes};
	for (uint32_t i = 0; i < c->count; i++)
		c->probed[n++] = (struct nalm_stage_spec){c->stages[i].ops->name, 0, c->stages[i].ops->outcomes};
	c->probed[n++] = (struct nalm_stage_spec){"tx", 0, tx_outcomes};
	c->probed[n++] = (struct nalm_stage_spec){"sink", NALM_STAGE_APART, sink_outcomes};
	c->probed_count = n;
}

void chain_configure(struct chain *chain, struct config *config)
{
	const char *at = config_text(config, "chain", "stages", NULL);

	memset(chain, 0, sizeof(*chain));
	if (at == NULL) {
		config_mistake(config, "chain", "stages", "expected stages in pass order, like nat,dpi,l3fwd");
		return;
	}
	for (;;) {
		size_t length = strcspn(at, ",");
		add_stage(chain, config, at, length);
		if (at[length] == '\0')
			break;
		at += length + 1;
	}
	name_probed(chain);
}

bool chain_init(struct chain *c, uint64_t seed)
{
	for (uint32_t i = 0; i < c->count; i++) {
		c->stages[i].state = c->stages[i].ops->init(c->stages[i].settings, seed);
		if (c->stages[i].state == NULL)
			return false;
	}
	return true;
}

void chain_fini(struct chain *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->stages[i].state != NULL)
			c->stages[i].ops->fini(c->stages[i].state);
}

void chain_reset_totals(struct chain *c)
{
	memset(c->totals, 0, sizeof(c->totals));
	for (uint32_t i = 0; i < c->count; i++)
		if (c->stages[i].ops->reset != NULL)
			c->stages[i].ops->reset(c->stages[i].state);
}

uint64_t chain_sum(const struct chain *c, enum nalm_outcome_kind kind)
{
	uint64_t sum = 0;

	for (uint32_t s = CHAIN_RX; s <= chain_tx(c); s++)
		for (uint32_t o = 0; c->probed[s].outcomes[o].name != NULL; o++)
			if (c->probed[s].outcomes[o].kind == kind)
				sum += c->totals[s].outcomes[o];
	return sum;
}

static bool stage_balanced(const struct chain *c, uint32_t s)
{
	uint64_t sum = 0;
	for (uint32_t o = 0; o < NALM_PROBE_MAX_OUTCOMES; o++)
		sum += c->totals[s].outcomes[o];
	return sum == c->totals[s].packets;
}

bool chain_balanced(const struct chain *c)
{
	uint64_t out = chain_sum(c, NALM_KIND_SENT) + chain_sum(c, NALM_KIND_POLICY) + chain_sum(c, NALM_KIND_LOST) +
		       chain_sum(c, NALM_KIND_BAD);

	for (uint32_t s = 0; s < c->probed_count; s++)
		if (!stage_balanced(c, s))
			return false;
	return c->totals[CHAIN_RX].packets == out;
}
