/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Customers by address, found by exact match in a flow table of the kind that [chain] hash names, and what frames get in
 * the backbone. Build writes it once; every instance reads it.
 */
#ifndef PBB_TABLE_H
#define PBB_TABLE_H

#include "pbb/pbb_settings.h"
#include "stage.h"

#define PBB_HEAD_BYTES 22u /* addresses of bridges, B-TAG, I-TAG up to the customers' addresses */

struct pbb_entry {
	struct flow_key key; /* the customer's address */
	uint64_t bridge;
	uint64_t unused;
};
_Static_assert(64 % sizeof(struct pbb_entry) == 0, "an entry is in one cache line");

struct pbb_table {
	struct flow_table *customers; /* NULL: there are none */
	struct pbb_entry *entries;
	uint32_t count;
	uint64_t bridge, group; /* addresses: of this bridge, of all bridges with the service */
	uint8_t head[PBB_HEAD_BYTES]; /* of a frame to the group */
};

/* NULL: reported on stderr. */
struct pbb_table *pbb_table_create(const struct pbb_settings *settings, const struct stage_place *place);
void pbb_table_destroy(struct pbb_table *table);

#endif
