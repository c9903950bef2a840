/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "session/upf_keys.h"
#include "session/upf_retire.h"
#include "session/upf_sessions.h"
#include "session/upf_volume.h"

static bool refuse(struct upf_refusal *refusal, enum upf_kind kind, uint32_t id, const char *reason)
{
	*refusal = (struct upf_refusal){reason, kind, id};
	return false;
}

/* A key belongs to one session. */
static bool check_keys(const struct upf_store *s, uint32_t session, const struct upf_rules *rules,
		       struct upf_refusal *refusal)
{
	for (uint32_t i = 0; i < rules->pdr_count; i++) {
		struct flow_key keys[UPF_KEYS_OF_PDR];
		uint32_t n = upf_keys_of(&rules->pdrs[i], keys);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t first = upf_store_find(s, &keys[k]);
			if (first != UPF_NONE && s->origins[first].session != session)
				return refuse(refusal, UPF_PDR, rules->pdrs[i].id,
					      rules->pdrs[i].side == UPF_ACCESS ? "its TEID is another session's"
										: "its address is another session's");
		}
	}
	return true;
}

#define SHARED ", which cannot be where several instances share the sessions"

/* Adds a PDR's addresses to those of its session. false: it has another one of that version. */
static bool add_addresses(const struct upf_pdr_terms *p, struct upf_ue *ue, struct upf_refusal *refusal)
{
	if ((p->ue.versions & ue->versions & DPI_IPV4) != 0 && p->ue.ipv4 != ue->ipv4)
		return refuse(refusal, UPF_PDR, p->id, "its session has two IPv4 addresses" SHARED);
	if ((p->ue.versions & ue->versions & DPI_IPV6) != 0 && p->ue.ipv6 != ue->ipv6)
		return refuse(refusal, UPF_PDR, p->id, "its session has two IPv6 prefixes" SHARED);
	if ((p->ue.versions & DPI_IPV4) != 0)
		ue->ipv4 = p->ue.ipv4;
	if ((p->ue.versions & DPI_IPV6) != 0)
		ue->ipv6 = p->ue.ipv6;
	ue->versions |= p->ue.versions;
	return true;
}

/* Whether packets of both find the same instance. */
static bool same_home(const struct upf_ue *a, const struct upf_ue *b)
{
	if (((a->versions ^ b->versions) & DPI_IPV4) != 0)
		return false;
	return (a->versions & DPI_IPV4) != 0 ? a->ipv4 == b->ipv4 : a->ipv6 == b->ipv6;
}

/* Where several instances share the sessions, all packets of one belong to the instance that one address of it tells,
 * as long as it lasts: credit and counts have one writer. A session without QERs and URRs has neither. */
static bool check_home(const struct upf_store *s, const struct upf_rules *rules, struct upf_session *session,
		       struct upf_refusal *refusal)
{
	struct upf_ue ue = {0};

	if (!s->divided || rules->qer_count + rules->urr_count == 0) {
		session->ue = ue;
		return true;
	}
	for (uint32_t i = 0; i < rules->pdr_count; i++)
		if (!add_addresses(&rules->pdrs[i], &ue, refusal))
			return false;
	if (ue.versions == 0)
		return true;
	if (session->ue.versions != 0 && !same_home(&session->ue, &ue))
		return refuse(refusal, UPF_PDR, 0, "its address changes" SHARED);
	session->ue = ue;
	return true;
}

/* Records of a PDR for each of its keys. */
static uint32_t records_of(const struct upf_pdr_terms *p)
{
	return RTE_MAX(p->filter_count, 1u);
}

static bool has_room(const struct upf_store *s, const struct upf_rules *rules)
{
	uint32_t pdrs = 0, filters = 0;

	for (uint32_t i = 0; i < rules->pdr_count; i++) {
		pdrs += records_of(&rules->pdrs[i]) * UPF_KEYS_OF_PDR;
		filters += rules->pdrs[i].filter_count;
	}
	return s->free_pdrs.count >= pdrs && s->free_fars.count >= rules->far_count &&
	       s->free_qers.count >= rules->qer_count && s->free_urrs.count >= rules->urr_count &&
	       s->free_filters.count >= filters;
}

/* What a session is about to have. */
struct installation {
	struct upf_store *store;
	const struct upf_rules *rules;
	uint32_t session;
	struct upf_session now, before;
	uint32_t far_at[UPF_RULES_MAX], qer_at[UPF_RULES_MAX], urr_at[UPF_RULES_MAX];
};

