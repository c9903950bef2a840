/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replays the capture from memory as fast as it is asked to. `copies` = 1: unchanged, in order. More: each pass over
 * the capture is another copy of all its users; INTERLEAVE passes run at once, so that neighbours on the wire
 * belong to different users while each user's packets keep their order. The same settings give the same bytes.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "io/flows.h"
#include "io/io.h"

#define GENERATOR_INTERLEAVE 64u

/* One pass over the capture. */
struct cursor {
	uint32_t image;
	uint32_t copy;
};

struct generator {
	struct io *io;
	struct flows flows;
	struct cursor cursors[GENERATOR_INTERLEAVE];
	uint32_t cursor_count;
	uint32_t cursor;    /* whose turn it is */
	uint32_t next_copy; /* of the next pass that begins */
	bool learned;	    /* replies go to the address under which the flow came out */
	bool rewriting;
	uint64_t left;	 /* packets still to be sent */
	uint64_t primed; /* flows that have been opened */
};

extern const struct nalm_outcome_spec generator_outcomes[];
enum { GENERATOR_GENERATED };

/* limit: packets to send in all; 0: none but the settings'. false: said on stderr. */
bool generator_open(struct generator *generator, struct io *io, const struct traffic_settings *settings,
		    uint64_t limit);
void generator_close(struct generator *generator);

/* Puts up to a batch of packets before the NF; fewer when the ring is full or nothing is left. Returns how many. */
uint32_t generator_process(struct generator *generator);
/* Likewise, the first packet of each flow once, so that every flow is open and known before anything is counted. */
uint32_t generator_prime(struct generator *generator);

#endif
