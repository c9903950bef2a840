/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "table/table_memory.h"
#include "session/upf_store.h"

#define REPORTS_MAX 4096u /* records that wait for the control thread, of an instance and kind */

static struct upf_store *running;
struct upf_store *upf_store_running(void)
{
	return running;
}

static bool open_places(struct upf_places *p, uint32_t all)
{
	p->free = malloc(all * sizeof(*p->free));
	p->all = p->count = all;
	for (uint32_t i = 0; p->free != NULL && i < all; i++)
		p->free[i] = all - 1 - i; /* taken in rising order */
	return p->free != NULL;
}

static bool open_keys(struct upf_store *s, const struct stage_place *place)
{
	const struct rte_hash_parameters params = {
		.name = "upf_keys",
		.entries = RTE_MAX(s->settings.rules, 8u), /* a key in use, or not yet free, has a PDR that is so as well */
		.key_len = sizeof(struct flow_key),
		.socket_id = place->socket,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_RW_CONCURRENCY_LF | RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	s->keys = rte_hash_create(&params);
	return s->keys != NULL;
}

static bool open_rings(struct rte_ring *rings[], const char *what, const struct stage_place *place)
{
	for (uint32_t i = 0; i < STAGE_MAX_INSTANCES; i++) {
		char name[RTE_RING_NAMESIZE];
		snprintf(name, sizeof(name), "upf_%s_%u", what, i);
		rings[i] = rte_ring_create(name, REPORTS_MAX, place->socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (rings[i] == NULL)
			return false;
	}
	return true;
}

static bool open_records(struct upf_store *s, const struct stage_place *place)
{
	size_t rules = s->settings.rules;

	s->pdrs = table_memory_take("upf_pdrs", rules * sizeof(*s->pdrs), place->socket);
	s->fars = table_memory_take("upf_fars", rules * sizeof(*s->fars), place->socket);
	s->qers = table_memory_take("upf_qers", rules * sizeof(*s->qers), place->socket);
	s->urrs = table_memory_take("upf_urrs", rules * sizeof(*s->urrs), place->socket);
	s->filters = table_memory_take("upf_filters", s->settings.filters * sizeof(*s->filters), place->socket);
	s->origins = calloc(rules, sizeof(*s->origins));
	s->thresholds = calloc(rules, sizeof(*s->thresholds));
	s->quotas = calloc(rules, sizeof(*s->quotas));
	s->reported = calloc(rules, sizeof(*s->reported));
	s->sessions = calloc(s->settings.sessions, sizeof(*s->sessions));
	s->retired = calloc(UPF_RETIRED_MAX, sizeof(*s->retired));
	memset(s->filter_buckets, 0xff, sizeof(s->filter_buckets));
	return s->pdrs != NULL && s->fars != NULL && s->qers != NULL && s->urrs != NULL && s->filters != NULL &&
	       s->origins != NULL && s->thresholds != NULL && s->quotas != NULL && s->reported != NULL &&
	       s->sessions != NULL && s->retired != NULL;
}

static bool open_all_places(struct upf_store *s)
{
	const struct upf_store_settings *n = &s->settings;

	return open_places(&s->free_pdrs, n->rules) && open_places(&s->free_fars, n->rules) &&
	       open_places(&s->free_qers, n->rules) && open_places(&s->free_urrs, n->rules) &&
	       open_places(&s->free_sessions, n->sessions) && open_places(&s->free_filters, n->filters);
}

struct upf_store *upf_store_create(const struct upf_store_settings *settings, const struct stage_place *place)
{
	struct upf_store *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->settings = *settings;
	s->divided = place->flows > 1;
	pthread_mutex_init(&s->lock, NULL);
	if (open_records(s, place) && open_all_places(s) && open_keys(s, place) && open_rings(s->reports, "reports", place) &&
	    open_rings(s->arrivals, "arrivals", place)) {
		running = s;
		return s;
	}
	fprintf(stderr, "pdr: no memory for %u sessions and %u rules of each kind; give EAL more (-m)\n", settings->sessions,
		settings->rules);
	upf_store_destroy(s);
	return NULL;
}

void upf_store_destroy(struct upf_store *s)
{
	if (s == NULL)
		return;
	struct upf_places *places[] = {&s->free_pdrs,	  &s->free_fars,     &s->free_qers,
				       &s->free_urrs, &s->free_sessions, &s->free_filters};
	size_t rules = s->settings.rules;

	running = NULL;
	rte_hash_free(s->keys);
	for (uint32_t i = 0; i < STAGE_MAX_INSTANCES; i++) {
		rte_ring_free(s->reports[i]);
		rte_ring_free(s->arrivals[i]);
	}
	table_memory_give(s->pdrs, rules * sizeof(*s->pdrs));
	table_memory_give(s->fars, rules * sizeof(*s->fars));
	table_memory_give(s->qers, rules * sizeof(*s->qers));
	table_memory_give(s->urrs, rules * sizeof(*s->urrs));
	table_memory_give(s->filters, s->settings.filters * sizeof(*s->filters));
	for (uint32_t i = 0; i < RTE_DIM(places); i++)
		free(places[i]->free);
	free(s->origins);
	free(s->thresholds);
	free(s->quotas);
	free(s->reported);
	free(s->sessions);
	free(s->retired);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

uint32_t upf_store_find(const struct upf_store *s, const struct flow_key *key)
{
	void *data;

	if (rte_hash_lookup_with_hash_data(s->keys, key, upf_key_hash(key), &data) < 0)
		return UPF_NONE;
	return (uint32_t)(uintptr_t)data;
}
uint32_t upf_store_place(const struct upf_store *s, uint64_t seid)
{
	uint32_t session = (uint32_t)seid - 1;

	if (session >= s->settings.sessions || !s->sessions[session].used || upf_store_seid(s, session) != seid)
		return UPF_NONE;
	return session;
}
bool upf_store_has_teid(const struct upf_store *s, uint32_t teid)
{
	struct flow_key key = upf_key(UPF_KEY_TEID, teid);

	return upf_store_find(s, &key) != UPF_NONE;
}

uint32_t upf_store_sessions(const struct upf_store *s)
{
	return s->free_sessions.all - s->free_sessions.count;
}
