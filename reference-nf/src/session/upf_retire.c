/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/upf_retire.h"
#include "session/upf_keys.h"
#include "tsan_annotations.h"

/* Filters that many sessions have are kept once. */

static uint32_t filter_bucket(const struct dpi_tuple *tuple)
{
	uint64_t words[(sizeof(*tuple) + 7) / 8] = {0}, hash = 0;

	memcpy(words, tuple, sizeof(*tuple));
	for (uint32_t i = 0; i < RTE_DIM(words); i++)
		hash = mix64(hash ^ words[i]);
	return (uint32_t)(hash % UPF_FILTER_BUCKETS);
}

/* There is room for it. */
uint32_t upf_take_filter(struct upf_store *s, const struct dpi_tuple *tuple)
{
	uint32_t *bucket = &s->filter_buckets[filter_bucket(tuple)], at = *bucket;

	while (at != UPF_NONE && memcmp(&s->filters[at].tuple, tuple, sizeof(*tuple)) != 0)
		at = s->filters[at].next;
	if (at == UPF_NONE) {
		at = upf_take_place(&s->free_filters);
		s->filters[at] = (struct upf_filter){.next = *bucket};
		memcpy(&s->filters[at].tuple, tuple, sizeof(*tuple));
		*bucket = at;
	}
	s->filters[at].uses++;
	return at;
}

static void give_filter(struct upf_store *s, uint32_t number)
{
	struct upf_filter *f = &s->filters[number];
	uint32_t *link = &s->filter_buckets[filter_bucket(&f->tuple)];

	if (--f->uses != 0)
		return;
	while (*link != number)
		link = &s->filters[*link].next;
	*link = f->next;
	upf_give_place(&s->free_filters, number);
}

/* Places that are not in force any more. */

static void free_retired(struct upf_store *s, const struct upf_retired *r)
{
	switch (r->kind) {
	case UPF_PDR:
		if (s->pdrs[r->number].filter != UPF_NONE)
			give_filter(s, s->pdrs[r->number].filter);
		upf_give_place(&s->free_pdrs, r->number);
		break;
	case UPF_FAR:
		upf_give_place(&s->free_fars, r->number);
		break;
	case UPF_QER:
		upf_give_place(&s->free_qers, r->number);
		break;
	case UPF_URR:
		upf_give_place(&s->free_urrs, r->number);
		break;
	default:
		(void)rte_hash_free_key_with_position(s->keys, (int32_t)r->number);
	}
}

static bool is_free(const struct upf_store *s, const struct upf_retired *r, bool wait)
{
	if (s->readers == NULL)
		return true;
	if (rte_rcu_qsbr_check(s->readers, r->token, wait) != 1)
		return false;
	tsan_acquire(s->readers); /* from lcores that have ended */
	return true;
}

void upf_reclaim(struct upf_store *s, bool wait)
{
	while (s->retired_count != 0) {
		const struct upf_retired *r = &s->retired[s->retired_first];
		if (!is_free(s, r, wait))
			return;
		free_retired(s, r);
		s->retired_first = (s->retired_first + 1) % UPF_RETIRED_MAX;
		s->retired_count--;
	}
}

/* The epochs of what is retired have risen before the token is taken. */
static void retire(struct upf_store *s, uint8_t kind, uint32_t number, uint64_t token)
{
	if (s->retired_count == UPF_RETIRED_MAX)
		upf_reclaim(s, true);
	s->retired[(s->retired_first + s->retired_count++) % UPF_RETIRED_MAX] = (struct upf_retired){token, number, kind};
}

static struct flow_key key_of_record(const struct upf_store *s, uint32_t pdr)
{
	const struct upf_pdr *p = &s->pdrs[pdr];

	if (p->side == UPF_ACCESS)
		return upf_key(UPF_KEY_TEID, s->origins[pdr].teid);
	bool ipv4 = (p->ue.versions & DPI_IPV4) != 0 && s->origins[pdr].key == 0;
	return ipv4 ? upf_key(UPF_KEY_IPV4, p->ue.ipv4) : upf_key(UPF_KEY_IPV6, p->ue.ipv6);
}

/* Keys that only the old PDRs have are taken away, and these PDRs are not in force any more. */
static void end_pdrs(struct upf_store *s, uint32_t pdrs, int32_t positions[], uint32_t *count)
{
	for (uint32_t at = pdrs; at != UPF_NONE; at = s->origins[at].sibling) {
		struct flow_key key = key_of_record(s, at);
		if (upf_store_find(s, &key) == at) /* else another one stands there now */
			positions[(*count)++] = rte_hash_del_key_with_hash(s->keys, &key, upf_key_hash(&key));
		uint32_t epoch = atomic_load_explicit(&s->pdrs[at].epoch, memory_order_relaxed);
		atomic_store_explicit(&s->pdrs[at].epoch, epoch + 1, memory_order_release);
	}
}

static void end_urrs(struct upf_store *s, uint32_t urrs)
{
	for (uint32_t at = urrs; at != UPF_NONE; at = s->urrs[at].sibling) {
		uint32_t epoch = atomic_load_explicit(&s->urrs[at].epoch, memory_order_relaxed);
		atomic_store_explicit(&s->urrs[at].epoch, epoch + 1, memory_order_relaxed);
	}
}

static uint32_t sibling_of(const struct upf_store *s, enum upf_kind kind, uint32_t number)
{
	switch (kind) {
	case UPF_PDR:
		return s->origins[number].sibling;
	case UPF_FAR:
		return s->fars[number].sibling;
	case UPF_QER:
		return s->qers[number].sibling;
	default:
		return s->urrs[number].sibling;
	}
}

/* A session's rules of a kind. The next one is read first, since a place may be given anew at once. */
static void retire_rules(struct upf_store *s, enum upf_kind kind, uint32_t first, uint64_t token)
{
	for (uint32_t at = first, next; at != UPF_NONE; at = next) {
		next = sibling_of(s, kind, at);
		retire(s, (uint8_t)kind, at, token);
	}
}

void upf_retire_all(struct upf_store *s, const struct upf_session *old)
{
	int32_t positions[UPF_RULES_MAX * UPF_KEYS_OF_PDR];
	uint32_t keys = 0;

	end_pdrs(s, old->pdrs, positions, &keys);
	end_urrs(s, old->urrs);
	uint64_t token = s->readers == NULL ? 0 : rte_rcu_qsbr_start(s->readers);
	for (uint32_t i = 0; i < keys; i++)
		retire(s, UPF_RETIRED_KEY, (uint32_t)positions[i], token);
	retire_rules(s, UPF_PDR, old->pdrs, token);
	retire_rules(s, UPF_FAR, old->fars, token);
	retire_rules(s, UPF_QER, old->qers, token);
	retire_rules(s, UPF_URR, old->urrs, token);
	upf_reclaim(s, false);
}
