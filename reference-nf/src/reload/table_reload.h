/* SPDX-License-Identifier: BSD-3-Clause
 *
 * New tables for the stages of a running chain: made beside those in use, exchanged, the old ones destroyed when no
 * reader can hold them.
 */
#ifndef TABLE_RELOAD_H
#define TABLE_RELOAD_H

#include <rte_rcu_qsbr.h>

#include "model/chain.h"

/* A stage's tables on their way: made, and not in use yet, or in use no more. */
struct table_reload {
	struct chain_stage *stage;
	const void *settings;
	void *tables;
	uint64_t build_cycles; /* TSC */
};

struct table_reloads {
	struct table_reload of[CHAIN_MAX_STAGES];
	uint32_t count;
};

/* Of every stage with tables; settings_of tells what to make them of. All, or none: what a configuration says takes
 * effect as a whole. false: said on stderr. */
bool table_reloads_build(struct table_reloads *reloads, struct chain *chain,
		    const void *(*settings_of)(const void *arg, const struct stage_ops *ops), const void *arg);
/* Puts them in place of those in use, waits for the readers, hands counts over, destroys the old ones. */
void table_reloads_exchange(struct table_reloads *reloads, struct rte_rcu_qsbr *readers);

#endif
