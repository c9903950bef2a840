/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The far sides as a role: generator and sink. It ends when nothing is left to send, also after a signal, and the NF
 * has ended.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H


#include "traffic/generator.h"
#include "meter/sink.h"
#include "meter/trial.h"
#include "role/role.h"
#include "stop_flag.h"

struct traffic {
	struct role role;
	struct generator *generator;
	struct sink *sink;
	struct trial trial;
	const struct stop_flag *stop;
	uint64_t turn; /* the probe's turn, by its start */
	atomic_bool source_ended __attribute__((aligned(64))); /* this role writes, the one that receives reads */
};

/* Called before its lcore parks and after it resumes: an agent changes the traffic in between. */
static inline void traffic_park(const struct traffic *t)
{
	if (t->generator != NULL)
		trial_publish(&t->trial, t->generator, t->sink);
}

static inline void traffic_resume(struct traffic *t)
{
	if (t->generator != NULL)
		trial_begin(&t->trial, t->generator, t->sink);
}

/* The switch's end of a hop; NULL: the NF takes packets from the generator's ring. */
static inline struct hop_switch *traffic_hop(const struct traffic *t)
{
	struct io *io = t->generator->io;

	return io->has_switch_end ? &io->switch_end : NULL;
}

void traffic_open(struct traffic *traffic, struct chain *chain, uint32_t ledger);

static inline bool traffic_source_ended(const struct traffic *t)
{
	return atomic_load_explicit(&t->source_ended, memory_order_acquire); /* pairs with (S) */
}

#endif
