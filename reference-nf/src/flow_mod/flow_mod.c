/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "flow_mod/flow_book.h"
#include "flow_mod/flow_mod.h"
#include "openflow/openflow_code.h"

#define NO_MEMORY "no memory"

/* A change of one entry on its way. */
struct change {
	struct openflow_tables *tables;
	struct openflow_table *table;
	struct openflow_book_table *book_table;
	const struct openflow_flow *flow;
	bool in_place;
	uint32_t was, is; /* instructions that its match leads to before and after; OPENFLOW_NONE: no such match */
	/* What readers may still have. */
	struct openflow_table *old_table;
	void *outgrown;
	uint32_t old_group;
	uint32_t old_number; /* + 1; 0: none */
	char *why;
};

enum done { DONE, REBUILD, REFUSED };

#define refuse(c, ...) (snprintf((c)->why, OPENFLOW_WHY_BYTES, __VA_ARGS__), REFUSED)

static bool remake_code(const struct change *c, const struct openflow_table *as)
{
	return c->tables->code == NULL || openflow_code_remake(c->tables, c->flow->table, as);
}

static void use_code(const struct change *c)
{
	if (c->tables->code != NULL)
		openflow_code_use(c->tables);
}

/* ---- a table made anew ---- */

static int by_rank(const void *a, const void *b)
{
	const struct openflow_flow *x = *(struct openflow_flow *const *)a, *y = *(struct openflow_flow *const *)b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return x->added < y->added ? -1 : x->added > y->added;
}

/* The table's entries as the settings would have them, in memory of its own. */
static bool gather(const struct openflow_book_table *book, struct openflow_table *from)
{
	struct openflow_flow **flows = malloc((book->count + 1) * sizeof(struct openflow_flow *));
	size_t terms = 0;

	for (uint32_t i = 0; i < book->count; i++)
		terms += book->flows[i]->term_count;
	struct openflow_term *term = malloc(terms * sizeof(*term) + book->count * sizeof(struct openflow_entry) + 1);
	if (flows == NULL || term == NULL) {
		free(flows);
		free(term);
		return false;
	}
	struct openflow_entry *entries = (struct openflow_entry *)(term + terms);
	*from = (struct openflow_table){.entries = entries, .terms = term, .entry_count = book->count, .own = term};
	if (book->count != 0)
		memcpy(flows, book->flows, book->count * sizeof(struct openflow_flow *));
	qsort(flows, book->count, sizeof(struct openflow_flow *), by_rank);
	for (uint32_t i = 0; i < book->count; i++) {
		const struct openflow_flow *f = flows[i];
		entries[i] = (struct openflow_entry){.first_term = (uint32_t)(term - from->terms), .instructions = f->instructions,
						     .priority = f->priority, .table = f->table, .term_count = f->term_count};
		memcpy(term, f->terms, f->term_count * sizeof(*term));
		term += f->term_count;
	}
	free(flows);
	return true;
}

static struct openflow_table *make_table(const struct change *c)
{
	struct openflow_table from;

	if (!gather(c->book_table, &from))
		return NULL;
	struct openflow_table *fresh = openflow_table_make(&from, c->tables->book->instruction_count, true, c->tables->socket);
	if (fresh == NULL) {
		free(from.own);
	} else if (fresh->kind != OPENFLOW_LIST) {
		free(fresh->own);
		fresh->own = NULL;
		fresh->entries = NULL;
		fresh->terms = NULL;
	}
	return fresh;
}

static enum done rebuild(struct change *c)
{
	uint32_t number = c->flow->table;
	struct openflow_table *fresh = make_table(c);

	if (fresh == NULL || !remake_code(c, fresh) || !openflow_book_look(c->tables->book, fresh, number)) {
		openflow_table_free(fresh);
		return refuse(c, "table %u cannot be made: " NO_MEMORY ", or too many prefixes longer than 24 bits or different "
				 "instructions",
			      number);
	}
	use_code(c);
	c->old_table = c->table;
	__atomic_store_n(&c->tables->tables[number], fresh, __ATOMIC_RELEASE);
	if (c->tables->fetches)
		openflow_choose_fetched(c->tables);
	return DONE;
}

/* ---- changes in place ---- */

static enum done change_miss(struct change *c)
{
	uint32_t before = c->table->miss;

	__atomic_store_n(&c->table->miss, c->is, __ATOMIC_RELEASE);
	if (!remake_code(c, c->table)) {
		__atomic_store_n(&c->table->miss, before, __ATOMIC_RELEASE);
		return refuse(c, NO_MEMORY);
	}
	use_code(c);
	return DONE;
}

/* A number for instructions that no key of the table leads to yet. */
static enum done take_number(struct change *c)
{
	struct openflow_book_table *b = c->book_table;
	uint32_t number = b->unused_count != 0 ? b->unused[b->unused_count - 1] : c->table->number_count;

