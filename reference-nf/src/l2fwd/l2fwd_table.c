/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_malloc.h>

#include "l2fwd/l2fwd_table.h"
#include "table/table_memory.h"

static bool fill(struct l2fwd_table *t, const struct l2fwd_settings *s, const struct stage_place *place)
{
	static uint32_t builds; /* tables before and after a reload exist at the same time: their names differ */
	char name[32];

	t->count = s->count;
	if (t->count == 0)
		return true;
	snprintf(name, sizeof(name), "l2fwd_%u", builds++);
	t->entries = table_memory_take(name, (size_t)t->count * sizeof(*t->entries), place->socket);
	if (t->entries == NULL)
		return false;
	t->stations = flow_table_create(&(struct flow_table_params){
		.name = name,
		.kind = place->hash,
		.entries = t->count,
		.keys = &t->entries[0].key,
		.stride = sizeof(*t->entries),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	if (t->stations == NULL)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		t->entries[i] = (struct l2fwd_entry){.key = {{s->stations[i].address, 0}}, .forward = s->stations[i].forward};
		if (!flow_table_insert(t->stations, i))
			return false;
	}
	return true;
}

struct l2fwd_table *l2fwd_table_create(const struct l2fwd_settings *s, const struct stage_place *place)
{
	struct l2fwd_table *t = rte_zmalloc_socket("l2fwd_table", sizeof(*t), 64, place->socket);

	if (t != NULL && fill(t, s, place)) {
		t->floods = s->floods;
		t->switches_ip = s->switches_ip;
		return t;
	}
	fprintf(stderr, "l2fwd: no memory for %u stations: give EAL more (-m)\n", s->count);
	l2fwd_table_destroy(t);
	return NULL;
}

void l2fwd_table_destroy(struct l2fwd_table *t)
{
	if (t == NULL)
		return;
	flow_table_destroy(t->stations);
	table_memory_give(t->entries, (size_t)t->count * sizeof(*t->entries));
	rte_free(t);
}
