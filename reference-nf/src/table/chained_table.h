/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAINED_TABLE_H
#define CHAINED_TABLE_H

#include "table/flow_table_core.h"

/* The kind's functions: flow_table_core.h. */
struct flow_table *chained_table_create(const struct flow_table_params *params);
void chained_table_destroy(struct flow_table *table);
void chained_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			uint32_t records[]);
bool chained_table_insert(struct flow_table *table, uint32_t record);
void chained_table_remove(struct flow_table *table, uint32_t record);

#endif
