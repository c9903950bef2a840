/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces the tables of a running chain's stages: makes new ones, exchanges them, and destroys the old ones when no
 * reader can hold them.
 */
#ifndef TABLE_RELOAD_H
#define TABLE_RELOAD_H

#include <rte_rcu_qsbr.h>

#include "model/chain.h"

/* A stage's tables that are not in use yet, or no longer. */
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

/* Makes tables of every stage that has some; settings_of gives their settings. A configuration takes effect as a whole:
 * if one fails, none is made. false: reported on stderr. */
bool table_reloads_build(struct table_reloads *reloads, struct chain *chain,
		    const void *(*settings_of)(const void *arg, const struct stage_ops *ops), const void *arg);
/* Exchanges them with those in use, waits for the readers, transfers counts, destroys the old ones. */
void table_reloads_exchange(struct table_reloads *reloads, struct rte_rcu_qsbr *readers);

#endif
