/* SPDX-License-Identifier: BSD-3-Clause */
#include "role/order.h"

const struct nalm_outcome_spec order_outcomes[] = {
	[ORDER_IN_ORDER] = {"in_order", NALM_KIND_PASS},
	{NULL, 0},
};

static inline bool is_gap(const void *entry)
{
	return (uintptr_t)entry & 1;
}

static inline uint64_t ticket_of(void *entry)
{
	return is_gap(entry) ? (uint64_t)(uintptr_t)entry >> 1 : mbuf_metadata(entry)->ticket;
}

/* Whether the next ticket is at the head of a source. */
static inline bool is_next(struct order *o, uint32_t source)
{
	if (o->from[source].at == o->from[source].count) {
		o->from[source].at = 0;
		o->from[source].count =
			rte_ring_sc_dequeue_burst(o->from[source].ring, o->from[source].held, ORDER_BURST, NULL);
		if (o->from[source].count == 0)
			return false;
	}
	return ticket_of(o->from[source].held[o->from[source].at]) == o->next;
}

static inline bool find_next(struct order *o)
{
	for (uint32_t i = 0; i < o->sources; i++) {
		if (is_next(o, o->source))
			return true;
		o->source = o->source + 1 == o->sources ? 0 : o->source + 1;
	}
	return false;
}

/* Takes the tickets that follow each other in a source, of which the first is the next. Returns the number of gaps. */
static inline uint32_t take_run(struct order *o, uint32_t source, struct batch *batch, uint32_t max)
{
	void *const *held = o->from[source].held;
	uint32_t at = o->from[source].at, end = o->from[source].count, gaps = 0;
	uint64_t next = o->next;

	do {
		void *entry = held[at++];
		next++;
		if (is_gap(entry)) {
			gaps++;
			continue;
		}
		batch->mbufs[batch->count] = entry;
		batch->packets[batch->count++] = mbuf_metadata(entry)->packet;
	} while (at < end && batch->count < max && ticket_of(held[at]) == next);
	o->from[source].at = at;
	o->next = next;
	return gaps;
}

STAGE_PROCESS uint32_t order_process(struct order *o, struct batch *batch, uint32_t max)
{
	uint32_t gaps = 0;

	batch->count = 0;
	while (batch->count < max && find_next(o))
		gaps += take_run(o, o->source, batch, max);
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[ORDER_IN_ORDER] = batch->count;
	return gaps;
}
