/* SPDX-License-Identifier: BSD-3-Clause */
#include "role/traffic.h"

static uint32_t traffic_step(struct role *role, struct nalm_lcore *lcore)
{
	struct traffic *t = (struct traffic *)role;
	struct hop_switch *hop = traffic_hop(t);
	const uint32_t *at = role->chain->at;
	uint32_t waiting = 0;

	if (lcore->start_tsc != t->turn) { /* parked in between, or first call: time starts again */
		t->turn = lcore->start_tsc;
		generator_start(t->generator);
		sink_start(t->sink);
	}
	if (hop != NULL)
		hop_switch_receive(hop);
	uint32_t sunk = sink_process(t->sink);
	role_account(role, lcore, at[PART_SINK], sunk, &sunk);
	if (stop_flag_is_set(t->stop))
		t->generator->left = 0;
	uint32_t generated = generator_process(t->generator);
	role_account(role, lcore, at[PART_GENERATOR], generated, &generated);
	if (t->generator->nic.offload != 0) {
		uint32_t handed_in = generator_hand_in(t->generator);
		role_account(role, lcore, at[PART_NIC], handed_in, &handed_in);
	}
	if (hop != NULL)
		waiting = hop_switch_send(hop);
	if (t->generator->left == 0 && (waiting == 0 || stop_flag_is_set(t->stop))) {
		atomic_store_explicit(&t->source_ended, true, memory_order_release); /* (S) */
		role->blocked = hop != NULL && hop_switch_expects(hop, stop_flag_is_set(t->stop));
	}
	return generated != 0 ? generated : sunk;
}

void traffic_open(struct traffic *t, struct chain *chain, uint32_t ledger)
{
	role_open(&t->role, "traffic", traffic_step, chain, ledger);
	t->role.apart = true;
}
