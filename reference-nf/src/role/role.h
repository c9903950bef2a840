/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A role is the work of one lcore, in steps: take a batch, process it, pass it on. Roles run on an lcore each, or
 * several on one in turn; they never wait inside a step.
 *
 * A role ends when it finds no packet after every role before it has ended. So packets in flight arrive, for whatever
 * reason the source stops.
 */
#ifndef ROLE_H
#define ROLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "model/chain.h"

#define ROLE_INLINE static inline __attribute__((always_inline))
#define ROLE_MAX_BEFORE MODEL_MAX_ROLES

struct role {
	char name[48]; /* for people */
	/* One batch. Returns packets handled. lcore NULL: priming, which the probe does not see. */
	uint32_t (*step)(struct role *role, struct nalm_lcore *lcore);
	/* May be NULL. Replaces `before`: returns whether nothing more can arrive. */
	bool (*over)(const struct role *role);
	const void *source; /* argument of over() */
	const struct role *before[ROLE_MAX_BEFORE]; /* whose packets it takes */
	uint32_t before_count;
	const struct chain *chain;
	struct ledger *ledger;
	bool apart;		/* generator and sink: not the NF's own */
	bool blocked;		/* the last step left its input alone: no room before the next lcore */
	uint64_t back_pressure; /* steps that were blocked */
	atomic_bool ended __attribute__((aligned(64))); /* this role writes, later ones read */
};

static inline void role_open(struct role *r, const char *name, uint32_t (*step)(struct role *, struct nalm_lcore *),
			     struct chain *chain, uint32_t ledger)
{
	*r = (struct role){.step = step, .chain = chain, .ledger = &chain->ledgers[ledger]};
	snprintf(r->name, sizeof(r->name), "%s", name);
}

static inline void role_comes_after(struct role *r, const struct role *before)
{
	r->before[r->before_count++] = before;
}

/* Counts the outcomes of a stage's batch. */
ROLE_INLINE void role_account(struct role *r, struct nalm_lcore *lcore, uint32_t probed, uint32_t packets,
			      const uint32_t *outcomes)
{
	struct stage_totals *totals = &r->ledger->stages[probed];
	const struct nalm_outcome_spec *names = r->chain->probed[probed].outcomes;

	if (lcore != NULL)
		nalm_probe_mark(lcore, probed, packets);
	totals->packets += packets;
	for (uint32_t o = 0; names[o].name != NULL; o++) {
		totals->outcomes[o] += outcomes[o];
		if (lcore != NULL)
			nalm_probe_outcome(lcore, probed, o, outcomes[o]);
	}
}

/* Takes no input in this step. The hand-over waits for room. */
ROLE_INLINE uint32_t role_blocked(struct role *r, struct nalm_lcore *lcore)
{
	if (lcore != NULL)
		nalm_probe_mark(lcore, r->chain->at[PART_HANDOVER_OUT], 0);
	r->blocked = true;
	r->back_pressure++;
	return 0;
}

ROLE_INLINE bool role_has_ended(const struct role *r)
{
	return atomic_load_explicit(&r->ended, memory_order_acquire); /* pairs with (E) */
}

/* Call it before a step, which then sees everything that arrived before the ends. */
ROLE_INLINE bool role_input_over(const struct role *r)
{
	if (r->over != NULL)
		return r->over(r);
	for (uint32_t i = 0; i < r->before_count; i++)
		if (!role_has_ended(r->before[i]))
			return false;
	return true;
}

/* Runs a step, and ends the role if it was the last. */
ROLE_INLINE uint32_t role_run(struct role *r, struct nalm_lcore *lcore)
{
	bool last = role_input_over(r);

	r->blocked = false;
	uint32_t n = r->step(r, lcore);
	if (last && n == 0 && !r->blocked)
		atomic_store_explicit(&r->ended, true, memory_order_release); /* (E) */
	return n;
}

#endif
