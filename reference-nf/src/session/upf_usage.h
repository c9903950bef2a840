/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What lcores have counted and met, for whoever owns the sessions.
 */
#ifndef UPF_USAGE_H
#define UPF_USAGE_H

#include "session/upf_store.h"

/* What a URR has counted since its last report. */
struct upf_usage {
	uint32_t urr;
	uint32_t number; /* of the report, from 0 */
	bool quota_used; /* why it is due; false: a threshold */
	uint64_t bytes[UPF_DIRECTIONS];
};

/* The places of a session's URRs, at most UPF_RULES_MAX. Returns how many. */
uint32_t upf_store_urrs(const struct upf_store *store, uint64_t seid, uint32_t places[]);
/* A report of the URR at a place. Thresholds count from it on. A URR that has just ended can still be reported,
 * until its place is taken again. */
struct upf_usage upf_store_report(struct upf_store *store, uint32_t at);
/* The next report that lcores found due. false: none is. */
bool upf_store_next_report(struct upf_store *store, uint64_t *seid, struct upf_usage *usage);
/* The next PDR whose packets are not kept. false: there is none. */
bool upf_store_next_arrival(struct upf_store *store, uint64_t *seid, uint32_t *pdr);

#endif
