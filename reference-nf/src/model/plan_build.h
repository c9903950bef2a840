/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the plan of the configured execution model.
 */
#ifndef PLAN_BUILD_H
#define PLAN_BUILD_H

#include "model/plan.h"

/* The model's needs of the ports. */
uint32_t plan_tx_queues(const struct model_settings *model);
uint32_t plan_rx_queues(const struct model_settings *model);
uint32_t plan_packets_in_rings(const struct model_settings *model);

struct plan_parts {
	const struct model_settings *model;
	struct chain *chain;
	struct io *io;
	uint64_t ns_per_packet;
	uint64_t seed;
	const struct stop_flag *stop;
	bool traffic_alone; /* the stages run in another process */
	struct generator *generator; /* NULL: traffic comes from outside */
	struct sink *sink;
};

/* false: reported on stderr. plan_close() also frees an incomplete plan. */
bool plan_open(struct plan *plan, const struct plan_parts *parts);

#endif
