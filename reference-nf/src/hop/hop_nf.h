/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The NF's end of a hop: slots become packet buffers for the stages, and slots again when they leave. A packet buffer
 * here is only a view, with the frame in the slot; it comes from a small pool of its own, so the same few are used again.
 */
#ifndef HOP_NF_H
#define HOP_NF_H

#include <rte_mbuf.h>

#include "hop/hop.h"

struct hop_nf {
	struct hop hop; /* its own view, or the switch's where both are in this process */
	bool is_attached;
	struct rte_mempool *views;
	struct rte_mbuf_ext_shared_info *infos; /* by slot: how a dropped one is given back */
	uint64_t left; /* packets still to receive; the receiving lcore's */
	const struct stop_flag *stop;
	uint64_t refused; /* words from the switch that name no slot, or a length without room; that lcore's */
};

struct hop_nf_settings {
	const struct hop *shared; /* of the switch in this process; NULL: attach to path */
	const char *path;
	uint32_t views;		  /* packets in the NF at most */
	uint32_t private_bytes;	  /* of a packet buffer */
	uint64_t limit;		  /* packets to receive in total; 0: no limit */
	const struct stop_flag *stop;
};

/* false: reported on stderr. */
bool hop_nf_open(struct hop_nf *nf, const struct hop_nf_settings *settings);
void hop_nf_close(struct hop_nf *nf);

uint16_t hop_nf_receive(struct hop_nf *nf, struct rte_mbuf *mbufs[], uint16_t count);
/* queue: the sending lcore's own. All are sent. */
uint16_t hop_nf_send(const struct hop_nf *nf, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count);

/* Whether receiving has ended: the switch has sent its last packet, or the limit is reached, or *stop. Packets that
 * arrived before are still received. */
bool hop_nf_over(const struct hop_nf *nf);

#endif
