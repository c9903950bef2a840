/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L3FWD_CONFIG_H
#define L3FWD_CONFIG_H

#include <stdint.h>

#include <rte_ether.h>

#include "config/config.h"

#define L3FWD_NEXT_HOPS 256u

struct l3fwd_route {
	struct ipv4_prefix prefix;
	uint32_t next_hop;
};

struct l3fwd_settings {
	struct l3fwd_route *routes; /* a later one replaces an earlier one of the same prefix */
	uint32_t route_count;
	bool known[L3FWD_NEXT_HOPS];
	struct rte_ether_addr next_hops[L3FWD_NEXT_HOPS]; /* destination MAC by id, where known */
};

void *l3fwd_configure(struct config *config);
void l3fwd_release(void *settings);

#endif
