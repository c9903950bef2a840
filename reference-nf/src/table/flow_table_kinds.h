/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds behind flow_table.h, each in a file of its own. They are called by name, so that a look at the disassembly
 * follows them. create gets params that flow_table_create() has checked, and fills what is its own.
 */
#ifndef FLOW_TABLE_KINDS_H
#define FLOW_TABLE_KINDS_H

#include "table/flow_table_core.h"

struct flow_table *signature_table_create(const struct flow_table_params *params);
void signature_table_destroy(struct flow_table *table);
void signature_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			  uint32_t records[]);
bool signature_table_insert(struct flow_table *table, uint32_t record);
void signature_table_remove(struct flow_table *table, uint32_t record);

struct flow_table *chained_table_create(const struct flow_table_params *params);
void chained_table_destroy(struct flow_table *table);
void chained_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			uint32_t records[]);
bool chained_table_insert(struct flow_table *table, uint32_t record);
void chained_table_remove(struct flow_table *table, uint32_t record);

struct flow_table *rte_hash_table_create(const struct flow_table_params *params);
void rte_hash_table_destroy(struct flow_table *table);
void rte_hash_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			 uint32_t records[]);
bool rte_hash_table_insert(struct flow_table *table, uint32_t record);
void rte_hash_table_remove(struct flow_table *table, uint32_t record);

#endif
