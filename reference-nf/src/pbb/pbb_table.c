/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_byteorder.h>
#include <rte_malloc.h>

#include "pbb/pbb_table.h"
#include "table/table_memory.h"

#define GROUP_OF_SERVICES UINT64_C(0x831e01) /* 01:1e:83; the I-SID follows (IEEE 802.1ah, 26.4) */
#define SERVICE_TAG 0x88a8u
#define BACKBONE_TAG 0x88e7u

static bool fill(struct pbb_table *t, const struct pbb_settings *s, const struct stage_place *place)
{
	static uint32_t builds; /* tables before and after a reload exist at the same time: their names differ */
	char name[32];

	t->count = s->count;
	if (t->count == 0)
		return true;
	snprintf(name, sizeof(name), "pbb_%u", builds++);
	t->entries = table_memory_take(name, (size_t)t->count * sizeof(*t->entries), place->socket);
	if (t->entries == NULL)
		return false;
	t->customers = flow_table_create(&(struct flow_table_params){
		.name = name,
		.kind = place->hash,
		.entries = t->count,
		.keys = &t->entries[0].key,
		.stride = sizeof(*t->entries),
		.seed = place->seed,
		.socket = place->socket,
		.prefetch = place->prefetch,
	});
	if (t->customers == NULL)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		t->entries[i] = (struct pbb_entry){.key = {{s->customers[i].address, 0}}, .bridge = s->customers[i].bridge};
		if (!flow_table_insert(t->customers, i))
			return false;
	}
	return true;
}

static void make_head(struct pbb_table *t, const struct pbb_settings *s)
{
	uint32_t service = rte_cpu_to_be_32(s->service);

	t->bridge = s->bridge;
	t->group = GROUP_OF_SERVICES | (uint64_t)(service >> 8) << 24;
	memcpy(t->head, &t->group, RTE_ETHER_ADDR_LEN);
	memcpy(t->head + 6, &s->bridge, RTE_ETHER_ADDR_LEN);
	store16(t->head + 12, rte_cpu_to_be_16(SERVICE_TAG));
	store16(t->head + 14, rte_cpu_to_be_16((uint16_t)s->vlan));
	store16(t->head + 16, rte_cpu_to_be_16(BACKBONE_TAG));
	memcpy(t->head + 18, &service, sizeof(service));
}

struct pbb_table *pbb_table_create(const struct pbb_settings *s, const struct stage_place *place)
{
	struct pbb_table *t = rte_zmalloc_socket("pbb_table", sizeof(*t), 64, place->socket);

	if (t != NULL && fill(t, s, place)) {
		make_head(t, s);
		return t;
	}
	fprintf(stderr, "pbb: no memory for %u customers: give EAL more (-m)\n", s->count);
	pbb_table_destroy(t);
	return NULL;
}

void pbb_table_destroy(struct pbb_table *t)
{
	if (t == NULL)
		return;
	flow_table_destroy(t->customers);
	table_memory_give(t->entries, (size_t)t->count * sizeof(*t->entries));
	rte_free(t);
}
