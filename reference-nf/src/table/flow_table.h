/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds records by a 16-byte key: one interface, three kinds of table. Keys stay in the caller's records, so that two
 * tables can index the same records by different keys. One thread at a time.
 */
#ifndef FLOW_TABLE_H
#define FLOW_TABLE_H

#include "table/flow_table_params.h"

extern const char *const flow_table_kinds[]; /* their names, as config_choice() takes them */

struct flow_table;

/* NULL: reported on stderr. */
struct flow_table *flow_table_create(const struct flow_table_params *params);
void flow_table_destroy(struct flow_table *table);

/* Finds 1 to FLOW_TABLE_BULK keys with overlapping cache misses. Where bit i of the result is set, records[i] is the
 * record of keys[i], and its key's line has been fetched. */
uint64_t flow_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint32_t records[]);
/* The same for 1 to FLOW_TABLE_BATCH keys: misses of one bulk overlap with those of the next, which is faster than
 * separate bulks. Bit i % FLOW_TABLE_BULK of hits[i / FLOW_TABLE_BULK] is for keys[i]. */
void flow_table_find_batch(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			   uint32_t records[]);
/* Adds a record whose key is set and not in the table yet. false: no room. */
bool flow_table_insert(struct flow_table *table, uint32_t record);
/* Removes a record whose key is still set. */
void flow_table_remove(struct flow_table *table, uint32_t record);
uint32_t flow_table_count(const struct flow_table *table);

/* The hash function of all kinds. */
uint32_t flow_table_hash(const struct flow_key *key, uint64_t seed);

#endif