	if (number == OPENFLOW_PREFIX_NUMBERS_MAX && c->table->kind == OPENFLOW_PREFIXES)
		return refuse(c, "table %u: its entries would lead to more than %u different instructions", c->flow->table,
			      OPENFLOW_PREFIX_NUMBERS_MAX);
	if (number == c->table->number_room)
		return REBUILD;
	__atomic_store_n(&c->table->numbers[number], c->is, __ATOMIC_RELEASE);
	if (b->unused_count == 0)
		c->table->number_count++;
	if (c->tables->code != NULL && !openflow_code_takes(c->tables, c->flow->table, number) && !remake_code(c, c->table)) {
		if (b->unused_count == 0)
			c->table->number_count--;
		return refuse(c, NO_MEMORY);
	}
	if (b->unused_count != 0)
		b->unused_count--;
	b->number_of[c->is] = number + 1;
	use_code(c);
	return DONE;
}

static enum done room_for_key(const struct change *c)
{
	const struct openflow_exact *e = &c->table->exact;
	const struct openflow_term *terms = c->flow->terms;

	if (c->was != OPENFLOW_NONE)
		return DONE;
	if (c->table->kind == OPENFLOW_EXACT)
		return (e->used + 1) * 2 > e->slot_mask + 1 ? REBUILD : DONE;
	const struct openflow_prefix prefix = {
		.address = c->flow->term_count == 2 ? (uint32_t)terms[1].value : 0,
		.length = (uint16_t)openflow_prefix_length(terms, c->flow->term_count),
	};
	return openflow_prefixes_has_room(c->table->prefixes, &prefix) ? DONE : REBUILD;
}

static void write_slot(const struct change *c, uint32_t number)
{
	struct openflow_exact *e = &c->table->exact;
	uint64_t words[OPENFLOW_EXACT_WORDS];

	openflow_exact_words(c->table, c->flow->terms, words);
	uint64_t *slot = openflow_exact_place(e, words);
	if (slot[e->key_count] == 0) {
		memcpy(slot, words, e->key_count * sizeof(*words));
		e->used++;
	}
	__atomic_store_n(&slot[e->key_count], number == 0 ? OPENFLOW_LEFT : number, __ATOMIC_RELEASE);
}

/* What holds below a prefix that is taken away: the longest one that it lies in. */
static struct openflow_prefix prefix_behind(const struct change *c, const struct openflow_prefix *prefix)
{
	const struct openflow_book *book = c->tables->book;
	struct openflow_term terms[2] = {c->flow->terms[0], {.field = OPENFLOW_IPV4_DST}};

	for (uint32_t length = prefix->length; length-- != 0;) {
		terms[1].mask = ipv4_mask(length);
		terms[1].value = prefix->address & terms[1].mask;
		const struct openflow_flow *f = openflow_book_first(book, c->flow->table, terms, length == 0 ? 1 : 2);
		if (f != NULL)
			return (struct openflow_prefix){.address = (uint32_t)terms[1].value, .length = (uint16_t)length,
							.number = (uint16_t)c->book_table->number_of[f->instructions]};
	}
	return (struct openflow_prefix){.number = 0};
}

static void write_prefix(struct change *c, uint32_t number)
{
	struct openflow_prefix prefix = {
		.address = c->flow->term_count == 2 ? (uint32_t)c->flow->terms[1].value : 0,
		.length = (uint16_t)openflow_prefix_length(c->flow->terms, c->flow->term_count),
		.number = (uint16_t)number,
	};

	if (number != 0) {
		openflow_prefixes_put(c->table->prefixes, &prefix, c->was == OPENFLOW_NONE);
		return;
	}
	struct openflow_prefix behind = prefix_behind(c, &prefix);
	c->old_group = openflow_prefixes_remove(c->table->prefixes, &prefix, &behind);
}

static void count_key(struct change *c)
{
	struct openflow_book_table *b = c->book_table;

	if (c->is != OPENFLOW_NONE)
		b->users[b->number_of[c->is] - 1]++;
	if (c->was != OPENFLOW_NONE && --b->users[b->number_of[c->was] - 1] == 0) {
		c->old_number = b->number_of[c->was];
		b->number_of[c->was] = 0;
	}
}

static enum done change_key(struct change *c)
{
	struct openflow_book_table *b = c->book_table;
	enum done done = room_for_key(c);

	if (done == DONE && c->is != OPENFLOW_NONE && b->number_of[c->is] == 0)
		done = take_number(c);
	if (done != DONE)
		return done;
	uint32_t number = c->is == OPENFLOW_NONE ? 0 : b->number_of[c->is];
	if (c->table->kind == OPENFLOW_EXACT)
		write_slot(c, number);
	else
		write_prefix(c, number);
	count_key(c);
	return DONE;
}

/* The book has the change already. */
static enum done change_table(struct change *c)
{
	const struct openflow_flow *first =
		openflow_book_first(c->tables->book, c->flow->table, c->flow->terms, c->flow->term_count);
	enum done done = DONE;

	c->is = first == NULL ? OPENFLOW_NONE : first->instructions;
	if (!c->in_place) {
		if (c->book_table->count > OPENFLOW_REBUILD_MAX)
			return refuse(c, "table %u of %u entries would have to be made anew in another form: only a reload does that",
				      c->flow->table, c->book_table->count);
		done = REBUILD;
	} else if (c->is != c->was) {
		done = c->flow->term_count == 0 ? change_miss(c) : change_key(c);
	}
	if (done == REBUILD)
		done = rebuild(c);
	if (done == DONE && c->old_table == NULL)
		c->table->entry_count = c->book_table->count;
	return done;
}

