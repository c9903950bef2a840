/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow-mods by a socket, [openflow] control: a line each, answered by a line each. docs/behaviour.md, openflow.
 */
#ifndef FLOW_CONTROL_H
#define FLOW_CONTROL_H

#include "flow_mod/flow_mod.h"
#include "rcu_tables.h"

/* Applies what a line says. text: without its end; changed. false: nothing changed, and why says what is wrong. */
bool openflow_control_line(struct openflow_tables *tables, char *text, struct rte_rcu_qsbr *readers,
			   char why[OPENFLOW_WHY_BYTES]);

/* Hooks of the stage: stage.h. */
bool openflow_control_start(const void *settings, const struct rcu_tables *rcu, struct rte_rcu_qsbr *readers);
void openflow_control_stop(void);

#endif
