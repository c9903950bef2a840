/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_bitops.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "hop/hop_device.h"
#include "table/hashing.h"
#include "io/io.h"
#include "io/offload.h"
#include "packet/mbuf_metadata.h"

#define POOL_CACHE 256u

/* Shifts later allocations, so that launches with different seeds have different cache layouts. It is never freed,
 * because it must keep its memory until the end. */
static void shift_placement(uint64_t seed)
{
	if (seed != 0)
		(void)rte_malloc("placement", (1 + mix64(seed) % 4096) * 64, 64);
}

/* A port over the rings of the queues from `first` on. With one queue to receive from it is the first port's; net_ring
 * has no port without one. */
static bool start_port(struct io *io, uint32_t first)
{
	const struct rte_eth_conf conf = {0};
	const uint16_t queues = (uint16_t)RTE_MIN(io->queues - first, IO_PORT_QUEUES);
	const uint16_t rx_queues = io->rx_queues == 1 ? 1 : queues;
	int socket = (int)rte_socket_id();
	char name[RTE_ETH_NAME_MAX_LEN];

	snprintf(name, sizeof(name), "net_nalm%u", first / IO_PORT_QUEUES);
	int port = rte_eth_from_rings(name, &io->to_nf[io->rx_queues == 1 ? 0 : first], rx_queues, &io->from_nf[first], queues,
				      rte_socket_id());
	if (port < 0)
		return false;
	io->ports[first / IO_PORT_QUEUES] = (uint16_t)port;
	if (rte_eth_dev_configure((uint16_t)port, rx_queues, queues, &conf) != 0)
		return false;
	for (uint16_t q = 0; q < rx_queues; q++)
		if (rte_eth_rx_queue_setup((uint16_t)port, q, 0, (unsigned int)socket, NULL, io->pool) != 0)
			return false;
	for (uint16_t q = 0; q < queues; q++)
		if (rte_eth_tx_queue_setup((uint16_t)port, q, 0, (unsigned int)socket, NULL) != 0)
			return false;
	return rte_eth_dev_start((uint16_t)port) == 0;
}

static bool start_ports(struct io *io)
{
	for (uint32_t first = 0; first < io->queues; first += IO_PORT_QUEUES)
		if (!start_port(io, first))
			return false;
	return true;
}

/* Each ring to the sink has room for all packets in the NF. The sink empties the rings before the generator sends more,
 * so nothing is lost when the sink is late. */
static bool create_rings(struct io *io, uint32_t places, uint32_t in_flight)
{
	const unsigned int flags = RING_F_SP_ENQ | RING_F_SC_DEQ;
	int socket = (int)rte_socket_id();
	char name[RTE_RING_NAMESIZE];

	for (uint32_t q = 0; q < io->rx_queues; q++) {
		snprintf(name, sizeof(name), "to_nf_%u", q);
		io->to_nf[q] = rte_ring_create(name, places, socket, flags);
		if (io->to_nf[q] == NULL)
			return false;
	}
	for (uint32_t q = 0; q < io->queues; q++) {
		snprintf(name, sizeof(name), "from_nf_%u", q);
		io->from_nf[q] = rte_ring_create(name, rte_align32pow2(in_flight + 1), socket, flags);
		if (io->from_nf[q] == NULL)
			return false;
	}
	return true;
}

static bool create_next_ring(struct io *io, uint32_t in_flight)
{
	io->from_next = rte_ring_create("from_next", rte_align32pow2(in_flight + 1), (int)rte_socket_id(),
					RING_F_SP_ENQ | RING_F_SC_DEQ);
	return io->from_next != NULL;
}

/* The NF's end attaches to the switch's, which is here too or in another process. */
static bool open_hop(struct io *io, const struct io_settings *s)
{
	const struct hop_settings *hop = s->hop;

	bool first = hop->side == HOP_FIRST;

	io->has_switch_end = hop->buffers != HOP_NONE && hop->side != HOP_NF;
	if (io->has_switch_end && !hop_switch_open(&io->switch_end, &(struct hop_switch_settings){
									    .hop = hop,
									    .from = first ? io->from_nf[0] : io->to_nf[0],
									    .to = first ? io->from_next : io->from_nf[0],
									    .pool = io->pool,
									    .batch_size = io->batch_size,
									    .queues = hop->side == HOP_BOTH ? io->queues : HOP_QUEUES,
								    }))
		return false;
	io->has_nf_end = hop_shares_memory(hop) && (hop->side == HOP_BOTH || hop->side == HOP_NF);
	return !io->has_nf_end || hop_nf_open(&io->nf_end, &(struct hop_nf_settings){
								.shared = io->has_switch_end ? &io->switch_end.hop : NULL,
								.path = hop->path,
								.views = s->in_flight + BATCH_MAX * 4,
								.private_bytes = sizeof(struct mbuf_metadata),
								.limit = io->has_switch_end ? 0 : s->limit,
								.stop = s->stop,
							});
}

