/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends what the profile says: as fast as the NF takes it (closed loop), or by a schedule (open loop). The same settings
 * give the same packets.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "io/io.h"
#include "meter/tx_stats.h"
#include "traffic/pace.h"
#include "traffic/replay.h"
#include "traffic/synthetic.h"

struct generator {
	struct io *io;
	const struct traffic_settings *settings;
	bool replays;
	bool silent; /* nothing is sent for now */
	struct replay replay;	    /* one of these two, by the profile */
	struct synthetic synthetic;
	struct pace pace;
	struct tx_stats tx_stats;
	uint64_t left;	 /* packets still to be sent or given up */
	uint64_t sent;	 /* packets */
	uint64_t primed; /* flows that have been opened before counting */
	uint64_t ticks, last; /* how long it has been sending, parked times left out; until when */
};

extern const struct nalm_outcome_spec generator_outcomes[];
enum { GENERATOR_GENERATED };

/* limit: packets to send in all; 0: none but the settings'. false: said on stderr. */
bool generator_open(struct generator *generator, struct io *io, const struct traffic_settings *settings,
		    uint64_t limit);
void generator_close(struct generator *generator);

uint64_t generator_flows(const struct generator *generator);
/* What a recording of everything sent may need. limit as above. */
void generator_room(const struct generator *generator, uint64_t limit, uint64_t *packets, uint64_t *bytes);
/* In a sentence for a person. */
void generator_describe(const struct generator *generator, char *text, size_t size);

/* From now on by a schedule; 0: as fast as the NF takes packets. Before generator_start(). */
void generator_set_rate(struct generator *generator, uint64_t rate_pps);
/* Time begins, or goes on after a pause. */
void generator_start(struct generator *generator);
/* Puts up to a batch of packets before the NF; fewer when the ring is full, or nothing is due or left. Returns how
 * many. */
uint32_t generator_process(struct generator *generator);
/* Likewise, the first packet of each flow once, so that every flow is open and known before anything is counted. */
uint32_t generator_prime(struct generator *generator);

#endif
