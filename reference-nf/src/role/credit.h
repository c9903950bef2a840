/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Limits the packets between the dispatching lcore and the end (state separated). Every ring there has room for that
 * many, so none is ever full, and no cycle of lcores can deadlock.
 */
#ifndef CREDIT_H
#define CREDIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "model/model_config.h"

#define CREDIT_WRITERS (MODEL_MAX_DATABASES + 1u)

struct credit {
	uint64_t limit;
	uint64_t issued; /* dispatching lcore writes; others read it once that role has ended */
	struct {
		_Atomic uint64_t packets __attribute__((aligned(64))); /* one writer each, the dispatching lcore reads */
	} done[CREDIT_WRITERS];
};

static inline uint64_t credit_done(const struct credit *c)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < CREDIT_WRITERS; i++)
		sum += atomic_load_explicit(&c->done[i].packets, memory_order_acquire); /* pairs with (C) */
	return sum;
}

static inline uint64_t credit_left(const struct credit *c)
{
	return c->limit - (c->issued - credit_done(c));
}

static inline void credit_take(struct credit *c, uint32_t packets)
{
	c->issued += packets;
}

/* Adds packets that writer has sent or seen dropped. */
static inline void credit_give(struct credit *c, uint32_t writer, uint32_t packets)
{
	uint64_t was = atomic_load_explicit(&c->done[writer].packets, memory_order_relaxed);
	atomic_store_explicit(&c->done[writer].packets, was + packets, memory_order_release); /* (C) */
}

#endif
