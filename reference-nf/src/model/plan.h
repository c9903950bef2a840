/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The roles of an execution model and the rings between them. plan_build.h makes a plan.
 */
#ifndef PLAN_H
#define PLAN_H

#include "role/dispatch.h"
#include "role/link.h"
#include "role/locked.h"
#include "role/separated.h"
#include "role/traffic.h"

/* dispatch to workers, both ways between workers and databases, workers to egress by database */
#define PLAN_MAX_RINGS (MODEL_MAX_WORKERS * (1u + 3u * MODEL_MAX_DATABASES))

struct plan {
	const struct model_settings *model;
	struct chain *chain;
	struct io *io;
	struct rx_clock clocks[MODEL_MAX_WORKERS]; /* of lcores that receive, the first alone without rss */
	const struct stop_flag *stop;
	struct role *roles[MODEL_MAX_ROLES]; /* the receiving one first; the traffic, if any, last */
	uint32_t role_count;
	struct handover rings[PLAN_MAX_RINGS];
	uint32_t ring_count;
	struct link links[MODEL_MAX_WORKERS];
	struct dispatch dispatch;
	struct compute compute[MODEL_MAX_WORKERS];
	struct database databases[MODEL_MAX_DATABASES];
	struct egress egress;
	struct locked locks[CHAIN_MAX_STAGES];
	struct credit credit;
	struct traffic traffic;
};

void plan_close(struct plan *plan);

/* For the models: makes a ring. NULL: reported on stderr. */
struct handover *plan_ring(struct plan *plan);
/* Appends the role to the plan. The first one receives. */
void plan_add(struct plan *plan, struct role *role);
/* Likewise a role that receives. */
void plan_add_receiving(struct plan *plan, struct role *role);

#endif
