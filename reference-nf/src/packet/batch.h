/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets that pass the chain together.
 */
#ifndef BATCH_H
#define BATCH_H

#include <emmintrin.h>
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

#define BATCH_BLOCK 16u /* outcomes compared at once */

_Static_assert(BATCH_MAX % BATCH_BLOCK == 0, "no outcome behind the last block");

/* Bit i: outcome i of the block is this one. */
static inline uint32_t batch_same(const uint8_t block[BATCH_BLOCK], uint8_t outcome)
{
	__m128i outcomes = _mm_loadu_si128((const __m128i *)(const void *)block);
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(outcomes, _mm_set1_epi8((char)outcome)));
}

/* Counts outcome[0..count). By blocks, because counting one by one waits for the count before it. */
static inline void batch_count(struct batch *b)
{
	memset(b->outcomes, 0, sizeof(b->outcomes));
	for (uint32_t first = 0; first < b->count; first += BATCH_BLOCK) {
		uint32_t n = b->count - first, left = n >= BATCH_BLOCK ? (1u << BATCH_BLOCK) - 1 : (1u << n) - 1;
		while (left != 0) {
			uint8_t outcome = b->outcome[first + (uint32_t)__builtin_ctz(left)];
			uint32_t same = batch_same(&b->outcome[first], outcome) & left;
			b->outcomes[outcome] += (uint32_t)__builtin_popcount(same);
			left ^= same;
		}
	}
}

static inline bool batch_all_go_on(const struct batch *b)
{
	uint32_t going_on = 0;

	for (uint32_t outcome = 0; outcome < NALM_PROBE_MAX_OUTCOMES; outcome++)
		going_on += b->go_on >> outcome & 1 ? b->outcomes[outcome] : 0;
	return going_on == b->count;
}

/* Ends a stage: counts outcome[0..count), frees what does not go on, closes the gaps. */
static inline void batch_settle(struct batch *b)
{
	struct rte_mbuf *dropped[BATCH_MAX];
	uint32_t kept = 0, drops = 0;

	batch_count(b);
	if (likely(batch_all_go_on(b)))
		return;
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->go_on >> b->outcome[i] & 1) {
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
