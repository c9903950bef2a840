/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The schedule of an open loop: bursts of `burst` packets, one every `burst / rate` seconds of the TSC, or after random
 * gaps with that mean. The schedule does not adapt to delays: a packet not sent `late_after` ticks after it was due is
 * given up and counted, and a sent packet keeps the time it was due.
 *
 * With a ramp the rate rises linearly from `least` times the mean rate to `2 - least` times, over `period` ticks, and
 * begins again: the schedule's time is warped, so each period has the packets of the mean rate, whatever the gaps.
 */
#ifndef PACE_H
#define PACE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pace/gaps.h"
#include "table/hashing.h"

struct ramp {
	double period; /* ticks; 0: the rate stays as it is */
	double least;  /* 0 to 1 */
};

struct pace {
	uint64_t interval; /* ticks between bursts, with 32 fractional bits; 0: closed loop, no schedule */
	uint32_t burst;
	uint64_t late_after;
	uint64_t start;	 /* when burst 0 was due; with random gaps the current one, without its ramp */
	uint64_t bursts; /* complete ones, since start; 0 with random gaps */
	const double *gaps; /* NULL: all are equal */
	double part;	    /* of a tick, to add to start */
	uint64_t random;
	struct ramp ramp;
	uint64_t began, due; /* the schedule; the current burst */
	uint32_t in_burst; /* packets of the current burst that are done */
	uint64_t late;	   /* packets given up in total */
};

static inline void pace_open(struct pace *p, uint64_t rate_pps, uint32_t burst, uint64_t late_after, uint64_t hz)
{
	*p = (struct pace){.burst = burst, .late_after = late_after};
	if (rate_pps != 0)
		p->interval = (uint64_t)(((unsigned __int128)hz * burst << 32) / rate_pps);
}

/* Draws the gaps between bursts from this table from now on. */
static inline void pace_draw(struct pace *p, const double gaps[GAPS_DRAWS], uint64_t seed)
{
	p->gaps = gaps;
	p->random = seed;
}

/* When that is due which would be due after these ticks at the mean rate: inverts a x + (1 - a) x^2, the packets of a
 * period up to its share x. */
static inline double pace_ramped(const struct ramp *r, double ticks)
{
	double periods = floor(ticks / r->period), y = ticks / r->period - periods;
	double root = sqrt(r->least * r->least + 4 * (1 - r->least) * y);

	return r->period * (periods + (y > 0 ? 2 * y / (r->least + root) : 0));
}

static inline void pace_set_due(struct pace *p)
{
	p->due = p->start + (uint64_t)((unsigned __int128)p->bursts * p->interval >> 32);
	if (p->ramp.period > 0)
		p->due = p->began + (uint64_t)pace_ramped(&p->ramp, (double)(p->due - p->began));
}

/* Restarts the schedule, and its ramp, after a pause that the traffic did not cause. */
static inline void pace_start(struct pace *p, uint64_t now)
{
	p->start = p->began = now;
	p->bursts = p->in_burst = 0;
	pace_set_due(p);
}

/* When the next packet is or was due. */
static inline uint64_t pace_due(const struct pace *p)
{
	return p->due;
}

static inline void pace_next_burst(struct pace *p)
{
	p->in_burst = 0;
	if (p->gaps == NULL) {
		p->bursts++;
	} else {
		p->part += p->gaps[mix64(p->random++) >> (64 - GAPS_DRAWS_LOG2)];
		uint64_t ticks = (uint64_t)p->part;
		p->start += ticks;
		p->part -= (double)ticks;
	}
	pace_set_due(p);
}

/* Gives up overdue bursts, at most this many packets. Returns the number of packets. */
static inline uint64_t pace_give_up(struct pace *p, uint64_t now, uint64_t most)
{
	uint64_t given_up = 0;

	while (given_up < most && (int64_t)(now - pace_due(p)) > (int64_t)p->late_after) {
		uint64_t rest = p->burst - p->in_burst;
		if (rest > most - given_up)
			rest = most - given_up;
		given_up += rest;
		p->in_burst += (uint32_t)rest;
		if (p->in_burst == p->burst)
			pace_next_burst(p);
	}
	p->late += given_up;
	return given_up;
}

static inline bool pace_is_due(const struct pace *p, uint64_t now)
{
	return (int64_t)(now - pace_due(p)) >= 0;
}

/* Counts the packet that was due as sent. */
static inline void pace_sent(struct pace *p)
{
	if (++p->in_burst == p->burst)
		pace_next_burst(p);
}

#endif
