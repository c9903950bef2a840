/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "flow_mod/flow_book.h"
#include "table/hashing.h"

#define PRIORITIES (UINT16_MAX + 1u)
#define SPARE 64u

static uint64_t hash_of_words(const void *data, size_t words, uint64_t hash)
{
	const uint8_t *at = data;

	for (size_t w = 0; w < words; w++) {
		uint64_t word;
		memcpy(&word, at + w * sizeof(word), sizeof(word));
		hash = mix64(hash ^ word);
	}
	return hash;
}

static size_t words_of(uint32_t term_count)
{
	return term_count * sizeof(struct openflow_term) / sizeof(uint64_t);
}

static struct openflow_flow **head_of(const struct openflow_book *b, uint32_t table, const struct openflow_term terms[],
				      uint32_t term_count)
{
	return &b->heads[hash_of_words(terms, words_of(term_count), table) & b->head_mask];
}

static bool is_match(const struct openflow_flow *f, uint32_t table, const struct openflow_term terms[], uint32_t term_count)
{
	return f->table == table && f->term_count == term_count &&
	       (term_count == 0 || memcmp(f->terms, terms, term_count * sizeof(*terms)) == 0);
}

struct openflow_flow *openflow_book_find(const struct openflow_book *b, const struct openflow_flow *like)
{
	struct openflow_flow *f = *head_of(b, like->table, like->terms, like->term_count);

	while (f != NULL && !(f->priority == like->priority && is_match(f, like->table, like->terms, like->term_count)))
		f = f->next;
	return f;
}

struct openflow_flow *openflow_book_first(const struct openflow_book *b, uint32_t table, const struct openflow_term terms[],
					  uint32_t term_count)
{
	struct openflow_flow *first = NULL;

	for (struct openflow_flow *f = *head_of(b, table, terms, term_count); f != NULL; f = f->next)
		if (is_match(f, table, terms, term_count) && (first == NULL || f->priority > first->priority))
			first = f;
	return first;
}

struct openflow_flow *openflow_flow_new(const struct openflow_entry *entry, const struct openflow_term terms[])
{
	struct openflow_flow *f = malloc(sizeof(*f) + entry->term_count * sizeof(*terms));

	if (f == NULL)
		return NULL;
	*f = (struct openflow_flow){.instructions = entry->instructions, .priority = entry->priority, .table = entry->table,
				    .term_count = entry->term_count, .own = true, .terms = f->own_terms};
	if (entry->term_count != 0)
		memcpy(f->own_terms, terms, entry->term_count * sizeof(*terms));
	return f;
}

void openflow_flow_free(struct openflow_flow *f)
{
	if (f != NULL && f->own)
		free(f);
}

/* ---- what stays true of a table while single entries change ---- */

static struct openflow_range *range_of(struct openflow_book_table *t, const struct openflow_flow *f)
{
	int32_t length = openflow_prefix_length(f->terms, f->term_count);

	return &t->ranges[t->kind == OPENFLOW_PREFIXES && length > 0 ? length : 0];
}

static void count_priority(struct openflow_book_table *t, const struct openflow_flow *f)
{
	struct openflow_range *r = range_of(t, f);

	t->at_priority[f->priority]++;
	r->low = r->count == 0 ? f->priority : RTE_MIN(r->low, f->priority);
	r->high = r->count == 0 ? f->priority : RTE_MAX(r->high, f->priority);
	r->count++;
}

/* Priorities between low and high are this range's alone. */
static void uncount_priority(struct openflow_book_table *t, const struct openflow_flow *f)
{
	struct openflow_range *r = range_of(t, f);

	t->at_priority[f->priority]--;
	if (--r->count == 0)
		return;
	while (t->at_priority[r->low] == 0)
		r->low++;
	while (t->at_priority[r->high] == 0)
		r->high--;
}

static bool counts_priorities(const struct openflow_book_table *t, const struct openflow_flow *f)
{
	return t->in_place && f->term_count != 0;
}

static uint32_t lowest(const struct openflow_book_table *t)
{
	uint32_t low = PRIORITIES;

	for (uint32_t i = 0; i < RTE_DIM(t->ranges); i++)
		if (t->ranges[i].count != 0)
			low = RTE_MIN(low, t->ranges[i].low);
	return low;
}

