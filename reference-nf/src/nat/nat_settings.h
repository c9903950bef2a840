/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NAT_SETTINGS_H
#define NAT_SETTINGS_H

#include <stdint.h>

#include "config/config.h"

enum nat_protocol { NAT_TCP, NAT_UDP, NAT_ICMP, NAT_PROTOCOLS };

/* Kinds of mappings by idle time, in the order in which expiry checks them. */
enum nat_age { NAT_AGE_TCP, NAT_AGE_TCP_TRANSITORY, NAT_AGE_UDP, NAT_AGE_ICMP, NAT_AGES };

struct nat_settings {
	struct ipv4_prefix inside;
	struct ipv4_prefix pool;
	uint32_t pool_size; /* addresses */
	uint16_t port_min, port_max;
	uint32_t entries;
	uint64_t timeout_s[NAT_AGES];
};

#endif
