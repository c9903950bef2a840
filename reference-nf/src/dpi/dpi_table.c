/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_table.h"

#define LINE_BYTES 64u

static uint32_t next_generation(void)
{
	static uint32_t generation; /* tables are built one after another */
	return ++generation;
}

void dpi_table_destroy(void *tables)
{
	struct dpi_table *t = tables;

	for (uint32_t i = 0; i < t->part_count; i++) {
		hs_free_scratch(t->parts[i].scratch);
		free(t->parts[i].counts);
		free(t->parts[i].shaper);
	}
	dpi_tuples_close(&t->tuples);
	dpi_matcher_close(&t->matcher);
	free(t->actions);
	free(t->by_id);
	free(t->inherited);
	free(t->retired);
	free(t);
}

static struct dpi_count *make_counts(uint32_t rules)
{
	size_t bytes = RTE_ALIGN_CEIL(rules * sizeof(struct dpi_count), LINE_BYTES);
	struct dpi_count *counts = aligned_alloc(LINE_BYTES, bytes);

	if (counts != NULL)
		memset(counts, 0, bytes);
	return counts;
}

/* A rule's action together with what decides a match: all that a scan's callback needs. */
static bool list_actions(struct dpi_table *t)
{
	const struct dpi_settings *s = t->settings;

	t->actions = calloc(s->rule_count, sizeof(*t->actions));
	for (uint32_t i = 0; t->actions != NULL && i < s->rule_count; i++)
		t->actions[i] = (uint8_t)(s->rules[i].action | (s->rules[i].tuple.versions != 0 ? DPI_HAS_TUPLE : 0));
	return t->actions != NULL;
}

static int by_rule_id(const void *a, const void *b, void *settings)
{
	const struct dpi_settings *s = settings;
	return strcmp(s->rules[*(const uint32_t *)a].id, s->rules[*(const uint32_t *)b].id);
}

static bool sort_rules(struct dpi_table *t)
{
	uint32_t n = t->settings->rule_count;

	t->by_id = calloc(n, sizeof(*t->by_id));
	if (t->by_id == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		t->by_id[i] = i;
	qsort_r(t->by_id, n, sizeof(*t->by_id), by_rule_id, (void *)(uintptr_t)t->settings);
	return true;
}

static bool make_part(const struct dpi_table *t, struct dpi_part *part, uint32_t count)
{
	part->counts = make_counts(t->settings->rule_count);
	if (t->settings->service_count != 0)
		part->shaper = dpi_shaper_make(t->settings, t->part_count, count);
	return part->counts != NULL && (part->shaper != NULL || t->settings->service_count == 0) &&
	       (t->matcher.database == NULL || hs_alloc_scratch(t->matcher.database, &part->scratch) == HS_SUCCESS);
}

static bool make_parts(struct dpi_table *t, uint32_t count)
{
	for (; t->part_count < count; t->part_count++) {
		if (!make_part(t, &t->parts[t->part_count], count)) {
			free(t->parts[t->part_count].counts);
			free(t->parts[t->part_count].shaper);
			return false;
		}
	}
	return true;
}

void *dpi_table_build(const void *settings, const struct stage_place *place)
{
	struct dpi_table *t = calloc(1, sizeof(*t));

	if (t != NULL) {
		t->settings = settings;
		t->generation = next_generation();
		t->inherited = make_counts(t->settings->rule_count);
	}
	if (t == NULL || t->inherited == NULL || !list_actions(t) || !sort_rules(t)) {
		fprintf(stderr, "dpi: no memory for its rules\n");
	} else if (dpi_matcher_open(&t->matcher, t->settings) &&
		   dpi_tuples_open(&t->tuples, t->settings, t->generation, place->socket)) {
		if (make_parts(t, place->count))
			return t;
		fprintf(stderr, "dpi: no memory for the scratch space and counts of %u instances\n", place->count);
	}
	if (t != NULL)
		dpi_table_destroy(t);
	return NULL;
}
