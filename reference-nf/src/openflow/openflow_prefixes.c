/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "openflow/openflow_prefixes.h"
#include "table/table_memory.h"

#define FIRST_BYTES (sizeof(uint16_t) << 24)
#define GROUP_ENTRIES 256u

/* All there are: a reload that leaves the routes alone goes on with the table in use. */
static struct openflow_prefixes *made;

static size_t group_bytes(const struct openflow_prefixes *p)
{
	return (size_t)p->group_room * GROUP_ENTRIES * sizeof(*p->groups);
}

static void fill(uint16_t *entries, uint32_t n, uint16_t number)
{
	for (uint32_t i = 0; i < n; i++)
		entries[i] = number;
}

/* The group behind the first 24 bits; a new one goes on with what held for all of them. */
static uint16_t *group_of(struct openflow_prefixes *p, uint32_t high)
{
	if ((p->first[high] & OPENFLOW_PREFIX_GROUP) == 0) {
		fill(p->groups + p->group_count * GROUP_ENTRIES, GROUP_ENTRIES, p->first[high]);
		p->first[high] = (uint16_t)(OPENFLOW_PREFIX_GROUP | p->group_count++);
	}
	return p->groups + (p->first[high] & (OPENFLOW_PREFIX_GROUP - 1)) * GROUP_ENTRIES;
}

static void add(struct openflow_prefixes *p, const struct openflow_prefix *prefix)
{
	uint32_t high = prefix->address >> 8;

	if (prefix->length <= 24)
		fill(p->first + high, 1u << (24 - prefix->length), prefix->number);
	else
		fill(group_of(p, high) + (prefix->address & 0xff), 1u << (32 - prefix->length), prefix->number);
}

static struct openflow_prefixes *find_made(const struct openflow_prefix *list, uint32_t count)
{
	struct openflow_prefixes *p = made;

	while (p != NULL && (p->count != count || memcmp(p->list, list, count * sizeof(*list)) != 0))
		p = p->next;
	return p;
}

static void destroy(struct openflow_prefixes *p)
{
	table_memory_give(p->first, FIRST_BYTES);
	table_memory_give(p->groups, group_bytes(p));
	free(p->list);
	free(p);
}

struct openflow_prefixes *openflow_prefixes_make(struct openflow_prefix *list, uint32_t count, int socket)
{
	struct openflow_prefixes *p = find_made(list, count);

	if (p != NULL) {
		free(list);
		p->users++;
		return p;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		free(list);
		return NULL;
	}
	*p = (struct openflow_prefixes){.list = list, .count = count, .users = 1, .group_room = 1};
	for (uint32_t i = 0; i < count; i++)
		p->group_room += list[i].length > 24;
	p->first = table_memory_take("openflow", FIRST_BYTES, socket);
	p->groups = table_memory_take("openflow", group_bytes(p), socket);
	if (p->first == NULL || p->groups == NULL) {
		destroy(p);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		add(p, &list[i]);
	p->next = made;
	made = p;
	return p;
}

void openflow_prefixes_drop(struct openflow_prefixes *p)
{
	if (p == NULL || --p->users != 0)
		return;
	struct openflow_prefixes **link = &made;
	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	destroy(p);
}
