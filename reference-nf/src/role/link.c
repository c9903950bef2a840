/* SPDX-License-Identifier: BSD-3-Clause */
#include "role/link.h"

/* Returns virtual time, and in *arrived how many packets came, incomplete ones included. */
ROLE_INLINE uint64_t take(struct link *l, struct nalm_lcore *lcore, uint32_t *arrived)
{
	const uint32_t *at = l->role.chain->at;
	struct batch *batch = &l->batch;
	uint64_t now_ns;

	if (l->rx != NULL) {
		now_ns = rx_now(l->rx);
		*arrived = rx_process(l->rx, batch, now_ns);
		l->rx->received += *arrived;
	} else {
		now_ns = handover_in_process(l->in, batch);
		*arrived = batch->count;
	}
	role_account(&l->role, lcore, at[l->rx != NULL ? PART_RX : PART_HANDOVER_IN], *arrived, batch->outcomes);
	return now_ns;
}

ROLE_INLINE void give(struct link *l, struct nalm_lcore *lcore, uint64_t now_ns)
{
	const uint32_t *at = l->role.chain->at;
	uint32_t n = l->batch.count;

	if (l->out != NULL)
		handover_out_process(l->out, &l->batch, now_ns);
	else
		tx_process(&l->tx, &l->batch, now_ns);
	role_account(&l->role, lcore, at[l->out != NULL ? PART_HANDOVER_OUT : PART_TX], n, l->batch.outcomes);
}

static uint32_t link_step(struct role *role, struct nalm_lcore *lcore)
{
	struct link *l = (struct link *)role;

	if (l->out != NULL && !handover_has_room(l->out))
		return role_blocked(role, lcore);
	uint32_t arrived;
	uint64_t now_ns = take(l, lcore, &arrived);
	if (l->batch.count == 0)
		return arrived;
	segment_run(&l->segment, role, lcore, &l->batch, now_ns);
	give(l, lcore, now_ns);
	return arrived;
}

void link_open(struct link *l, const char *name, struct chain *chain, uint32_t ledger)
{
	role_open(&l->role, name, link_step, chain, ledger);
}
