/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the stages of the user plane tell each other of a packet: a dynamic field of its buffer (rte_mbuf_dyn.h), so that
 * it goes with the packet from lcore to lcore.
 */
#ifndef UPF_MARK_H
#define UPF_MARK_H

#include <stdbool.h>

#include <rte_mbuf_dyn.h>

#include "packet/batch.h"

/* Where a packet came from. */
enum upf_side {
	UPF_ACCESS, /* out of a tunnel: uplink */
	UPF_CORE,   /* as plain IP: downlink */
	UPF_OWN,    /* made here: belongs to no session */
};

struct upf_mark {
	uint32_t teid;	/* of the tunnel it came in by */
	uint32_t pdr;	/* number of the record that it matched */
	uint32_t epoch; /* of that record then */
	uint32_t policy; /* the static policy that fits it: its number from 1, twice, and 1 more if that lets it pass; 0: none */
	uint8_t side;	 /* enum upf_side */
	uint8_t qfi;	 /* of its PDU Session Container; 0: none told */
	uint8_t reserved[2];
};

extern int upf_mark_offset; /* set before the first instance is made, as is: */
extern uint64_t upf_decapsulated; /* the flag of a packet that the NIC took out of its tunnel ([io] offload) */

/* false: said on stderr. */
bool upf_mark_register(void);

static inline struct upf_mark *upf_mark(struct rte_mbuf *m)
{
	return RTE_MBUF_DYNFIELD(m, upf_mark_offset, struct upf_mark *);
}

/* Bytes of a sound IP packet from its header on, without the frame's padding. */
static inline uint32_t upf_ip_bytes(const uint8_t *frame, const struct packet *p)
{
	const uint8_t *ip = frame + ETHER_BYTES;
	return p->version == 4 ? load_be16(ip + 2) : load_be16(ip + 4) + IPV6_BYTES;
}

#endif
