/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "l3fwd/l3fwd_table.h"

static const struct rte_ether_addr own_address = {{0x02, 0x00, 0x00, 0x00, 0xff, 0x00}};

/* rte_lpm has no length 0: the default route is its two halves. */
static int add_route(struct rte_lpm *lpm, const struct l3fwd_route *r)
{
	if (r->prefix.length != 0)
		return rte_lpm_add(lpm, r->prefix.address, (uint8_t)r->prefix.length, r->next_hop);
	int err = rte_lpm_add(lpm, 0, 1, r->next_hop);
	return err != 0 ? err : rte_lpm_add(lpm, 0x80000000u, 1, r->next_hop);
}

static bool add_routes(struct rte_lpm *lpm, const struct l3fwd_settings *s)
{
	for (uint32_t i = 0; i < s->route_count; i++) {
		int err = add_route(lpm, &s->routes[i]);
		if (err != 0) {
			fprintf(stderr, "l3fwd: rte_lpm does not take route %u of %u: %s\n", i + 1, s->route_count,
				rte_strerror(-err));
			return false;
		}
	}
	return true;
}

static uint32_t count_long(const struct l3fwd_settings *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->route_count; i++)
		n += s->routes[i].prefix.length > 24;
	return n;
}

struct l3fwd_table *l3fwd_table_create(const struct l3fwd_settings *s)
{
	struct rte_lpm_config config = {
		.max_rules = s->route_count + 2,
		.number_tbl8s = count_long(s) + 1,
	};
	struct l3fwd_table *t = rte_zmalloc("l3fwd_table", sizeof(*t), 64);

	if (t != NULL)
		t->lpm = rte_lpm_create("l3fwd", (int)rte_socket_id(), &config);
	if (t == NULL || t->lpm == NULL) {
		fprintf(stderr, "l3fwd: cannot create a table of %u routes: %s; give EAL more memory (-m)\n",
			s->route_count, rte_strerror(rte_errno));
		rte_free(t);
		return NULL;
	}
	for (uint32_t id = 0; id < L3FWD_NEXT_HOPS; id++)
		t->next_hops[id] = (struct l3fwd_next_hop){s->next_hops[id], own_address};
	if (!add_routes(t->lpm, s)) {
		l3fwd_table_destroy(t);
		return NULL;
	}
	return t;
}

void l3fwd_table_destroy(struct l3fwd_table *t)
{
	rte_lpm_free(t->lpm);
	rte_free(t);
}
