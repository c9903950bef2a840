/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <pthread.h>

#include "check.h"
#include "stage_fixture.h"
#include "session/upf_match.h"
#include "session/upf_read_rules.h"
#include "session/upf_sessions.h"
#include "session/upf_subscribers.h"
#include "session/upf_usage.h"

#define SUBSCRIBERS 40u
#define READERS 2u
#define CHANGES 4000u

static const struct upf_subscribers subscribers = {
	.count = SUBSCRIBERS,
	.clients = {IP(10, 0, 0, 0), 8},
	.access = {IP(192, 0, 2, 0), 24},
};

static struct upf_store *open_store(uint32_t sessions, uint32_t rules)
{
	const struct upf_store_settings settings = {.sessions = sessions, .rules = rules, .filters = 64};
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id()};
	struct upf_store *s = upf_store_create(&settings, &place);

	CHECK(s != NULL);
	return s;
}

static uint64_t attach(struct upf_store *s, uint32_t number)
{
	struct upf_rules rules;
	struct upf_refusal refusal;

	upf_subscriber_rules(&subscribers, number, &rules);
	return upf_store_establish(s, &rules, &refusal);
}

static uint32_t find(const struct upf_store *s, struct flow_key key)
{
	void *first;
	return rte_hash_lookup_with_hash_data(s->keys, &key, upf_key_hash(&key), &first) < 0 ? UPF_NONE
											  : (uint32_t)(uintptr_t)first;
}

static void every_place_comes_back(void)
{
	struct upf_store *s = open_store(SUBSCRIBERS, 400);
	const struct upf_places *const places[] = {&s->free_pdrs,     &s->free_fars,	 &s->free_qers,
						   &s->free_urrs, &s->free_sessions, &s->free_filters};
	uint64_t seids[SUBSCRIBERS];

	for (uint32_t round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < SUBSCRIBERS; i++)
			CHECK((seids[i] = attach(s, i)) != 0);
		CHECK_EQUAL(upf_store_sessions(s), SUBSCRIBERS);
		for (uint32_t i = 0; i < SUBSCRIBERS; i++)
			CHECK(upf_store_remove(s, seids[i]));
		CHECK(!upf_store_remove(s, seids[0]));
		for (uint32_t i = 0; i < RTE_DIM(places); i++)
			CHECK_EQUAL(places[i]->count, places[i]->all);
		CHECK_EQUAL(rte_hash_count(s->keys), 0);
	}
	upf_store_destroy(s);
}

static void rules_are_read_back(void)
{
	struct upf_store *s = open_store(4, 100);
	struct upf_rules rules, back;
	struct upf_refusal refusal;
	uint64_t seid = attach(s, 0);

	upf_subscriber_rules(&subscribers, 0, &rules);
	for (uint32_t change = 0; change < 3; change++) {
		CHECK(upf_store_rules(s, seid, &back));
		CHECK_EQUAL(back.pdr_count, rules.pdr_count);
		CHECK_EQUAL(back.far_count, rules.far_count);
		CHECK_EQUAL(back.qer_count, rules.qer_count);
		CHECK_EQUAL(back.urr_count, rules.urr_count);
		for (uint32_t i = 0; i < rules.pdr_count; i++) {
			const struct upf_pdr_terms *a = &rules.pdrs[i], *b = &back.pdrs[upf_find_pdr(&back, a->id)];
			CHECK(a->precedence == b->precedence && a->teid == b->teid && a->far == b->far && a->side == b->side);
			CHECK_EQUAL(a->filter_count, b->filter_count);
			CHECK(memcmp(a->filters, b->filters, sizeof(a->filters)) == 0);
			CHECK(a->qers[0] == b->qers[0] && a->urrs[0] == b->urrs[0] && a->predefined == b->predefined);
		}
		CHECK(upf_store_modify(s, seid, &back, &refusal));
	}
	upf_store_destroy(s);
}

