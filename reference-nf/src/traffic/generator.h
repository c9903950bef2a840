/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends the profile's packets: as fast as the NF takes them (closed loop), or by a schedule (open loop). The same
 * settings give the same packets.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "io/io.h"
#include "meter/tx_stats.h"
#include "nic/nic.h"
#include "pace/pace.h"
#include "traffic/replay.h"
#include "traffic/service.h"
#include "traffic/synthetic.h"

struct generator {
	struct io *io;
	const struct traffic_settings *settings;
	bool replays, serves;
	bool silent; /* sends nothing for now */
	struct replay replay;	    /* one of these three, by the profile */
	struct service service;
	struct synthetic synthetic;
	struct nic nic; /* of [io] offload; it takes what was generated before the NF receives it */
	struct rte_mbuf *waiting[BATCH_MAX];
	uint32_t waiting_count;
	uint64_t handed_in; /* packets put before several queues, priming included */
	struct pace pace;
	uint32_t burst;
	struct ramp ramp; /* of an agent's trial; the settings have none */
	struct gaps_settings arrivals;
	double *gaps; /* of `arrivals` at `gaps_ns` on average, if they are random */
	double gaps_ns;
	struct tx_stats tx_stats;
	uint64_t left;	 /* packets still to send or give up */
	uint64_t sent;	 /* packets */
	uint64_t primed; /* flows opened before counting */
	uint64_t ticks, last; /* how long it has sent, without parked times; until when */
};

extern const struct nalm_outcome_spec generator_outcomes[];
enum { GENERATOR_GENERATED };

/* limit: packets to send in total; 0: only the settings' limit. false: reported on stderr. */
bool generator_open(struct generator *generator, struct io *io, const struct traffic_settings *settings,
		    uint64_t limit);
void generator_close(struct generator *generator);

uint64_t generator_flows(const struct generator *generator);
/* Memory that a recording of all packets may need. limit as above. */
void generator_room(const struct generator *generator, uint64_t limit, uint64_t *packets, uint64_t *bytes);
/* Describes the traffic in a sentence for people. */
void generator_describe(const struct generator *generator, char *text, size_t size);

/* Sets the schedule; 0: as fast as the NF takes packets. Call it before generator_start(). */
void generator_set_rate(struct generator *generator, uint64_t rate_pps);
/* Sets the family of its gaps, for the next generator_set_rate(). */
void generator_set_arrivals(struct generator *generator, const struct gaps_settings *arrivals);
/* Sets the packets of a burst, and new flows per second, for the next generator_set_rate(). 0: those of the settings. */
void generator_set_bursts(struct generator *generator, uint64_t packets);
void generator_set_new_flows(struct generator *generator, uint64_t per_second);
/* Sets a ramp for the next generator_set_rate(). period_ns 0: none. least: its slowest rate over its mean, up to 1. */
void generator_set_ramp(struct generator *generator, uint64_t period_ns, double least);
/* Whether this traffic's flows can end, and others take their place. */
bool generator_renews(const struct generator *generator);
/* Flows that took the place of others. */
uint64_t generator_flows_begun(const struct generator *generator);
/* Starts time, or continues it after a pause. */
void generator_start(struct generator *generator);
/* Passes up to a batch of packets to the NF; fewer when the ring is full, or nothing is due or left. Returns the
 * number. */
uint32_t generator_process(struct generator *generator);
/* With [io] offload, generated packets wait for this. Returns their number. */
uint32_t generator_hand_in(struct generator *generator);
/* Likewise, but once the first packet of each flow, so that every flow is open before counting. */
uint32_t generator_prime(struct generator *generator);

#endif
