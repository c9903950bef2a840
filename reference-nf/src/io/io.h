/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The only place that touches ports. The NF receives from and sends to an ethdev; here that is a net_ring vdev,
 * whose far ends are held by the generator and the sink.
 */
#ifndef IO_H
#define IO_H

#include <stdint.h>

#include <rte_ring.h>

#include "batch.h"
#include "stage.h"

#define IO_MAX_FRAME_BYTES 2048u /* RTE_MBUF_DEFAULT_DATAROOM: what one packet buffer holds */

struct io {
	struct rte_mempool *pool;
	struct rte_ring *to_nf, *from_nf; /* one producer, one consumer each */
	uint16_t port;
	uint32_t batch_size;
};

/* false: said on stderr. */
bool io_open(struct io *io, uint32_t batch_size, uint64_t seed);
void io_close(struct io *io);

extern const struct nalm_outcome_spec rx_outcomes[], tx_outcomes[];
enum { RX_RECEIVED };
enum { TX_SENT, TX_RING_FULL };

/* Fills the batch with what has arrived, parsed. */
void rx_process(void *io, struct batch *batch, uint64_t now_ns);
/* Sends the batch; it is empty afterwards. */
void tx_process(void *io, struct batch *batch, uint64_t now_ns);

#endif
