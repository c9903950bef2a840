/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "lb/lb_maglev.h"

/* A back end's position in the slots that it prefers. */
struct walker {
	uint32_t at, skip; /* the next slot, the distance to the one after it */
	uint32_t credit;   /* it takes a turn whenever this reaches the heaviest weight */
};

static void start(struct walker *w, uint32_t size, const struct lb_backend *b)
{
	uint64_t hash = mix64((uint64_t)b->address << 16 | b->port);

	w->at = (uint32_t)(hash % size);
	w->skip = (uint32_t)(mix64(hash) % (size - 1)) + 1; /* size is prime: every slot is reached */
	w->credit = 0;
}

static void step(struct walker *w, uint32_t size)
{
	w->at += w->skip;
	if (w->at >= size)
		w->at -= size;
}

static uint32_t heaviest(const struct lb_backend *backends, uint32_t count)
{
	uint32_t weight = 0;
	for (uint32_t i = 0; i < count; i++)
		if (backends[i].state == LB_BACKEND_UP && backends[i].weight > weight)
			weight = backends[i].weight;
	return weight;
}

static bool has_turn(struct walker *w, const struct lb_backend *b, uint32_t most)
{
	if (b->state != LB_BACKEND_UP)
		return false;
	w->credit += b->weight;
	if (w->credit < most)
		return false;
	w->credit -= most;
	return true;
}

static void take_turns(uint16_t *slots, uint32_t size, struct walker *walkers, const struct lb_backend *backends,
		       uint32_t count)
{
	uint32_t most = heaviest(backends, count);

	for (uint32_t left = size;;)
		for (uint32_t i = 0; i < count; i++) {
			struct walker *w = &walkers[i];
			if (!has_turn(w, &backends[i], most))
				continue;
			while (slots[w->at] != LB_MAGLEV_EMPTY)
				step(w, size);
			slots[w->at] = (uint16_t)i;
			if (--left == 0)
				return;
		}
}

bool lb_maglev_fill(uint16_t *slots, uint32_t size, const struct lb_backend *backends, uint32_t count)
{
	for (uint32_t i = 0; i < size; i++)
		slots[i] = LB_MAGLEV_EMPTY;
	if (heaviest(backends, count) == 0)
		return true;
	struct walker *walkers = calloc(count, sizeof(*walkers));
	if (walkers == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		start(&walkers[i], size, &backends[i]);
	take_turns(slots, size, walkers, backends, count);
	free(walkers);
	return true;
}
