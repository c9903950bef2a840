/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys and parameters of flow tables.
 */
#ifndef FLOW_TABLE_PARAMS_H
#define FLOW_TABLE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_key {
	uint64_t words[2]; /* unused bits are 0 */
};

enum flow_table_kind { FLOW_TABLE_SIGNATURE, FLOW_TABLE_CHAINED, FLOW_TABLE_RTE_HASH };

#define FLOW_TABLE_BULK 64u
#define FLOW_TABLE_BATCH 256u
#define FLOW_TABLE_ENTRIES_MAX (1u << 29)

struct flow_table_params {
	const char *name; /* unique within the process */
	enum flow_table_kind kind;
	uint32_t entries; /* number of records, 1 to FLOW_TABLE_ENTRIES_MAX */
	const void *keys; /* key of record 0; record i's is i * stride bytes further */
	size_t stride;
	uint64_t seed; /* varies bucket placement only */
	int socket;
	bool prefetch; /* false: one lookup at a time, no prefetch */
};

#endif
