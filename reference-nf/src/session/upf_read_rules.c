/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <string.h>

#include "session/upf_read_rules.h"

static void read_pdr(const struct upf_store *s, uint32_t at, struct upf_pdr_terms *terms)
{
	const struct upf_pdr *p = &s->pdrs[at];
	const struct upf_pdr_origin *o = &s->origins[at];

	*terms = (struct upf_pdr_terms){
		.id = o->id,
		.precedence = o->precedence,
		.teid = o->teid,
		.side = p->side,
		.predefined = p->predefined,
		.qfis = p->match_qfis == UINT64_MAX ? 0 : p->match_qfis,
		.ue = p->ue,
		.far = s->fars[p->far].id,
	};
	for (uint32_t i = 0; i < UPF_OF_PDR && p->qers[i] != UPF_NONE; i++)
		terms->qers[terms->qer_count++] = s->qers[p->qers[i]].id;
	for (uint32_t i = 0; i < UPF_OF_PDR && p->urrs[i] != UPF_NONE; i++)
		terms->urrs[terms->urr_count++] = s->urrs[p->urrs[i]].id;
}

/* A PDR's records but the first tell nothing else but filters. */
static void read_filter(const struct upf_store *s, uint32_t at, struct upf_rules *rules)
{
	const struct upf_pdr_origin *o = &s->origins[at];
	struct upf_pdr_terms *terms = &rules->pdrs[upf_find_pdr(rules, o->id)];

	if (o->key != 0 || s->pdrs[at].filter == UPF_NONE)
		return;
	terms->filters[o->filter] = s->filters[s->pdrs[at].filter].tuple;
	terms->filter_count++;
}

static void read_far(const struct upf_far *f, struct upf_far_terms *terms)
{
	*terms = (struct upf_far_terms){
		.id = f->id,
		.action = f->action,
		.to = f->to,
		.notify = f->notify,
		.teid = ntohl(f->teid),
		.peer = f->peer,
	};
}

static void read_qer(const struct upf_qer *q, struct upf_qer_terms *terms)
{
	*terms = (struct upf_qer_terms){.id = q->id, .qfi = q->qfi};
	for (uint32_t d = 0; d < UPF_DIRECTIONS; d++) {
		terms->kbit[d] = atomic_load_explicit(&q->kbit[d], memory_order_relaxed);
		terms->closed[d] = atomic_load_explicit(&q->closed[d], memory_order_relaxed) != 0;
	}
}

static void read_urr(const struct upf_store *s, uint32_t at, struct upf_urr_terms *terms)
{
	*terms = (struct upf_urr_terms){
		.id = s->urrs[at].id,
		.quota = s->quotas[at].bytes,
		.reports_quota = s->quotas[at].reported,
	};
	memcpy(terms->threshold, s->thresholds[at], sizeof(terms->threshold));
}

bool upf_store_rules(const struct upf_store *s, uint64_t seid, struct upf_rules *rules)
{
	uint32_t session = upf_store_place(s, seid);

	memset(rules, 0, sizeof(*rules));
	if (session == UPF_NONE)
		return false;
	const struct upf_session *x = &s->sessions[session];
	for (uint32_t at = x->pdrs; at != UPF_NONE; at = s->origins[at].sibling)
		if (s->origins[at].key == 0 && s->origins[at].filter == 0)
			read_pdr(s, at, &rules->pdrs[rules->pdr_count++]);
	for (uint32_t at = x->pdrs; at != UPF_NONE; at = s->origins[at].sibling)
		read_filter(s, at, rules);
	for (uint32_t at = x->fars; at != UPF_NONE; at = s->fars[at].sibling)
		read_far(&s->fars[at], &rules->fars[rules->far_count++]);
	for (uint32_t at = x->qers; at != UPF_NONE; at = s->qers[at].sibling)
		read_qer(&s->qers[at], &rules->qers[rules->qer_count++]);
	for (uint32_t at = x->urrs; at != UPF_NONE; at = s->urrs[at].sibling)
		read_urr(s, at, &rules->urrs[rules->urr_count++]);
	return true;
}
