/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_prefetch.h>

#include "role/handover.h"
#include "model/model_config.h"
#include "packet/mbuf_metadata.h"

#define PREFETCH_AHEAD 4u

const struct nalm_outcome_spec handover_outcomes[] = {
	[HANDED_OVER] = {"handed_over", NALM_KIND_PASS},
	{NULL, 0},
};

bool handover_open(struct handover *h, uint32_t packets, uint32_t batch_size)
{
	static uint32_t number;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "handover_%u", number++);
	h->batch_size = batch_size;
	/* EXACT_SZ: room for all of them, not for one less */
	h->ring = rte_ring_create(name, packets, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	if (h->ring != NULL)
		return true;
	fprintf(stderr, "model: cannot make a ring of %u packets: %s; give EAL more memory (-m)\n", packets,
		rte_strerror(rte_errno));
	return false;
}

void handover_close(struct handover *h)
{
	rte_ring_free(h->ring);
}

static void count_all(struct batch *b)
{
	memset(b->outcomes, 0, sizeof(b->outcomes));
	b->outcomes[HANDED_OVER] = b->count;
}

static inline void board(struct batch *b, uint32_t i, uint64_t now_ns)
{
	struct mbuf_metadata *metadata = mbuf_metadata(b->mbufs[i]);

	metadata->now_ns = now_ns;
	metadata->packet = b->packets[i];
}

STAGE_PROCESS void handover_out_process(struct handover *h, struct batch *batch, uint64_t now_ns)
{
	for (uint32_t i = 0; i < batch->count; i++)
		board(batch, i, now_ns);
	count_all(batch);
	rte_ring_sp_enqueue_bulk(h->ring, (void **)batch->mbufs, batch->count, NULL);
	batch->count = 0;
}

STAGE_PROCESS void handover_scatter_process(struct handover *const out[], uint32_t count, struct batch *batch,
					    const uint8_t to[], uint64_t now_ns)
{
	struct rte_mbuf *parts[MODEL_MAX_WORKERS][BATCH_MAX];
	uint32_t sizes[MODEL_MAX_WORKERS] = {0};

	for (uint32_t i = 0; i < batch->count; i++) {
		board(batch, i, now_ns);
		parts[to[i]][sizes[to[i]]++] = batch->mbufs[i];
	}
	count_all(batch);
	for (uint32_t w = 0; w < count; w++)
		rte_ring_sp_enqueue_bulk(out[w]->ring, (void **)parts[w], sizes[w], NULL);
	batch->count = 0;
}

static inline void prefetch(struct batch *b, uint32_t i)
{
	rte_prefetch0(mbuf_metadata(b->mbufs[i]));
	rte_prefetch0(batch_frame(b, i));
}

STAGE_PROCESS uint64_t handover_in_process(struct handover *h, struct batch *batch)
{
	batch->count = rte_ring_sc_dequeue_burst(h->ring, (void **)batch->mbufs, h->batch_size, NULL);
	for (uint32_t i = 0; i < batch->count && i < PREFETCH_AHEAD; i++)
		prefetch(batch, i);
	for (uint32_t i = 0; i < batch->count; i++) {
		if (i + PREFETCH_AHEAD < batch->count)
			prefetch(batch, i + PREFETCH_AHEAD);
		batch->packets[i] = mbuf_metadata(batch->mbufs[i])->packet;
	}
	count_all(batch);
	return batch->count == 0 ? 0 : mbuf_metadata(batch->mbufs[0])->now_ns;
}
