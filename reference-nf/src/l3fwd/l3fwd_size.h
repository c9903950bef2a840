/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the size of the tables for a set of routes, which DPDK needs before the first route.
 */
#ifndef L3FWD_SIZE_H
#define L3FWD_SIZE_H

#include "l3fwd/l3fwd_settings.h"

/* An entry of the first level leads to a group, which has one entry for each value of the address's next 8 bits. */
struct l3fwd_size {
	uint32_t groups;	/* of rte_fib, at most */
	uint32_t entry_bytes;	/* of rte_fib: 2 if groups can be numbered in 15 bits, else 4 */
	uint32_t groups6;	/* of rte_lpm6, exactly */
	uint64_t megabytes;	/* of all, about */
	uint64_t eal_megabytes; /* -m with room for it and for what is in use now */
};

/* false: no memory. */
bool l3fwd_size_of(const struct l3fwd_settings *settings, int socket, struct l3fwd_size *size);

#endif
