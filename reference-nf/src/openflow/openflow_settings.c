/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "openflow/openflow_settings.h"
#include "table/hashing.h"

#define FIRST_INDEX 64u

/* The array with room for `more` behind its count; it grows at powers of two. NULL: no memory. */
static void *grow(void *array, uint32_t count, uint32_t more, size_t size)
{
	uint32_t room = 1;

	while (room < count)
		room *= 2;
	if (array != NULL && count + more <= room)
		return array;
	while (room < count + more)
		room *= 2;
	return realloc(array, room * size);
}

#define GROW(s, member, count, more)                                                                                   \
	__extension__({                                                                                                \
		void *grown_ = grow((s)->member, (s)->count, more, sizeof(*(s)->member));                              \
		if (grown_ != NULL)                                                                                    \
			(s)->member = grown_;                                                                          \
		grown_ != NULL;                                                                                        \
	})

static uint64_t hash_of(const struct openflow_instructions *i)
{
	uint64_t words[sizeof(*i) / sizeof(uint64_t)], hash = 0;

	memcpy(words, i, sizeof(words));
	for (uint32_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
		hash = mix64(hash ^ words[w]);
	return hash;
}

/* Where equal instructions are, or would be put. */
static uint32_t *place_of(struct openflow_settings *s, const struct openflow_instructions *i)
{
	uint32_t at = (uint32_t)hash_of(i) & (s->index_size - 1);

	while (s->index[at] != 0 && memcmp(&s->instructions[s->index[at] - 1], i, sizeof(*i)) != 0)
		at = (at + 1) & (s->index_size - 1);
	return &s->index[at];
}

static bool grow_index(struct openflow_settings *s)
{
	if (s->instructions_count * 2 < s->index_size)
		return true;
	uint32_t size = s->index_size == 0 ? FIRST_INDEX : s->index_size * 2;
	uint32_t *index = calloc(size, sizeof(*index));
	if (index == NULL)
		return false;
	free(s->index);
	s->index = index;
	s->index_size = size;
	for (uint32_t n = 0; n < s->instructions_count; n++)
		*place_of(s, &s->instructions[n]) = n + 1;
	return true;
}

uint32_t openflow_add_instructions(struct openflow_settings *s, const struct openflow_instructions *i)
{
	if (!grow_index(s))
		return OPENFLOW_NONE;
	uint32_t *place = place_of(s, i);
	if (*place == 0) {
		if (!GROW(s, instructions, instructions_count, 1))
			return OPENFLOW_NONE;
		s->instructions[s->instructions_count++] = *i;
		*place = s->instructions_count;
	}
	return *place - 1;
}

bool openflow_add_entry(struct openflow_settings *s, const struct openflow_entry *entry, const struct openflow_term terms[])
{
	if (!GROW(s, entries, entry_count, 1) || !GROW(s, terms, term_count, entry->term_count))
		return false;
	struct openflow_entry *added = &s->entries[s->entry_count++];
	*added = *entry;
	added->first_term = s->term_count;
	for (uint32_t i = 0; i < entry->term_count; i++)
		s->terms[s->term_count++] = terms[i];
	return true;
}

bool openflow_add_group(struct openflow_settings *s, const struct openflow_group *group)
{
	if (!GROW(s, groups, group_count, 1))
		return false;
	s->groups[s->group_count++] = *group;
	return true;
}

bool openflow_add_meter(struct openflow_settings *s, const struct openflow_meter *meter)
{
	if (!GROW(s, meters, meter_count, 1))
		return false;
	s->meters[s->meter_count++] = *meter;
	return true;
}

uint32_t openflow_find_group(const struct openflow_settings *s, uint32_t id)
{
	for (uint32_t n = 0; n < s->group_count; n++)
		if (s->groups[n].id == id)
			return n;
	return OPENFLOW_NONE;
}

uint32_t openflow_find_meter(const struct openflow_settings *s, uint32_t id)
{
	for (uint32_t n = 0; n < s->meter_count; n++)
		if (s->meters[n].id == id)
			return n;
	return OPENFLOW_NONE;
}

static uint32_t by_priority(const struct openflow_entry *e)
{
	return UINT16_MAX - e->priority;
}

static uint32_t by_table(const struct openflow_entry *e)
{
	return e->table;
}

/* Moves n entries by rising key, of which there are `keys`; those of one key stay in order. */
static void move_by(uint32_t (*key)(const struct openflow_entry *), uint32_t keys, const struct openflow_entry *from,
		    struct openflow_entry *to, uint32_t n, uint32_t *begins)
{
	memset(begins, 0, (keys + 1) * sizeof(*begins));
	for (uint32_t i = 0; i < n; i++)
		begins[key(&from[i]) + 1]++;
	for (uint32_t k = 0; k < keys; k++)
		begins[k + 1] += begins[k];
	for (uint32_t i = 0; i < n; i++)
		to[begins[key(&from[i])]++] = from[i];
}

bool openflow_sort_entries(struct openflow_settings *s)
{
	struct openflow_entry *others = malloc((s->entry_count + 1) * sizeof(*others));
	uint32_t *begins = malloc((UINT16_MAX + 2) * sizeof(*begins));
	bool ok = others != NULL && begins != NULL;

	if (ok && s->entry_count != 0) {
		move_by(by_priority, UINT16_MAX + 1, s->entries, others, s->entry_count, begins);
		move_by(by_table, OPENFLOW_TABLES, others, s->entries, s->entry_count, begins);
	}
	free(others);
	free(begins);
	return ok;
}

void openflow_release(void *settings)
{
	struct openflow_settings *s = settings;

	free(s->control);
	free(s->entries);
	free(s->terms);
	free(s->instructions);
	free(s->groups);
	free(s->meters);
	free(s->index);
	free(s);
}
