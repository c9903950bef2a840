/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Room in a ring, for its only producer. rte_ring_free_count() reads the tails as plain variables while another lcore
 * writes them, which is a data race in C; here each is read once, atomically. The room may have grown since.
 */
#ifndef RING_ROOM_H
#define RING_ROOM_H

#include <rte_ring.h>

static inline uint32_t ring_room(const struct rte_ring *r)
{
	uint32_t put = __atomic_load_n(&r->prod.tail, __ATOMIC_RELAXED); /* the caller's own */
	uint32_t taken = __atomic_load_n(&r->cons.tail, __ATOMIC_ACQUIRE);

	return r->capacity - (put - taken);
}

#endif
