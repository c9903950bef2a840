/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_ether.h>
#include <rte_malloc.h>

#include "config/config.h"
#include "openflow/openflow_table.h"

#define EXACT_LOAD 2u /* slots for each entry, at least */
#define SPARE_NUMBERS 64u

static const struct openflow_term *terms_of(const struct openflow_table *t, const struct openflow_entry *e)
{
	return t->terms + e->first_term;
}

/* Entries but those behind the first that fits every packet: they decide nothing. Returns how many, and that one. */
static uint32_t entries_before_any(const struct openflow_table *t, uint32_t *miss)
{
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (t->entries[i].term_count == 0) {
			*miss = t->entries[i].instructions;
			return i;
		}
	*miss = OPENFLOW_NONE;
	return t->entry_count;
}

static bool same_fields(const struct openflow_table *t, const struct openflow_entry *a, const struct openflow_entry *b)
{
	if (a->term_count != b->term_count)
		return false;
	for (uint32_t i = 0; i < a->term_count; i++)
		if (terms_of(t, a)[i].field != terms_of(t, b)[i].field || terms_of(t, a)[i].mask != terms_of(t, b)[i].mask)
			return false;
	return true;
}

/* Takes what all n entries want alike as guards; the rest, in which they differ, are keys. false: too many keys. */
static bool divide_terms(struct openflow_table *t, uint32_t n)
{
	const struct openflow_term *first = terms_of(t, &t->entries[0]);

	t->guard_count = t->exact.key_count = 0;
	for (uint32_t term = 0; term < t->entries[0].term_count; term++) {
		bool alike = true;
		for (uint32_t i = 1; i < n && alike; i++)
			alike = terms_of(t, &t->entries[i])[term].value == first[term].value;
		if (alike)
			t->guards[t->guard_count++] = first[term];
		else if (t->exact.key_count == OPENFLOW_EXACT_WORDS)
			return false;
		else
			t->exact.keys[t->exact.key_count++] = first[term];
	}
	return t->exact.key_count != 0;
}

static bool is_exact(struct openflow_table *t, uint32_t n)
{
	if (n <= OPENFLOW_LIST_ENTRIES)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (!same_fields(t, &t->entries[0], &t->entries[i]))
			return false;
	return divide_terms(t, n);
}

void openflow_exact_words(const struct openflow_table *t, const struct openflow_term terms[], uint64_t words[])
{
	for (uint32_t k = 0, i = 0; k < t->exact.key_count; i++)
		if (terms[i].field == t->exact.keys[k].field)
			words[k++] = terms[i].value;
}

uint64_t *openflow_exact_place(const struct openflow_exact *e, const uint64_t words[])
{
	uint32_t at = openflow_exact_slot(e, words);

	for (;; at = (at + 1) & e->slot_mask) {
		uint64_t *slot = e->slots + ((size_t)at << e->shift);
		if (slot[e->key_count] == 0 || memcmp(slot, words, e->key_count * sizeof(*words)) == 0)
			return slot;
	}
}

/* Numbers the instructions that keys lead to. false: too many, or no memory. */
static bool number_instructions(struct openflow_table *t, uint32_t n, uint32_t *number_of, uint32_t most)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t instructions = t->entries[i].instructions;
		if (number_of[instructions] != 0)
			continue;
		if (t->number_count == most) {
			fprintf(stderr, "openflow: table %u: its entries lead to more than %u different instructions\n",
				t->entries[0].table, most);
			return false;
		}
		t->numbers[t->number_count++] = instructions;
		number_of[instructions] = t->number_count;
	}
	return true;
}

/* By instructions the number that keys lead to, from 1. NULL: too many, or no memory. */
static uint32_t *make_numbers(struct openflow_table *t, uint32_t n, uint32_t instructions, bool changeable)
{
	uint32_t most = t->kind == OPENFLOW_PREFIXES ? OPENFLOW_PREFIX_NUMBERS_MAX : UINT32_MAX;
	uint32_t *number_of = calloc(instructions, sizeof(*number_of));

	t->number_room = RTE_MIN(changeable ? 2 * instructions + SPARE_NUMBERS : instructions, most);
	t->numbers = calloc(t->number_room, sizeof(*t->numbers));
	if (number_of != NULL && t->numbers != NULL && number_instructions(t, n, number_of, most))
		return number_of;
	free(number_of);
	return NULL;
}

