/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions begin, change and end: the control thread's calls. A session is named by its SEID, never 0. Rules that cannot be
 * taken as a whole change nothing: *refusal says why.
 */
#ifndef UPF_SESSIONS_H
#define UPF_SESSIONS_H

#include "session/upf_store.h"

/* 0: refused. */
uint64_t upf_store_establish(struct upf_store *store, const struct upf_rules *rules, struct upf_refusal *refusal);
/* rules: all that the session has from now on. */
bool upf_store_modify(struct upf_store *store, uint64_t seid, const struct upf_rules *rules, struct upf_refusal *refusal);
/* false: there is no such session. */
bool upf_store_remove(struct upf_store *store, uint64_t seid);

#endif
