/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generates UDP packets of a number of flows, in both directions, with a stamp at each payload's end. The sending flow
 * is drawn at random; flows end, the oldest first, and new ones take their place. The same settings make the same
 * packets.
 */
#ifndef SYNTHETIC_H
#define SYNTHETIC_H

#include <rte_mbuf.h>

#include "traffic/flow_pick.h"
#include "meter/meter.h"
#include "meter/tx_stats.h"
#include "meter/stamp.h"
#include "meter/synthetic_times.h"
#include "traffic/traffic_config.h"

#define SYNTHETIC_SERVER_PORT 9u /* discard (RFC 863): the payload has no format */

/* Addresses and ports in network byte order. */
struct synthetic_flow {
	uint32_t client, server; /* the ends as the client knows them */
	uint32_t seen, answers;	 /* as the far side received them: source and destination */
	uint16_t client_port, server_port, seen_port, answers_port;
	uint32_t sent[STAMP_DIRECTIONS]; /* the next sequence numbers */
	struct arrivals arrivals[STAMP_DIRECTIONS];
	uint32_t opened; /* its first packet's number among all packets */
	uint8_t generation;
	bool known; /* one of its packets has reached the far side */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct synthetic_flow) == 64, "a flow is one cache line");

/* A frame of one size, complete except for addresses, ports, stamp and checksums; the sums cover the rest. */
struct synthetic_frame {
	uint8_t data[1514];
	uint32_t bytes;
	uint32_t ip_sum, udp_sum; /* udp_sum alone in frames of profile mix but IPv4 */
};

struct synthetic {
	struct synthetic_flow *flows;
	uint32_t count;
	struct flow_pick pick;
	struct synthetic_frame *frames; /* by size; of profile mix by kind */
	bool mixed;	    /* profile mix: */
	uint32_t next_kind; /* whose turn it is */
	const struct profile_mix *mix; /* of the other profiles */
	uint32_t at[STAMP_DIRECTIONS]; /* in the mix's order */
	uint32_t reply_percent, reply_owed;
	uint32_t reply_after, made; /* packets: from a flow's first to its first reply; in total */
	bool learned;
	uint64_t new_flows_per_second; /* for the next synthetic_set_rate() */
	uint64_t births_per_packet, births_owed; /* with 32 fractional bits */
	uint64_t born;				 /* flows in total */
	uint32_t oldest;
	const struct traffic_settings *settings;
};

/* reply_after: this many packets after a flow's first, that packet has reached the far side or is lost. No reply is
 * sent earlier, so that the packets do not depend on how fast the NF is. false: reported on stderr. */
bool synthetic_open(struct synthetic *synthetic, const struct traffic_settings *settings, uint32_t reply_after);
void synthetic_close(struct synthetic *synthetic);

/* Sets the packet rate; 0: each packet takes the settings' ns_per_packet. */
void synthetic_set_rate(struct synthetic *synthetic, uint64_t rate_pps);

/* Fills packet buffers with the next packets. */
void synthetic_fill(struct synthetic *synthetic, struct rte_mbuf *mbufs[], uint32_t count,
		    const struct synthetic_times *times, struct tx_stats *tx_stats);
/* Likewise with the first packet of each of the flows [first, first + count). */
void synthetic_open_flows(struct synthetic *synthetic, struct rte_mbuf *mbufs[], uint32_t count, uint64_t first);
/* Advances time by this many packets that were given up. */
void synthetic_skip(struct synthetic *synthetic, uint64_t packets);
/* The far side received this packet. */
void synthetic_arrive(struct synthetic *synthetic, const struct rte_mbuf *mbuf, struct meter *meter, uint64_t now);

#endif
