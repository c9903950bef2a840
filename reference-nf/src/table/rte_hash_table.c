/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include <rte_hash.h>
#include <rte_prefetch.h>

#include "table/rte_hash_table.h"

_Static_assert(FLOW_TABLE_BULK <= RTE_HASH_LOOKUP_BULK_MAX, "bulk");

#define ENTRIES_MIN 128u

struct rte_hash_table {
	struct flow_table common;
	struct rte_hash *hash; /* value: the record's number */
};

static struct rte_hash *hash_of(const struct flow_table *table)
{
	return ((const struct rte_hash_table *)(const void *)table)->hash;
}

static uint32_t hash_bytes(const void *key, uint32_t bytes, uint32_t hash_seed)
{
	(void)bytes;
	return flow_hash(key, hash_seed);
}

struct flow_table *rte_hash_table_create(const struct flow_table_params *params)
{
	struct rte_hash_parameters p = {
		.name = params->name,
		/* may refuse a key before it is full; twice the buckets prevent that */
		.entries = RTE_MAX(ENTRIES_MIN, params->entries * 2),
		.key_len = sizeof(struct flow_key),
		.hash_func = hash_bytes,
		.hash_func_init_val = flow_hash_seed(params->seed),
		.socket_id = params->socket,
	};
	struct rte_hash_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->hash = rte_hash_create(&p);
	if (t->hash == NULL) {
		free(t);
		return NULL;
	}
	return &t->common;
}

void rte_hash_table_destroy(struct flow_table *table)
{
	rte_hash_free(hash_of(table));
	free(table);
}

static inline uint64_t find_together(const struct flow_table *table, const struct flow_key keys[], uint32_t n,
				     uint32_t records[])
{
	const void *key_of[FLOW_TABLE_BULK];
	hash_sig_t hashes[FLOW_TABLE_BULK];
	void *data[FLOW_TABLE_BULK];
	uint64_t hits = 0;

	for (uint32_t i = 0; i < n; i++) {
		key_of[i] = &keys[i];
		hashes[i] = flow_hash(&keys[i], table->hash_seed);
	}
	rte_hash_lookup_with_hash_bulk_data(hash_of(table), key_of, hashes, n, &hits, data);
	for (uint64_t rest = hits; rest != 0; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(rest);
		records[i] = (uint32_t)(uintptr_t)data[i];
		rte_prefetch0(flow_record_key(table, records[i]));
	}
	return hits;
}

static uint64_t find_each(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint32_t records[])
{
	uint64_t hits = 0;
	void *data;

	for (uint32_t i = 0; i < n; i++) {
		hash_sig_t hash = flow_hash(&keys[i], table->hash_seed);
		if (rte_hash_lookup_with_hash_data(hash_of(table), &keys[i], hash, &data) < 0)
			continue;
		records[i] = (uint32_t)(uintptr_t)data;
		hits |= UINT64_C(1) << i;
	}
	return hits;
}

void rte_hash_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			 uint32_t records[])
{
	for (uint32_t bulk = 0; bulk < flow_bulks(n); bulk++) {
		uint32_t first = bulk * FLOW_TABLE_BULK, size = flow_bulk_size(bulk, n);
		if (table->prefetch)
			hits[bulk] = find_together(table, keys + first, size, records + first);
		else
			hits[bulk] = find_each(table, keys + first, size, records + first);
	}
}

bool rte_hash_table_insert(struct flow_table *table, uint32_t record)
{
	const struct flow_key *key = flow_record_key(table, record);
	void *data = (void *)(uintptr_t)record;

	return rte_hash_add_key_with_hash_data(hash_of(table), key, flow_hash(key, table->hash_seed), data) == 0;
}

void rte_hash_table_remove(struct flow_table *table, uint32_t record)
{
	const struct flow_key *key = flow_record_key(table, record);

	rte_hash_del_key_with_hash(hash_of(table), key, flow_hash(key, table->hash_seed));
}