static bool is_of_keys(const struct openflow_table *t, const struct openflow_flow *f)
{
	uint32_t guard = 0, key = 0;

	for (uint32_t i = 0; i < f->term_count; i++) {
		const struct openflow_term *term = &f->terms[i];
		if (guard < t->guard_count && memcmp(&t->guards[guard], term, sizeof(*term)) == 0)
			guard++;
		else if (key < t->exact.key_count && t->exact.keys[key].field == term->field &&
			 t->exact.keys[key].mask == term->mask)
			key++;
		else
			return false;
	}
	return guard == t->guard_count && key == t->exact.key_count;
}

/* Longer prefixes have higher priorities. */
static bool is_of_prefixes(const struct openflow_book_table *t, const struct openflow_flow *f)
{
	int32_t length = openflow_prefix_length(f->terms, f->term_count);

	for (int32_t other = 0; length >= 0 && other <= (int32_t)OPENFLOW_PREFIX_BITS; other++) {
		const struct openflow_range *r = &t->ranges[other];
		if (r->count != 0 && ((other < length && r->high >= f->priority) || (other > length && r->low <= f->priority)))
			return false;
	}
	return length >= 0;
}

bool openflow_book_fits(const struct openflow_book *b, const struct openflow_table *table, const struct openflow_flow *f)
{
	const struct openflow_book_table *t = &b->tables[f->table];

	if (!t->in_place)
		return false;
	if (f->term_count == 0)
		return f->priority < lowest(t);
	const struct openflow_flow *any = openflow_book_first(b, f->table, NULL, 0);
	if (any != NULL && any->priority >= f->priority)
		return false;
	return t->kind == OPENFLOW_EXACT ? is_of_keys(table, f) : is_of_prefixes(t, f);
}

bool openflow_book_number_room(const struct openflow_book *b, struct openflow_book_table *t)
{
	if (t->number_of_room >= b->instruction_room)
		return true;
	uint32_t *grown = realloc(t->number_of, b->instruction_room * sizeof(*grown));
	if (grown == NULL)
		return false;
	memset(grown + t->number_of_room, 0, (b->instruction_room - t->number_of_room) * sizeof(*grown));
	t->number_of = grown;
	t->number_of_room = b->instruction_room;
	return true;
}

static void count_keys(const struct openflow_book *b, struct openflow_book_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct openflow_flow *f = t->flows[i];
		if (f->term_count != 0 && openflow_book_first(b, f->table, f->terms, f->term_count) == f)
			t->users[t->number_of[f->instructions] - 1]++;
	}
}

bool openflow_book_look(struct openflow_book *b, const struct openflow_table *table, uint32_t number)
{
	struct openflow_book_table *t = &b->tables[number];
	const struct openflow_flow *any = openflow_book_first(b, number, NULL, 0);

	t->kind = table->kind;
	t->in_place = table->kind != OPENFLOW_LIST;
	if (!t->in_place)
		return true;
	uint32_t *users = calloc(table->number_room, sizeof(*users));
	uint32_t *unused = calloc(table->number_room, sizeof(*unused));
	uint32_t *at_priority = calloc(PRIORITIES, sizeof(*at_priority));
	if (users == NULL || unused == NULL || at_priority == NULL || !openflow_book_number_room(b, t)) {
		free(users);
		free(unused);
		free(at_priority);
		return false;
	}
	free(t->users);
	free(t->unused);
	free(t->at_priority);
	t->users = users;
	t->unused = unused;
	t->unused_count = 0;
	t->at_priority = at_priority;
	memset(t->ranges, 0, sizeof(t->ranges));
	for (uint32_t i = 0; i < t->count; i++)
		if (t->flows[i]->term_count != 0)
			count_priority(t, t->flows[i]);
	t->in_place = any == NULL || any->priority < lowest(t);
	memset(t->number_of, 0, t->number_of_room * sizeof(*t->number_of));
	for (uint32_t n = 0; n < table->number_count; n++)
		t->number_of[table->numbers[n]] = n + 1;
	if (t->in_place)
		count_keys(b, t);
	return true;
}

/* ---- entries ---- */