static bool build_exact(struct openflow_table *t, uint32_t n, uint32_t instructions, bool changeable, int socket)
{
	struct openflow_exact *e = &t->exact;
	uint64_t words[OPENFLOW_EXACT_WORDS];

	t->kind = OPENFLOW_EXACT;
	e->shift = e->key_count == 1 ? 1 : 2;
	e->slot_mask = rte_align32pow2(n * (changeable ? 2 * EXACT_LOAD : EXACT_LOAD)) - 1;
	e->slots = rte_zmalloc_socket("openflow", ((size_t)(e->slot_mask + 1) << e->shift) * sizeof(*e->slots), 64, socket);
	uint32_t *number_of = e->slots == NULL ? NULL : make_numbers(t, n, instructions, changeable);
	if (number_of == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		openflow_exact_words(t, terms_of(t, &t->entries[i]), words);
		uint64_t *slot = openflow_exact_place(e, words);
		if (slot[e->key_count] != 0)
			continue; /* an entry before this one decides */
		memcpy(slot, words, e->key_count * sizeof(*words));
		slot[e->key_count] = number_of[t->entries[i].instructions];
		e->used++;
	}
	free(number_of);
	return true;
}

int32_t openflow_prefix_length(const struct openflow_term *terms, uint32_t term_count)
{
	if (term_count == 0 || term_count > 2 || terms[0].field != OPENFLOW_ETH_TYPE || terms[0].value != RTE_ETHER_TYPE_IPV4)
		return -1;
	if (term_count == 1)
		return 0;
	uint32_t mask = (uint32_t)terms[1].mask;
	if (terms[1].field != OPENFLOW_IPV4_DST || mask != ipv4_mask((uint32_t)__builtin_popcount(mask)))
		return -1;
	return __builtin_popcount(mask);
}

static int32_t prefix_length(const struct openflow_table *t, const struct openflow_entry *e)
{
	return openflow_prefix_length(terms_of(t, e), e->term_count);
}

/* Longer prefixes have higher priorities: then the longest that fits decides. Entries are by falling priority. */
static bool are_prefixes(const struct openflow_table *t, uint32_t n)
{
	if (n <= OPENFLOW_LIST_ENTRIES)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int32_t length = prefix_length(t, &t->entries[i]);
		if (length < 0)
			return false;
		int32_t before = i == 0 ? length : prefix_length(t, &t->entries[i - 1]);
		if (before < length || (before > length && t->entries[i - 1].priority == t->entries[i].priority))
			return false;
	}
	return true;
}

/* Shortest first, and of one prefix the entry that decides last. */
static struct openflow_prefix *list_prefixes(const struct openflow_table *t, uint32_t n, const uint32_t *number_of)
{
	struct openflow_prefix *list = malloc(n * sizeof(*list));

	for (uint32_t i = 0; list != NULL && i < n; i++) {
		const struct openflow_entry *e = &t->entries[n - 1 - i];
		list[i] = (struct openflow_prefix){
			.address = e->term_count == 2 ? (uint32_t)terms_of(t, e)[1].value : 0,
			.length = (uint16_t)prefix_length(t, e),
			.number = (uint16_t)number_of[e->instructions],
		};
	}
	return list;
}

/* The longest stand first. */
static bool long_ones_fit(const struct openflow_table *t, uint32_t n)
{
	if (n <= OPENFLOW_PREFIX_GROUPS_MAX || prefix_length(t, &t->entries[OPENFLOW_PREFIX_GROUPS_MAX]) <= 24)
		return true;
	fprintf(stderr, "openflow: table %u: more than %u of its prefixes are longer than 24 bits\n", t->entries[0].table,
		OPENFLOW_PREFIX_GROUPS_MAX);
	return false;
}

static bool build_prefixes(struct openflow_table *t, uint32_t n, uint32_t instructions, bool changeable, int socket)
{
	struct openflow_prefix *list = NULL;

	t->kind = OPENFLOW_PREFIXES;
	t->guards[0] = terms_of(t, &t->entries[0])[0];
	t->guard_count = 1;
	uint32_t *number_of = long_ones_fit(t, n) ? make_numbers(t, n, instructions, changeable) : NULL;
	if (number_of != NULL)
		list = list_prefixes(t, n, number_of);
	if (list != NULL)
		t->prefixes = changeable ? openflow_prefixes_make_changeable(list, n, socket)
					 : openflow_prefixes_make(list, n, socket);
	free(number_of);
	return t->prefixes != NULL;
}

