/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "openflow/openflow_code.h"
#include "openflow/openflow_table.h"
#include "openflow/openflow_tables.h"
#include "stage.h"

static bool build_tables(struct openflow_tables *t, const struct openflow_settings *s, int socket)
{
	struct openflow_table from[OPENFLOW_TABLES] = {0};

	for (uint32_t i = 0; i < s->entry_count; i++) {
		struct openflow_table *table = &from[s->entries[i].table];
		if (table->entry_count++ == 0)
			table->entries = &s->entries[i];
	}
	for (uint32_t i = 0; i < s->term_count; i++)
		t->terms_used |= UINT64_C(1) << s->terms[i].field;
	for (uint32_t i = 0; i < OPENFLOW_TABLES; i++) {
		from[i].terms = s->terms;
		t->tables[i] = openflow_table_make(&from[i], s->instructions_count, s->changeable, socket);
		if (t->tables[i] == NULL)
			return false;
	}
	return true;
}

static bool open_row(struct openflow_row *row, const struct openflow_settings *s, int socket)
{
	row->groups = rte_zmalloc_socket("openflow", (s->group_count + 1) * sizeof(*row->groups), 64, socket);
	row->meters = rte_zmalloc_socket("openflow", (s->meter_count + 1) * sizeof(*row->meters), 64, socket);
	return row->groups != NULL && row->meters != NULL;
}

static struct openflow_limit limit_of(const struct openflow_meter *m, uint32_t instances)
{
	uint64_t rate = m->rate < instances ? 1 : m->rate / instances, burst = m->burst < instances ? 1 : m->burst / instances;

	return (struct openflow_limit){
		.rate = rate,
		.full = burst * (m->by_packets ? TOKENS_OF_PACKET : TOKENS_OF_KBIT),
		.of_packet = m->by_packets ? TOKENS_OF_PACKET : 0,
		.of_byte = m->by_packets ? 0 : TOKENS_OF_BYTE,
		.remark = m->remark,
	};
}

static void fill_buckets(const struct openflow_tables *t, struct openflow_row *row)
{
	for (uint32_t m = 0; m < t->settings->meter_count; m++)
		row->meters[m].tokens = t->limits[m].full;
}

static bool open_rows(struct openflow_tables *t, const struct openflow_settings *s, const struct stage_place *place)
{
	t->instances = place->count;
	t->rows = rte_zmalloc_socket("openflow", place->count * sizeof(*t->rows), 64, place->socket);
	t->limits = calloc(s->meter_count + 1, sizeof(*t->limits));
	if (t->rows == NULL || t->limits == NULL || !open_row(&t->inherited, s, place->socket))
		return false;
	for (uint32_t m = 0; m < s->meter_count; m++)
		t->limits[m] = limit_of(&s->meters[m], place->count);
	for (uint32_t i = 0; i < place->count; i++) {
		if (!open_row(&t->rows[i], s, place->socket))
			return false;
		fill_buckets(t, &t->rows[i]);
	}
	return true;
}

struct openflow_tables *openflow_tables_create(const struct openflow_settings *s, const struct stage_place *place)
{
	struct openflow_tables *t = rte_zmalloc_socket("openflow", sizeof(*t), 64, place->socket);

	if (t != NULL) {
		t->settings = s;
		t->socket = place->socket;
		t->fetches = place->prefetch;
		t->instructions = s->instructions;
		bool ok = build_tables(t, s, place->socket) && open_rows(t, s, place);
		if (ok && t->fetches)
			openflow_choose_fetched(t);
		if (ok && (s->mode == OPENFLOW_INTERPRETED || openflow_code_make(t)))
			return t;
	}
	fprintf(stderr, "openflow: cannot build the tables of %u flow entries\n", s->entry_count);
	openflow_tables_destroy(t);
	return NULL;
}

static void close_row(struct openflow_row *row)
{
	rte_free(row->groups);
	rte_free(row->meters);
}

void openflow_tables_destroy(struct openflow_tables *t)
{
	if (t == NULL)
		return;
	openflow_code_destroy(t->code);
	for (uint32_t i = 0; t->rows != NULL && i < t->instances; i++)
		close_row(&t->rows[i]);
	close_row(&t->inherited);
	rte_free(t->rows);
	free(t->limits);
	for (uint32_t i = 0; i < OPENFLOW_TABLES; i++)
		openflow_table_free(t->tables[i]);
	rte_free(t);
}
