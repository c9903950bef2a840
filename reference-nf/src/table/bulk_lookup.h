/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys of several packets, looked up together in one flow table with overlapping cache misses.
 */
#ifndef BULK_LOOKUP_H
#define BULK_LOOKUP_H

#include "table/flow_table.h"

#define BULK_LOOKUP_NONE UINT32_MAX

struct bulk_lookup {
	struct flow_key keys[FLOW_TABLE_BULK];
	uint32_t records[FLOW_TABLE_BULK]; /* BULK_LOOKUP_NONE: not found */
	uint32_t count;
};

/* Adds a key; returns its slot. */
static inline uint8_t bulk_lookup_add(struct bulk_lookup *b, const struct flow_key *key)
{
	b->keys[b->count] = *key;
	return (uint8_t)b->count++;
}

/* Marks keys that flow_table_find() has not found. */
static inline void bulk_lookup_mark_missing(struct bulk_lookup *b, uint64_t hits)
{
	for (uint64_t missing = ~hits & UINT64_MAX >> (64 - b->count); missing != 0; missing &= missing - 1)
		b->records[__builtin_ctzll(missing)] = BULK_LOOKUP_NONE;
}

#endif
