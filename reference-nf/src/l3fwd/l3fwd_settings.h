/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L3FWD_SETTINGS_H
#define L3FWD_SETTINGS_H

#include <stdint.h>

#include <rte_ether.h>

#include "config/config.h"
#include "config/ipv6_prefix.h"

#define L3FWD_NEXT_HOPS 256u

struct l3fwd_route {
	struct ipv4_prefix prefix;
	uint32_t next_hop;
};

struct l3fwd_route6 {
	struct ipv6_prefix prefix;
	uint8_t next_hop;
};

/* A later route replaces an earlier one with the same prefix. */
struct l3fwd_settings {
	struct l3fwd_route *routes;
	struct l3fwd_route6 *routes6;
	uint32_t route_count, route6_count;
	bool passes_others; /* frames without IP go on to the next stage */
	bool known[L3FWD_NEXT_HOPS];
	struct rte_ether_addr next_hops[L3FWD_NEXT_HOPS]; /* destination MAC by id, where known */
};

/* false: no memory. */
bool l3fwd_add_route(struct l3fwd_settings *settings, struct ipv4_prefix prefix, uint32_t next_hop);
bool l3fwd_add_route6(struct l3fwd_settings *settings, const struct ipv6_prefix *prefix, uint32_t next_hop);
void l3fwd_release(void *settings);

#endif
