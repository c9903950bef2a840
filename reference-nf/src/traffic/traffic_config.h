/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRAFFIC_CONFIG_H
#define TRAFFIC_CONFIG_H

#include <stdint.h>

#include "config/config.h"
#include "capture/capture.h"
#include "pace/gaps.h"
#include "traffic/profile.h"
#include "traffic/mixed.h"
#include "session/upf_subscribers.h"

#define TRAFFIC_MAX_TARGETS 16u

enum traffic_loop { TRAFFIC_FOREVER, TRAFFIC_ONCE };
enum traffic_replies { REPLIES_AS_IS, REPLIES_LEARNED };
enum traffic_meter { METER_ORDER, METER_LATENCY };

/* A service that clients use, in network byte order. */
struct traffic_target {
	uint32_t address;
	uint16_t port;
};

struct traffic_settings {
	bool outside; /* [io] port = eal, [hop] side = nf: others send and receive packets */
	enum traffic_profile profile;
	struct ipv4_prefix inside, clients;
	struct traffic_target targets[TRAFFIC_MAX_TARGETS];
	uint32_t target_count;
	enum traffic_replies replies;
	uint64_t seed;
	uint64_t ns_per_packet;
	uint32_t offload; /* a set of enum offload */
	uint32_t ring;	  /* [io] ring: places between the generator and the NF */
	uint32_t marks;	  /* numbers that offload `mark` gives flows */
	uint32_t n3;	  /* where offload `decap` ends tunnels, as in a packet */

	/* for profiles that replay captures */
	struct capture captures[PROFILE_MAX_PARTS];
	uint32_t copies;
	enum traffic_loop loop;

	/* for profiles that generate packets */
	uint32_t flows;
	double zipf_exponent; /* 0: uniform */
	uint64_t new_flows_per_second;
	uint32_t reply_percent;
	enum traffic_meter meter;
	uint64_t warm_up_ms;

	struct upf_subscribers subscribers; /* of profile upf */
	struct mixed_settings mixed;	    /* of profile mix */

	uint64_t rate_pps; /* 0: closed loop */
	struct gaps_settings arrivals; /* gaps between bursts */
	uint32_t burst;
	uint64_t late_after_us;
};

/* NULL: no memory. */
struct traffic_settings *traffic_configure(struct config *config);
void traffic_release(struct traffic_settings *settings);

#endif
