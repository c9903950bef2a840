/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nop: the cost of a stage that does nothing, which is the floor of every measurement.
 */
#include <string.h>

#include "stage.h"

enum { NOP_PASSED };

static const struct nalm_outcome_spec nop_outcomes[] = {
	[NOP_PASSED] = {"passed", NALM_KIND_PASS},
	{NULL, 0},
};

static char nothing; /* nop has no settings and no state; this is not NULL */

static void *nop_configure(struct config *config)
{
	(void)config;
	return &nothing;
}

static void *nop_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	(void)settings, (void)rcu, (void)place;
	return &nothing;
}

STAGE_PROCESS void nop_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void nop_process(void *state, struct batch *batch, uint64_t now_ns)
{
	(void)state, (void)now_ns;
	memset(batch->outcome, NOP_PASSED, batch->count);
	batch_settle(batch);
}

static void nop_fini(void *state)
{
	(void)state;
}

const struct stage_ops nop_stage = {
	.name = "nop",
	.outcomes = nop_outcomes,
	.init = nop_init,
	.process = nop_process,
	.fini = nop_fini,
	.hooks = {
		.configure = nop_configure,
		.release = nop_fini,
	},
};
