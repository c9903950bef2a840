/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Token buckets of meters, in whole numbers: a token of a meter of packets is 1e-9 packets, one of bits 1e-6 bits, so
 * that a rate in packets/s or kbit/s is tokens per ns.
 */
#ifndef OPENFLOW_METER_H
#define OPENFLOW_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "openflow/openflow_settings.h"

#define OPENFLOW_TOKENS UINT64_C(1000000000) /* of a packet, and of a kbit */
#define OPENFLOW_TOKENS_OF_BYTE UINT64_C(8000000)

/* An instance's part of a meter. */
struct openflow_limit {
	uint64_t rate, full; /* tokens per ns; tokens of a full bucket */
	uint64_t fills_ns;   /* after which an empty bucket is full */
	uint64_t of_packet, of_byte;
	uint8_t remark; /* as in openflow_meter */
};

/* Written by one instance. */
struct openflow_bucket {
	uint64_t tokens, filled_ns;
	uint64_t within, beyond; /* packets counted */
};

static inline void openflow_bucket_fill(const struct openflow_limit *l, struct openflow_bucket *b, uint64_t now_ns)
{
	uint64_t passed = now_ns - b->filled_ns;

	b->tokens = passed >= l->fills_ns || b->tokens + passed * l->rate > l->full ? l->full : b->tokens + passed * l->rate;
	b->filled_ns = now_ns;
}

/* false: the packet is beyond the rate, and takes nothing. */
static inline bool openflow_bucket_take(const struct openflow_limit *l, struct openflow_bucket *b, uint32_t bytes,
					uint64_t now_ns)
{
	uint64_t cost = l->of_packet + bytes * l->of_byte;

	if (b->filled_ns != now_ns)
		openflow_bucket_fill(l, b, now_ns);
	if (b->tokens < cost) {
		b->beyond++;
		return false;
	}
	b->tokens -= cost;
	b->within++;
	return true;
}

#endif