/* Rules that are refused leave everything as it was. */
static void refused_as_a_whole(void)
{
	struct upf_store *s = open_store(4, 64);
	struct upf_rules rules, before, after;
	struct upf_refusal refusal;
	uint64_t seid = attach(s, 0), other = attach(s, 1);

	CHECK(seid != 0 && other != 0);
	CHECK(upf_store_rules(s, seid, &before));
	uint32_t pdrs = s->free_pdrs.count, fars = s->free_fars.count, filters = s->free_filters.count;
	upf_subscriber_rules(&subscribers, 1, &rules);
	CHECK(!upf_store_modify(s, seid, &rules, &refusal));
	CHECK(strcmp(refusal.reason, "its TEID is another session's") == 0);
	CHECK_EQUAL(upf_store_establish(s, &rules, &refusal), 0);
	rules.pdrs[0].far = 99;
	CHECK_EQUAL(upf_store_establish(s, &rules, &refusal), 0);
	CHECK_EQUAL(refusal.id, rules.pdrs[0].id);
	upf_subscriber_rules(&subscribers, 2, &rules);
	for (uint32_t i = rules.pdr_count; i < UPF_RULES_MAX; i++) {
		rules.pdrs[i] = rules.pdrs[0];
		rules.pdrs[i].id = i + 1;
	}
	rules.pdr_count = UPF_RULES_MAX;
	CHECK_EQUAL(upf_store_establish(s, &rules, &refusal), 0);
	CHECK_EQUAL(refusal.id, 0); /* no room */
	CHECK_EQUAL(upf_store_sessions(s), 2);
	CHECK(s->free_pdrs.count == pdrs && s->free_fars.count == fars && s->free_filters.count == filters);
	CHECK(upf_store_rules(s, seid, &after));
	CHECK(memcmp(&before, &after, sizeof(before)) == 0);
	upf_store_destroy(s);
}

/* Any of several filters is enough; they are read back, and go as one. */
static void several_filters(void)
{
	struct upf_store *s = open_store(4, 100);
	struct upf_refusal refusal;
	struct upf_rules rules = {
		.pdr_count = 2,
		.far_count = 1,
		.pdrs = {{.id = 1, .precedence = 9, .side = UPF_ACCESS, .teid = 5, .far = 1, .filter_count = 3},
			 {.id = 2, .precedence = 8, .side = UPF_ACCESS, .teid = 5, .far = 1}},
		.fars = {{.id = 1, .action = UPF_DROP}},
	}, back;

	CHECK(upf_parse_filter("permit out 17 from any 53 to any", UPF_ACCESS, &rules.pdrs[0].filters[0]) == NULL);
	CHECK(upf_parse_filter("permit out 6 from any 80 to any", UPF_ACCESS, &rules.pdrs[0].filters[1]) == NULL);
	CHECK(upf_parse_filter("permit out 1 from any to any", UPF_ACCESS, &rules.pdrs[0].filters[2]) == NULL);
	uint64_t seid = upf_store_establish(s, &rules, &refusal);
	CHECK(upf_store_rules(s, seid, &back));
	CHECK_EQUAL(back.pdr_count, 2);
	CHECK(memcmp(&back.pdrs[upf_find_pdr(&back, 1)], &rules.pdrs[0], sizeof(rules.pdrs[0])) == 0);
	uint32_t at = find(s, upf_key(UPF_KEY_TEID, 5)), records = 0;
	for (; at != UPF_NONE; at = s->pdrs[at].next, records++)
		CHECK(records == 0 ? s->pdrs[at].filter == UPF_NONE
				   : memcmp(&s->filters[s->pdrs[at].filter].tuple, &rules.pdrs[0].filters[records - 1],
					    sizeof(struct dpi_tuple)) == 0);
	CHECK_EQUAL(records, 4);
	CHECK(upf_store_remove(s, seid));
	CHECK_EQUAL(s->free_filters.count, s->free_filters.all);
	upf_store_destroy(s);
}

static void a_change_keeps_counts(void)
{
	struct upf_store *s = open_store(4, 100);
	struct upf_rules rules;
	struct upf_refusal refusal;
	uint32_t urrs[UPF_RULES_MAX];
	uint64_t seid = attach(s, 0);

	uint32_t urr = s->sessions[0].urrs, id = s->urrs[urr].id;
	s->urrs[urr].bytes[UPF_UPLINK] = 700;
	CHECK(upf_store_rules(s, seid, &rules));
	rules.pdr_count = 1;
	CHECK(upf_store_modify(s, seid, &rules, &refusal));
	CHECK_EQUAL(upf_store_urrs(s, seid, urrs), 2);
	urr = urrs[s->urrs[urrs[0]].id == id ? 0 : 1];
	CHECK_EQUAL(upf_store_report(s, urr).bytes[UPF_UPLINK], 700);
	CHECK_EQUAL(rte_hash_count(s->keys), 1);
	upf_store_destroy(s);
}

