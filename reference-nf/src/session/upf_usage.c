/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/upf_usage.h"
#include "session/upf_volume.h"

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
	struct upf_urr *u = &s->urrs[at];
	struct upf_usage usage = {.urr = u->id, .number = r->reports++};
	uint64_t bytes[UPF_DIRECTIONS];

	upf_read_bytes(u, bytes);
	for (uint32_t d = 0; d < UPF_DIRECTIONS; d++) {
		usage.bytes[d] = bytes[d] - r->bytes[d];
		r->bytes[d] = bytes[d];
	}
	for (uint32_t v = 0; v < UPF_VOLUMES; v++)
		atomic_store_explicit(&u->due[v], upf_volume_end(upf_volume(bytes, v), s->thresholds[at][v]),
				      memory_order_relaxed);
	return usage;
}

/* A reference that an lcore made before its record ended, or just after, is of none that is in force. */
static bool is_in_force(const _Atomic uint32_t *epoch, const void *what)
{
	uint32_t then = upf_reference_epoch(what);

	return (then & 1) != 0 && atomic_load_explicit(epoch, memory_order_relaxed) == then;
}

/* false: another report has had what the lcore found due. */
static bool reaches_threshold(const struct upf_store *s, uint32_t at)
{
	for (uint32_t v = 0; v < UPF_VOLUMES; v++)
		if (upf_counted(&s->urrs[at], v) - upf_volume(s->reported[at].bytes, v) >= s->thresholds[at][v])
			return true;
	return false;
}

bool upf_store_next_report(struct upf_store *s, uint64_t *seid, struct upf_usage *usage)
{
	for (uint32_t i = 0; i < STAGE_MAX_INSTANCES; i++) {
		void *what;
		while (rte_ring_sc_dequeue(s->reports[i], &what) == 0) {
			uint32_t number = upf_reference_number(what), at = number & ~UPF_QUOTA_USED;
			bool quota_used = at != number;
			if (!is_in_force(&s->urrs[at].epoch, what) || (!quota_used && !reaches_threshold(s, at)))
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
			if (!is_in_force(&s->pdrs[at].epoch, what))
				continue;
			*seid = upf_store_seid(s, s->origins[at].session);
			*pdr = s->origins[at].id;
			return true;
		}
	}
	return false;
}
