/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "hop/hop_config.h"
#include "traffic/addresses.h"
#include "io/io.h"
#include "io/offload.h"
#include "traffic/traffic_config.h"

#define MAX_RATE_PPS UINT64_C(1000000000)

static const char *const loops[] = {"forever", "once", NULL};
static const char *const replies[] = {"as_is", "learned", NULL};

static void load_capture(struct config *config, const char *key, struct capture *capture, enum capture_unfit unfit)
{
	const struct capture_terms terms = {.max_frame_bytes = IO_MAX_FRAME_BYTES, .unfit = unfit};
	char *path = config_path(config, "traffic", key);
	char reason[512];

	if (path == NULL)
		config_mistake(config, "traffic", key, "expected the name of a pcap file");
	else if (!capture_load(capture, path, &terms, reason, sizeof(reason)))
		config_mistake(config, "traffic", key, "%s", reason);
	free(path);
}

/* Captures of other profiles may be named; they are not read. */
static void read_captures(struct config *config, struct traffic_settings *s)
{
	static const char *const unfit[] = {"refuse", "skip", NULL};
	enum capture_unfit terms = config_choice(config, "traffic", "unfit", "refuse", unfit);
	const struct profile_part *parts;

	for (enum traffic_profile profile = PROFILE_CAPTURE; profile <= PROFILE_HTTP; profile++) {
		uint32_t count = profile_parts(profile, &parts);
		for (uint32_t i = 0; i < count; i++) {
			(void)config_text(config, "traffic", parts[i].key, NULL);
			if (profile == s->profile && !s->outside)
				load_capture(config, parts[i].key, &s->captures[i], terms);
		}
	}
}

static bool parse_target(const char *text, size_t length, struct traffic_target *target)
{
	char address[32], *port, *end;

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	port = strchr(address, ':');
	if (port == NULL)
		return false;
	*port++ = '\0';
	unsigned long number = strtoul(port, &end, 10);
	target->port = htons((uint16_t)number);
	return *port >= '0' && *port <= '9' && *end == '\0' && number >= 1 && number <= UINT16_MAX &&
	       inet_pton(AF_INET, address, &target->address) == 1;
}

static void read_targets(struct config *config, struct traffic_settings *s)
{
	const char *at = config_text(config, "traffic", "target", NULL);

	while (at != NULL) {
		at += strspn(at, " \t");
		size_t length = strcspn(at, ", \t"), all = strcspn(at, ",");
		if (s->target_count == TRAFFIC_MAX_TARGETS ||
		    !parse_target(at, length, &s->targets[s->target_count++])) {
			config_mistake(config, "traffic", "target",
				       "expected up to %u services like 198.51.100.80:80,198.51.100.80:53",
				       TRAFFIC_MAX_TARGETS);
			return;
		}
		at = at[all] == ',' ? at + all + 1 : NULL;
	}
}

static void read_flows(struct config *config, struct traffic_settings *s)
{
	static const char *const skews[] = {"uniform", "zipf", NULL};
	static const char *const meters[] = {"order", "latency", NULL};
	bool zipf = config_choice(config, "traffic", "skew", "uniform", skews) == 1;
	const char *exponent = config_text(config, "traffic", "zipf_exponent", "1");
	char *end;

	s->flows = (uint32_t)config_u64(config, "traffic", "flows", 1024, 1, 1u << 24);
	s->new_flows_per_second = config_u64(config, "traffic", "new_flows_per_second", 0, 0, MAX_RATE_PPS);
	s->reply_percent = (uint32_t)config_u64(config, "traffic", "reply_percent", 50, 0, 100);
	s->meter = config_choice(config, "traffic", "meter", "order", meters);
	s->warm_up_ms = config_u64(config, "traffic", "warm_up_ms", 0, 0, 3600000);
	double value = strtod(exponent, &end);
	if (*end != '\0' || end == exponent || !(value > 0 && value <= 4))
		config_mistake(config, "traffic", "zipf_exponent", "expected a number above 0, at most 4");
	s->zipf_exponent = zipf ? value : 0;
}

#define MADE_FLOWS 4u /* keys of flows, the first of those of frames that are made */

/* Reports keys that would have no effect. */
static void check_place(const struct traffic_settings *s, struct config *config)
{
	static const char *const made[] = {"flows", "skew", "zipf_exponent", "new_flows_per_second", "reply_percent",
					   "meter", "warm_up_ms", NULL};
	static const char *const still[] = {"new_flows_per_second", "reply_percent", NULL};
	static const char *const paced[] = {"burst", "late_after_us", NULL};

	for (uint32_t i = 0; made[i] != NULL && profile_replays(s->profile); i++)
		if (config_text(config, "traffic", made[i], NULL) != NULL)
			config_mistake(config, "traffic", made[i],
				       "only profiles of one size, imix and mix have it; captures use `copies`");
	for (uint32_t i = 0; i < MADE_FLOWS && profile_serves(s->profile); i++)
		if (config_text(config, "traffic", made[i], NULL) != NULL)
			config_mistake(config, "traffic", made[i], "profile upf has a flow for each protocol of a subscriber: `scale`");
	for (uint32_t i = 0; still[i] != NULL && s->profile == PROFILE_MIX; i++)
		if (config_text(config, "traffic", still[i], NULL) != NULL)
			config_mistake(config, "traffic", still[i], "profile mix has flows that stay, in one direction");
	for (uint32_t i = 0; paced[i] != NULL && s->rate_pps == 0; i++)
		if (config_text(config, "traffic", paced[i], NULL) != NULL)
			config_mistake(config, "traffic", paced[i], "needs rate_pps");
	if (s->loop == TRAFFIC_ONCE && s->profile != PROFILE_CAPTURE)
		config_mistake(config, "traffic", "loop", "only profile capture has an end");
}

