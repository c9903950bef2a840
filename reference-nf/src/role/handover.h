/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A bounded ring from one lcore to the next: one producer, one consumer. The producer first checks for room and takes
 * no input when there is too little, so a slow lcore holds back those before it and nothing is lost.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include <rte_ring.h>

#include "packet/batch.h"
#include "role/ring_room.h"
#include "stage.h"

struct handover {
	struct rte_ring *ring;
	uint32_t batch_size;
};

extern const struct nalm_outcome_spec handover_outcomes[];
enum { HANDED_OVER };

/* false: reported on stderr. */
bool handover_open(struct handover *h, uint32_t packets, uint32_t batch_size);
void handover_close(struct handover *h);

static inline bool handover_has_room(const struct handover *h)
{
	return ring_room(h->ring) >= h->batch_size;
}

/* Hands the whole batch over; it is empty afterwards. There must be room. */
void handover_out_process(struct handover *h, struct batch *batch, uint64_t now_ns);
/* Hands packet i to out[to[i]], out of count; the batch is empty afterwards. There must be room in each. */
void handover_scatter_process(struct handover *const out[], uint32_t count, struct batch *batch, const uint8_t to[],
			      uint64_t now_ns);
/* Fills the batch with what has come. Returns the virtual time of its first packet. */
uint64_t handover_in_process(struct handover *h, struct batch *batch);

#endif
