/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services: groups of rules, each with a share of the link. A packet belongs to the service of the rule that it is
 * charged to, else to `other`. Shares are token buckets, in whole numbers: a token is 1e-8 bit, so that a share in
 * percent of a rate in kbit/s is tokens per ns.
 */
#ifndef DPI_SERVICES_H
#define DPI_SERVICES_H

#include <stdio.h>

#include <rte_common.h>

#include "config/config.h"
#include "dpi/dpi_settings.h"

#define DPI_TOKENS_OF_BYTE UINT64_C(800000000)

struct dpi_service_count {
	uint64_t packets, bytes;	   /* that passed */
	uint64_t over_packets, over_bytes; /* dropped: more than the share, and nothing to spare */
};

/* A service's bucket in one instance. */
struct dpi_share {
	uint64_t tokens;
	uint64_t rate, full; /* tokens per ns; tokens of a full bucket */
	struct dpi_service_count count;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct dpi_share) == 64, "one cache line");

/* The services in one instance, which alone writes; others read the counts as they are. */
struct dpi_shaper {
	bool limits;		      /* false: counts alone */
	uint64_t filled_ns, burst_ns; /* an empty bucket is full after burst_ns */
	uint64_t spare, spare_full;   /* tokens that no bucket had room for: any service may use them */
	struct dpi_share shares[DPI_SERVICES_MAX];
};

/* For instance `index` out of count, with its part of the rate and full buckets. NULL: no memory. */
struct dpi_shaper *dpi_shaper_make(const struct dpi_settings *settings, uint32_t index, uint32_t count);

static inline void dpi_shaper_fill(struct dpi_shaper *s, uint32_t services, uint64_t now_ns)
{
	uint64_t passed = now_ns > s->filled_ns ? RTE_MIN(now_ns - s->filled_ns, s->burst_ns) : 0;

	if (passed == 0)
		return;
	for (uint32_t i = 0; i < services; i++) {
		struct dpi_share *share = &s->shares[i];
		uint64_t tokens = share->tokens + passed * share->rate;
		share->tokens = RTE_MIN(tokens, share->full);
		s->spare += tokens - share->tokens;
	}
	s->spare = RTE_MIN(s->spare, s->spare_full);
	s->filled_ns = now_ns;
}

/* false: the packet is over its service's share. */
static inline bool dpi_shaper_take(struct dpi_shaper *s, uint32_t service, uint32_t bytes)
{
	struct dpi_share *share = &s->shares[service];
	uint64_t cost = bytes * DPI_TOKENS_OF_BYTE;
	uint64_t *tokens = share->tokens >= cost ? &share->tokens : &s->spare;

	if (!s->limits)
		return true;
	if (*tokens < cost)
		return false;
	*tokens -= cost;
	return true;
}

/* Reads `services` and the keys of the rate, once the rules are there. Mistakes go to config. */
void dpi_services_configure(struct config *config, struct dpi_settings *settings);

#endif
