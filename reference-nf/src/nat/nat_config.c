/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "nat/nat_config.h"

#define MAX_TIMEOUT_S (365u * 24 * 3600)
#define MAX_POOL 256u /* there is a port queue for each address and protocol */

static uint64_t timeout_s(struct config *config, const char *key, uint64_t fallback_s)
{
	return config_u64(config, "nat", key, fallback_s, 1, MAX_TIMEOUT_S);
}

/* Defaults: TCP RFC 5382, REQ-5; UDP RFC 4787, REQ-5; ICMP RFC 5508, REQ-2. */
void *nat_configure(struct config *config)
{
	struct nat_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->inside = config_prefix(config, "network", "inside", "10.0.0.0/8");
	s->pool = config_prefix(config, "nat", "pool", "203.0.113.0/28");
	s->port_min = (uint16_t)config_u64(config, "nat", "port_min", 1024, 1, 65535);
	s->port_max = (uint16_t)config_u64(config, "nat", "port_max", 65535, 1, 65535);
	s->entries = (uint32_t)config_u64(config, "nat", "entries", 65536, 1, 1u << 24);
	s->timeout_s[NAT_AGE_TCP] = timeout_s(config, "tcp_timeout_s", 7440);
	s->timeout_s[NAT_AGE_TCP_TRANSITORY] = timeout_s(config, "tcp_transitory_timeout_s", 240);
	s->timeout_s[NAT_AGE_UDP] = timeout_s(config, "udp_timeout_s", 300);
	s->timeout_s[NAT_AGE_ICMP] = timeout_s(config, "icmp_timeout_s", 60);
	if (s->port_max < s->port_min)
		config_mistake(config, "nat", "port_max", "must not be below port_min = %u", s->port_min);
	if (s->pool.length < 24)
		config_mistake(config, "nat", "pool", "has more than %u addresses", MAX_POOL);
	s->pool_size = s->pool.length < 24 ? MAX_POOL : 1u << (32 - s->pool.length);
	return s;
}