static void check_amounts(const struct traffic_settings *s, struct config *config)
{
	uint64_t births = s->new_flows_per_second;

	if (((uint64_t)CLIENT_PORTS << (32 - s->clients.length)) < s->flows)
		config_mistake(config, "traffic", "flows", "more than the clients' addresses and ports");
	if (s->rate_pps != 0 && s->burst > s->rate_pps)
		config_mistake(config, "traffic", "burst", "must not be above rate_pps, a second's packets");
	if (s->rate_pps == 0 && births != 0 && s->ns_per_packet == 0)
		config_mistake(config, "traffic", "new_flows_per_second",
			       "needs rate_pps or ns_per_packet above 0, else time does not advance");
	if (s->rate_pps != 0 ? births > s->rate_pps : births * s->ns_per_packet > 1000000000)
		config_mistake(config, "traffic", "new_flows_per_second", "more flows than packets to open them");
}

static void read_arrivals(struct config *config, struct traffic_settings *s)
{
	if (!gaps_parse(config_text(config, "traffic", "arrivals", "cbr"), &s->arrivals))
		config_mistake(config, "traffic", "arrivals",
			       "expected cbr, poisson, geometric or nbinom:CV with a CV up to %g", GAPS_MOST_CV);
}

struct traffic_settings *traffic_configure(struct config *config)
{
	static const char *const ports[] = {"generator", "eal", NULL};
	struct traffic_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->outside = config_choice(config, "io", "port", "generator", ports) == 1 || hop_side_of(config) == HOP_NF;
	offload_check(config);
	s->offload = offload_read(config);
	if ((s->offload & OFFLOAD_MARK) != 0)
		s->marks = offload_marks(config);
	if ((s->offload & OFFLOAD_DECAP) != 0)
		s->n3 = upf_read_n3(config);
	s->ring = (uint32_t)config_u64(config, "io", "ring", 1024, 64, 1u << 16);
	if ((s->ring & (s->ring - 1)) != 0)
		config_mistake(config, "io", "ring", "must be a power of two");
	s->profile = config_choice(config, "traffic", "profile", "capture", profile_names);
	read_targets(config, s);
	s->inside = config_prefix(config, "network", "inside", "10.0.0.0/8");
	s->clients = s->inside;
	if (config_text(config, "traffic", "clients", NULL) != NULL || s->target_count != 0)
		s->clients = config_prefix(config, "traffic", "clients", "198.18.0.0/15"); /* RFC 2544, C.2.2 */
	s->copies = (uint32_t)config_u64(config, "traffic", "copies", 1, 1, 65536);
	s->loop = config_choice(config, "traffic", "loop", "forever", loops);
	s->replies = config_choice(config, "traffic", "replies", "learned", replies);
	s->seed = config_u64(config, "traffic", "seed", 1, 0, UINT64_MAX);
	s->ns_per_packet = config_u64(config, "traffic", "ns_per_packet", 100, 0, 1000000000000);
	s->rate_pps = config_u64(config, "traffic", "rate_pps", 0, 0, MAX_RATE_PPS);
	s->burst = (uint32_t)config_u64(config, "traffic", "burst", 1, 1, 65536);
	s->late_after_us = config_u64(config, "traffic", "late_after_us", 1000, 0, 1000000);
	read_arrivals(config, s);
	read_flows(config, s);
	if (profile_serves(s->profile)) {
		upf_subscribers_configure(&s->subscribers, config);
		upf_subscribers_check(&s->subscribers, config);
		s->replies = REPLIES_AS_IS; /* a user plane changes no address */
	}
	if (s->profile == PROFILE_MIX) {
		mixed_configure(&s->mixed, config);
		s->replies = REPLIES_AS_IS;
		s->reply_percent = 0;
		if (s->flows < MIXED_KINDS)
			config_mistake(config, "traffic", "flows", "profile mix has a flow of each kind: at least %u", MIXED_KINDS);
	}
	check_place(s, config);
	check_amounts(s, config);
	read_captures(config, s);
	return s;
}

void traffic_release(struct traffic_settings *s)
{
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < PROFILE_MAX_PARTS; i++)
		capture_free(&s->captures[i]);
	free(s);
}