static bool grow_heads(struct openflow_book *b)
{
	uint32_t size = (b->head_mask + 1) * 2;
	struct openflow_flow **old = b->heads;
	uint32_t old_mask = b->head_mask;

	if (b->count <= b->head_mask)
		return true;
	b->heads = calloc(size, sizeof(struct openflow_flow *));
	if (b->heads == NULL) {
		b->heads = old;
		return false;
	}
	b->head_mask = size - 1;
	for (uint32_t i = 0; i <= old_mask; i++)
		for (struct openflow_flow *f = old[i], *next; f != NULL; f = next) {
			struct openflow_flow **head = head_of(b, f->table, f->terms, f->term_count);
			next = f->next;
			f->next = *head;
			*head = f;
		}
	free(old);
	return true;
}

static bool grow_flows(struct openflow_book_table *t)
{
	if (t->count < t->room)
		return true;
	uint32_t room = t->room * 2 + SPARE;
	struct openflow_flow **grown = realloc(t->flows, room * sizeof(struct openflow_flow *));
	if (grown == NULL)
		return false;
	t->flows = grown;
	t->room = room;
	return true;
}

bool openflow_book_add(struct openflow_book *b, struct openflow_flow *f)
{
	struct openflow_book_table *t = &b->tables[f->table];

	if (!grow_heads(b) || !grow_flows(t))
		return false;
	struct openflow_flow **head = head_of(b, f->table, f->terms, f->term_count);
	f->added = b->added++;
	f->next = *head;
	*head = f;
	f->place = t->count;
	t->flows[t->count++] = f;
	b->count++;
	if (counts_priorities(t, f))
		count_priority(t, f);
	return true;
}

void openflow_book_remove(struct openflow_book *b, struct openflow_flow *f)
{
	struct openflow_book_table *t = &b->tables[f->table];
	struct openflow_flow **link = head_of(b, f->table, f->terms, f->term_count);

	while (*link != f)
		link = &(*link)->next;
	*link = f->next;
	t->flows[f->place] = t->flows[--t->count];
	t->flows[f->place]->place = f->place;
	b->count--;
	if (counts_priorities(t, f))
		uncount_priority(t, f);
}

/* ---- instructions ---- */

static uint32_t *instruction_head(const struct openflow_book *b, const struct openflow_instructions *i)
{
	return &b->instruction_heads[hash_of_words(i, sizeof(*i) / sizeof(uint64_t), 0) & (b->instruction_room - 1)];
}

static void chain_instructions(struct openflow_book *b, uint32_t number)
{
	uint32_t *head = instruction_head(b, &b->instructions[number]);

	b->instruction_next[number] = *head;
	*head = number;
}

/* Twice the room. What readers had is in *outgrown. */
static bool grow_instructions(struct openflow_book *b, void **outgrown)
{
	uint32_t room = b->instruction_room * 2;
	struct openflow_instructions *items = calloc(room, sizeof(*items));
	uint32_t *users = calloc(room, sizeof(*users)), *next = calloc(room, sizeof(*next)), *heads = malloc(room * sizeof(*heads));

	if (items == NULL || users == NULL || next == NULL || heads == NULL) {
		free(items), free(users), free(next), free(heads);
		return false;
	}
	memcpy(items, b->instructions, b->instruction_count * sizeof(*items));
	memcpy(users, b->instruction_users, b->instruction_count * sizeof(*users));
	free(b->instruction_users), free(b->instruction_next), free(b->instruction_heads);
	*outgrown = b->instructions;
	b->instructions = items;
	b->instruction_users = users;
	b->instruction_next = next;
	b->instruction_heads = heads;
	b->instruction_room = room;
	memset(heads, 0xff, room * sizeof(*heads));
	for (uint32_t n = 0; n < b->instruction_count; n++)
		chain_instructions(b, n);
	return true;
}

