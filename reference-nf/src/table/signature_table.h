/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The place of a key in a table of kind signature, for the table itself and for tests that make keys collide.
 *
 * A bucket is one cache line of 4-byte signatures and indexes. A lookup reads the bucket's line, and the record's if a
 * signature matches. A record whose bucket is full goes to one of the next SIGNATURE_REACH buckets and flags those that
 * it passed; a lookup continues to the next bucket only if the flag is set.
 */
#ifndef SIGNATURE_TABLE_H
#define SIGNATURE_TABLE_H

#include "table/flow_table_core.h"

#define SIGNATURE_SLOTS 8u
/* Of a full table. Poisson: one record in 570 finds its bucket full, and one in 2100 at load 0.8. */
#define SIGNATURE_MEAN_RECORDS 3u
/* Buckets after its own that a record may be in. SIGNATURE_SLOTS * (SIGNATURE_REACH + 1) records of one bucket fit if
 * neighbours leave room, and a byte can count the records that pass a bucket. */
#define SIGNATURE_REACH 31u

static inline uint32_t signature_buckets(uint32_t entries)
{
	return (entries + SIGNATURE_MEAN_RECORDS - 1) / SIGNATURE_MEAN_RECORDS;
}

/* Hash of the second level, independent of the bucket's: multiply-shift (Dietzfelbinger 1997). 0 is an empty slot. */
#define SIGNATURE_FACTOR_0 0x9e3779b97f4a7c15u
#define SIGNATURE_FACTOR_1 0xc2b2ae3d27d4eb4fu

static inline uint32_t signature_of(const struct flow_key *key)
{
	uint64_t sum = key->words[0] * SIGNATURE_FACTOR_0 + key->words[1] * SIGNATURE_FACTOR_1;
	uint32_t signature = (uint32_t)(sum >> 32);
	return signature + (signature == 0);
}

/* The kind's functions: flow_table_core.h. */
struct flow_table *signature_table_create(const struct flow_table_params *params);
void signature_table_destroy(struct flow_table *table);
void signature_table_find(const struct flow_table *table, const struct flow_key keys[], uint32_t n, uint64_t hits[],
			  uint32_t records[]);
bool signature_table_insert(struct flow_table *table, uint32_t record);
void signature_table_remove(struct flow_table *table, uint32_t record);

#endif
