/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The filtering database: stations by address, found by exact match in a flow table of the kind that [chain] hash names.
 * Build writes it once; every instance reads it.
 */
#ifndef L2FWD_TABLE_H
#define L2FWD_TABLE_H

#include "l2fwd/l2fwd_settings.h"
#include "stage.h"

struct l2fwd_entry {
	struct flow_key key; /* the address */
	uint64_t forward;    /* bool */
	uint64_t unused;
};
_Static_assert(64 % sizeof(struct l2fwd_entry) == 0, "an entry is in one cache line");

struct l2fwd_table {
	struct flow_table *stations; /* NULL: there are none */
	struct l2fwd_entry *entries;
	uint32_t count;
	bool floods, switches_ip;
};

/* NULL: reported on stderr. */
struct l2fwd_table *l2fwd_table_create(const struct l2fwd_settings *settings, const struct stage_place *place);
void l2fwd_table_destroy(struct l2fwd_table *table);

#endif
