/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all instances of the stage read (patterns, L3/L4 rules, actions), and what each of them writes: the scratch
 * space of its scans, and its counts. Both have the same lifetime, because a count belongs to a rule.
 */
#ifndef DPI_TABLE_H
#define DPI_TABLE_H

#include "dpi/dpi_matcher.h"
#include "dpi/dpi_services.h"
#include "dpi/dpi_tuples.h"
#include "stage.h"

/* Counts of one rule. Bytes are counted from the IP header on. */
struct dpi_count {
	uint64_t packets, bytes;		 /* that matched */
	uint64_t charged_packets, charged_bytes; /* of these, those for which it came first in file order */
} __attribute__((aligned(32)));

_Static_assert(sizeof(struct dpi_count) == 32, "never on two cache lines");

struct dpi_part {
	hs_scratch_t *scratch; /* NULL: no rule has a pattern */
	struct dpi_count *counts; /* by rule; the instance writes, anyone reads */
	struct dpi_shaper *shaper; /* NULL: there are no services */
};

#define DPI_HAS_TUPLE 0x80 /* flag next to the action: the L3/L4 part must match, too */

/* Counts of removed rules. */
struct dpi_retired {
	char id[DPI_RULE_NAME];
	struct dpi_count count;
};

struct dpi_table {
	uint64_t generation; /* of tables, from 1; unique */
	const struct dpi_settings *settings;
	struct dpi_matcher matcher;
	struct dpi_tuples tuples;
	uint8_t *actions; /* by rule: enum dpi_action, DPI_HAS_TUPLE */
	uint32_t part_count;
	struct dpi_part parts[STAGE_MAX_INSTANCES];
	/* For the control thread: what earlier tables counted, and an index of rules. */
	uint32_t *by_id; /* rules, rising by id */
	struct dpi_count *inherited; /* by rule */
	struct dpi_retired *retired; /* rising by id */
	uint32_t retired_count;
	struct dpi_service_count inherited_services[DPI_SERVICES_MAX];
};

/* NULL: reported on stderr. */
void *dpi_table_build(const void *settings, const struct stage_place *place);
void dpi_table_destroy(void *table);

/* Counts have one writer; others read them as they are. */
static inline void dpi_add(uint64_t *count, uint64_t n)
{
	__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

#endif
