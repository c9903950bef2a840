/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A traditional chained hash table. Keys are looked up one after another, batched or not, because the nodes of a chain
 * must be read in order. A node has its record's number, so nodes need no allocation. It holds a copy of the key, so
 * that a step along the chain reads one cache line.
 */
#include <stdlib.h>

#include <rte_prefetch.h>

#include "table/chained_table.h"
#include "table/table_memory.h"

#define MEAN_CHAIN 3u /* of a full table; Wu et al. (III-C1) found 2 to 3 in the field */
#define END FLOW_TABLE_NONE

struct node {
	struct flow_key key;
	uint32_t next;
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct node) == 32, "no node on two cache lines");

struct chained_table {
	struct flow_table common;
	uint32_t head_count;
	uint32_t *heads;
	struct node *nodes;
};

static struct chained_table *of(struct flow_table *table)
{
	return (struct chained_table *)(void *)table;
}

static size_t head_bytes(uint32_t heads)
{
	return heads * sizeof(uint32_t);
}

static size_t node_bytes(uint32_t entries)
{
	return entries * sizeof(struct node);
}

struct flow_table *chained_table_create(const struct flow_table_params *params)
{
	struct chained_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->common.entries = params->entries;
	t->head_count = (params->entries + MEAN_CHAIN - 1) / MEAN_CHAIN;
	t->heads = table_memory_take(params->name, head_bytes(t->head_count), params->socket);
	t->nodes = table_memory_take(params->name, node_bytes(params->entries), params->socket);
	if (t->heads == NULL || t->nodes == NULL) {
		chained_table_destroy(&t->common);
		return NULL;
	}
	for (uint32_t i = 0; i < t->head_count; i++)
		t->heads[i] = END;
	return &t->common;
}

void chained_table_destroy(struct flow_table *table)
{
	struct chained_table *t = of(table);

	table_memory_give(t->heads, head_bytes(t->head_count));
	table_memory_give(t->nodes, node_bytes(table->entries));
	free(t);
}

static inline uint32_t *head_of(const struct flow_table *table, const struct flow_key *key)
{
	const struct chained_table *t = (const struct chained_table *)(const void *)table;
	return &t->heads[flow_hash_reduce(flow_hash(key, table->hash_seed), t->head_count)];
}

void chained_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			uint32_t records[])
{
	const struct node *nodes = ((const struct chained_table *)(const void *)table)->nodes;

	for (uint32_t bulk = 0; bulk < flow_bulks(n); bulk++)
		hits[bulk] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = *head_of(table, &keys[i]);
		while (at != END && !flow_key_equal(&nodes[at].key, &keys[i]))
			at = nodes[at].next;
		if (at == END)
			continue;
		records[i] = at;
		hits[i / FLOW_TABLE_BULK] |= UINT64_C(1) << i % FLOW_TABLE_BULK;
		if (table->prefetch)
			rte_prefetch0(flow_record_key(table, at));
	}
}

bool chained_table_insert(struct flow_table *table, uint32_t record)
{
	struct node *node = &of(table)->nodes[record];
	const struct flow_key *key = flow_record_key(table, record);
	uint32_t *head = head_of(table, key);

	*node = (struct node){.key = *key, .next = *head};
	*head = record;
	return true;
}

void chained_table_remove(struct flow_table *table, uint32_t record)
{
	struct node *nodes = of(table)->nodes;
	uint32_t *link = head_of(table, &nodes[record].key);

	while (*link != record)
		link = &nodes[*link].next;
	*link = nodes[record].next;
}
