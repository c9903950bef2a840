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
	uint32_t sent = rte_eth_tx_burst(queue->io->tx_ports[queue->number / IO_PORT_QUEUES], queue->number % IO_PORT_QUEUES,
					 batch->mbufs, (uint16_t)batch->count);
	if (sent < batch->count)
		batch_free(batch->mbufs + sent, batch->count - sent);
	return sent;
}

STAGE_PROCESS void tx_process(void *state, struct batch *batch, uint64_t now_ns)
{
	const struct tx_queue *queue = state;
	uint32_t sent;

	(void)now_ns;
	if (queue->io->has_nf_end)
		sent = hop_nf_send(&queue->io->nf_end, queue->number, batch->mbufs, (uint16_t)batch->count);
	else if (queue->io->is_outside)
		sent = outside_send(&queue->io->outside, queue->number, batch->mbufs, (uint16_t)batch->count);
	else
		sent = send_in(queue, batch);
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[TX_SENT] = sent;
	batch->outcomes[TX_RING_FULL] = batch->count - sent;
	batch->count = 0;
}
