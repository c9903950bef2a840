/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes, on rte_fib (IPv4) and rte_lpm6 (IPv6), and their next hops. docs/decisions/0006 explains the choice.
 */
#ifndef L3FWD_TABLE_H
#define L3FWD_TABLE_H

#include <string.h>

#include <rte_ether.h>
#include <rte_fib.h>
#include <rte_lpm6.h>

#include "l3fwd/l3fwd_settings.h"

/* What is written over the first 12 bytes of a frame; 16 bytes, so that it is loaded in one piece. */
struct l3fwd_next_hop {
	struct rte_ether_addr to, from;
	uint32_t unused;
};
_Static_assert(sizeof(struct l3fwd_next_hop) == 16, "one load");

/* Build writes it once; every instance reads it. */
struct l3fwd_table {
	struct rte_fib *fib;
	struct rte_lpm6 *lpm6; /* NULL: no route of IPv6 */
	bool passes_others;    /* frames without IP go on */
	uint32_t generation;   /* unique among tables of this process, 1 to L3FWD_GENERATION_MAX */
	struct l3fwd_next_hop next_hops[L3FWD_NEXT_HOPS] __attribute__((aligned(64)));
};
#define L3FWD_GENERATION_MAX 0xffffffu

#define L3FWD_NO_HOP 0x7fffu	/* returned by a lookup: the largest number that rte_fib keeps in 2 bytes */
#define L3FWD_NO_HOP6 (-1)	/* returned by rte_lpm6 */

/* NULL: reported on stderr. */
struct l3fwd_table *l3fwd_table_create(const struct l3fwd_settings *settings, int socket);
void l3fwd_table_destroy(struct l3fwd_table *table);

/* Looks up the first n addresses, in host byte order; hops: ids of next hops, or L3FWD_NO_HOP. */
static inline void l3fwd_table_lookup(const struct l3fwd_table *table, uint32_t addresses[], uint64_t hops[], uint32_t n)
{
	(void)rte_fib_lookup_bulk(table->fib, addresses, hops, (int)n);
}

/* Looks up addresses as in a packet; hops: ids of next hops, or L3FWD_NO_HOP6. */
static inline void l3fwd_table_lookup6(const struct l3fwd_table *table, uint8_t (*addresses)[IPV6_ADDRESS_BYTES],
				       int32_t hops[], uint32_t n)
{
	if (table->lpm6 == NULL) {
		memset(hops, 0xff, n * sizeof(*hops));
		return;
	}
	/* a pointer to void, because DPDK 24.11 has a type of its own for addresses */
	(void)rte_lpm6_lookup_bulk_func(table->lpm6, (void *)addresses, hops, n);
}

#endif
