/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RTE_HASH_TABLE_H
#define RTE_HASH_TABLE_H

#include "table/flow_table_core.h"

/* The kind's functions: flow_table_core.h. */
struct flow_table *rte_hash_table_create(const struct flow_table_params *params);
void rte_hash_table_destroy(struct flow_table *table);
void rte_hash_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			 uint32_t records[]);
bool rte_hash_table_insert(struct flow_table *table, uint32_t record);
void rte_hash_table_remove(struct flow_table *table, uint32_t record);

#endif
