/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ether.h>

#include "config/config_lines.h"
#include "l2fwd/l2fwd_generate.h"
#include "pbb/pbb_config.h"

#define SERVICE_MAX ((1u << 24) - 1)
#define VLAN_MAX 4094u
#define GENERATED_BRIDGES 64u
#define GENERATED_BRIDGE UINT64_C(0x01ff000002) /* 02:00:00:ff:01:00; the last byte numbers it */

/* What is read, and where. */
struct reading {
	struct config *config;
	struct pbb_settings *settings;
	const char *path;
	uint32_t *lines; /* of each customer */
	uint32_t room;
};

static bool read_address(const char *text, uint64_t *address)
{
	struct rte_ether_addr bytes;

	*address = 0;
	if (rte_ether_unformat_addr(text, &bytes) != 0 || !rte_is_unicast_ether_addr(&bytes))
		return false;
	memcpy(address, &bytes, sizeof(bytes));
	return true;
}

static bool grow(struct reading *r)
{
	uint32_t room = r->room == 0 ? 64 : r->room * 2;
	struct pbb_customer *customers = realloc(r->settings->customers, room * sizeof(*customers));

	if (customers != NULL)
		r->settings->customers = customers;
	uint32_t *lines = realloc(r->lines, room * sizeof(*lines));
	if (lines != NULL)
		r->lines = lines;
	if (customers == NULL || lines == NULL)
		return false;
	r->room = room;
	return true;
}

static bool add(struct reading *r, struct pbb_customer customer, uint32_t line)
{
	struct pbb_settings *s = r->settings;

	if (s->count == r->room && !grow(r))
		return false;
	r->lines[s->count] = line;
	s->customers[s->count++] = customer;
	return true;
}

/* customer MAC bridge MAC */
static void read_line(void *reading, uint32_t line, char *text)
{
	struct reading *r = reading;
	char customer[18], bridge[18], rest;
	struct pbb_customer found;

	if (sscanf(text, " customer %17s bridge %17s %c", customer, bridge, &rest) != 2)
		config_mistake_in_file(r->config, r->path, line, "expected `customer <MAC> bridge <MAC>`");
	else if (!read_address(customer, &found.address))
		config_mistake_in_file(r->config, r->path, line, "%s: expected the MAC address of one station", customer);
	else if (!read_address(bridge, &found.bridge))
		config_mistake_in_file(r->config, r->path, line, "%s: expected the MAC address of one bridge", bridge);
	else if (r->settings->count == PBB_CUSTOMERS_MAX)
		config_mistake_in_file(r->config, r->path, line, "more than %u customers", PBB_CUSTOMERS_MAX);
	else if (!add(r, found, line))
		config_mistake_in_file(r->config, r->path, line, "no memory");
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct reading *r = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = r->settings->customers[x].address, q = r->settings->customers[y].address;

	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Keeps the first customer of each address. A second line for one is a mistake. */
static bool keep_first(struct reading *r)
{
	struct pbb_settings *s = r->settings;
	uint32_t *order = malloc((s->count + 1) * sizeof(*order)), kept = 0;
	struct pbb_customer *each = malloc((s->count + 1) * sizeof(*each));
	bool ok = order != NULL && each != NULL;

	for (uint32_t i = 0; ok && i < s->count; i++)
		order[i] = i;
	if (ok)
		qsort_r(order, s->count, sizeof(*order), by_address, r);
	for (uint32_t i = 0; ok && i < s->count; i++) {
		const struct pbb_customer *one = &s->customers[order[i]];
		if (kept == 0 || each[kept - 1].address != one->address)
			each[kept++] = *one;
		else if (r->lines[order[i]] != UINT32_MAX)
			config_mistake_in_file(r->config, r->path, r->lines[order[i]], "line %u already has this customer",
					       r->lines[order[i - 1]]);
	}
	free(order);
	if (!ok) {
		free(each);
		return false;
	}
	free(s->customers);
	s->customers = each;
	s->count = kept;
	return true;
}

static bool read_customers(struct config *config, struct pbb_settings *s)
{
	uint32_t generated = (uint32_t)config_u64(config, "pbb", "customers_generated", 0, 0, PBB_CUSTOMERS_MAX);
	uint64_t seed = config_u64(config, "pbb", "customers_seed", 1, 0, UINT64_MAX);
	char *path = config_path(config, "pbb", "customers");
	struct reading r = {.config = config, .settings = s, .path = path};
	bool ok = true;

	if (path != NULL)
		config_read_lines(config, "pbb", "customers", path, read_line, &r);
	for (uint32_t i = 0; ok && i < generated; i++) {
		uint64_t bridge = GENERATED_BRIDGE | (uint64_t)(i % GENERATED_BRIDGES) << 40;
		ok = add(&r, (struct pbb_customer){l2fwd_generated_address(seed, i), bridge}, UINT32_MAX);
	}
	ok = ok && keep_first(&r);
	free(r.lines);
	free(path);
	return ok;
}

void *pbb_configure(struct config *config)
{
	struct pbb_settings *s = calloc(1, sizeof(*s));
	const char *bridge = config_text(config, "pbb", "bridge", "02:00:00:ff:00:01");

	if (s == NULL)
		return NULL;
	if (!read_address(bridge, &s->bridge))
		config_mistake(config, "pbb", "bridge", "expected the MAC address of one bridge, like 02:00:00:ff:00:01");
	s->service = (uint32_t)config_u64(config, "pbb", "service", 256, 1, SERVICE_MAX);
	s->vlan = (uint32_t)config_u64(config, "pbb", "vlan", 1, 1, VLAN_MAX);
	if (read_customers(config, s))
		return s;
	pbb_release(s);
	return NULL;
}

void pbb_release(void *settings)
{
	struct pbb_settings *s = settings;

	free(s->customers);
	free(s);
}
