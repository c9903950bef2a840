/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>
#include <stdlib.h>

#include "lb/lb_config.h"
#include "lb/lb_services.h"

#define MAX_TIMEOUT_S (365u * 24 * 3600)
#define MAGLEV_MAX 655373u

static uint64_t timeout_s(struct config *config, const char *key, uint64_t fallback_s)
{
	return config_u64(config, "lb", key, fallback_s, 1, MAX_TIMEOUT_S);
}

static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n >= 2;
}

void *lb_configure(struct config *config)
{
	static const char *const opens[] = {"syn", "any", NULL};
	struct lb_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->maglev_size = (uint32_t)config_u64(config, "lb", "maglev_size", 65537, 2, MAGLEV_MAX);
	if (!is_prime(s->maglev_size))
		config_mistake(config, "lb", "maglev_size", "must be a prime, like 251, 4093, 65537 or %u", MAGLEV_MAX);
	s->entries = (uint32_t)config_u64(config, "lb", "entries", 65536, 1, 1u << 24);
	s->any_opens = config_choice(config, "lb", "tcp_open", "syn", opens) == 1;
	s->timeout_s[LB_AGE_TCP] = timeout_s(config, "tcp_timeout_s", 7440);
	s->timeout_s[LB_AGE_TCP_OPENING] = timeout_s(config, "tcp_opening_timeout_s", 60);
	s->timeout_s[LB_AGE_TCP_CLOSING] = timeout_s(config, "tcp_closing_timeout_s", 240);
	s->timeout_s[LB_AGE_UDP] = timeout_s(config, "udp_timeout_s", 300);
	if (lb_services_read(config, s))
		return s;
	lb_release(s);
	return NULL;
}

void lb_release(void *settings)
{
	struct lb_settings *s = settings;

	for (uint32_t i = 0; i < s->service_count; i++)
		free(s->services[i].backends);
	free(s->services);
	free(s);
}
