/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which roles there are and who hands packets to whom: the configuration's execution model, laid out.
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
	struct rx_clock clock;
	const volatile sig_atomic_t *stop;
	struct role *roles[MODEL_MAX_ROLES]; /* the receiving one first; the traffic, if it is here, last */
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

/* Reads [model] groups of a pipeline: each stage of its own if there are none. */
void pipeline_configure(struct model_settings *model, const struct chain *chain, struct config *config);

/* What the model asks of the ports. */
uint32_t plan_tx_queues(const struct model_settings *model);
uint32_t plan_packets_in_rings(const struct model_settings *model);

struct plan_parts {
	const struct model_settings *model;
	struct chain *chain;
	struct io *io;
	uint64_t ns_per_packet;
	uint64_t seed;
	const volatile sig_atomic_t *stop;
	struct generator *generator; /* NULL: traffic comes from outside */
	struct sink *sink;
};

/* false: said on stderr. */
bool plan_open(struct plan *plan, const struct plan_parts *parts);
void plan_close(struct plan *plan);

/* For the models: a ring of its own; NULL: said on stderr. */
struct handover *plan_ring(struct plan *plan);
/* Puts the role into the plan, behind the ones there are. */
void plan_add(struct plan *plan, struct role *role);
bool rtc_plan(struct plan *plan);
bool pipeline_plan(struct plan *plan);
bool workers_plan(struct plan *plan, uint64_t seed);
bool separated_plan(struct plan *plan);

#endif
