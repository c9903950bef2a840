/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loop body of both execution models: takes a batch from the port or the previous lcore, runs a segment of the
 * chain, and passes the batch to the next lcore or the port. Run to completion is one link from port to port.
 */
#ifndef LINK_H
#define LINK_H

#include "io/io.h"
#include "role/handover.h"
#include "role/segment.h"

struct link {
	struct role role;
	struct rx_clock *rx;	/* not NULL: takes from the port */
	struct handover *in;	/* else from here */
	struct handover *out;	/* not NULL: passes to the next lcore; else to the port: */
	struct tx_queue tx;
	struct segment segment;
	struct batch batch;
};

void link_open(struct link *link, const char *name, struct chain *chain, uint32_t ledger);

#endif
