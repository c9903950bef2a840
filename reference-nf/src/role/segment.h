/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Consecutive stages of the chain, which run one after another on a batch.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include "role/role.h"

struct segment {
	struct {
		void (*process)(void *instance, struct batch *batch, uint64_t now_ns);
		void *instance;
		uint32_t go_on;
		uint32_t probed;
	} stages[CHAIN_MAX_STAGES];
	uint32_t count;
};

/* Adds stages [first, end) of the chain, each with its instance number `instance` or its only one. */
static inline void segment_add(struct segment *s, const struct chain *c, uint32_t first, uint32_t end, uint32_t instance)
{
	for (uint32_t i = first; i < end; i++) {
		const struct chain_stage *stage = &c->stages[i];
		s->stages[s->count].process = stage->ops->process;
		s->stages[s->count].instance = stage->instances[stage->instance_count == 1 ? 0 : instance];
		s->stages[s->count].go_on = stage->go_on;
		s->stages[s->count++].probed = stage->probed;
	}
}

ROLE_INLINE void segment_run(const struct segment *s, struct role *r, struct nalm_lcore *lcore, struct batch *batch,
			     uint64_t now_ns)
{
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t n = batch->count;
		batch->go_on = s->stages[i].go_on;
		s->stages[i].process(s->stages[i].instance, batch, now_ns);
		role_account(r, lcore, s->stages[i].probed, n, batch->outcomes);
	}
}

#endif
