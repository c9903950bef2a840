/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Consistent hashing after Eisenbud et al., Maglev, NSDI 2016, section 3.4: every back end prefers the slots of a table
 * in an order of its own. Back ends take turns to fill the table, in proportion to their weights. When the set of back
 * ends changes, few slots change.
 */
#ifndef LB_MAGLEV_H
#define LB_MAGLEV_H

#include <stdbool.h>

#include "table/hashing.h"
#include "lb/lb_settings.h"

#define LB_MAGLEV_EMPTY UINT16_MAX

/* Fills size slots with numbers of back ends that are up, or with LB_MAGLEV_EMPTY if none is. false: no memory. */
bool lb_maglev_fill(uint16_t *slots, uint32_t size, const struct lb_backend *backends, uint32_t count);

/* The slot of a connection. All in host byte order. */
static inline uint32_t lb_maglev_slot(uint32_t size, uint32_t source, uint32_t destination, uint8_t protocol,
				      uint16_t source_port, uint16_t destination_port)
{
	uint64_t ports = (uint64_t)protocol << 32 | (uint32_t)source_port << 16 | destination_port;
	return (uint32_t)(mix64(mix64((uint64_t)source << 32 | destination) ^ ports) % size);
}

#endif
