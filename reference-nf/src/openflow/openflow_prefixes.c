/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "openflow/openflow_prefixes.h"
#include "table/table_memory.h"

#define FIRST_BYTES (sizeof(uint16_t) << 24)
#define FIRST_ENTRIES (1u << 24)
#define GROUP_ENTRIES 256u
#define SPARE_GROUPS 4096u /* for prefixes that come later */

/* All there are: a reload that leaves the routes alone goes on with the table in use. */
static struct openflow_prefixes *made;

static size_t group_bytes(const struct openflow_prefixes *p)
{
	return (size_t)p->group_room * GROUP_ENTRIES * sizeof(*p->groups);
}

static uint32_t groups_used(const struct openflow_prefixes *p)
{
	return p->group_count - p->unused_count;
}

/* Readers find the number before or this one. lengths NULL: they are not kept. */
static void fill(uint16_t *entries, uint8_t *lengths, uint32_t n, const struct openflow_prefix *prefix)
{
	for (uint32_t i = 0; i < n; i++)
		__atomic_store_n(&entries[i], prefix->number, __ATOMIC_RELEASE);
	if (lengths != NULL)
		memset(lengths, prefix->length + 1, n);
}

static uint32_t take_group(struct openflow_prefixes *p)
{
	return p->unused_count != 0 ? p->unused[--p->unused_count] : p->group_count++;
}

/* The group behind the first 24 bits; a new one goes on with what held for all of them, and is found when it is whole. */
static uint32_t group_of(struct openflow_prefixes *p, uint32_t high)
{
	if ((p->first[high] & OPENFLOW_PREFIX_GROUP) != 0)
		return p->first[high] & (OPENFLOW_PREFIX_GROUP - 1);
	uint32_t group = take_group(p);
	for (uint32_t i = group * GROUP_ENTRIES; i < (group + 1) * GROUP_ENTRIES; i++)
		p->groups[i] = p->first[high];
	if (p->group_lengths != NULL)
		memset(p->group_lengths + (size_t)group * GROUP_ENTRIES, p->first_lengths[high], GROUP_ENTRIES);
	__atomic_store_n(&p->first[high], (uint16_t)(OPENFLOW_PREFIX_GROUP | group), __ATOMIC_RELEASE);
	return group;
}

static uint8_t *lengths_at(uint8_t *lengths, size_t at)
{
	return lengths == NULL ? NULL : lengths + at;
}

static void add(struct openflow_prefixes *p, const struct openflow_prefix *prefix)
{
	uint32_t high = prefix->address >> 8;

	if (prefix->length <= 24) {
		fill(p->first + high, lengths_at(p->first_lengths, high), 1u << (24 - prefix->length), prefix);
		return;
	}
	uint32_t group = group_of(p, high);
	size_t at = group * (size_t)GROUP_ENTRIES + (prefix->address & 0xff);
	if (p->members != NULL && p->group_lengths[at] != prefix->length + 1)
		p->members[group]++;
	fill(p->groups + at, lengths_at(p->group_lengths, at), 1u << (OPENFLOW_PREFIX_BITS - prefix->length), prefix);
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
	table_memory_give(p->first_lengths, FIRST_ENTRIES);
	table_memory_give(p->group_lengths, (size_t)p->group_room * GROUP_ENTRIES);
	free(p->members);
	free(p->unused);
	free(p->list);
	free(p);
}

static bool take_lengths(struct openflow_prefixes *p, int socket)
{
	p->first_lengths = table_memory_take("openflow", FIRST_ENTRIES, socket);
	p->group_lengths = table_memory_take("openflow", (size_t)p->group_room * GROUP_ENTRIES, socket);
	p->members = calloc(p->group_room, sizeof(*p->members));
	p->unused = calloc(p->group_room, sizeof(*p->unused));
	return p->first_lengths != NULL && p->group_lengths != NULL && p->members != NULL && p->unused != NULL;
}

/* Takes the list. */
static struct openflow_prefixes *make(struct openflow_prefix *list, uint32_t count, bool changeable, int socket)
{
	struct openflow_prefixes *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		free(list);
		return NULL;
	}
	*p = (struct openflow_prefixes){.list = list, .count = count, .users = 1, .group_room = changeable ? SPARE_GROUPS : 1};
	for (uint32_t i = 0; i < count; i++)
		p->group_room += list[i].length > 24;
	if (p->group_room > OPENFLOW_PREFIX_GROUPS_MAX)
		p->group_room = OPENFLOW_PREFIX_GROUPS_MAX;
	p->first = table_memory_take("openflow", FIRST_BYTES, socket);
	p->groups = table_memory_take("openflow", group_bytes(p), socket);
	if (p->first == NULL || p->groups == NULL || (changeable && !take_lengths(p, socket))) {
		destroy(p);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		add(p, &list[i]);
	return p;
}

