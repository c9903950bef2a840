/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kinds of flow table share. Only the kinds and their tests include it. flow_table.c calls the functions of a
 * kind by name, so that the hot path check can follow the calls in the disassembly. A kind's create() gets params that
 * flow_table_create() has checked, and fills its own fields.
 */
#ifndef FLOW_TABLE_CORE_H
#define FLOW_TABLE_CORE_H

#include <rte_hash_crc.h>

#include "table/hashing.h"
#include "table/flow_table_params.h"

#define FLOW_TABLE_NONE UINT32_MAX
#define FLOW_TABLE_BULKS (FLOW_TABLE_BATCH / FLOW_TABLE_BULK)

/* The first member of each kind's struct. */
struct flow_table {
	enum flow_table_kind kind;
	bool prefetch;
	uint32_t hash_seed; /* of the CRC, made from params' seed */
	uint32_t entries, count;
	const uint8_t *keys;
	size_t stride;
};

static inline uint32_t flow_hash_seed(uint64_t seed)
{
	return seed == 0 ? 0 : (uint32_t)mix64(seed);
}

/* CRC32C of the key: rte_hash_crc() without choosing an implementation on each call. */
static inline uint32_t flow_hash(const struct flow_key *key, uint32_t hash_seed)
{
#if defined(__SSE4_2__) && defined(__x86_64__)
	uint64_t crc = __builtin_ia32_crc32di(hash_seed, key->words[0]);
	return (uint32_t)__builtin_ia32_crc32di(crc, key->words[1]);
#else
	return rte_hash_crc(key, sizeof(*key), hash_seed);
#endif
}

/* Maps a hash to 0..range-1 without a division; range need not be a power of two (Lemire 2019). */
static inline uint32_t flow_hash_reduce(uint32_t hash, uint32_t range)
{
	return (uint32_t)((uint64_t)hash * range >> 32);
}

static inline const struct flow_key *flow_record_key(const struct flow_table *table, uint32_t record)
{
	return (const struct flow_key *)(const void *)(table->keys + record * table->stride);
}

static inline uint32_t flow_bulks(uint32_t n)
{
	return (n + FLOW_TABLE_BULK - 1) / FLOW_TABLE_BULK;
}

/* Number of keys in a bulk of a batch of n keys. */
static inline uint32_t flow_bulk_size(uint32_t bulk, uint32_t n)
{
	uint32_t rest = n - bulk * FLOW_TABLE_BULK;
	return rest < FLOW_TABLE_BULK ? rest : FLOW_TABLE_BULK;
}

static inline bool flow_key_equal(const struct flow_key *a, const struct flow_key *b)
{
	return ((a->words[0] ^ b->words[0]) | (a->words[1] ^ b->words[1])) == 0;
}

#endif
