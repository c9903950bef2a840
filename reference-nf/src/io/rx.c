/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "io/io.h"

#define PREFETCH_AHEAD 4u

const struct nalm_outcome_spec rx_outcomes[] = {
	[RX_RECEIVED] = {"received", NALM_KIND_PASS},
	{NULL, 0},
};

static inline uint16_t receive(struct io *io, struct rte_mbuf *mbufs[])
{
	if (io->is_outside)
		return outside_receive(&io->outside, mbufs, (uint16_t)io->batch_size);
	uint16_t n = rte_eth_rx_burst(io->port, 0, mbufs, (uint16_t)io->batch_size);
	tsan_acquire(io->to_nf);
	return n;
}

STAGE_PROCESS void rx_process(void *state, struct batch *batch, uint64_t now_ns)
{
	uint32_t n = receive(state, batch->mbufs);

	(void)now_ns;
	batch->count = n;
	for (uint32_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
		rte_prefetch0(batch_frame(batch, i));
	for (uint32_t i = 0; i < n; i++) {
		if (i + PREFETCH_AHEAD < n)
			rte_prefetch0(batch_frame(batch, i + PREFETCH_AHEAD));
		packet_parse(batch_frame(batch, i), rte_pktmbuf_data_len(batch->mbufs[i]), &batch->packets[i]);
	}
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[RX_RECEIVED] = n;
}