uint32_t openflow_book_use(struct openflow_book *b, const struct openflow_instructions *i, void **outgrown)
{
	uint32_t number = *instruction_head(b, i);

	*outgrown = NULL;
	while (number != OPENFLOW_NONE && memcmp(&b->instructions[number], i, sizeof(*i)) != 0)
		number = b->instruction_next[number];
	if (number == OPENFLOW_NONE) {
		if (b->instruction_unused == OPENFLOW_NONE && b->instruction_count == b->instruction_room &&
		    !grow_instructions(b, outgrown))
			return OPENFLOW_NONE;
		number = b->instruction_unused;
		if (number != OPENFLOW_NONE)
			b->instruction_unused = b->instruction_next[number];
		else
			number = b->instruction_count++;
		b->instructions[number] = *i;
		chain_instructions(b, number);
	}
	b->instruction_users[number]++;
	return number;
}

void openflow_book_leave(struct openflow_book *b, uint32_t number)
{
	if (--b->instruction_users[number] != 0)
		return;
	uint32_t *link = instruction_head(b, &b->instructions[number]);
	while (*link != number)
		link = &b->instruction_next[*link];
	*link = b->instruction_next[number];
	b->instruction_next[number] = b->instruction_unused;
	b->instruction_unused = number;
}

/* ---- all ---- */

static bool copy_instructions(struct openflow_book *b, const struct openflow_settings *s)
{
	b->instruction_room = rte_align32pow2(RTE_MAX(s->instructions_count * 2, SPARE));
	b->instructions = calloc(b->instruction_room, sizeof(*b->instructions));
	b->instruction_users = calloc(b->instruction_room, sizeof(*b->instruction_users));
	b->instruction_next = calloc(b->instruction_room, sizeof(*b->instruction_next));
	b->instruction_heads = malloc(b->instruction_room * sizeof(*b->instruction_heads));
	if (b->instructions == NULL || b->instruction_users == NULL || b->instruction_next == NULL ||
	    b->instruction_heads == NULL)
		return false;
	memset(b->instruction_heads, 0xff, b->instruction_room * sizeof(*b->instruction_heads));
	for (uint32_t n = 0; n < s->instructions_count; n++) {
		b->instructions[n] = s->instructions[n];
		b->instruction_users[n] = 1; /* the settings' */
		chain_instructions(b, n);
	}
	b->instruction_count = s->instructions_count;
	return true;
}

/* Of entries of one match and priority the first alone ever decides. */
static bool copy_flows(struct openflow_book *b, const struct openflow_settings *s)
{
	b->first = calloc(s->entry_count + 1, sizeof(*b->first));
	b->head_mask = rte_align32pow2(s->entry_count + SPARE) - 1;
	b->heads = calloc(b->head_mask + 1, sizeof(struct openflow_flow *));
	if (b->first == NULL || b->heads == NULL)
		return false;
	for (uint32_t i = 0; i < s->entry_count; i++) {
		const struct openflow_entry *e = &s->entries[i];
		struct openflow_flow *f = &b->first[i];
		*f = (struct openflow_flow){.instructions = e->instructions, .priority = e->priority, .table = e->table,
					    .term_count = e->term_count, .terms = &s->terms[e->first_term]};
		if (openflow_book_find(b, f) != NULL)
			continue;
		b->instruction_users[f->instructions]++;
		if (!openflow_book_add(b, f))
			return false;
	}
	return true;
}

struct openflow_book *openflow_book_make(struct openflow_tables *tables)
{
	struct openflow_book *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->instruction_unused = OPENFLOW_NONE;
	bool good = copy_instructions(b, tables->settings) && copy_flows(b, tables->settings);
	for (uint32_t t = 0; good && t < OPENFLOW_TABLES; t++)
		good = openflow_book_look(b, tables->tables[t], t);
	if (!good) {
		openflow_book_free(b);
		return NULL;
	}
	tables->instructions = b->instructions;
	return b;
}

void openflow_book_free(struct openflow_book *b)
{
	if (b == NULL)
		return;
	for (uint32_t i = 0; i < OPENFLOW_TABLES; i++) {
		struct openflow_book_table *t = &b->tables[i];
		for (uint32_t f = 0; f < t->count; f++)
			openflow_flow_free(t->flows[f]);
		free(t->flows), free(t->at_priority), free(t->users), free(t->unused), free(t->number_of);
	}
	free(b->heads), free(b->first), free(b->instructions), free(b->instruction_users), free(b->instruction_next);
	free(b->instruction_heads);
	free(b);
}