static uint32_t *qer_link(struct upf_store *s, uint32_t *link, uint32_t id)
{
	while (*link != UPF_NONE && s->qers[*link].id != id)
		link = &s->qers[*link].sibling;
	return link;
}

static uint32_t *urr_link(struct upf_store *s, uint32_t *link, uint32_t id)
{
	while (*link != UPF_NONE && s->urrs[*link].id != id)
		link = &s->urrs[*link].sibling;
	return link;
}

static void install_fars(struct installation *x)
{
	struct upf_store *s = x->store;

	for (uint32_t i = 0; i < x->rules->far_count; i++) {
		const struct upf_far_terms *terms = &x->rules->fars[i];
		uint32_t at = x->far_at[i] = upf_take_place(&s->free_fars);
		s->fars[at] = (struct upf_far){
			.teid = htonl(terms->teid),
			.peer = terms->peer,
			.action = terms->action,
			.to = terms->to,
			.notify = terms->notify,
			.id = terms->id,
			.sibling = x->now.fars,
		};
		x->now.fars = at;
	}
}

/* Credit begins as none that was used: full at its first packet. */
static void install_qers(struct installation *x)
{
	struct upf_store *s = x->store;

	for (uint32_t i = 0; i < x->rules->qer_count; i++) {
		const struct upf_qer_terms *terms = &x->rules->qers[i];
		uint32_t *link = qer_link(s, &x->before.qers, terms->id), at = *link;
		if (at != UPF_NONE) {
			*link = s->qers[at].sibling;
		} else {
			at = upf_take_place(&s->free_qers);
			s->qers[at] = (struct upf_qer){.id = terms->id};
		}
		struct upf_qer *q = &s->qers[at];
		for (uint32_t d = 0; d < UPF_DIRECTIONS; d++) {
			atomic_store_explicit(&q->kbit[d], terms->kbit[d], memory_order_relaxed);
			atomic_store_explicit(&q->closed[d], terms->closed[d], memory_order_relaxed);
		}
		q->qfi = terms->qfi;
		q->sibling = x->now.qers;
		x->now.qers = x->qer_at[i] = at;
	}
}

/* A threshold that is new counts from what there is. */
static void set_threshold(struct upf_store *s, uint32_t at, enum upf_volume volume, uint64_t threshold)
{
	struct upf_urr *u = &s->urrs[at];
	uint64_t due = upf_volume_end(upf_counted(u, volume), threshold);

	if (s->thresholds[at][volume] == threshold)
		return;
	__atomic_store_n(&s->thresholds[at][volume], threshold, __ATOMIC_RELAXED);
	atomic_store_explicit(&u->due[volume], due, memory_order_relaxed);
}

/* A quota counts from its grant. The word of the grant is written last: an lcore that finds it finds the quota, too. */
static void set_quota(struct upf_store *s, uint32_t at, const struct upf_urr_terms *terms)
{
	struct upf_quota *q = &s->quotas[at];
	struct upf_urr *u = &s->urrs[at];
	bool granted = terms->granted || q->bytes != terms->quota;
	uint64_t end = upf_volume_end(upf_counted(u, UPF_VOLUME_TOTAL), terms->quota);
	uint16_t grant = atomic_load_explicit(&u->grant, memory_order_relaxed);

	if (!granted && q->reported == terms->reports_quota)
		return;
	if (granted)
		atomic_store_explicit(&u->quota, end, memory_order_relaxed);
	*q = (struct upf_quota){terms->quota, terms->reports_quota};
	grant = (uint16_t)(((grant | 1) + 1) | terms->reports_quota);
	atomic_store_explicit(&u->grant, grant, memory_order_release); /* pairs with (G) in urr.c */
}

static uint32_t take_urr(struct upf_store *s, uint32_t session, uint32_t id)
{
	uint32_t at = upf_take_place(&s->free_urrs);
	struct upf_urr *u = &s->urrs[at];
	uint32_t epoch = atomic_load_explicit(&u->epoch, memory_order_relaxed);

	for (uint32_t d = 0; d < UPF_DIRECTIONS; d++)
		atomic_store_explicit(&u->bytes[d], 0, memory_order_relaxed);
	for (uint32_t v = 0; v < UPF_VOLUMES; v++) {
		__atomic_store_n(&s->thresholds[at][v], UPF_NO_VOLUME, __ATOMIC_RELAXED);
		atomic_store_explicit(&u->due[v], UPF_NO_VOLUME, memory_order_relaxed);
	}
	set_quota(s, at, &(struct upf_urr_terms){.quota = UPF_NO_VOLUME, .granted = true});
	u->id = id;
	s->reported[at] = (struct upf_reported){.session = session};
	atomic_store_explicit(&u->epoch, epoch + 1, memory_order_relaxed);
	return at;
}