static bool open_outside(struct io *io, const struct io_settings *s)
{
	uint16_t port;

	if (!io->is_outside)
		return true;
	if (hop_has_port(s->hop) && !hop_device_connect(s->hop, s->stop, &port))
		return false;
	return outside_open(&io->outside,
			    &(struct outside_settings){io->pool, io->queues, io->rx_queues, s->limit, s->stop, s->offload});
}

static bool has_traffic(const struct io_settings *s)
{
	return !s->is_outside && s->hop->side != HOP_NF;
}

/* Whether the NF of this process has the ethdev. */
static bool has_ports(const struct io_settings *s)
{
	return has_traffic(s) && (s->hop->buffers == HOP_NONE || s->hop->side == HOP_FIRST);
}

static uint16_t buffer_bytes(const struct io_settings *s)
{
	return s->fragments.datagrams == 0 ? RTE_MBUF_DEFAULT_BUF_SIZE : RTE_PKTMBUF_HEADROOM + FRAGMENTS_FRAME_BYTES;
}

bool io_open(struct io *io, const struct io_settings *s)
{
	/* between generator and NF, in the NF, in each lcore; as many again in the rings to the sink */
	uint32_t in_flight = s->ring * s->rx_queues + s->in_flight + BATCH_MAX * 4 + (s->hop->buffers == HOP_NONE ? 0 : s->hop->packets);
	/* and the lcores' caches; one less than a power of two is the best size for rte_mempool */
	uint32_t mbufs = in_flight * 2 + POOL_CACHE * 2 * rte_lcore_count();

	if (s->is_outside)
		mbufs += outside_buffers(s->queues, s->rx_queues);
	if (s->fragments.datagrams != 0)
		mbufs += s->fragments.datagrams * FRAGMENTS_PARTS;
	*io = (struct io){
		.batch_size = s->batch_size,
		.queues = s->queues,
		.rx_queues = s->rx_queues,
		.in_flight = in_flight,
		.is_outside = s->is_outside,
		.sums_checked = (s->offload & OFFLOAD_CHECKSUM) != 0,
		.hashed = (s->offload & OFFLOAD_HASH) != 0,
	};
	shift_placement(s->seed);
	io->pool = rte_pktmbuf_pool_create("packets", rte_align32pow2(mbufs) - 1, POOL_CACHE, sizeof(struct mbuf_metadata),
					   buffer_bytes(s), (int)rte_socket_id());
	if (io->pool == NULL || (has_traffic(s) && !create_rings(io, s->ring, in_flight)) ||
	    (s->hop->side == HOP_FIRST && !create_next_ring(io, in_flight)) || (has_ports(s) && !start_ports(io))) {
		fprintf(stderr, "io: cannot set up packet buffers, rings and port: %s; give EAL more memory (-m)\n",
			rte_strerror(rte_errno));
		return false;
	}
	shift_placement(mix64(s->seed) * (s->seed != 0));
	if (s->fragments.datagrams != 0) {
		io->fragments = fragments_open(&s->fragments, io->pool);
		if (io->fragments == NULL)
			return false;
	}
	return open_hop(io, s) && open_outside(io, s);
}

void io_close(struct io *io)
{
	if (io->has_nf_end)
		hop_nf_close(&io->nf_end);
	if (io->has_switch_end)
		hop_switch_close(&io->switch_end);
	if (io->is_outside) {
		outside_close(&io->outside);
	} else if (!io->has_nf_end && (!io->has_switch_end || io->from_next != NULL)) {
		for (uint32_t first = 0; first < io->queues; first += IO_PORT_QUEUES) {
			(void)rte_eth_dev_stop(io->ports[first / IO_PORT_QUEUES]);
			(void)rte_eth_dev_close(io->ports[first / IO_PORT_QUEUES]);
		}
	}
	if (io->fragments != NULL)
		fragments_close(io->fragments);
	for (uint32_t q = 0; q < io->rx_queues; q++)
		rte_ring_free(io->to_nf[q]);
	rte_ring_free(io->from_next);
	for (uint32_t q = 0; q < io->queues; q++)
		rte_ring_free(io->from_nf[q]);
	rte_mempool_free(io->pool);
}
