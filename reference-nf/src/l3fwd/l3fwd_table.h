/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes on rte_lpm and the next hops they lead to.
 */
#ifndef L3FWD_TABLE_H
#define L3FWD_TABLE_H

#include <rte_ether.h>
#include <rte_lpm.h>

#include "l3fwd/l3fwd_config.h"

/* What is written over the first 12 bytes of a frame. */
struct l3fwd_next_hop {
	struct rte_ether_addr to, from;
};

struct l3fwd_table {
	struct rte_lpm *lpm;
	struct l3fwd_next_hop next_hops[L3FWD_NEXT_HOPS];
};

/* NULL: said on stderr. */
struct l3fwd_table *l3fwd_table_create(const struct l3fwd_settings *settings);
void l3fwd_table_destroy(struct l3fwd_table *table);

/* address in host byte order. NULL: no route. */
static inline const struct l3fwd_next_hop *l3fwd_table_lookup(const struct l3fwd_table *table, uint32_t address)
{
	uint32_t id;
	return rte_lpm_lookup(table->lpm, address, &id) == 0 ? &table->next_hops[id] : NULL;
}

#endif
