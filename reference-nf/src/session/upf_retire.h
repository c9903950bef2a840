/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places of records: taken, and given anew when no lcore can hold what was there.
 */
#ifndef UPF_RETIRE_H
#define UPF_RETIRE_H

#include "session/upf_store.h"

static inline uint32_t upf_take_place(struct upf_places *p)
{
	return p->free[--p->count];
}

static inline void upf_give_place(struct upf_places *p, uint32_t number)
{
	p->free[p->count++] = number;
}

/* The place of a filter; there is room for it. */
uint32_t upf_take_filter(struct upf_store *store, const struct dpi_tuple *tuple);

/* What a session has no more: it is in force no longer, and its places wait. */
void upf_retire_all(struct upf_store *store, const struct upf_session *old);

/* Gives places anew that no lcore can hold any more. wait: until that is so of all of them. */
void upf_reclaim(struct upf_store *store, bool wait);

#endif
