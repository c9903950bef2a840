/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dispatching lcore: receives packets, chooses a worker for each, and hands it over.
 *
 *   lockfree   the session table has the worker of each flow; a worker's flows are private to it (Wu et al., III-B1)
 *   locked     by a hash of the packet's addresses, as a NIC would; workers share the flows
 *   separated  evenly, a batch each; only the database instance that owns the flow is fixed (III-B2)
 */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "io/io.h"
#include "role/credit.h"
#include "role/handover.h"
#include "role/role.h"
#include "role/sessions.h"

struct dispatch {
	struct role role;
	struct rx_clock *rx;
	const struct model_settings *model;
	const struct chain_stage *flow_stage; /* determines owners; NULL: no stage keeps flows */
	struct sessions *sessions;	      /* lockfree with a flow stage */
	struct credit *credit;		      /* separated */
	struct handover *out[MODEL_MAX_WORKERS];
	uint32_t next_worker;			  /* separated */
	uint64_t tickets[MODEL_MAX_DATABASES];	  /* separated: handed out so far, by database instance */
	struct batch batch;
	struct stage_owner owners[BATCH_MAX];
	uint8_t worker[BATCH_MAX]; /* of each packet */
};

extern const struct nalm_outcome_spec dispatch_outcomes[];
enum { DISPATCH_KNOWN, DISPATCH_NEW, DISPATCH_BY_ADDRESS, DISPATCH_EVENLY };

void dispatch_open(struct dispatch *dispatch, struct chain *chain, uint32_t ledger);
/* Chooses the worker of each packet of the batch, and counts outcomes. */
void dispatch_process(struct dispatch *dispatch, struct batch *batch, uint64_t now_ns);

#endif
