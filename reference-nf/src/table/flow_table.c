/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "table/chained_table.h"
#include "table/flow_table.h"
#include "table/rte_hash_table.h"
#include "table/signature_table.h"

const char *const flow_table_kinds[] = {
	[FLOW_TABLE_SIGNATURE] = "signature",
	[FLOW_TABLE_CHAINED] = "chained",
	[FLOW_TABLE_RTE_HASH] = "rte_hash",
	NULL,
};

static struct flow_table *create_kind(const struct flow_table_params *params)
{
	switch (params->kind) {
	case FLOW_TABLE_SIGNATURE:
		return signature_table_create(params);
	case FLOW_TABLE_CHAINED:
		return chained_table_create(params);
	default:
		return rte_hash_table_create(params);
	}
}

struct flow_table *flow_table_create(const struct flow_table_params *params)
{
	if (params->entries == 0 || params->entries > FLOW_TABLE_ENTRIES_MAX) {
		fprintf(stderr, "flow table %s: %u entries; expected 1 to %u\n", params->name, params->entries,
			FLOW_TABLE_ENTRIES_MAX);
		return NULL;
	}
	struct flow_table *table = create_kind(params);
	if (table == NULL) {
		fprintf(stderr, "flow table %s: no memory for %u entries (hash %s); "
				"lower their number, or give the process or EAL (-m) more memory\n",
			params->name, params->entries, flow_table_kinds[params->kind]);
		return NULL;
	}
	table->kind = params->kind;
	table->prefetch = params->prefetch;
	table->hash_seed = flow_hash_seed(params->seed);
	table->entries = params->entries;
	table->keys = params->keys;
	table->stride = params->stride;
	return table;
}

void flow_table_destroy(struct flow_table *table)
{
	if (table == NULL)
		return;
	switch (table->kind) {
	case FLOW_TABLE_SIGNATURE:
		signature_table_destroy(table);
		break;
	case FLOW_TABLE_CHAINED:
		chained_table_destroy(table);
		break;
	default:
		rte_hash_table_destroy(table);
	}
}

void flow_table_find_batch(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			   uint32_t records[])
{
	switch (table->kind) {
	case FLOW_TABLE_SIGNATURE:
		signature_table_find(table, keys, n, hits, records);
		break;
	case FLOW_TABLE_CHAINED:
		chained_table_find(table, keys, n, hits, records);
		break;
	default:
		rte_hash_table_find(table, keys, n, hits, records);
	}
}

uint64_t flow_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint32_t records[])
{
	uint64_t hits;

	flow_table_find_batch(table, keys, n, &hits, records);
	return hits;
}

static bool insert_kind(struct flow_table *table, uint32_t record)
{
	switch (table->kind) {
	case FLOW_TABLE_SIGNATURE:
		return signature_table_insert(table, record);
	case FLOW_TABLE_CHAINED:
		return chained_table_insert(table, record);
	default:
		return rte_hash_table_insert(table, record);
	}
}

bool flow_table_insert(struct flow_table *table, uint32_t record)
{
	if (!insert_kind(table, record))
		return false;
	table->count++;
	return true;
}

void flow_table_remove(struct flow_table *table, uint32_t record)
{
	table->count--;
	switch (table->kind) {
	case FLOW_TABLE_SIGNATURE:
		signature_table_remove(table, record);
		break;
	case FLOW_TABLE_CHAINED:
		chained_table_remove(table, record);
		break;
	default:
		rte_hash_table_remove(table, record);
	}
}

uint32_t flow_table_count(const struct flow_table *table)
{
	return table->count;
}

uint32_t flow_table_hash(const struct flow_key *key, uint64_t seed)
{
	return flow_hash(key, flow_hash_seed(seed));
}
