/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_malloc.h>

#include "lb/lb_table.h"
#include "table/table_memory.h"

static void put(struct lb_tables *t, uint64_t key, uint32_t service)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->slots_mask;

	while (t->slots[at].key != 0 && t->slots[at].key != key)
		at = (at + 1) & t->slots_mask;
	t->slots[at] = (struct lb_slot){.key = key, .service = service};
}

/* Adds every service by its end, and each address once. */
static bool create_slots(struct lb_tables *t, int socket)
{
	const struct lb_settings *s = t->settings;
	uint32_t slots = rte_align32pow2((s->service_count + 1) * 8);

	t->slots = rte_zmalloc_socket("lb_slots", slots * sizeof(*t->slots), 64, socket);
	if (t->slots == NULL)
		return false;
	t->slots_mask = slots - 1;
	for (uint32_t i = 0; i < s->service_count; i++) {
		const struct lb_service *service = &s->services[i];
		put(t, lb_service_key(htonl(service->address), htons(service->port), service->protocol), i);
		put(t, lb_service_key(htonl(service->address), 0, 0), i);
	}
	return true;
}

static bool create_maglev(struct lb_tables *t, int socket)
{
	const struct lb_settings *s = t->settings;

	if (s->service_count == 0)
		return true;
	t->maglev_bytes = (size_t)s->service_count * s->maglev_size * sizeof(*t->maglev);
	t->maglev = table_memory_take("lb_maglev", t->maglev_bytes, socket);
	if (t->maglev == NULL)
		return false;
	for (uint32_t i = 0; i < s->service_count; i++)
		if (!lb_maglev_fill(t->maglev + (size_t)i * s->maglev_size, s->maglev_size, s->services[i].backends,
				    s->services[i].backend_count))
			return false;
	return true;
}

void *lb_tables_build(const void *settings, const struct stage_place *place)
{
	static uint32_t builds; /* of the control thread */
	const struct lb_settings *s = settings;
	struct lb_tables *t = rte_zmalloc_socket("lb_tables", sizeof(*t), 64, place->socket);

	if (t != NULL) {
		t->settings = s;
		t->generation = ++builds;
	}
	if (t != NULL && create_slots(t, place->socket) && create_maglev(t, place->socket))
		return t;
	fprintf(stderr,
		"lb: no memory for %u services with %u slots each; give EAL more (-m) or lower [lb] maglev_size\n",
		s->service_count, s->maglev_size);
	lb_tables_destroy(t);
	return NULL;
}

void lb_tables_destroy(void *tables)
{
	struct lb_tables *t = tables;

	if (t == NULL)
		return;
	rte_free(t->slots);
	table_memory_give(t->maglev, t->maglev_bytes);
	rte_free(t);
}

bool lb_is_down(const struct lb_tables *t, uint32_t service, uint32_t address, uint16_t port)
{
	const struct lb_service *s = &t->settings->services[service];
	uint64_t target = (uint64_t)address << 16 | port;
	uint32_t low = 0, high = s->backend_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t end = (uint64_t)s->backends[middle].address << 16 | s->backends[middle].port;
		if (end == target)
			return s->backends[middle].state == LB_BACKEND_DOWN;
		if (end < target)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
