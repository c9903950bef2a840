/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UDP packets made for so many flows, in both directions, with a stamp at each payload's end. Which flow sends is drawn;
 * flows end and new ones take their place, the oldest first. The same settings make the same packets.
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <rte_mbuf.h>

#include "traffic/flow_pick.h"
#include "meter/meter.h"
#include "meter/tx_stats.h"
#include "meter/stamp.h"
#include "traffic/traffic_config.h"

#define SYNTHETIC_SERVER_PORT 9u /* discard (RFC 863): nothing reads the payload as its own */

/* Addresses and ports in network byte order. */
struct synthetic_flow {
	uint32_t client, server; /* the ends as the client knows them */
	uint32_t seen, answers;	 /* as the far side got them: source and destination */
	uint16_t client_port, server_port, seen_port, answers_port;
	uint32_t sent[STAMP_DIRECTIONS]; /* the next sequence numbers */
	struct arrivals arrivals[STAMP_DIRECTIONS];
	uint32_t opened; /* its first packet's number among all that were made */
	uint8_t generation;
	bool known; /* a packet of it has reached the far side */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct synthetic_flow) == 64, "a flow is one cache line");

/* A frame of one size, ready but for addresses, ports, stamp and checksums; the sums are over the rest. */
struct synthetic_frame {
	uint8_t data[1514];
	uint32_t bytes;
	uint32_t ip_sum, udp_sum;
};

struct synthetic {
	struct synthetic_flow *flows;
	uint32_t count;
	struct flow_pick pick;
	struct synthetic_frame *frames; /* by size */
	const struct profile_mix *mix;
	uint32_t at[STAMP_DIRECTIONS]; /* in the mix's order */
	uint32_t reply_percent, reply_owed;
	uint32_t reply_after, made; /* packets: from a flow's first to its first reply; in all */
	bool learned;
	uint64_t births_per_packet, births_owed; /* with 32 bits behind the point */
	uint64_t born;				 /* flows, in all */
	uint32_t oldest;
	const struct traffic_settings *settings;
};

/* reply_after: so many packets after its first, a packet of a flow has reached the far side or is lost; earlier, nobody
 * replies, so that what is sent does not depend on how fast packets pass. false: said on stderr. */
bool synthetic_open(struct synthetic *synthetic, const struct traffic_settings *settings, uint32_t reply_after);
void synthetic_close(struct synthetic *synthetic);

/* When the packets of a batch are due. */
struct synthetic_times {
	const uint64_t *due; /* of each; NULL: */
	uint64_t time, step; /* of the first, and from each to the next */
};

/* Packets pass at this rate from now on; 0: each takes the settings' ns_per_packet. */
void synthetic_set_rate(struct synthetic *synthetic, uint64_t rate_pps);

/* Fills packet buffers with the next packets. */
void synthetic_fill(struct synthetic *synthetic, struct rte_mbuf *mbufs[], uint32_t count,
		    const struct synthetic_times *times, struct tx_stats *tx_stats);
/* Likewise with a first packet of each of the flows [first, first + count). */
void synthetic_open_flows(struct synthetic *synthetic, struct rte_mbuf *mbufs[], uint32_t count, uint64_t first);
/* So many packets were given up: time went on without them. */
void synthetic_skip(struct synthetic *synthetic, uint64_t packets);
/* The far side has got this packet. */
void synthetic_arrive(struct synthetic *synthetic, const struct rte_mbuf *mbuf, struct meter *meter, uint64_t now);

#endif
