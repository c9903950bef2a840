/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "hashing.h"
#include "io/io.h"

#define POOL_MBUFS 8191u
#define POOL_CACHE 256u
#define TO_NF_PACKETS 1024u
/* The sink empties this ring each time before the generator fills the other: what fits in there fits in here. */
#define FROM_NF_PACKETS 4096u

/* Shifts what is allocated next, so that launches with different seeds lie differently in the caches. Freed never:
 * it must stay in the way until the end. */
static void shift_placement(uint64_t seed)
{
	if (seed != 0)
		(void)rte_malloc("placement", (1 + mix64(seed) % 4096) * 64, 64);
}

static bool start_port(struct io *io)
{
	const struct rte_eth_conf conf = {0};
	int port = rte_eth_from_rings("net_nalm", &io->to_nf, 1, &io->from_nf, 1, rte_socket_id());
	int socket = (int)rte_socket_id();

	if (port < 0)
		return false;
	io->port = (uint16_t)port;
	return rte_eth_dev_configure(io->port, 1, 1, &conf) == 0 &&
	       rte_eth_rx_queue_setup(io->port, 0, 0, (unsigned int)socket, NULL, io->pool) == 0 &&
	       rte_eth_tx_queue_setup(io->port, 0, 0, (unsigned int)socket, NULL) == 0 &&
	       rte_eth_dev_start(io->port) == 0;
}

bool io_open(struct io *io, uint32_t batch_size, uint64_t seed)
{
	int socket = (int)rte_socket_id();

	*io = (struct io){.batch_size = batch_size};
	shift_placement(seed);
	io->pool = rte_pktmbuf_pool_create("packets", POOL_MBUFS, POOL_CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE, socket);
	io->to_nf = rte_ring_create("to_nf", TO_NF_PACKETS, socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
	io->from_nf = rte_ring_create("from_nf", FROM_NF_PACKETS, socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (io->pool == NULL || io->to_nf == NULL || io->from_nf == NULL || !start_port(io)) {
		fprintf(stderr, "io: cannot set up packet buffers, rings and port: %s; give EAL more memory (-m)\n",
			rte_strerror(rte_errno));
		return false;
	}
	shift_placement(mix64(seed) * (seed != 0));
	return true;
}

void io_close(struct io *io)
{
	(void)rte_eth_dev_stop(io->port);
	(void)rte_eth_dev_close(io->port);
	rte_ring_free(io->to_nf);
	rte_ring_free(io->from_nf);
	rte_mempool_free(io->pool);
}