/* Two addresses are two ways to the same rules, and go together. */
static void addresses_of_both_versions(void)
{
	struct upf_store *s = open_store(4, 100);
	struct upf_refusal refusal;
	struct upf_rules rules = {
		.pdr_count = 1,
		.far_count = 1,
		.pdrs = {{.id = 1, .side = UPF_CORE, .far = 1, .ue = {.ipv4 = 5, .ipv6 = 6, .versions = DPI_IPV4 | DPI_IPV6}}},
		.fars = {{.id = 1, .action = UPF_DROP}},
	};
	uint64_t seid = upf_store_establish(s, &rules, &refusal);

	CHECK(seid != 0);
	CHECK(find(s, upf_key(UPF_KEY_IPV4, 5)) != UPF_NONE && find(s, upf_key(UPF_KEY_IPV6, 6)) != UPF_NONE);
	rules.pdrs[0].ue.versions = DPI_IPV6;
	CHECK(upf_store_modify(s, seid, &rules, &refusal));
	CHECK(find(s, upf_key(UPF_KEY_IPV4, 5)) == UPF_NONE && find(s, upf_key(UPF_KEY_IPV6, 6)) != UPF_NONE);
	CHECK(upf_store_remove(s, seid));
	CHECK_EQUAL(rte_hash_count(s->keys), 0);
	upf_store_destroy(s);
}

/* Readers against the writer: what a TEID leads to is that subscriber's, whole, or nothing. */

static struct rte_rcu_qsbr *readers;
static struct upf_store *shared;
static atomic_bool over;

static void look_at(uint32_t number)
{
	uint32_t first = find(shared, upf_key(UPF_KEY_IPV4, upf_subscriber_address(&subscribers, number)));

	for (uint32_t at = first; at != UPF_NONE; at = shared->pdrs[at].next) {
		struct upf_pdr *p = &shared->pdrs[at];
		uint32_t epoch = atomic_load_explicit(&p->epoch, memory_order_acquire);
		const struct upf_far *f = &shared->fars[p->far];
		CHECK_EQUAL(p->ue.ipv4, upf_subscriber_address(&subscribers, number));
		CHECK_EQUAL(f->peer, upf_access_node(&subscribers, number));
		CHECK((ntohl(f->teid) - 1) / 2 == number);
		CHECK(p->filter == UPF_NONE || shared->filters[p->filter].tuple.protocol == IPPROTO_UDP);
		(void)epoch;
	}
}

static void *read_all(void *arg)
{
	uint32_t number = (uint32_t)(uintptr_t)arg, i = number;

	CHECK(rte_rcu_qsbr_thread_register(readers, number) == 0);
	rte_rcu_qsbr_thread_online(readers, number);
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		for (uint32_t k = 0; k < 16; k++)
			look_at(i++ % SUBSCRIBERS);
		rte_rcu_qsbr_quiescent(readers, number);
	}
	rte_rcu_qsbr_thread_offline(readers, number);
	(void)rte_rcu_qsbr_thread_unregister(readers, number);
	return NULL;
}

static void change_all(uint64_t seids[])
{
	for (uint32_t i = 0; i < CHANGES; i++) {
		uint32_t number = i * 7 % SUBSCRIBERS;
		struct upf_rules rules;
		struct upf_refusal refusal;
		if (i % 3 == 0 && seids[number] != 0) {
			CHECK(upf_store_rules(shared, seids[number], &rules));
			CHECK(upf_store_modify(shared, seids[number], &rules, &refusal));
		} else if (seids[number] != 0) {
			CHECK(upf_store_remove(shared, seids[number]));
			seids[number] = 0;
		} else {
			seids[number] = attach(shared, number);
			CHECK(seids[number] != 0);
		}
	}
}

static void sessions_change_under_readers(void)
{
	uint64_t seids[SUBSCRIBERS] = {0};
	pthread_t threads[READERS];

	shared = open_store(SUBSCRIBERS, 300); /* few: places are given anew soon */
	readers = aligned_alloc(64, rte_rcu_qsbr_get_memsize(READERS));
	CHECK(readers != NULL && rte_rcu_qsbr_init(readers, READERS) == 0);
	shared->readers = readers;
	for (uint32_t i = 0; i < READERS; i++)
		CHECK(pthread_create(&threads[i], NULL, read_all, (void *)(uintptr_t)i) == 0);
	change_all(seids);
	atomic_store(&over, true);
	for (uint32_t i = 0; i < READERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	shared->readers = NULL;
	upf_store_destroy(shared);
	free(readers);
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(every_place_comes_back);
	RUN(rules_are_read_back);
	RUN(refused_as_a_whole);
	RUN(several_filters);
	RUN(a_change_keeps_counts);
	RUN(addresses_of_both_versions);
	RUN(sessions_change_under_readers);
	return 0;
}
