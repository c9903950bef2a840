/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>

#include "dpi/dpi_tuples.h"
#include "session/upf_match.h"
#include "upf/upf_policies.h"
#include "upf/upf_settings.h"

const char *const upf_fixed_keys[] = {"sessions",     "sessions_generated", "sessions_max", "rules_max",
				      "filters_max", "churn_per_second",   "messages",	"n4",	 NULL};

struct count {
	uint64_t packets, bytes;
};

struct upf_policies {
	const struct dpi_settings *settings;
	struct dpi_tuples tuples;
	uint32_t instances;
	struct count *counts[STAGE_MAX_INSTANCES]; /* by policy; an instance writes its own */
	struct count *inherited;
};

static bool create_counts(struct upf_policies *p, int socket)
{
	size_t bytes = RTE_ALIGN_CEIL((size_t)p->settings->rule_count * sizeof(struct count) + 1, 64);

	p->inherited = rte_zmalloc_socket("upf_policies", bytes, 64, socket);
	for (uint32_t i = 0; i < p->instances; i++) {
		p->counts[i] = rte_zmalloc_socket("upf_policies", bytes, 64, socket);
		if (p->counts[i] == NULL)
			return false;
	}
	return p->inherited != NULL;
}

void *upf_policies_build(const void *settings, const struct stage_place *place)
{
	static uint64_t builds = UINT64_C(1) << 32; /* names of rte_acl: apart from those of dpi */
	const struct pdr_settings *s = settings;
	struct upf_policies *p = rte_zmalloc_socket("upf_policies", sizeof(*p), 64, place->socket);

	if (p == NULL) {
		fprintf(stderr, "pdr: no memory\n");
		return NULL;
	}
	p->settings = s->policies;
	p->instances = place->count;
	if (dpi_tuples_open(&p->tuples, s->policies, ++builds, place->socket) && create_counts(p, place->socket))
		return p;
	fprintf(stderr, "pdr: no static policies, see above\n");
	upf_policies_destroy(p);
	return NULL;
}

void upf_policies_destroy(void *policies)
{
	struct upf_policies *p = policies;

	dpi_tuples_close(&p->tuples);
	for (uint32_t i = 0; i < p->instances; i++)
		rte_free(p->counts[i]);
	rte_free(p->inherited);
	rte_free(p);
}

static struct count count_of(const struct upf_policies *p, uint32_t policy)
{
	struct count sum = p->inherited[policy];

	for (uint32_t i = 0; i < p->instances; i++) {
		sum.packets += __atomic_load_n(&p->counts[i][policy].packets, __ATOMIC_RELAXED);
		sum.bytes += __atomic_load_n(&p->counts[i][policy].bytes, __ATOMIC_RELAXED);
	}
	return sum;
}

/* A policy is known again by its name. */
void upf_policies_inherit(void *policies, const void *old)
{
	struct upf_policies *to = policies;
	const struct upf_policies *from = old;

	for (uint32_t i = 0; i < to->settings->rule_count; i++)
		for (uint32_t k = 0; k < from->settings->rule_count; k++)
			if (strcmp(to->settings->rules[i].id, from->settings->rules[k].id) == 0)
				to->inherited[i] = count_of(from, k);
}

void upf_policies_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count)
{
	struct upf_policies *p = rcu_tables_get(rcu);
	size_t bytes = p->settings->rule_count * sizeof(struct count);

	(void)instances, (void)count;
	memset(p->inherited, 0, bytes);
	for (uint32_t i = 0; i < p->instances; i++)
		memset(p->counts[i], 0, bytes);
}

/* In file order; policies that have decided on nothing are left out. */
void upf_policies_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out)
{
	const struct upf_policies *p = rcu_tables_get(rcu);
	const char *comma = "";

	(void)instances, (void)count;
	fprintf(out, ",\"upf_sessions\":%" PRIu32 ",\"upf_policies\":{", upf_store_sessions(upf_store_running()));
	for (uint32_t i = 0; i < p->settings->rule_count; i++) {
		struct count c = count_of(p, i);
		if (c.packets == 0)
			continue;
		fprintf(out, "%s\"%s\":{\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", comma, p->settings->rules[i].id,
			c.packets, c.bytes);
		comma = ",";
	}
	fprintf(out, "}");
}

static inline void exchange_ends(struct dpi_key *key)
{
	uint8_t port[2], address[16];

	memcpy(port, key->ports, 2);
	memcpy(key->ports, key->ports + 2, 2);
	memcpy(key->ports + 2, port, 2);
	memcpy(address, key->source, 16);
	memcpy(key->source, key->destination, 16);
	memcpy(key->destination, address, 16);
}

static inline void add(struct count *c, uint64_t bytes)
{
	__atomic_store_n(&c->packets, c->packets + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->bytes, c->bytes + bytes, __ATOMIC_RELAXED);
}

void upf_policies_count(const struct upf_policies *p, uint32_t instance, uint32_t policy, uint32_t bytes)
{
	add(&p->counts[instance][(policy >> 1) - 1], bytes);
}

static inline uint32_t policy_of(const struct upf_policies *p, uint32_t rule)
{
	return rule == DPI_NO_RULE ? 0 : (rule + 1) << 1 | (p->settings->rules[rule].action == DPI_PASS);
}

void upf_policies_find(const struct upf_policies *p, const struct batch *b, const uint8_t at[], uint32_t n, uint64_t which)
{
	struct dpi_key keys[DPI_TUPLES_BULK];
	uint32_t rules[DPI_TUPLES_BULK], count = 0;
	struct upf_mark *marks[DPI_TUPLES_BULK];

	if (!dpi_tuples_any(&p->tuples))
		return;
	for (uint32_t k = 0; k < n; k++) {
		struct rte_mbuf *m = b->mbufs[at[k]];
		const struct packet *packet = &b->packets[at[k]];
		if ((which >> k & 1) == 0 || !upf_has_ports(packet))
			continue;
		upf_tuple_key(&keys[count], rte_pktmbuf_mtod(m, const uint8_t *), packet);
		if (upf_mark(m)->side == UPF_CORE)
			exchange_ends(&keys[count]);
		marks[count++] = upf_mark(m);
	}
	if (count == 0)
		return;
	dpi_tuples_find(&p->tuples, keys, count, rules);
	for (uint32_t k = 0; k < count; k++)
		marks[k]->policy = policy_of(p, rules[k]);
}
