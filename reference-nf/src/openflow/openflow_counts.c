/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <string.h>

#include "openflow/openflow_counts.h"

/* Counts of tables and ports are by number, those of groups and meters by id. */
static void add_row(const struct openflow_settings *to_settings, struct openflow_row *to,
		    const struct openflow_settings *from_settings, const struct openflow_row *from)
{
	for (uint32_t t = 0; t < OPENFLOW_TABLES; t++) {
		to->lookups[t] += from->lookups[t];
		to->misses[t] += from->misses[t];
	}
	for (uint32_t port = 1; port <= OPENFLOW_PORTS; port++)
		for (uint32_t queue = 0; queue < OPENFLOW_QUEUES; queue++)
			to->outputs[port][queue] += from->outputs[port][queue];
	for (uint32_t g = 0; g < from_settings->group_count; g++) {
		uint32_t same = openflow_find_group(to_settings, from_settings->groups[g].id);
		if (same != OPENFLOW_NONE)
			to->groups[same] += from->groups[g];
	}
	for (uint32_t m = 0; m < from_settings->meter_count; m++) {
		uint32_t same = openflow_find_meter(to_settings, from_settings->meters[m].id);
		if (same == OPENFLOW_NONE)
			continue;
		to->meters[same].within += from->meters[m].within;
		to->meters[same].beyond += from->meters[m].beyond;
	}
}

void openflow_inherit(void *tables, const void *old)
{
	struct openflow_tables *to = tables;
	const struct openflow_tables *from = old;

	add_row(to->settings, &to->inherited, from->settings, &from->inherited);
	for (uint32_t i = 0; i < from->instances; i++)
		add_row(to->settings, &to->inherited, from->settings, &from->rows[i]);
}

static void clear_row(const struct openflow_settings *s, struct openflow_row *row)
{
	memset(row->lookups, 0, sizeof(row->lookups));
	memset(row->misses, 0, sizeof(row->misses));
	memset(row->outputs, 0, sizeof(row->outputs));
	memset(row->groups, 0, s->group_count * sizeof(*row->groups));
	for (uint32_t m = 0; m < s->meter_count; m++)
		row->meters[m].within = row->meters[m].beyond = 0;
}

void openflow_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count)
{
	struct openflow_tables *t = rcu_tables_get(rcu);

	(void)instances, (void)count;
	clear_row(t->settings, &t->inherited);
	for (uint32_t i = 0; i < t->instances; i++)
		clear_row(t->settings, &t->rows[i]);
}

/* A count over all rows; which: its place in the first. */
static uint64_t sum_of(const struct openflow_tables *t, const uint64_t *in_inherited)
{
	size_t at = (size_t)((const uint8_t *)in_inherited - (const uint8_t *)&t->inherited);
	uint64_t sum = *in_inherited, more;

	for (uint32_t i = 0; i < t->instances; i++) {
		memcpy(&more, (const uint8_t *)&t->rows[i] + at, sizeof(more));
		sum += more;
	}
	return sum;
}

static void report_tables(const struct openflow_tables *t, FILE *out)
{
	const char *comma = "";

	for (uint32_t i = 0; i < OPENFLOW_TABLES; i++) {
		uint64_t lookups = sum_of(t, &t->inherited.lookups[i]);
		if (t->tables[i]->entry_count == 0 && lookups == 0)
			continue;
		fprintf(out, "%s\"%" PRIu32 "\":{\"lookups\":%" PRIu64 ",\"misses\":%" PRIu64 "}", comma, i, lookups,
			sum_of(t, &t->inherited.misses[i]));
		comma = ",";
	}
}

/* Ports that something was sent to; behind a dot the queue, if it is not 0. */
static void report_ports(const struct openflow_tables *t, FILE *out)
{
	const char *comma = "";

	for (uint32_t port = 1; port <= OPENFLOW_PORTS; port++)
		for (uint32_t queue = 0; queue < OPENFLOW_QUEUES; queue++) {
			uint64_t packets = sum_of(t, &t->inherited.outputs[port][queue]);
			if (packets == 0)
				continue;
			fprintf(out, "%s\"%" PRIu32, comma, port);
			if (queue != 0)
				fprintf(out, ".%" PRIu32, queue);
			fprintf(out, "\":%" PRIu64, packets);
			comma = ",";
		}
}

static void report_groups(const struct openflow_tables *t, FILE *out)
{
	const char *comma = "";

	for (uint32_t g = 0; g < t->settings->group_count; g++) {
		uint64_t packets = t->inherited.groups[g];
		for (uint32_t i = 0; i < t->instances; i++)
			packets += t->rows[i].groups[g];
		if (packets == 0)
			continue;
		fprintf(out, "%s\"%" PRIu32 "\":%" PRIu64, comma, t->settings->groups[g].id, packets);
		comma = ",";
	}
}

static void report_meters(const struct openflow_tables *t, FILE *out)
{
	for (uint32_t m = 0; m < t->settings->meter_count; m++) {
		uint64_t within = t->inherited.meters[m].within, beyond = t->inherited.meters[m].beyond;
		for (uint32_t i = 0; i < t->instances; i++) {
			within += t->rows[i].meters[m].within;
			beyond += t->rows[i].meters[m].beyond;
		}
		fprintf(out, "%s\"%" PRIu32 "\":{\"within\":%" PRIu64 ",\"beyond\":%" PRIu64 "}", m == 0 ? "" : ",",
			t->settings->meters[m].id, within, beyond);
	}
}

/* Groups and ports that no packet came to are left out. */
void openflow_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out)
{
	const struct openflow_tables *t = rcu_tables_get(rcu);

	(void)instances, (void)count;
	fprintf(out, ",\"openflow\":{\"tables\":{");
	report_tables(t, out);
	fprintf(out, "},\"groups\":{");
	report_groups(t, out);
	fprintf(out, "},\"meters\":{");
	report_meters(t, out);
	fprintf(out, "},\"ports\":{");
	report_ports(t, out);
	fprintf(out, "}}");
}
