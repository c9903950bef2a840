/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets that pass the chain together.
 */
#ifndef BATCH_H
#define BATCH_H

#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

#include "flow_path.h"
#include "tsan_annotations.h"
#include "nalm_probe.h"
#include "packet/packet.h"

#define BATCH_MAX 256u
_Static_assert(BATCH_MAX <= NALM_PROBE_MAX_BATCH, "each size is counted");

struct batch {
	uint32_t count; /* packets still in the chain */
	uint32_t go_on; /* bit set of the running stage's outcomes of kind PASS; set by the execution model */
	bool flow_cached;	/* paths is filled: stages use what the flow cache remembers */
	struct rte_mbuf *mbufs[BATCH_MAX];
	struct packet packets[BATCH_MAX];
	struct flow_path *paths[BATCH_MAX]; /* of each packet's flow; never NULL where flow_cached */
	uint8_t outcome[BATCH_MAX];		    /* of each packet in the running stage */
	uint32_t outcomes[NALM_PROBE_MAX_OUTCOMES]; /* packets by outcome of the stage that ran last */
};

static inline uint8_t *batch_frame(struct batch *b, uint32_t i)
{
	return rte_pktmbuf_mtod(b->mbufs[i], uint8_t *);
}

static inline void batch_free(struct rte_mbuf *mbufs[], uint32_t n)
{
	tsan_release(mbufs[0]->pool);
	rte_pktmbuf_free_bulk(mbufs, n);
}

/* Ends a stage: counts outcome[0..count), frees what does not go on, closes the gaps. */
static inline void batch_settle(struct batch *b)
{
	struct rte_mbuf *dropped[BATCH_MAX];
	uint32_t kept = 0, drops = 0;

	memset(b->outcomes, 0, sizeof(b->outcomes));
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t outcome = b->outcome[i];
		b->outcomes[outcome]++;
		if (b->go_on >> outcome & 1) {
			b->mbufs[kept] = b->mbufs[i];
			b->packets[kept] = b->packets[i];
			if (b->flow_cached)
				b->paths[kept] = b->paths[i];
			kept++;
		} else {
			dropped[drops++] = b->mbufs[i];
		}
	}
	if (drops != 0)
		batch_free(dropped, drops);
	b->count = kept;
}

#endif
