/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames of captures, replayed from memory. `copies` = 1: unchanged, in order. More: each pass over a capture is
 * another copy of all its users. REPLAY_INTERLEAVE passes run at once, so that adjacent packets belong to different
 * users while each user's packets keep their order. Parts of a profile take turns by their share of the packets.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <rte_mbuf.h>

#include "traffic/flows.h"
#include "meter/tx_stats.h"

#define REPLAY_INTERLEAVE 64u

/* One pass over a part's images. */
struct cursor {
	uint32_t image;
	uint32_t copy;
};

struct replay_part {
	uint32_t first_image, end_image;
	struct cursor cursors[REPLAY_INTERLEAVE];
	uint32_t cursor_count;
	uint32_t cursor;    /* whose turn it is */
	uint32_t next_copy; /* of the next pass that begins */
	uint32_t percent, owed; /* of the packets; its deficit, in percent of a packet */
};

struct replay {
	struct flows flows;
	struct replay_part parts[PROFILE_MAX_PARTS];
	bool learned; /* replies go to the address that the far side saw */
	bool rewriting, targeted;
};

/* false: reported on stderr. */
bool replay_open(struct replay *replay, const struct traffic_settings *settings);
void replay_close(struct replay *replay);
/* The number of packets of all copies, once. */
uint64_t replay_packets(const struct replay *replay);
static inline uint64_t replay_flows(const struct replay *r)
{
	return (uint64_t)r->flows.endpoint_count * r->flows.copies;
}

/* Fills packet buffers with the next frames. */
void replay_fill(struct replay *replay, struct rte_mbuf *mbufs[], uint32_t count, struct tx_stats *tx_stats);
/* Likewise with the first packets of flows [first, first + count). */
void replay_open_flows(struct replay *replay, struct rte_mbuf *mbufs[], uint32_t count, uint64_t first);
/* The far side received this packet: learns its flow's address there. */
void replay_learn(struct replay *replay, const struct rte_mbuf *mbuf);

#endif
