/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "io/io.h"

#define PREFETCH_AHEAD 4u

const struct nalm_outcome_spec rx_outcomes[] = {
	[RX_RECEIVED] = {"received", NALM_KIND_PASS},
	{NULL, 0},
};

STAGE_PROCESS void rx_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct io *io = state;

	(void)now_ns;
	if (io->is_outside)
		batch->count = outside_receive(&io->outside, batch->mbufs, (uint16_t)io->batch_size);
	else
		batch->count = rte_eth_rx_burst(io->port, 0, batch->mbufs, (uint16_t)io->batch_size);
	for (uint32_t i = 0; i < batch->count && i < PREFETCH_AHEAD; i++)
		rte_prefetch0(batch_frame(batch, i));
	for (uint32_t i = 0; i < batch->count; i++) {
		if (i + PREFETCH_AHEAD < batch->count)
			rte_prefetch0(batch_frame(batch, i + PREFETCH_AHEAD));
		packet_parse(batch_frame(batch, i), rte_pktmbuf_data_len(batch->mbufs[i]), &batch->packets[i]);
	}
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[RX_RECEIVED] = batch->count;
}
