/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "acl/acl_counts.h"

/* number: of a rule, from 1, or 0 for the default. */
static uint64_t count_of(const struct acl_table *t, uint32_t number)
{
	uint64_t sum = t->counts.inherited[number];

	for (uint32_t i = 0; i < t->instances; i++)
		sum += t->counts.rows[i][number];
	return sum;
}

/* Identifies a rule across reloads: by its priority, a generated one by its number. */
void acl_inherit(void *tables, const void *old)
{
	struct acl_table *to = tables;
	const struct acl_table *from = old;
	uint32_t to_file = to->rule_count - to->settings->generated;
	uint32_t from_file = from->rule_count - from->settings->generated;

	to->counts.inherited[0] = count_of(from, 0);
	for (uint32_t i = 0, k = 0; i < to_file; i++) {
		uint32_t priority = to->settings->rules[i].priority;
		while (k < from_file && from->settings->rules[k].priority < priority)
			k++;
		if (k < from_file && from->settings->rules[k].priority == priority)
			to->counts.inherited[i + 1] = count_of(from, k + 1);
	}
	for (uint32_t i = 0; i < RTE_MIN(to->settings->generated, from->settings->generated); i++)
		to->counts.inherited[to_file + i + 1] = count_of(from, from_file + i + 1);
}

void acl_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count)
{
	struct acl_table *t = rcu_tables_get(rcu);
	size_t row = (t->rule_count + 1) * sizeof(uint64_t);

	(void)instances, (void)count;
	memset(t->counts.inherited, 0, row);
	for (uint32_t i = 0; i < t->instances; i++)
		memset(t->counts.rows[i], 0, row);
}

/* Names rules by priority, generated ones by number from 1; omits rules that decided no packet. */
void acl_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out)
{
	const struct acl_table *t = rcu_tables_get(rcu);
	uint32_t file = t->rule_count - t->settings->generated;

	(void)instances, (void)count;
	fprintf(out, ",\"acl_rules\":{\"default\":%" PRIu64, count_of(t, 0));
	for (uint32_t number = 1; number <= t->rule_count; number++) {
		uint64_t packets = count_of(t, number);
		if (packets == 0)
			continue;
		if (number <= file)
			fprintf(out, ",\"%" PRIu32 "\":%" PRIu64, t->settings->rules[number - 1].priority, packets);
		else
			fprintf(out, ",\"generated_%" PRIu32 "\":%" PRIu64, number - file, packets);
	}
	fprintf(out, "}");
}
