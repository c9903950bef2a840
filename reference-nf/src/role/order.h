/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Restores the order of one database instance's packets (Wu et al., III-B2). Ticket numbers have no gaps. Every worker
 * passes its tickets in rising order through a ring of its own, a dropped packet as a `gap`. So the next ticket is at
 * the head of one of the rings, without sorting or storing.
 */
#ifndef ORDER_H
#define ORDER_H

#include "packet/batch.h"
#include "model/model_config.h"
#include "packet/mbuf_metadata.h"
#include "stage.h"

#include <rte_ring.h>

#define ORDER_BURST 32u

struct order {
	struct {
		struct rte_ring *ring;
		void *held[ORDER_BURST]; /* already taken from the ring */
		uint32_t at, count;
	} from[MODEL_MAX_WORKERS];
	uint32_t sources;
	uint32_t source; /* had the last ticket */
	uint64_t next;	 /* ticket */
};

extern const struct nalm_outcome_spec order_outcomes[];
enum { ORDER_IN_ORDER };

/* The entry in a ring for a ticket whose packet was dropped. Buffers are aligned, so it differs from them. */
static inline void *order_gap(uint64_t ticket)
{
	return (void *)(uintptr_t)(ticket << 1 | 1);
}

/* Fills the batch with at most max packets in order. Returns the number of gaps. */
uint32_t order_process(struct order *order, struct batch *batch, uint32_t max);

#endif
