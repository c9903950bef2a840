/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the load balancer reads: services, found by where a packet goes, and who takes their new connections. Made anew
 * whenever the configuration is read; written by nobody. Addresses and ports of lookups in network byte order.
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
	uint32_t generation; /* unlike that of any other tables in this process */
	uint16_t *maglev;    /* [service][slot] */
	size_t maglev_bytes;
};

/* NULL: said on stderr. */
void *lb_tables_build(const void *settings, const struct stage_place *place);
void lb_tables_destroy(void *tables);

/* A service's key; with port and protocol 0 that of an address that some service has. Never 0 for an address but
 * 0.0.0.0, which is nobody's. */
static inline uint64_t lb_service_key(uint32_t address, uint16_t port, uint8_t protocol)
{
	return (uint64_t)protocol << 48 | (uint64_t)port << 32 | address;
}

/* LB_NONE: there is no such service. */
static inline uint32_t lb_find_service(const struct lb_tables *t, uint64_t key)
{
	for (uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->slots_mask; t->slots[at].key != 0;
	     at = (at + 1) & t->slots_mask)
		if (t->slots[at].key == key)
			return t->slots[at].service;
	return LB_NONE;
}

/* The back end that takes a new connection by its slot, or NULL. */
static inline const struct lb_backend *lb_choose(const struct lb_tables *t, uint32_t service, uint32_t slot)
{
	uint16_t number = t->maglev[(size_t)service * t->settings->maglev_size + slot];
	return number == LB_MAGLEV_EMPTY ? NULL : &t->settings->services[service].backends[number];
}

/* Whether the service has the back end as a dead one; one that has gone is drained. Host byte order. */
bool lb_is_down(const struct lb_tables *t, uint32_t service, uint32_t address, uint16_t port);

#endif
