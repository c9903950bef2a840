/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow tables as packets meet them. How a table is looked up follows from its entries: a few, or ones that differ in
 * what they look at, are compared one after another; many that look at the same bits lie in a hash table; prefixes of
 * ipv4_dst whose priority rises with their length in a prefix table.
 */
#ifndef OPENFLOW_TABLE_H
#define OPENFLOW_TABLE_H

#include "openflow/openflow_code.h"
#include "openflow/openflow_meter.h"
#include "openflow/openflow_prefixes.h"
#include "openflow/openflow_settings.h"

enum openflow_table_kind { OPENFLOW_LIST, OPENFLOW_EXACT, OPENFLOW_PREFIXES };

#define OPENFLOW_LIST_ENTRIES 8u /* so many are always a list */
#define OPENFLOW_EXACT_WORDS 3u	 /* of a key, at most */

/* A key, then the number of instructions + 1; 0: empty. The stride is a power of two. */
struct openflow_exact {
	uint64_t *slots;
	struct openflow_term keys[OPENFLOW_EXACT_WORDS]; /* value is unused */
	uint32_t key_count;
	uint32_t shift;	    /* log2 of a slot's words */
	uint32_t slot_mask; /* slots - 1 */
};

struct openflow_table {
	enum openflow_table_kind kind;
	const struct openflow_entry *entries; /* by falling priority */
	uint32_t entry_count;
	/* Of the other two kinds. */
	uint32_t miss; /* instructions where no key fits, or OPENFLOW_NONE */
	/* What all entries want alike; where it does not hold, miss does. */
	struct openflow_term guards[OPENFLOW_FIELDS];
	uint32_t guard_count;
	struct openflow_exact exact;
	struct openflow_prefixes *prefixes;
	uint32_t *numbers; /* of a prefix table: instructions by what a prefix leads to, less 1 */
	uint32_t number_count;
};

/* What one instance counts, and the state of its meters. */
struct openflow_row {
	uint64_t lookups[OPENFLOW_TABLES], misses[OPENFLOW_TABLES];
	uint64_t outputs[OPENFLOW_PORTS + 1][OPENFLOW_QUEUES];
	uint64_t *groups;
	struct openflow_bucket *meters;
} __attribute__((aligned(64)));

struct stage_place;

struct openflow_tables {
	const struct openflow_settings *settings;
	struct openflow_table tables[OPENFLOW_TABLES];
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

/* NULL: said on stderr. */
struct openflow_tables *openflow_tables_create(const struct openflow_settings *settings, const struct stage_place *place);
void openflow_tables_destroy(struct openflow_tables *tables);

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
