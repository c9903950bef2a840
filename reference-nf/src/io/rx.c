/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "io/io.h"

#define PREFETCH_AHEAD 4u

const struct nalm_outcome_spec rx_outcomes[] = {
	[RX_RECEIVED] = {"received", NALM_KIND_PASS},
	[RX_GATHERED] = {"gathered", NALM_KIND_POLICY},
	{NULL, 0},
};

static inline enum packet_sum reported_sum(const struct rte_mbuf *m)
{
	switch (m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) {
	case RTE_MBUF_F_RX_IP_CKSUM_GOOD:
		return PACKET_SUM_RIGHT;
	case RTE_MBUF_F_RX_IP_CKSUM_BAD:
		return PACKET_SUM_WRONG;
	default:
		return PACKET_SUM_UNKNOWN;
	}
}

/* Fragments that did not complete a datagram stay here; fragments.h counts what becomes of them. */
static inline void count_received(struct batch *batch, uint32_t arrived)
{
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	batch->outcomes[RX_RECEIVED] = batch->count;
	batch->outcomes[RX_GATHERED] = arrived - batch->count;
}

/* Received packets whose IPv4 headers the NIC has checked ([io] offload). */
static inline void parse_checked(struct batch *batch)
{
	uint32_t n = batch->count;

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = batch->mbufs[i];
		if (i + PREFETCH_AHEAD < n)
			rte_prefetch0(batch_frame(batch, i + PREFETCH_AHEAD));
		packet_parse_summed(batch_frame(batch, i), rte_pktmbuf_data_len(m), &batch->packets[i], reported_sum(m));
	}
}

static inline uint16_t receive(struct io *io, uint16_t queue, struct rte_mbuf *mbufs[])
{
	if (io->is_outside)
		return outside_receive(&io->outside, queue, mbufs, (uint16_t)io->batch_size);
	if (io->has_nf_end)
		return hop_nf_receive(&io->nf_end, mbufs, (uint16_t)io->batch_size);
	uint16_t n = rte_eth_rx_burst(io->ports[queue / IO_PORT_QUEUES], queue % IO_PORT_QUEUES, mbufs, (uint16_t)io->batch_size);
	tsan_acquire(io->to_nf[queue]);
	return n;
}

STAGE_PROCESS uint32_t rx_process(void *state, struct batch *batch, uint64_t now_ns)
{
	const struct rx_clock *clock = state;
	const struct io *io = clock->io;
	uint32_t n = receive(clock->io, clock->queue, batch->mbufs), arrived = n;

	if (io->fragments != NULL)
		n = fragments_gather(io->fragments, batch->mbufs, n, now_ns);
	batch->count = n;
	count_received(batch, arrived);
	for (uint32_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
		rte_prefetch0(batch_frame(batch, i));
	if (io->sums_checked) {
		parse_checked(batch);
		return arrived;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i + PREFETCH_AHEAD < n)
			rte_prefetch0(batch_frame(batch, i + PREFETCH_AHEAD));
		packet_parse(batch_frame(batch, i), rte_pktmbuf_data_len(batch->mbufs[i]), &batch->packets[i]);
	}
	return arrived;
}
