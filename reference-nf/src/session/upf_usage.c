/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/upf_usage.h"

uint32_t upf_store_urrs(const struct upf_store *s, uint64_t seid, uint32_t places[])
{
	uint32_t session = upf_store_place(s, seid), count = 0;

	if (session == UPF_NONE)
		return 0;
	for (uint32_t at = s->sessions[session].urrs; at != UPF_NONE; at = s->urrs[at].sibling)
		places[count++] = at;
	return count;
}

struct upf_usage upf_store_report(struct upf_store *s, uint32_t at)
{
	struct upf_reported *r = &s->reported[at];
	struct upf_usage usage = {.urr = s->urrs[at].id, .number = r->reports++};

	for (uint32_t d = 0; d < UPF_DIRECTIONS; d++) {
		uint64_t now = atomic_load_explicit(&s->urrs[at].bytes[d], memory_order_relaxed);
		usage.bytes[d] = now - r->bytes[d];
		r->bytes[d] = now;
	}
	return usage;
}

/* What was due for a URR that is no more is passed over. */
bool upf_store_next_report(struct upf_store *s, uint64_t *seid, struct upf_usage *usage)
{
	for (uint32_t i = 0; i < STAGE_MAX_INSTANCES; i++) {
		void *what;
		while (rte_ring_sc_dequeue(s->reports[i], &what) == 0) {
			uint32_t number = upf_reference_number(what), at = number & ~UPF_QUOTA_USED;
			bool quota_used = at != number;
			if (atomic_load_explicit(&s->urrs[at].epoch, memory_order_relaxed) != upf_reference_epoch(what))
				continue;
			*seid = upf_store_seid(s, s->reported[at].session);
			*usage = upf_store_report(s, at);
			usage->quota_used = quota_used;
			return true;
		}
	}
	return false;
}

bool upf_store_next_arrival(struct upf_store *s, uint64_t *seid, uint32_t *pdr)
{
	for (uint32_t i = 0; i < STAGE_MAX_INSTANCES; i++) {
		void *what;
		while (rte_ring_sc_dequeue(s->arrivals[i], &what) == 0) {
			uint32_t at = upf_reference_number(what);
			if (atomic_load_explicit(&s->pdrs[at].epoch, memory_order_relaxed) != upf_reference_epoch(what))
				continue;
			*seid = upf_store_seid(s, s->origins[at].session);
			*pdr = s->origins[at].id;
			return true;
		}
	}
	return false;
}
