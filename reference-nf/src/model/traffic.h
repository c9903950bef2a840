/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The far sides as a role: generator and sink. It ends when nothing is left to send and the NF has ended; a signal makes
 * nothing be left.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <signal.h>

#include "io/generator.h"
#include "io/sink.h"
#include "model/role.h"

struct traffic {
	struct role role;
	struct generator *generator;
	struct sink *sink;
	const volatile sig_atomic_t *stop;
	uint64_t turn; /* the probe's turn, by its begin */
	atomic_bool source_ended __attribute__((aligned(64))); /* this role writes, the one that receives reads */
};

void traffic_open(struct traffic *traffic, struct chain *chain, uint32_t ledger);

static inline bool traffic_source_ended(const struct traffic *t)
{
	return atomic_load_explicit(&t->source_ended, memory_order_acquire); /* pairs with (S) */
}

#endif
