/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow tables as packets meet them. How a table is looked up follows from its entries: a few, or ones that differ in
 * what they look at, are compared one after another; many that look at the same bits lie in a hash table; prefixes of
 * ipv4_dst whose priority rises with their length in a prefix table.
 */
#ifndef OPENFLOW_TABLE_H
#define OPENFLOW_TABLE_H

#include "openflow/openflow_meter.h"
#include "openflow/openflow_prefixes.h"
#include "openflow/openflow_settings.h"

enum openflow_table_kind { OPENFLOW_LIST, OPENFLOW_EXACT, OPENFLOW_PREFIXES };

#define OPENFLOW_LIST_ENTRIES 8u /* so many are always a list */
#define OPENFLOW_EXACT_WORDS 3u	 /* of a key, at most */
#define OPENFLOW_CODE_PLACES 160u /* the next packet, and states of tables */

/* A key, then its number in the table + 1; 0: empty. The stride is a power of two. */
struct openflow_exact {
	uint64_t *slots;
	struct openflow_term keys[OPENFLOW_EXACT_WORDS]; /* value is unused */
	uint32_t key_count;
	uint32_t shift;	    /* log2 of a slot's words */
	uint32_t slot_mask; /* slots - 1 */
	uint32_t used;	    /* slots that are not empty */
};

#define OPENFLOW_LEFT UINT64_MAX /* of a slot: its key is no longer there, others behind it are */

struct openflow_table {
	enum openflow_table_kind kind;
	const struct openflow_entry *entries; /* by falling priority; of a table that single entries change a list has them */
	const struct openflow_term *terms;    /* that entries number */
	uint32_t entry_count;
	void *own; /* memory of entries and terms, or NULL: settings have them */
	/* Of the other two kinds. */
	uint32_t miss; /* instructions where no key fits, or OPENFLOW_NONE */
	/* What all entries want alike; where it does not hold, miss does. */
	struct openflow_term guards[OPENFLOW_FIELDS];
	uint32_t guard_count;
	struct openflow_exact exact;
	struct openflow_prefixes *prefixes;
	uint32_t *numbers; /* instructions by what a key leads to, less 1 */
	uint32_t number_count, number_room;
};

/* What one instance counts, and the state of its meters. */
struct openflow_row {
	uint64_t lookups[OPENFLOW_TABLES], misses[OPENFLOW_TABLES];
	uint64_t outputs[OPENFLOW_PORTS + 1][OPENFLOW_QUEUES];
	uint64_t *groups;
	struct openflow_bucket *meters;
	/* Where generated code goes on, if single entries change: at a table, for what is known of a packet there. */
	const void *code[OPENFLOW_CODE_PLACES];
} __attribute__((aligned(64)));

struct batch;
struct openflow_code;

/* Generated code: gives each packet of the batch its outcome. */
typedef void openflow_run(struct batch *batch, struct openflow_row *row, uint64_t now_ns);

struct openflow_tables {
	const struct openflow_settings *settings;
	int socket;
	bool fetches; /* false: nothing is fetched ahead */
	struct openflow_table *tables[OPENFLOW_TABLES];	  /* read by openflow_table_at() */
	const struct openflow_instructions *instructions; /* by number; read by openflow_instructions_at() */
	struct openflow_book *book;			  /* NULL: single entries do not change */
	uint64_t terms_used; /* bit set of fields that entries look at */
	/* The first prefix table's, where what it has of a packet's ipv4_dst is fetched ahead for the whole batch; or NULL. */
	const uint16_t *fetched;
	struct openflow_limit *limits; /* by meter */
	uint32_t instances;
	struct openflow_row *rows;
	struct openflow_row inherited; /* counts of the tables before; no meters */
	struct openflow_code *code;    /* NULL: interpreted */
	openflow_run *run;	       /* what the code does with a batch */
};

/* One table: of entries by falling priority, with terms that they number; of each number below `instructions` some may
 * be used. NULL: said on stderr. */
struct openflow_table *openflow_table_make(const struct openflow_table *from, uint32_t instructions, bool changeable,
					   int socket);
/* NULL is nothing. */
void openflow_table_free(struct openflow_table *table);
/* Finds the prefix table whose entries are fetched ahead. */
void openflow_choose_fetched(struct openflow_tables *tables);
/* The length of an entry that has one prefix of ipv4_dst; -1: it looks at something else. */
int32_t openflow_prefix_length(const struct openflow_term *terms, uint32_t term_count);
/* The slot of the key, or an empty one. */
uint64_t *openflow_exact_place(const struct openflow_exact *exact, const uint64_t words[]);
/* A key of a table of exact matches. */
void openflow_exact_words(const struct openflow_table *table, const struct openflow_term terms[], uint64_t words[]);

static inline struct openflow_table *openflow_table_at(const struct openflow_tables *t, uint32_t number)
{
	return __atomic_load_n(&t->tables[number], __ATOMIC_ACQUIRE);
}

static inline const struct openflow_instructions *openflow_instructions_at(const struct openflow_tables *t, uint32_t number)
{
	return &__atomic_load_n(&t->instructions, __ATOMIC_ACQUIRE)[number];
}

/* What a packet has of each field; of fields that it does not have, what no entry can want. */
struct openflow_key {
	uint64_t fields[OPENFLOW_FIELDS];
};

static inline bool openflow_term_fits(const struct openflow_term *term, const struct openflow_key *key)
{
	return (key->fields[term->field] & term->mask) == term->value;
}

static inline uint32_t openflow_exact_slot(const struct openflow_exact *e, const uint64_t words[])
{
	uint32_t hash = 0;

	for (uint32_t i = 0; i < e->key_count; i++)
		hash = (uint32_t)__builtin_ia32_crc32di(hash, words[i]);
	return hash & e->slot_mask;
}

/* Instructions, or OPENFLOW_NONE. */
uint32_t openflow_table_find(const struct openflow_tables *tables, uint32_t table, const struct openflow_key *key);

#endif
