/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Execution model run to completion: one lcore runs the whole chain on a batch.
 */
#include "model/rtc.h"

bool rtc_plan(struct plan *p)
{
	struct link *l = &p->links[0];

	link_open(l, "rtc", p->chain, 0);
	l->rx = &p->clocks[0];
	l->tx = (struct tx_queue){p->io, 0};
	segment_add(&l->segment, p->chain, 0, p->chain->count, 0);
	plan_add(p, &l->role);
	return true;
}