struct openflow_prefixes *openflow_prefixes_make(struct openflow_prefix *list, uint32_t count, int socket)
{
	struct openflow_prefixes *p = find_made(list, count);

	if (p != NULL) {
		free(list);
		p->users++;
		return p;
	}
	p = make(list, count, false, socket);
	if (p != NULL) {
		p->next = made;
		made = p;
	}
	return p;
}

struct openflow_prefixes *openflow_prefixes_make_changeable(struct openflow_prefix *list, uint32_t count, int socket)
{
	struct openflow_prefixes *p = make(list, count, true, socket);

	if (p != NULL) {
		free(p->list);
		p->list = NULL;
	}
	return p;
}

bool openflow_prefixes_has_room(const struct openflow_prefixes *p, const struct openflow_prefix *prefix)
{
	return prefix->length <= 24 || (p->first[prefix->address >> 8] & OPENFLOW_PREFIX_GROUP) != 0 ||
	       groups_used(p) < p->group_room;
}

/* Gives entries whose prefix has a length from `least` to `most` another prefix. */
static void change(uint16_t *entries, uint8_t *lengths, uint32_t n, const uint8_t range[2], const struct openflow_prefix *to)
{
	uint8_t length = to->number == 0 ? 0 : (uint8_t)(to->length + 1);

	for (uint32_t i = 0; i < n; i++) {
		if (lengths[i] < range[0] || lengths[i] > range[1])
			continue;
		lengths[i] = length;
		__atomic_store_n(&entries[i], to->number, __ATOMIC_RELEASE);
	}
}

static void change_group(struct openflow_prefixes *p, uint32_t group, uint32_t low, uint32_t n, const uint8_t range[2],
			 const struct openflow_prefix *to)
{
	size_t at = (size_t)group * GROUP_ENTRIES + low;

	change(p->groups + at, p->group_lengths + at, n, range, to);
}

/* The same below a prefix, in groups too. */
static void change_below(struct openflow_prefixes *p, const struct openflow_prefix *prefix, const uint8_t range[2],
			 const struct openflow_prefix *to)
{
	uint32_t high = prefix->address >> 8;

	if (prefix->length > 24) {
		change_group(p, p->first[high] & (OPENFLOW_PREFIX_GROUP - 1), prefix->address & 0xff,
			     1u << (OPENFLOW_PREFIX_BITS - prefix->length), range, to);
		return;
	}
	for (uint32_t i = high; i < high + (1u << (24 - prefix->length)); i++) {
		if ((p->first[i] & OPENFLOW_PREFIX_GROUP) != 0)
			change_group(p, p->first[i] & (OPENFLOW_PREFIX_GROUP - 1), 0, GROUP_ENTRIES, range, to);
		else
			change(p->first + i, p->first_lengths + i, 1, range, to);
	}
}

void openflow_prefixes_put(struct openflow_prefixes *p, const struct openflow_prefix *prefix, bool is_new)
{
	const uint8_t up_to_this[2] = {0, (uint8_t)(prefix->length + 1)};

	if (prefix->length > 24) {
		uint32_t group = group_of(p, prefix->address >> 8);
		p->members[group] = (uint16_t)(p->members[group] + is_new);
	}
	change_below(p, prefix, up_to_this, prefix);
}

/* All entries of a group without members are of one prefix, of at most 24 bits. */
static void leave_group(struct openflow_prefixes *p, uint32_t high, uint32_t group)
{
	p->first_lengths[high] = p->group_lengths[(size_t)group * GROUP_ENTRIES];
	__atomic_store_n(&p->first[high], p->groups[(size_t)group * GROUP_ENTRIES], __ATOMIC_RELEASE);
}

uint32_t openflow_prefixes_remove(struct openflow_prefixes *p, const struct openflow_prefix *prefix,
				  const struct openflow_prefix *behind)
{
	const uint8_t this_alone[2] = {(uint8_t)(prefix->length + 1), (uint8_t)(prefix->length + 1)};
	uint32_t high = prefix->address >> 8, group = OPENFLOW_PREFIX_GROUPS_MAX;

	change_below(p, prefix, this_alone, behind);
	if (prefix->length <= 24)
		return group;
	group = p->first[high] & (OPENFLOW_PREFIX_GROUP - 1);
	if (--p->members[group] != 0)
		return OPENFLOW_PREFIX_GROUPS_MAX;
	leave_group(p, high, group);
	return group;
}

void openflow_prefixes_give_group(struct openflow_prefixes *p, uint32_t group)
{
	p->unused[p->unused_count++] = (uint16_t)group;
}

void openflow_prefixes_drop(struct openflow_prefixes *p)
{
	if (p == NULL || --p->users != 0)
		return;
	struct openflow_prefixes **link = &made;
	while (*link != NULL && *link != p)
		link = &(*link)->next;
	if (*link != NULL)
		*link = p->next;
	destroy(p);
}
