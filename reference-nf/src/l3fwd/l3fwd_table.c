/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "l3fwd/l3fwd_size.h"
#include "l3fwd/l3fwd_table.h"

static const struct rte_ether_addr own_address = {{0x02, 0x00, 0x00, 0x00, 0xff, 0x00}};

/* Objects of DPDK have names; those of the tables before and after a reload exist at the same time. */
static uint32_t next_generation(void)
{
	static uint32_t builds;

	builds = builds == L3FWD_GENERATION_MAX ? 1 : builds + 1;
	return builds;
}

static bool refused(const char *library, uint32_t number, uint32_t count, int err)
{
	fprintf(stderr, "l3fwd: %s does not take route %u of %u: %s\n", library, number, count, rte_strerror(-err));
	return false;
}

static bool add_routes(struct rte_fib *fib, const struct l3fwd_settings *s)
{
	for (uint32_t i = 0; i < s->route_count; i++) {
		const struct l3fwd_route *r = &s->routes[i];
		int err = rte_fib_add(fib, r->prefix.address, (uint8_t)r->prefix.length, r->next_hop);
		if (err != 0)
			return refused("rte_fib", i + 1, s->route_count, err);
	}
	return true;
}

static bool build_fib(struct l3fwd_table *t, const struct l3fwd_settings *s, const struct l3fwd_size *size, int socket)
{
	char name[RTE_LPM6_NAMESIZE];
	struct rte_fib_conf conf = {
		.type = RTE_FIB_DIR24_8,
		.default_nh = L3FWD_NO_HOP,
		.max_routes = (int)s->route_count + 1,
		.dir24_8 = {
			.nh_sz = size->entry_bytes == 2 ? RTE_FIB_DIR24_8_2B : RTE_FIB_DIR24_8_4B,
			.num_tbl8 = size->groups,
		},
	};

	snprintf(name, sizeof(name), "l3fwd_%u", t->generation);
	t->fib = rte_fib_create(name, socket, &conf);
	/* pinned: the same code runs natively and under valgrind, at any SIMD width of EAL */
	return t->fib != NULL && rte_fib_select_lookup(t->fib, RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO) == 0 &&
	       add_routes(t->fib, s);
}

/* rte_lpm6 has no length 0: the default route becomes two routes of length 1. */
static int add_route6(struct rte_lpm6 *lpm6, const struct l3fwd_route6 *r)
{
	struct ipv6_prefix half = r->prefix;

	/* a pointer to void, because DPDK 24.11 has a type of its own for addresses */
	if (r->prefix.length != 0)
		return rte_lpm6_add(lpm6, (const void *)r->prefix.address, r->prefix.length, r->next_hop);
	int err = rte_lpm6_add(lpm6, (const void *)half.address, 1, r->next_hop);
	half.address[0] = 0x80;
	return err != 0 ? err : rte_lpm6_add(lpm6, (const void *)half.address, 1, r->next_hop);
}

/* The default routes, or the others. The default ones go first: a half of one must not replace a route of length 1. */
static bool add_routes6(struct rte_lpm6 *lpm6, const struct l3fwd_settings *s, bool defaults)
{
	for (uint32_t i = 0; i < s->route6_count; i++) {
		const struct l3fwd_route6 *r = &s->routes6[i];
		if ((r->prefix.length == 0) != defaults)
			continue;
		int err = add_route6(lpm6, r);
		if (err != 0)
			return refused("rte_lpm6", i + 1, s->route6_count, err);
	}
	return true;
}

static bool build_lpm6(struct l3fwd_table *t, const struct l3fwd_settings *s, const struct l3fwd_size *size, int socket)
{
	char name[RTE_LPM6_NAMESIZE];
	struct rte_lpm6_config config = {.max_rules = s->route6_count + 1, .number_tbl8s = size->groups6};

	if (s->route6_count == 0)
		return true;
	snprintf(name, sizeof(name), "l3fwd6_%u", t->generation);
	t->lpm6 = rte_lpm6_create(name, socket, &config);
	if (t->lpm6 == NULL)
		return false;
	return add_routes6(t->lpm6, s, true) && add_routes6(t->lpm6, s, false);
}

struct l3fwd_table *l3fwd_table_create(const struct l3fwd_settings *s, int socket)
{
	struct l3fwd_size size;
	struct l3fwd_table *t;

	if (!l3fwd_size_of(s, socket, &size)) {
		fprintf(stderr, "l3fwd: no memory to sort %u routes\n", s->route6_count);
		return NULL;
	}
	t = rte_zmalloc_socket("l3fwd_table", sizeof(*t), 64, socket);
	if (t != NULL) {
		t->generation = next_generation();
		t->passes_others = s->passes_others;
		for (uint32_t id = 0; id < L3FWD_NEXT_HOPS; id++)
			t->next_hops[id] = (struct l3fwd_next_hop){.to = s->next_hops[id], .from = own_address};
	}
	if (t == NULL || !build_fib(t, s, &size, socket) || !build_lpm6(t, s, &size, socket)) {
		fprintf(stderr, "l3fwd: cannot build the tables of %u IPv4 and %u IPv6 routes: %s; they take about %lu MB: "
				"give EAL at least -m %lu\n",
			s->route_count, s->route6_count, rte_strerror(rte_errno), size.megabytes, size.eal_megabytes);
		l3fwd_table_destroy(t);
		return NULL;
	}
	return t;
}

void l3fwd_table_destroy(struct l3fwd_table *t)
{
	if (t == NULL)
		return;
	rte_fib_free(t->fib);
	rte_lpm6_free(t->lpm6);
	rte_free(t);
}