static void install_urrs(struct installation *x)
{
	struct upf_store *s = x->store;

	for (uint32_t i = 0; i < x->rules->urr_count; i++) {
		const struct upf_urr_terms *terms = &x->rules->urrs[i];
		uint32_t *link = urr_link(s, &x->before.urrs, terms->id), at = *link;
		if (at != UPF_NONE)
			*link = s->urrs[at].sibling;
		else
			at = take_urr(s, x->session, terms->id);
		for (uint32_t v = 0; v < UPF_VOLUMES; v++)
			set_threshold(s, at, v, terms->threshold[v]);
		set_quota(s, at, terms);
		s->urrs[at].sibling = x->now.urrs;
		x->now.urrs = x->urr_at[i] = at;
	}
}

/* A flow's own QFI comes before that of the session. */
static uint8_t qfi_of(const struct upf_rules *rules, const struct upf_pdr_terms *terms)
{
	for (uint32_t i = 0; i < terms->qer_count; i++) {
		uint8_t qfi = rules->qers[upf_find_qer(rules, terms->qers[i])].qfi;
		if (qfi != 0)
			return qfi;
	}
	return 0;
}

static uint32_t install_pdr(struct installation *x, const struct upf_pdr_terms *terms, uint8_t key, uint8_t filter,
			    uint32_t next)
{
	struct upf_store *s = x->store;
	uint32_t at = upf_take_place(&s->free_pdrs);
	struct upf_pdr *p = &s->pdrs[at];

	p->next = next;
	p->ue = terms->ue;
	p->filter = terms->filter_count != 0 ? upf_take_filter(s, &terms->filters[filter]) : UPF_NONE;
	p->far = x->far_at[upf_find_far(x->rules, terms->far)];
	for (uint32_t i = 0; i < UPF_OF_PDR; i++) {
		p->qers[i] = i < terms->qer_count ? x->qer_at[upf_find_qer(x->rules, terms->qers[i])] : UPF_NONE;
		p->urrs[i] = i < terms->urr_count ? x->urr_at[upf_find_urr(x->rules, terms->urrs[i])] : UPF_NONE;
	}
	p->side = terms->side;
	p->predefined = terms->predefined;
	p->qfi = qfi_of(x->rules, terms);
	p->match_qfis = terms->side == UPF_ACCESS && terms->qfis != 0 ? terms->qfis : UINT64_MAX;
	p->home = (x->now.ue.versions & DPI_IPV4) != 0 ? x->now.ue.ipv4 : 0;
	s->origins[at] = (struct upf_pdr_origin){
		.id = terms->id,
		.precedence = terms->precedence,
		.teid = terms->teid,
		.session = x->session,
		.sibling = x->now.pdrs,
		.key = key,
		.filter = filter,
	};
	x->now.pdrs = at;
	uint32_t epoch = atomic_load_explicit(&p->epoch, memory_order_relaxed);
	atomic_store_explicit(&p->epoch, epoch + 1, memory_order_release); /* pairs with (M) in upf_match.h */
	return at;
}

/* Which of the PDR's keys it is. false: none. */
static bool has_key(const struct upf_pdr_terms *terms, const struct flow_key *key, uint8_t *number)
{
	struct flow_key keys[UPF_KEYS_OF_PDR];
	uint32_t n = upf_keys_of(terms, keys);

	for (uint32_t k = 0; k < n; k++)
		if (keys[k].words[0] == key->words[0] && keys[k].words[1] == key->words[1]) {
			*number = (uint8_t)k;
			return true;
		}
	return false;
}

static bool comes_after(const struct upf_pdr_terms *a, const struct upf_pdr_terms *b)
{
	return a->precedence != b->precedence ? a->precedence > b->precedence : a->id > b->id;
}

