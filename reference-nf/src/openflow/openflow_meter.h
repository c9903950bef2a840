/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Token buckets of meters.
 */
#ifndef OPENFLOW_METER_H
#define OPENFLOW_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "openflow/openflow_settings.h"
#include "packet/token_bucket.h"

/* An instance's part of a meter. */
struct openflow_limit {
	uint64_t rate, full; /* tokens per ns; tokens of a full bucket */
	uint64_t of_packet, of_byte;
	uint8_t remark; /* as in openflow_meter */
};

/* Written by one instance. */
struct openflow_bucket {
	uint64_t tokens, filled_ns;
	uint64_t within, beyond; /* packets counted */
};

/* For the time since filled_ns, before now_ns. */
static inline void openflow_bucket_fill(const struct openflow_limit *l, struct openflow_bucket *b, uint64_t now_ns)
{
	b->tokens = token_bucket_filled(b->tokens, l->full, l->rate, now_ns - b->filled_ns);
	b->filled_ns = now_ns;
}

/* false: the packet is beyond the rate, and takes nothing. Batches of several databases have times of their own: an
 * earlier one than that of the batch before fills nothing, so that no time counts twice. */
static inline bool openflow_bucket_take(const struct openflow_limit *l, struct openflow_bucket *b, uint32_t bytes,
					uint64_t now_ns)
{
	uint64_t cost = l->of_packet + bytes * l->of_byte;

	if (b->filled_ns < now_ns)
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
