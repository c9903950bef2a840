/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The far side: takes what the NF sent, learns, as a server does, under which address each flow reaches it, and meters
 * what has a stamp.
 */
#ifndef SINK_H
#define SINK_H

#include "meter/dump.h"
#include "traffic/generator.h"
#include "meter/meter.h"

struct sink {
	struct io *io;
	struct generator *generator; /* whose flows they are */
	struct dump dump;
	struct meter meter;
	uint64_t warm_up; /* ticks that latencies are left out for, from the first start on; 0 once started */
	uint64_t packets;
};

extern const struct nalm_outcome_spec sink_outcomes[];
enum { SINK_RECEIVED };

void sink_open(struct sink *sink, struct generator *generator);
/* Time begins, or goes on after a pause: the generator has been told before. */
void sink_start(struct sink *sink);
/* Forgets what has been counted. */
void sink_reset(struct sink *sink);
/* Takes everything there is. Returns how many packets. */
uint32_t sink_process(struct sink *sink);

#endif
