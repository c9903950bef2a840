/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The load balancer's tables: services, found by a packet's destination, and the back ends for their new connections.
 * They are made again whenever the configuration is read, and are constant afterwards. Lookups take addresses and ports
 * in network byte order.
 */
#ifndef LB_TABLE_H
#define LB_TABLE_H

#include "lb/lb_maglev.h"
#include "stage.h"

#define LB_NONE UINT32_MAX

/* 0: empty. */
struct lb_slot {
	uint64_t key;
	uint32_t service;
	uint32_t reserved;
};

struct lb_tables {
	const struct lb_settings *settings;
	struct lb_slot *slots; /* open addressing, at most a quarter full */
	uint32_t slots_mask;
	uint32_t generation; /* unique among tables of this process */
	uint16_t *maglev;    /* [service][slot] */
	size_t maglev_bytes;
};

/* NULL: reported on stderr. */
void *lb_tables_build(const void *settings, const struct stage_place *place);
void lb_tables_destroy(void *tables);

/* A service's key; with port and protocol 0, the key of an address that some service has. It is 0 only for 0.0.0.0,
 * which no service has. */
static inline uint64_t lb_service_key(uint32_t address, uint16_t port, uint8_t protocol)
{
	return (uint64_t)protocol << 48 | (uint64_t)port << 32 | address;
}

/* LB_NONE: no such service. */
static inline uint32_t lb_find_service(const struct lb_tables *t, uint64_t key)
{
	for (uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->slots_mask; t->slots[at].key != 0;
	     at = (at + 1) & t->slots_mask)
		if (t->slots[at].key == key)
			return t->slots[at].service;
	return LB_NONE;
}

/* The back end for a new connection, by its slot, or NULL. */
static inline const struct lb_backend *lb_choose(const struct lb_tables *t, uint32_t service, uint32_t slot)
{
	uint16_t number = t->maglev[(size_t)service * t->settings->maglev_size + slot];
	return number == LB_MAGLEV_EMPTY ? NULL : &t->settings->services[service].backends[number];
}

/* Whether the service lists the back end as down; a removed one counts as drained. Host byte order. */
bool lb_is_down(const struct lb_tables *t, uint32_t service, uint32_t address, uint16_t port);

#endif
