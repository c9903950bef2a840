/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data that a packet takes from one lcore to the next, in the private area of its buffer.
 */
#ifndef MBUF_METADATA_H
#define MBUF_METADATA_H

#include <rte_mbuf.h>

#include "packet/packet.h"

struct mbuf_metadata {
	uint64_t now_ns; /* virtual time of the batch it arrived in */
	uint64_t ticket; /* place in the order of its database instance (state separated) */
	struct packet packet;
	uint16_t database; /* the instance that owns its flow (state separated) */
} __attribute__((aligned(RTE_MBUF_PRIV_ALIGN)));

static inline struct mbuf_metadata *mbuf_metadata(struct rte_mbuf *m)
{
	return rte_mbuf_to_priv(m);
}

#endif
