/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of rules over all instances and all tables, also those that a reload replaced.
 */
#ifndef DPI_USAGE_H
#define DPI_USAGE_H

#include "dpi/dpi_table.h"

/* For the control thread and telemetry, under rcu_tables_lock (rcu_tables.h). */
void dpi_table_inherit(void *table, const void *old);
void dpi_table_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);
void dpi_table_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count);
/* A rule's count over all instances and earlier tables; also of a removed rule. false: no such rule. */
bool dpi_table_count_of(const struct dpi_table *table, const char *id, struct dpi_count *count);
struct dpi_count dpi_table_count(const struct dpi_table *table, uint32_t rule);

#endif
