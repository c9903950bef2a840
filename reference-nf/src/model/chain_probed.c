/* SPDX-License-Identifier: BSD-3-Clause */
#include "meter/sink.h"
#include "model/chain_probed.h"
#include "nic/nic.h"
#include "role/dispatch.h"
#include "role/handover.h"
#include "role/order.h"
#include "traffic/generator.h"

static void name_part(struct chain *c, enum chain_part part, const char *name, uint32_t flags,
		      const struct nalm_outcome_spec *outcomes)
{
	c->at[part] = c->probed_count;
	c->probed[c->probed_count++] = (struct nalm_stage_spec){name, flags, outcomes};
}

static void name_nf(struct chain *c, const struct model_settings *model)
{
	name_part(c, PART_RX, "rx", 0, rx_outcomes);
	if (model_dispatches(model))
		name_part(c, PART_DISPATCH, "dispatch", 0, dispatch_outcomes);
	if (model_hands_over(model)) {
		name_part(c, PART_HANDOVER_IN, "handover_in", 0, handover_outcomes);
		if (model->state == STATE_SEPARATED)
			name_part(c, PART_ORDER, "order", 0, order_outcomes);
	}
	for (uint32_t i = 0; i < c->count; i++) {
		c->stages[i].probed = c->probed_count;
		c->probed[c->probed_count++] =
			(struct nalm_stage_spec){c->stages[i].ops->name, 0, c->stages[i].ops->outcomes};
	}
	if (model_hands_over(model))
		name_part(c, PART_HANDOVER_OUT, "handover_out", 0, handover_outcomes);
	name_part(c, PART_TX, "tx", 0, tx_outcomes);
}

void chain_name_probed(struct chain *c, const struct model_settings *model, uint32_t offload, bool outside,
		       bool traffic_alone)
{
	if (!outside)
		name_part(c, PART_GENERATOR, "generator", NALM_STAGE_APART, generator_outcomes);
	if (!outside && offload != 0)
		name_part(c, PART_NIC, "nic", NALM_STAGE_APART, nic_outcomes);
	if (!traffic_alone)
		name_nf(c, model);
	if (!outside)
		name_part(c, PART_SINK, "sink", NALM_STAGE_APART, sink_outcomes);
}
