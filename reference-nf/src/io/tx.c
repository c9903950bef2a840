/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>

#include "io/io.h"

const struct nalm_outcome_spec tx_outcomes[] = {
	[TX_SENT] = {"sent", NALM_KIND_SENT},
	[TX_RING_FULL] = {"ring_full", NALM_KIND_LOST},
	{NULL, 0},
};

/* Puts packets into the ring to the sink. */
static inline uint32_t send_in(const struct tx_queue *queue, struct batch *batch)
{
	tsan_release(queue->io->from_nf[queue->number]);
	uint32_t sent = rte_eth_tx_burst(queue->io->ports[queue->number / IO_PORT_QUEUES], queue->number % IO_PORT_QUEUES,
					 batch->mbufs, (uint16_t)batch->count);
	if (sent < batch->count)
		batch_free(batch->mbufs + sent, batch->count - sent);
	return sent;
}

static inline uint32_t send_all(const struct tx_queue *queue, struct batch *batch)
{
	if (queue->io->has_nf_end)
		return hop_nf_send(&queue->io->nf_end, queue->number, batch->mbufs, (uint16_t)batch->count);
	if (queue->io->is_outside)
		return outside_send(&queue->io->outside, queue->number, batch->mbufs, (uint16_t)batch->count);
	return send_in(queue, batch);
}

static bool any_is_long(const struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (fragments_is_long(b->mbufs[i]))
			return true;
	return false;
}

/* Frame by frame, so that the order stays. Returns packets of which everything was sent. */
static uint32_t send_and_cut(const struct tx_queue *queue, const struct batch *batch)
{
	struct batch parts;
	uint32_t sent = 0;

	for (uint32_t i = 0; i < batch->count; i++) {
		parts.mbufs[0] = batch->mbufs[i];
		parts.count = fragments_is_long(batch->mbufs[i]) ?
				      fragments_cut(queue->io->fragments, queue->number, batch->mbufs[i], parts.mbufs) :
				      1;
		sent += parts.count != 0 && send_all(queue, &parts) == parts.count;
	}
	return sent;
}

STAGE_PROCESS void tx_process(void *state, struct batch *batch, uint64_t now_ns)
{
	const struct tx_queue *queue = state;
	uint32_t sent;

	(void)now_ns;
	if (unlikely(queue->io->fragments != NULL) && any_is_long(batch))
		sent = send_and_cut(queue, batch);
	else
		sent = send_all(queue, batch);
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[TX_SENT] = sent;
	batch->outcomes[TX_RING_FULL] = batch->count - sent;
	batch->count = 0;
}
