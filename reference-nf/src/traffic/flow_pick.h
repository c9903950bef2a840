/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the flow that sends next, at random with the configured skew, in constant time (alias method: Walker 1977, Vose
 * 1991). The same seed draws the same flows.
 */
#ifndef FLOW_PICK_H
#define FLOW_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "table/hashing.h"

struct flow_alias {
	uint32_t keep_below; /* of 2^32 draws of this entry, those that are the flow's own; the rest are the alias's */
	uint32_t alias;
};

struct flow_pick {
	struct flow_alias *table; /* NULL: uniform */
	uint32_t count;
	uint64_t state;
};

/* zipf_exponent 0: uniform; else flow r (from 0) is drawn with weight (r + 1)^-exponent. false: no memory. */
bool flow_pick_open(struct flow_pick *pick, uint32_t count, double zipf_exponent, uint64_t seed);
void flow_pick_close(struct flow_pick *pick);

static inline uint32_t flow_pick_next(struct flow_pick *p)
{
	uint64_t random = mix64(p->state++);
	uint32_t flow = (uint32_t)((random >> 32) * p->count >> 32);

	if (p->table == NULL || (uint32_t)random < p->table[flow].keep_below)
		return flow;
	return p->table[flow].alias;
}

#endif
