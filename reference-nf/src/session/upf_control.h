/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who changes sessions: at the start what the configuration says, then a thread while packets pass.
 */
#ifndef UPF_CONTROL_H
#define UPF_CONTROL_H

#include "upf/upf_settings.h"

/* Makes the store and the sessions that are there at the start. false: said on stderr. */
bool upf_control_fill(const struct pdr_settings *settings, const struct stage_place *place);
/* Takes them away. */
void upf_control_empty(void);

/* Hooks of the stage: stage.h. */
bool upf_control_start(const void *settings, const struct rcu_tables *rcu, struct rte_rcu_qsbr *readers);
void upf_control_stop(void);

#endif