/* What is no longer used, when no reader has it. */
static void tidy(const struct change *c, struct rte_rcu_qsbr *readers)
{
	if (readers != NULL)
		(void)rte_rcu_qsbr_check(readers, rte_rcu_qsbr_start(readers), true);
	if (c->tables->code != NULL)
		openflow_code_tidy(c->tables);
	openflow_table_free(c->old_table);
	free(c->outgrown);
	if (c->old_table != NULL)
		return;
	if (c->old_group != OPENFLOW_PREFIX_GROUPS_MAX)
		openflow_prefixes_give_group(c->table->prefixes, c->old_group);
	if (c->old_number != 0)
		c->book_table->unused[c->book_table->unused_count++] = c->old_number - 1;
}

/* ---- the three kinds ---- */

static bool use_instructions(struct change *c, const struct openflow_instructions *i, uint32_t *number)
{
	struct openflow_book *book = c->tables->book;

	*number = openflow_book_use(book, i, &c->outgrown);
	__atomic_store_n(&c->tables->instructions, book->instructions, __ATOMIC_RELEASE);
	struct openflow_book_table *b = c->book_table;
	if (*number != OPENFLOW_NONE && openflow_book_number_room(book, b))
		return true;
	if (*number != OPENFLOW_NONE)
		openflow_book_leave(book, *number);
	(void)refuse(c, NO_MEMORY);
	return false;
}

/* Takes the flow. */
static bool add(struct change *c, struct openflow_flow *flow, const struct openflow_instructions *i)
{
	struct openflow_book *book = c->tables->book;

	c->in_place = openflow_book_fits(book, c->table, flow);
	if (book->count >= OPENFLOW_ENTRIES_MAX) {
		(void)refuse(c, "more than %u flow entries", OPENFLOW_ENTRIES_MAX);
	} else if (use_instructions(c, i, &flow->instructions)) {
		if (!openflow_book_add(book, flow)) {
			(void)refuse(c, NO_MEMORY);
		} else if (change_table(c) == DONE) {
			return true;
		} else {
			openflow_book_remove(book, flow);
		}
		openflow_book_leave(book, flow->instructions);
	}
	openflow_flow_free(flow);
	return false;
}

static bool modify(struct change *c, struct openflow_flow *flow, const struct openflow_instructions *i)
{
	uint32_t before = flow->instructions, after;

	if (!use_instructions(c, i, &after))
		return false;
	flow->instructions = after;
	bool good = change_table(c) == DONE;
	if (!good)
		flow->instructions = before;
	openflow_book_leave(c->tables->book, good ? before : after);
	return good;
}

static bool delete(struct change *c, struct openflow_flow *flow)
{
	struct openflow_book *book = c->tables->book;
	uint64_t added = flow->added;

	openflow_book_remove(book, flow);
	if (change_table(c) == DONE)
		return true;
	(void)openflow_book_add(book, flow); /* its place is still there */
	flow->added = added;
	return false;
}

bool openflow_mod_apply(struct openflow_tables *t, const struct openflow_mod *mod, struct rte_rcu_qsbr *readers,
			char why[OPENFLOW_WHY_BYTES])
{
	struct openflow_flow *flow = openflow_flow_new(&mod->entry, mod->terms), *old = NULL;
	struct change c = {.tables = t, .table = t->tables[mod->entry.table], .book_table = &t->book->tables[mod->entry.table],
			   .old_group = OPENFLOW_PREFIX_GROUPS_MAX, .why = why};
	bool good = false;

	if (flow == NULL) {
		(void)refuse(&c, NO_MEMORY);
		return false;
	}
	struct openflow_flow *there = openflow_book_find(t->book, flow);
	const struct openflow_flow *first = openflow_book_first(t->book, flow->table, flow->terms, flow->term_count);
	c.was = first == NULL ? OPENFLOW_NONE : first->instructions;
	c.in_place = c.book_table->in_place;
	c.flow = there != NULL ? there : flow;
	if (there == NULL && mod->kind != OPENFLOW_ADD)
		(void)refuse(&c, "table %u has no entry of this priority and match", flow->table);
	else if (mod->kind == OPENFLOW_DELETE)
		good = delete(&c, old = there);
	else if (there != NULL)
		good = modify(&c, there, &mod->instructions);
	else
		good = add(&c, flow, &mod->instructions);
	if (there != NULL || mod->kind != OPENFLOW_ADD)
		openflow_flow_free(flow);
	tidy(&c, readers);
	if (good && old != NULL) {
		openflow_book_leave(t->book, old->instructions);
		openflow_flow_free(old);
	}
	return good;
}

bool openflow_mods_open(struct openflow_tables *tables)
{
	tables->book = openflow_book_make(tables);
	return tables->book != NULL;
}

void openflow_mods_close(struct openflow_tables *tables)
{
	openflow_book_free(tables->book);
	tables->book = NULL;
}
