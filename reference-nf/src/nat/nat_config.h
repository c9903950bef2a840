/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NAT_CONFIG_H
#define NAT_CONFIG_H

#include <stdint.h>

#include "config/config.h"

enum nat_protocol { NAT_TCP, NAT_UDP, NAT_ICMP, NAT_PROTOCOLS };

struct nat_settings {
	struct ipv4_prefix inside;
	struct ipv4_prefix pool;
	uint32_t pool_size; /* addresses */
	uint16_t port_min, port_max;
	uint32_t entries;
	uint64_t timeout_ns[NAT_PROTOCOLS];
};

void *nat_configure(struct config *config);

#endif
