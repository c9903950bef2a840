/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The service model of a 5G user plane: subscribers' packets in tunnels from the access nodes, and plain ones to them
 * from servers, with a stamp at each payload's end. docs/traffic.md, Profile upf. The same settings make the same packets.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <rte_mbuf.h>

#include "meter/meter.h"
#include "meter/stamp.h"
#include "meter/tx_stats.h"
#include "traffic/flow_pick.h"
#include "meter/synthetic_times.h"
#include "traffic/traffic_config.h"

#define SERVICE_PROTOCOLS 2u /* of a subscriber: TCP and UDP, a flow each */

/* Of one subscriber and protocol. */
struct service_flow {
	uint32_t sent[STAMP_DIRECTIONS];
	struct arrivals arrivals[STAMP_DIRECTIONS];
};
_Static_assert(sizeof(struct service_flow) == 32, "two in a line");

/* A frame of a subscriber without its tunnel, ready but for addresses, the far side's UDP port, stamp and checksums. */
struct service_frame {
	uint8_t data[1514];
	uint32_t bytes;
	uint32_t ip_sum, l4_sum;
	bool udp;
};

struct service {
	const struct traffic_settings *settings;
	struct service_flow *flows;
	struct flow_pick pick; /* of subscribers */
	struct service_frame *frames[STAMP_DIRECTIONS]; /* by size, of either direction */
	uint32_t at[STAMP_DIRECTIONS];
	uint32_t reply_owed;
};

/* false: said on stderr. */
bool service_open(struct service *service, const struct traffic_settings *settings);
void service_close(struct service *service);
uint64_t service_flows(const struct service *service);

/* Fills packet buffers with the next packets. */
void service_fill(struct service *service, struct rte_mbuf *mbufs[], uint32_t count, const struct synthetic_times *times,
		  struct tx_stats *tx_stats);
/* The far side has got this packet. */
void service_arrive(struct service *service, const struct rte_mbuf *mbuf, struct meter *meter, uint64_t now);

#endif
