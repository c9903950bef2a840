/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State `separated` (Wu et al., III-B2): database instances own the flows, workers only compute. A packet's path:
 *
 *   dispatch -> worker (stages before the flows) -> database instance (stages that keep flows, in the order of arrival)
 *            -> worker (stages behind) -> egress (in order again) -> port
 */
#ifndef SEPARATED_H
#define SEPARATED_H

#include "io/io.h"
#include "role/credit.h"
#include "role/handover.h"
#include "role/order.h"
#include "role/segment.h"

/* A worker's stages and outputs for the packets of one batch, by database instance. */
struct leg {
	struct segment segment;
	struct rte_ring *to[MODEL_MAX_DATABASES];
};

struct compute {
	struct role role;
	struct handover *fresh;			   /* from the dispatching lcore */
	struct handover *from[MODEL_MAX_DATABASES]; /* from each database instance */
	uint32_t databases;
	struct leg before, behind;
	struct batch batch;
};

struct database {
	struct role role;
	struct order order;
	struct segment segment;
	struct handover *to[MODEL_MAX_WORKERS];
	uint32_t workers, next_worker;
	uint32_t number; /* of this instance */
	uint32_t batch_size;
	uint64_t tickets; /* issued so far, for the order to the port */
	struct credit *credit;
	struct batch batch;
};

struct egress {
	struct role role;
	struct order order[MODEL_MAX_DATABASES];
	uint32_t databases;
	uint32_t batch_size;
	struct tx_queue tx;
	struct credit *credit;
	struct batch batch;
};

void compute_open(struct compute *compute, struct chain *chain, uint32_t ledger);
void database_open(struct database *database, struct chain *chain, uint32_t ledger);
void egress_open(struct egress *egress, struct chain *chain, uint32_t ledger);

#endif