/* PDRs in the order in which they are looked at; of equal precedence by number. */
static void order_pdrs(const struct upf_rules *rules, uint32_t order[UPF_RULES_MAX])
{
	for (uint32_t i = 0; i < rules->pdr_count; i++) {
		uint32_t at = i;
		for (; at > 0 && comes_after(&rules->pdrs[order[at - 1]], &rules->pdrs[i]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Publishes all PDRs of the key: lcores find the old ones or the new ones. */
static void publish(struct installation *x, const uint32_t order[], const struct flow_key *key)
{
	uint32_t first = UPF_NONE;

	for (uint32_t i = x->rules->pdr_count; i-- > 0;) {
		const struct upf_pdr_terms *terms = &x->rules->pdrs[order[i]];
		uint8_t number;
		if (!has_key(terms, key, &number))
			continue;
		for (uint32_t f = records_of(terms); f-- > 0;)
			first = install_pdr(x, terms, number, (uint8_t)f, first);
	}
	int err = rte_hash_add_key_with_hash_data(x->store->keys, key, upf_key_hash(key), (void *)(uintptr_t)first);
	RTE_VERIFY(err == 0); /* there is room for as many keys as for PDRs */
}

static bool seen_before(const struct upf_rules *rules, uint32_t pdr, const struct flow_key *key)
{
	uint8_t number;

	for (uint32_t i = 0; i < pdr; i++)
		if (has_key(&rules->pdrs[i], key, &number))
			return true;
	return false;
}

static void install_pdrs(struct installation *x)
{
	uint32_t order[UPF_RULES_MAX];

	order_pdrs(x->rules, order);
	for (uint32_t i = 0; i < x->rules->pdr_count; i++) {
		struct flow_key keys[UPF_KEYS_OF_PDR];
		uint32_t n = upf_keys_of(&x->rules->pdrs[i], keys);
		for (uint32_t k = 0; k < n; k++)
			if (!seen_before(x->rules, i, &keys[k]))
				publish(x, order, &keys[k]);
	}
}
static bool install(struct upf_store *s, uint32_t session, const struct upf_rules *rules, struct upf_refusal *refusal)
{
	struct installation x = {.store = s, .rules = rules, .session = session, .before = s->sessions[session]};

	x.now = (struct upf_session){
		.pdrs = UPF_NONE,
		.fars = UPF_NONE,
		.qers = UPF_NONE,
		.urrs = UPF_NONE,
		.generation = x.before.generation,
		.used = true,
		.ue = x.before.ue,
	};
	if (!upf_rules_check(rules, refusal) || !check_keys(s, session, rules, refusal) ||
	    !check_home(s, rules, &x.now, refusal))
		return false;
	upf_reclaim(s, false);
	if (!has_room(s, rules))
		upf_reclaim(s, true);
	if (!has_room(s, rules))
		return refuse(refusal, UPF_PDR, 0, "no room for its rules: [pdr] rules, filters");
	install_fars(&x);
	install_qers(&x);
	install_urrs(&x);
	install_pdrs(&x);
	s->sessions[session] = x.now;
	upf_retire_all(s, &x.before);
	return true;
}
uint64_t upf_store_establish(struct upf_store *s, const struct upf_rules *rules, struct upf_refusal *refusal)
{
	if (s->free_sessions.count == 0) {
		refuse(refusal, UPF_PDR, 0, "no room for another session: [pdr] sessions");
		return 0;
	}
	uint32_t session = upf_take_place(&s->free_sessions);
	uint32_t generation = s->sessions[session].generation;
	s->sessions[session] = (struct upf_session){
		.pdrs = UPF_NONE,
		.fars = UPF_NONE,
		.qers = UPF_NONE,
		.urrs = UPF_NONE,
		.generation = generation,
	};
	if (install(s, session, rules, refusal))
		return upf_store_seid(s, session);
	upf_give_place(&s->free_sessions, session);
	return 0;
}

bool upf_store_modify(struct upf_store *s, uint64_t seid, const struct upf_rules *rules, struct upf_refusal *refusal)
{
	uint32_t session = upf_store_place(s, seid);

	if (session == UPF_NONE)
		return refuse(refusal, UPF_PDR, 0, "there is no such session");
	return install(s, session, rules, refusal);
}

bool upf_store_remove(struct upf_store *s, uint64_t seid)
{
	uint32_t session = upf_store_place(s, seid);

	if (session == UPF_NONE)
		return false;
	upf_retire_all(s, &s->sessions[session]);
	s->sessions[session].used = false;
	s->sessions[session].generation++;
	upf_give_place(&s->free_sessions, session);
	return true;
}
