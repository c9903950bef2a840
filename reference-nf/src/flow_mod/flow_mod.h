/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A flow-mod: one flow entry changes while packets pass. What has to be made for it is made first; then it takes effect
 * by single stores, so a packet meets the tables from before or from after. docs/decisions/0025.
 */
#ifndef FLOW_MOD_H
#define FLOW_MOD_H

#include <stddef.h>

#include <rte_rcu_qsbr.h>

#include "flow_rules/openflow_rule.h"
#include "openflow/openflow_table.h"

#define OPENFLOW_REBUILD_MAX 1024u /* entries of a table that a flow-mod may make anew in another form */

enum openflow_mod_kind { OPENFLOW_ADD, OPENFLOW_MODIFY, OPENFLOW_DELETE };

struct openflow_mod {
	enum openflow_mod_kind kind;
	struct openflow_entry entry; /* without numbers of terms and instructions */
	const struct openflow_term *terms;
	struct openflow_instructions instructions; /* not of OPENFLOW_DELETE */
};

/* Makes complete tables of changeable settings ready for flow-mods. false: no memory. */
bool openflow_mods_open(struct openflow_tables *tables);
/* Before the tables are destroyed. */
void openflow_mods_close(struct openflow_tables *tables);

/* Applies it, and waits until no reader (NULL: there are none) meets what was before. false: nothing changed, and why says
 * what is wrong. One thread at a time; the tables are ready for it. */
bool openflow_mod_apply(struct openflow_tables *tables, const struct openflow_mod *mod, struct rte_rcu_qsbr *readers,
			char why[OPENFLOW_WHY_BYTES]);

#endif
