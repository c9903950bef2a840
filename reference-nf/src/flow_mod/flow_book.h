/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The control thread's record of all flow entries and their instructions: where single entries change, it finds an entry
 * by its match without reading a table's others.
 */
#ifndef FLOW_BOOK_H
#define FLOW_BOOK_H

#include "openflow/openflow_table.h"

/* A flow entry. */
struct openflow_flow {
	struct openflow_flow *next; /* of one hash */
	uint64_t added;		    /* the how manieth: of entries of one priority the first decides */
	uint32_t instructions;
	uint32_t place; /* among its table's */
	uint16_t priority;
	uint8_t table, term_count;
	bool own; /* its memory is its own */
	const struct openflow_term *terms;
	struct openflow_term own_terms[];
};

/* Entries of one length of prefix, or of all in a hash table. */
struct openflow_range {
	uint32_t count;
	uint16_t low, high; /* priorities */
};

struct openflow_book_table {
	struct openflow_flow **flows;
	uint32_t count, room;
	enum openflow_table_kind kind;
	uint32_t *at_priority; /* entries that look at something, by priority */
	struct openflow_range ranges[OPENFLOW_PREFIX_BITS + 1];
	bool in_place; /* an entry can change without its table being made anew */
	/* By number of the table: keys that lead to it, and numbers to be given again. */
	uint32_t *users, *unused, unused_count;
	uint32_t *number_of, number_of_room; /* by instructions; 0: none, else the number + 1 */
};

struct openflow_book {
	struct openflow_flow **heads, *first;
	uint32_t head_mask, count;
	uint64_t added;
	struct openflow_book_table tables[OPENFLOW_TABLES];
	/* Instructions by number: entries that have them, and a chain by hash. */
	struct openflow_instructions *instructions;
	uint32_t *instruction_users, *instruction_next, *instruction_heads;
	uint32_t instruction_count, instruction_room, instruction_unused;
};

/* Of complete tables, whose instructions are the book's from then on. NULL: no memory. */
struct openflow_book *openflow_book_make(struct openflow_tables *tables);
/* NULL is nothing. */
void openflow_book_free(struct openflow_book *book);

/* The entry of this match and priority; NULL: there is none. */
struct openflow_flow *openflow_book_find(const struct openflow_book *book, const struct openflow_flow *like);
/* The entry of this match that decides; NULL: there is none. */
struct openflow_flow *openflow_book_first(const struct openflow_book *book, uint32_t table, const struct openflow_term terms[],
					  uint32_t term_count);
/* NULL: no memory. */
struct openflow_flow *openflow_flow_new(const struct openflow_entry *entry, const struct openflow_term terms[]);
void openflow_flow_free(struct openflow_flow *flow);
/* false: no memory. */
bool openflow_book_add(struct openflow_book *book, struct openflow_flow *flow);
void openflow_book_remove(struct openflow_book *book, struct openflow_flow *flow);

/* The number of such instructions, with one user more; OPENFLOW_NONE: no memory. Where the array has to grow, `outgrown`
 * is the one before, to be freed when no reader has it, else NULL. */
uint32_t openflow_book_use(struct openflow_book *book, const struct openflow_instructions *instructions, void **outgrown);
void openflow_book_leave(struct openflow_book *book, uint32_t instructions);
/* Makes number_of as long as instructions have numbers. false: no memory. */
bool openflow_book_number_room(const struct openflow_book *book, struct openflow_book_table *table);

/* Whether the entries, with this one, can stay in the kind of table that they are in. */
bool openflow_book_fits(const struct openflow_book *book, const struct openflow_table *table,
			const struct openflow_flow *flow);
/* After a table was made anew: reads its numbers, and whether single entries can change. false: no memory. */
bool openflow_book_look(struct openflow_book *book, const struct openflow_table *table, uint32_t number);

#endif
