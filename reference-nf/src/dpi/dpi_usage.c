/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of rules over all instances and all tables, also those that a reload replaced. None is lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_usage.h"

static void add_count(struct dpi_count *sum, const struct dpi_count *count)
{
	sum->packets += __atomic_load_n(&count->packets, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&count->bytes, __ATOMIC_RELAXED);
	sum->charged_packets += __atomic_load_n(&count->charged_packets, __ATOMIC_RELAXED);
	sum->charged_bytes += __atomic_load_n(&count->charged_bytes, __ATOMIC_RELAXED);
}

struct dpi_count dpi_table_count(const struct dpi_table *t, uint32_t rule)
{
	struct dpi_count sum = t->inherited[rule];

	for (uint32_t i = 0; i < t->part_count; i++)
		add_count(&sum, &t->parts[i].counts[rule]);
	return sum;
}

/* DPI_NO_RULE: there is none. */
static uint32_t find_rule(const struct dpi_table *t, const char *id)
{
	uint32_t low = 0, high = t->settings->rule_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(id, t->settings->rules[t->by_id[middle]].id);
		if (order == 0)
			return t->by_id[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return DPI_NO_RULE;
}

static int by_retired_id(const void *id, const void *retired)
{
	return strcmp(id, ((const struct dpi_retired *)retired)->id);
}

static const struct dpi_retired *find_retired(const struct dpi_table *t, const char *id)
{
	return t->retired_count == 0 ? NULL :
				       bsearch(id, t->retired, t->retired_count, sizeof(*t->retired), by_retired_id);
}

bool dpi_table_count_of(const struct dpi_table *t, const char *id, struct dpi_count *count)
{
	uint32_t rule = find_rule(t, id);
	const struct dpi_retired *retired = rule == DPI_NO_RULE ? find_retired(t, id) : NULL;

	if (rule != DPI_NO_RULE)
		*count = dpi_table_count(t, rule);
	else if (retired != NULL)
		*count = retired->count;
	return rule != DPI_NO_RULE || retired != NULL;
}

/* Adds a count to the rule with that id, or keeps it among removed rules. Ids come in rising order. */
static void pass_on(struct dpi_table *t, const char *id, const struct dpi_count *count)
{
	uint32_t rule = find_rule(t, id);

	if (count->packets == 0)
		return;
	if (rule != DPI_NO_RULE) {
		add_count(&t->inherited[rule], count);
		return;
	}
	struct dpi_retired *retired = &t->retired[t->retired_count++];
	memcpy(retired->id, id, sizeof(retired->id));
	retired->count = *count;
}

static void add_service(struct dpi_service_count *sum, const struct dpi_service_count *count)
{
	sum->packets += __atomic_load_n(&count->packets, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&count->bytes, __ATOMIC_RELAXED);
	sum->over_packets += __atomic_load_n(&count->over_packets, __ATOMIC_RELAXED);
	sum->over_bytes += __atomic_load_n(&count->over_bytes, __ATOMIC_RELAXED);
}

static struct dpi_service_count service_count(const struct dpi_table *t, uint32_t service)
{
	struct dpi_service_count sum = t->inherited_services[service];

	for (uint32_t i = 0; i < t->part_count; i++)
		add_service(&sum, &t->parts[i].shaper->shares[service].count);
	return sum;
}

/* By name; those of services that there are no more end. */
static void inherit_services(struct dpi_table *t, const struct dpi_table *old)
{
	for (uint32_t i = 0; i < t->settings->service_count; i++)
		for (uint32_t j = 0; j < old->settings->service_count; j++)
			if (strcmp(t->settings->services[i].name, old->settings->services[j].name) == 0)
				t->inherited_services[i] = service_count(old, j);
}

static void report_services(const struct dpi_table *t, FILE *out)
{
	for (uint32_t i = 0; i < t->settings->service_count; i++) {
		struct dpi_service_count c = service_count(t, i);
		fprintf(out,
			"%s\"%s\":{\"percent\":%u,\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"over_packets\":%" PRIu64
			",\"over_bytes\":%" PRIu64 "}",
			i == 0 ? ",\"dpi_services\":{" : ",", t->settings->services[i].name, t->settings->services[i].percent,
			c.packets, c.bytes, c.over_packets, c.over_bytes);
	}
	if (t->settings->service_count != 0)
		fprintf(out, "}");
}

void dpi_table_inherit(void *tables, const void *old_tables)
{
	struct dpi_table *t = tables;
	const struct dpi_table *old = old_tables;
	uint32_t rules = old->settings->rule_count, at = 0;

	inherit_services(t, old);
	t->retired = calloc((size_t)rules + old->retired_count, sizeof(*t->retired));
	if (t->retired == NULL) {
		fprintf(stderr, "dpi: no memory to keep the counts of rules; they begin at 0\n");
		return;
	}
	for (uint32_t i = 0; i < rules; i++) { /* two lists, both rising by id */
		uint32_t rule = old->by_id[i];
		struct dpi_count count = dpi_table_count(old, rule);
		for (; at < old->retired_count && strcmp(old->retired[at].id, old->settings->rules[rule].id) < 0; at++)
			pass_on(t, old->retired[at].id, &old->retired[at].count);
		pass_on(t, old->settings->rules[rule].id, &count);
	}
	for (; at < old->retired_count; at++)
		pass_on(t, old->retired[at].id, &old->retired[at].count);
}

static void print_count(FILE *out, const char **comma, const char *id, const struct dpi_count *c)
{
	if (c->packets == 0)
		return;
	fprintf(out,
		"%s\"%s\":{\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"charged_packets\":%" PRIu64
		",\"charged_bytes\":%" PRIu64 "}",
		*comma, id, c->packets, c->bytes, c->charged_packets, c->charged_bytes);
	*comma = ",";
}

void dpi_table_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out)
{
	const struct dpi_table *t = rcu_tables_get(rcu);
	const char *comma = "";

	(void)instances, (void)count;
	fprintf(out, ",\"dpi_rules\":{");
	for (uint32_t i = 0; i < t->settings->rule_count; i++) {
		struct dpi_count c = dpi_table_count(t, i);
		print_count(out, &comma, t->settings->rules[i].id, &c);
	}
	for (uint32_t i = 0; i < t->retired_count; i++)
		print_count(out, &comma, t->retired[i].id, &t->retired[i].count);
	fprintf(out, "}");
	report_services(t, out);
}

void dpi_table_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count)
{
	struct dpi_table *t = rcu_tables_get(rcu);
	size_t bytes = t->settings->rule_count * sizeof(struct dpi_count);

	(void)instances, (void)count;
	memset(t->inherited, 0, bytes);
	memset(t->inherited_services, 0, sizeof(t->inherited_services));
	for (uint32_t i = 0; i < t->part_count; i++) {
		memset(t->parts[i].counts, 0, bytes);
		for (uint32_t n = 0; n < t->settings->service_count; n++)
			t->parts[i].shaper->shares[n].count = (struct dpi_service_count){0};
	}
	t->retired_count = 0;
}
