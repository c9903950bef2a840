/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Free ports of one (pool address, protocol): a queue, at first port_min..port_max rising. A returned port goes to the
 * end, so that it stays unused as long as possible (RFC 6056, 3.1, explains why quick reuse is harmful).
 */
#ifndef NAT_PORTS_H
#define NAT_PORTS_H

#include <stdint.h>

struct nat_ports {
	uint32_t fresh; /* ports from here to max were never taken */
	uint32_t max;
	uint32_t head, count; /* of the ring of returned ports */
	uint32_t capacity;
	uint16_t *returned;
};

/* 0: no port is free. */
static inline uint16_t nat_ports_take(struct nat_ports *p)
{
	if (p->fresh <= p->max)
		return (uint16_t)p->fresh++;
	if (p->count == 0)
		return 0;
	uint16_t port = p->returned[p->head];
	p->head = p->head + 1 == p->capacity ? 0 : p->head + 1;
	p->count--;
	return port;
}

static inline void nat_ports_give(struct nat_ports *p, uint16_t port)
{
	uint32_t tail = p->head + p->count;
	p->returned[tail < p->capacity ? tail : tail - p->capacity] = port;
	p->count++;
}

#endif
