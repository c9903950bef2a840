/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Destination addresses of a batch's frames, looked up together in a flow table whose keys are MAC addresses.
 */
#ifndef MAC_LOOKUP_H
#define MAC_LOOKUP_H

#include <string.h>

#include "l2fwd/l2fwd_generate.h"
#include "stage.h"

/* 01:80:c2:00:00:00 to 0f, between neighbours only (IEEE 802.1Q, 8.6.3). */
#define MAC_RESERVED_MASK (L2FWD_ADDRESS_MASK & ~(UINT64_C(0xf) << 40))
#define MAC_RESERVED UINT64_C(0xc28001)

struct mac_lookups {
	uint32_t count;
	uint8_t at[BATCH_MAX]; /* place in the batch */
	struct flow_key keys[BATCH_MAX];
	uint32_t records[BATCH_MAX];
	uint64_t hits[BATCH_MAX / FLOW_TABLE_BULK];
};
_Static_assert(BATCH_MAX <= FLOW_TABLE_BATCH && BATCH_MAX <= UINT8_MAX + 1u, "one call, and places fit");

/* The destination address: of 8 bytes, the frame's first 6. */
static inline uint64_t mac_destination(const uint8_t *frame)
{
	uint64_t bytes;

	memcpy(&bytes, frame, sizeof(bytes));
	return bytes & L2FWD_ADDRESS_MASK;
}

static inline bool mac_is_reserved(uint64_t address)
{
	return (address & MAC_RESERVED_MASK) == MAC_RESERVED;
}

/* Adds the address of the frame at place i of the batch. */
static inline void mac_lookups_add(struct mac_lookups *w, uint32_t i, uint64_t address)
{
	w->at[w->count] = (uint8_t)i;
	w->keys[w->count++] = (struct flow_key){{address, 0}};
}

/* Whether the table has the address of lookup i, as records[i]. */
static inline bool mac_lookups_hit(const struct mac_lookups *w, uint32_t i)
{
	return (w->hits[i / FLOW_TABLE_BULK] >> i % FLOW_TABLE_BULK & 1) != 0;
}

#endif