static bool build_table(struct openflow_table *t, uint32_t instructions, bool changeable, int socket)
{
	uint32_t n = entries_before_any(t, &t->miss);

	if (are_prefixes(t, n))
		return build_prefixes(t, n, instructions, changeable, socket);
	if (is_exact(t, n))
		return build_exact(t, n, instructions, changeable, socket);
	t->kind = OPENFLOW_LIST;
	return true;
}

struct openflow_table *openflow_table_make(const struct openflow_table *from, uint32_t instructions, bool changeable,
					   int socket)
{
	struct openflow_table *t = malloc(sizeof(*t));

	if (t == NULL)
		return NULL;
	*t = (struct openflow_table){.entries = from->entries, .terms = from->terms, .entry_count = from->entry_count,
				     .own = from->own};
	if (build_table(t, instructions, changeable, socket))
		return t;
	t->own = NULL; /* the caller's */
	openflow_table_free(t);
	return NULL;
}

void openflow_table_free(struct openflow_table *t)
{
	if (t == NULL)
		return;
	rte_free(t->exact.slots);
	openflow_prefixes_drop(t->prefixes);
	free(t->numbers);
	free(t->own);
	free(t);
}

void openflow_choose_fetched(struct openflow_tables *t)
{
	const uint16_t *fetched = NULL;

	for (uint32_t i = 0; i < OPENFLOW_TABLES && fetched == NULL; i++)
		if (t->tables[i]->kind == OPENFLOW_PREFIXES)
			fetched = t->tables[i]->prefixes->first;
	__atomic_store_n(&t->fetched, fetched, __ATOMIC_RELEASE);
}

static uint32_t find_in_list(const struct openflow_table *t, const struct openflow_key *key)
{
	for (uint32_t i = 0; i < t->entry_count; i++) {
		const struct openflow_term *term = terms_of(t, &t->entries[i]), *end = term + t->entries[i].term_count;
		while (term != end && openflow_term_fits(term, key))
			term++;
		if (term == end)
			return t->entries[i].instructions;
	}
	return OPENFLOW_NONE;
}

/* The key's number + 1, or 0. A slot's key is written before its number, and stays. */
static uint32_t find_exact(const struct openflow_table *t, const struct openflow_key *key)
{
	const struct openflow_exact *e = &t->exact;
	uint64_t words[OPENFLOW_EXACT_WORDS];

	for (uint32_t k = 0; k < e->key_count; k++)
		words[k] = key->fields[e->keys[k].field] & e->keys[k].mask;
	for (uint32_t at = openflow_exact_slot(e, words);; at = (at + 1) & e->slot_mask) {
		const uint64_t *slot = e->slots + ((size_t)at << e->shift);
		uint64_t number = __atomic_load_n(&slot[e->key_count], __ATOMIC_ACQUIRE);
		uint32_t k = 0;
		if (number == 0)
			return 0;
		while (k < e->key_count && slot[k] == words[k])
			k++;
		if (k == e->key_count)
			return number == OPENFLOW_LEFT ? 0 : (uint32_t)number;
	}
}

uint32_t openflow_table_find(const struct openflow_tables *tables, uint32_t number, const struct openflow_key *key)
{
	const struct openflow_table *t = openflow_table_at(tables, number);
	uint32_t found = 0, guard = 0;

	if (t->kind == OPENFLOW_LIST)
		return find_in_list(t, key);
	while (guard < t->guard_count && openflow_term_fits(&t->guards[guard], key))
		guard++;
	if (guard == t->guard_count)
		found = t->kind == OPENFLOW_EXACT
				? find_exact(t, key)
				: openflow_prefixes_find(t->prefixes, (uint32_t)key->fields[OPENFLOW_IPV4_DST]);
	return found == 0 ? __atomic_load_n(&t->miss, __ATOMIC_ACQUIRE) : __atomic_load_n(&t->numbers[found - 1], __ATOMIC_ACQUIRE);
}
